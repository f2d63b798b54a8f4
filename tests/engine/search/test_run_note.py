"""Searches remember which notes they found, when the operator says so."""

from __future__ import annotations

import logging
from datetime import timedelta
from pathlib import Path

import pytest

from memconsole.domain.memory.entries import entry_id
from memconsole.domain.search.values import SearchRequest
from memconsole.domain.settings import Settings
from memconsole.domain.settings.sections import ConsolidateSettings, UiSettings
from memconsole.engine.engine import Engine
from memconsole.errors import SearchCancelledError
from tests.doubles.bundle import World
from tests.doubles.platform import NOW, fake_agent

ROOT = fake_agent().workspace
PATH = "memory/2026-01-20.md"
ID = entry_id(PATH, "the staging database is orion")


@pytest.fixture
def world() -> World:
    """A daily note and a file of another kind, both with the same word."""
    found = World()
    found.documents.knows_single = True
    found.documents.texts[ROOT] = {
        PATH: "- the staging database is orion\n",
        "memory/garden.md": "- a database of tomatoes\n",
    }
    return found


def search(world: World, text: str = "database", **changes: object) -> None:
    settings = Settings(
        state_dir=Path("/state"),
        timezone="UTC",
        consolidate=ConsolidateSettings(search_log=bool(changes.pop("is_on", True))),
        ui=UiSettings(read_only=bool(changes.pop("read_only", False))),
    )
    request = SearchRequest(text, **changes)  # type: ignore[arg-type]
    Engine(world.ports, settings).search.find(request)


def test_a_found_note_is_remembered_by_its_id(world: World) -> None:
    search(world)
    [find] = world.consolidation.hits(str(ROOT))
    assert (find.entry, find.path, find.day, find.at) == (ID, PATH, NOW.date(), NOW)
    assert find.score > 0
    search(world, "Database")
    assert len(world.consolidation.hits(str(ROOT))) == 1
    search(world, "orion")
    world.clock.advance(timedelta(days=1))
    search(world, "orion")
    assert len(world.consolidation.hits(str(ROOT))) == 3


def test_nothing_is_remembered_unless_it_is_switched_on(world: World) -> None:
    search(world, is_on=False)
    search(world, is_typing=True)
    search(world, read_only=True)
    search(world, "")
    world.index.failure = SearchCancelledError("ended")
    search(world)
    assert world.consolidation.found == {}


def test_a_log_that_cannot_be_written_fails_no_search(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    world.consolidation.is_unwritable = True
    with caplog.at_level(logging.WARNING):
        search(world)
    assert "is not remembered" in caplog.text


def test_a_note_that_is_gone_meanwhile_is_not_remembered(world: World) -> None:
    search(world, "tomatoes")
    del world.documents.texts[ROOT][PATH]
    world.index.cosines[PATH] = 0.9
    search(world, is_typing=False)
    assert world.consolidation.found == {}
