"""Searching the files themselves while there is no index."""

from __future__ import annotations

import threading
from datetime import timedelta
from pathlib import Path

import pytest

from memconsole.domain.search.indexing import IndexState, Source
from memconsole.domain.search.values import Narrowing, SearchRequest
from memconsole.domain.settings import Settings
from memconsole.engine.engine import Engine
from tests.doubles.bundle import World
from tests.doubles.platform import NOW, fake_agent

STATE = Path("/state")


@pytest.fixture
def world() -> World:
    found = World()
    found.documents.texts[fake_agent().workspace] = {
        "memory/2026-01-20.md": "# Day\n\n- [DECISION] the staging database is orion",
        "memory/garden.md": "- tomatoes want water, not a database",
        "memory/japan.md": "- 仕入れの相談は木曜日",
    }
    return found


def paths(world: World, text: str, **changes: object) -> list[str]:
    request = SearchRequest(text, is_typing=True, **changes)  # type: ignore[arg-type]  # its fields
    found = Engine(world.ports, Settings(state_dir=STATE)).search.scan(request)
    return [hit.path for hit in found.hits]


def test_more_of_the_words_come_first_and_nothing_is_built(world: World) -> None:
    assert paths(world, "staging database orion") == ["memory/2026-01-20.md", "memory/garden.md"]
    assert world.index.synced == []


def test_the_state_says_that_there_is_no_index(world: World) -> None:
    engine = Engine(world.ports, Settings(state_dir=STATE))
    found = engine.search.scan(SearchRequest("database water"))
    assert found.index.state is IndexState.MISSING
    assert "words only" in found.index.because
    assert list(found.indexes) == [("main", Source.MEMORY)]
    assert found.hits[0].vector_score is None
    assert found.hits[0].text_score == 1.0
    hit = found.hits[0]
    assert {hit.snippet[a:b] for a, b in hit.marks} == {"database", "water"}
    assert (hit.start_line, hit.is_weak) == (1, False)


@pytest.mark.parametrize(
    ("text", "path"),
    [("toma", "memory/garden.md"), ("相談", "memory/japan.md"), ("Tomatoe", "memory/garden.md")],
)
def test_a_beginning_and_a_solid_script_are_found(world: World, text: str, path: str) -> None:
    assert paths(world, text) == [path]


@pytest.mark.parametrize("text", ["", "   ", "zebra", "%", '"', "\0"])
def test_no_text_is_an_error(world: World, text: str) -> None:
    assert paths(world, text) == []


def test_half_of_the_words_is_a_weak_match(world: World) -> None:
    engine = Engine(world.ports, Settings(state_dir=STATE))
    found = engine.search.scan(SearchRequest("database zebra violin"))
    assert [hit.is_weak for hit in found.hits] == [True, True]


def test_a_marker_and_a_date_narrow_it(world: World) -> None:
    assert paths(world, "database", narrowing=Narrowing(tag="DECISION")) == ["memory/2026-01-20.md"]
    late = Narrowing(since=NOW + timedelta(days=1))
    assert paths(world, "database", narrowing=late) == []


def test_it_stops_when_told_to(world: World) -> None:
    stop = threading.Event()
    stop.set()
    engine = Engine(world.ports, Settings(state_dir=STATE))
    found = engine.search.scan(SearchRequest("database"), stop)
    assert found.is_cancelled
    assert found.hits == ()


def test_the_number_of_results_is_kept(world: World) -> None:
    assert len(paths(world, "database", max_results=1)) == 1


def test_a_file_that_goes_away_is_passed_over(world: World) -> None:
    texts = world.documents.texts[fake_agent().workspace]

    class Gone(dict[str, str]):
        def __contains__(self, key: object) -> bool:
            return key != "memory/garden.md" and super().__contains__(key)

    world.documents.texts[fake_agent().workspace] = Gone(texts)
    assert paths(world, "database") == ["memory/2026-01-20.md"]
