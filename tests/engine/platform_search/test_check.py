"""Whether the agents' own indexes are whole, over indexes held in memory."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.agents import PlatformConfig
from memconsole.domain.platform_search.index import (
    IndexedChunk,
    IndexFacts,
    PlatformIndexHealth,
    canary_of,
    is_memory_file,
)
from memconsole.domain.platform_search.profile import FADING, FIRST, PROFILES
from memconsole.domain.settings import Settings
from memconsole.engine.engine import Engine
from memconsole.errors import StoreError
from tests.doubles.bundle import World
from tests.doubles.platform import NOW, fake_agent
from tests.doubles.search import FakePlatformIndex

if TYPE_CHECKING:
    from memconsole.domain.health import Check
    from memconsole.domain.search.indexing import Document

FACTS = IndexFacts(Path("/db"), FADING, "openai-compatible", "stub", dims=2)
TEXTS = {"MEMORY.md": "answers are short", "memory/2026-01-20.md": "the boiler broke"}


@pytest.fixture
def index() -> FakePlatformIndex:
    chunks = [IndexedChunk(path, path, 1, 1, "stub", text, True) for path, text in TEXTS.items()]
    return FakePlatformIndex(FACTS, dict(TEXTS), tuple(chunks))


@pytest.fixture
def world(index: FakePlatformIndex) -> World:
    made = World()
    made.platform_index.indexes["main"] = index
    made.platform_index.files = dict(TEXTS)
    made.documents.texts[fake_agent().workspace] = dict(TEXTS)
    return made


def looked(world: World) -> PlatformIndexHealth:
    [found] = Engine(world.ports, Settings(state_dir=Path("/state"))).platform_search.indexes()
    return found


def check(world: World) -> Check:
    report = Engine(world.ports, Settings(state_dir=Path("/state"))).health.report()
    return next(one for one in report.checks if one.id == "platform-index")


def test_a_whole_index(world: World) -> None:
    found = looked(world)
    assert (found.files, found.chunks, found.troubles) == (2, 2, ())
    assert found.canary == "boiler broke"
    assert found.is_canary_found
    assert check(world).status.value == "ok"
    assert check(world).message == "the agents' own index is whole, 2 chunks"


def test_what_is_missing_extra_or_changed_is_named(world: World) -> None:
    texts = world.documents.texts[fake_agent().workspace]
    texts |= {"memory/new.md": "new", "notes/own.md": "no memory", "memory/LOUD.MD": "nor this"}
    world.platform_index.files |= {"memory/new.md": "new", "memory/2026-01-20.md": "it works"}
    del world.platform_index.files["MEMORY.md"], texts["MEMORY.md"]
    found = looked(world)
    assert (found.missing, found.extra, found.stale) == (
        ("memory/new.md",),
        ("MEMORY.md",),
        ("memory/2026-01-20.md",),
    )
    assert found.troubles == (
        "1 memory file not in it",
        "1 memory file changed since",
        "1 file gone from disk",
    )
    one = check(world)
    assert (one.status.value, one.value) == ("warning", 1)
    assert one.message.startswith("main: 1 memory file not in it, ")
    assert "memory index --agent main" in one.hint
    [row] = one.details
    assert isinstance(row, dict)
    assert (row["missing"], row["stale"]) == (["memory/new.md"], ["memory/2026-01-20.md"])


def test_what_changed_a_moment_ago_may_wait(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.platform_index.files["memory/2026-01-20.md"] = "it works"
    usual = world.documents.documents

    def just_now(workspace: Path, extra: tuple[Path, ...] = ()) -> tuple[Document, ...]:
        found = usual(workspace, extra)
        return tuple(one._replace(modified_at=NOW - timedelta(minutes=5)) for one in found)

    monkeypatch.setattr(world.documents, "documents", just_now)
    found = looked(world)
    assert (found.stale, found.recent, found.troubles) == ((), ("memory/2026-01-20.md",), ())


def test_chunks_that_cannot_be_found_by_meaning(world: World, index: FakePlatformIndex) -> None:
    first, second = index.chunks
    index.chunks = (first._replace(has_vector=False), second._replace(model="older"))
    index.facts = FACTS._replace(leftovers=("main.sqlite.tmp-1",), is_rebuilding=True)
    assert looked(world).troubles == (
        "1 chunk of another model",
        "1 chunk without a vector",
        "its vectors are incomplete",
        "1 file left by a rebuild",
    )
    index.facts = FACTS._replace(provider="none", model="stub")
    assert looked(world).without_vector == 0


def test_an_index_that_does_not_find_its_own_words(world: World, index: FakePlatformIndex) -> None:
    index.unheard = frozenset({"boiler"})
    found = looked(world)
    assert not found.is_canary_found
    assert found.troubles == ("its own words “boiler broke” are not found",)
    assert check(world).status.value == "critical"


def test_an_index_of_another_model_than_is_configured_is_critical(world: World) -> None:
    world.platform.config = PlatformConfig(checked={"memory": {"search": {"model": "p/stub"}}})
    assert looked(world).troubles == ()
    world.platform.config = PlatformConfig(checked={"memory": {"search": {"model": "newer"}}})
    assert looked(world).troubles == ("it is of stub, not of newer",)
    assert check(world).status.value == "critical"


def test_an_empty_index_of_a_memory_is_critical(world: World, index: FakePlatformIndex) -> None:
    index.chunks, index.texts = (), {}
    assert looked(world).is_deaf
    assert check(world).status.value == "critical"


def test_nothing_to_look_at_is_unknown(world: World) -> None:
    world.platform_index.failure = StoreError("it is damaged")
    assert check(world).message == "main: it is damaged"
    world.platform_index.failure = None
    world.platform.config = PlatformConfig(checked={"memory": {"search": {"enabled": False}}})
    assert check(world).message == "main: its memory search is switched off"
    world.platform_index.indexes.clear()
    assert (looked(world).troubles, looked(world).is_deaf) == ((), False)
    assert check(world).status.value == "unknown"
    assert check(world).message == "main: it has no index of its memory"


def test_a_canary_is_made_of_plain_words() -> None:
    def chunk(text: str) -> IndexedChunk:
        return IndexedChunk("a", "a.md", 1, 1, "m", text, True)

    found = canary_of([chunk("one longer word, longest"), chunk("日本語 …")])
    assert found is not None
    assert found[0] == "longest longer word"
    assert canary_of([chunk("日本語"), chunk("")]) is None


def test_what_the_platform_indexes() -> None:
    for profile in PROFILES:
        assert is_memory_file("MEMORY.md", profile)
        assert is_memory_file("memory/a/b.md", profile)
        assert not is_memory_file("notes/a.md", profile)
        assert not is_memory_file("memory/a.txt", profile)
    assert (is_memory_file("USER.md", FADING), is_memory_file("USER.md", FIRST)) == (True, False)
