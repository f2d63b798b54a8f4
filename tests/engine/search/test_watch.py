"""Indexing what changed once it has rested: when it is due, what it does, what it leaves."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from memconsole.domain.commands.outcomes import Failed, Skipped, SkipReason
from memconsole.domain.commands.reindex import Reindex, Reindexed
from memconsole.domain.search.values import SearchRequest
from memconsole.domain.settings import Settings
from memconsole.domain.settings.sections import SearchSettings, UiSettings
from memconsole.engine.engine import Engine
from memconsole.errors import HomeNotFoundError, IndexUnavailableError, LockedError
from tests.doubles.bundle import World
from tests.doubles.platform import HOME, fake_agent, talk
from tests.engine.rows import row

STATE = Path("/state")
NOTE = "memory/2026-01-20.md"


def engine_of(world: World, **changes: object) -> Engine:
    return Engine(world.ports, Settings(state_dir=STATE, **changes))  # type: ignore[arg-type]


@pytest.fixture
def world() -> World:
    """A home whose index is built and up to date."""
    found = World()
    found.documents.texts[fake_agent().workspace] = {NOTE: "- the staging database is orion"}
    engine_of(found).search.find(SearchRequest("database"))
    found.index.synced.clear()
    return found


def change(world: World, text: str = "- the database is vega") -> frozenset[Path]:
    workspace = fake_agent().workspace
    world.documents.texts[workspace][NOTE] = text
    return frozenset({workspace / NOTE})


def rest(world: World, seconds: float = 1.5) -> None:
    world.clock.advance(timedelta(seconds=seconds))


def test_a_changed_file_is_indexed_when_it_has_rested(world: World) -> None:
    watch = engine_of(world).watches.index()
    assert watch.due_in_s() is None
    watch.note(change(world))
    assert watch.due_in_s() == 1.5
    assert watch.behind() == {fake_agent().ref}
    assert watch.run_due() == ()
    rest(world, 1.0)
    watch.note(change(world, "- the database is lyra"))
    rest(world, 1.0)
    assert (watch.run_due(), watch.due_in_s()) == ((), 0.5)
    rest(world, 0.5)
    assert watch.due_in_s() == 0
    [outcome] = watch.run_due()
    assert isinstance(outcome, Reindexed)
    assert world.index.synced == [("main", False)]
    assert (watch.due_in_s(), watch.behind()) == (None, frozenset())
    typed = SearchRequest("lyra", is_typing=True)
    assert [hit.path for hit in engine_of(world).search.find(typed).hits] == [NOTE]


def test_a_file_that_never_rests_is_indexed_all_the_same(world: World) -> None:
    watch = engine_of(world).watches.index()
    for _ in range(31):
        watch.note(change(world))
        rest(world, 1.0)
    assert len(watch.run_due()) == 1


def test_the_quiet_time_is_configured(world: World) -> None:
    settings = SearchSettings(debounce=timedelta(seconds=4))
    watch = engine_of(world, search=settings).watches.index()
    watch.note(change(world))
    assert watch.due_in_s() == 4


def test_a_root_stands_for_all_that_is_below_it(world: World) -> None:
    change(world)
    for root in (HOME, fake_agent().workspace):
        watch = engine_of(world).watches.index()
        watch.note(frozenset({root}))
        rest(world)
        assert len(watch.take_due()) == 1


@pytest.mark.parametrize(
    "path",
    [
        fake_agent().sessions_dir / "a.jsonl",
        fake_agent().workspace / "script.py",
        Path("/elsewhere/note.md"),
    ],
)
def test_what_is_no_memory_is_ignored(world: World, path: Path) -> None:
    watch = engine_of(world).watches.index()
    watch.note(frozenset({path}))
    assert watch.due_in_s() is None


def test_what_is_the_same_as_before_costs_nothing(world: World) -> None:
    watch = engine_of(world).watches.index()
    watch.note(frozenset({fake_agent().workspace / NOTE}))
    rest(world)
    assert watch.run_due() == ()
    assert world.index.synced == []


def test_a_missing_index_is_built_only_for_who_says_so() -> None:
    world = World()
    world.documents.texts[fake_agent().workspace] = {NOTE: "- orion"}
    for may_build in (False, True):
        watch = engine_of(world).watches.index(may_build=may_build)
        watch.note(frozenset({HOME}))
        rest(world)
        assert len(watch.run_due()) == int(may_build)


def test_read_only_indexes_nothing(world: World) -> None:
    watch = engine_of(world, ui=UiSettings(read_only=True)).watches.index()
    watch.note(change(world))
    assert watch.due_in_s() is None


def test_an_index_that_another_process_writes_is_tried_again(world: World) -> None:
    watch = engine_of(world).watches.index()
    world.index.unwritable["main"] = LockedError("the index of main", "process 7")
    watch.note(change(world))
    rest(world)
    [outcome] = watch.run_due()
    assert isinstance(outcome, Skipped)
    assert outcome.reason is SkipReason.LOCKED
    assert watch.due_in_s() == 1.5
    world.index.unwritable.clear()
    rest(world)
    assert isinstance(watch.run_due()[0], Reindexed)


def test_a_full_disk_is_told_and_waits_for_the_next_change(world: World) -> None:
    watch = engine_of(world).watches.index()
    world.index.unwritable["main"] = IndexUnavailableError("no space left")
    watch.note(change(world))
    rest(world)
    [outcome] = watch.run_due()
    assert isinstance(outcome, Failed)
    assert outcome.message == "no space left"
    assert watch.due_in_s() is None


def test_another_process_may_do_the_work(world: World) -> None:
    watch = engine_of(world).watches.index()
    watch.note(change(world))
    rest(world)
    [command] = watch.take_due()
    assert command == Reindex(fake_agent().ref, with_sessions=False)
    assert watch.due_in_s() is None
    watch.again(command)
    rest(world)
    assert watch.take_due() == (command,)


def test_stopping_leaves_the_rest_for_later(world: World) -> None:
    watch = engine_of(world).watches.index()
    watch.note(change(world))
    rest(world)
    stop = threading.Event()
    stop.set()
    assert watch.run_due(stop) == ()
    assert watch.due_in_s() == 1.5


def test_a_home_that_went_away_is_no_failure(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    watch = engine_of(world).watches.index()
    watch.note(change(world))
    rest(world)

    def gone() -> None:
        raise HomeNotFoundError("/home")

    monkeypatch.setattr(world.platform, "read", gone)
    watch.note(change(world, "- other"))
    assert watch.run_due() == ()


class TestKnownFiles:
    """Where only plain files changed, nothing else is looked at."""

    @pytest.fixture
    def world(self, world: World) -> World:
        world.documents.knows_single = True
        return world

    def test_only_they_are_taken_in(self, world: World) -> None:
        watch = engine_of(world).watches.index()
        world.documents.texts[fake_agent().workspace]["memory/other.md"] = "- not told of"
        watch.note(change(world))
        rest(world)
        [outcome] = watch.run_due()
        assert isinstance(outcome, Reindexed)
        assert outcome.details["files_changed"] == 1
        assert (world.index.taken_in, world.index.synced) == ([NOTE], [])

    def test_a_file_that_is_gone_is_found_by_a_comparison(self, world: World) -> None:
        watch = engine_of(world).watches.index()
        paths = change(world)
        del world.documents.texts[fake_agent().workspace][NOTE]
        watch.note(paths)
        rest(world)
        [outcome] = watch.run_due()
        assert isinstance(outcome, Reindexed)
        assert outcome.details["files_removed"] == 1
        assert world.index.synced == [("main", False)]

    def test_so_are_very_many(self, world: World) -> None:
        watch = engine_of(world).watches.index()
        workspace = fake_agent().workspace
        watch.note(change(world))
        watch.note(frozenset(workspace / "memory" / f"{number}.md" for number in range(100)))
        rest(world)
        watch.run_due()
        assert (world.index.taken_in, world.index.synced) == ([], [("main", False)])

    def test_an_index_in_use_is_tried_again(self, world: World) -> None:
        watch = engine_of(world).watches.index()
        world.index.unwritable["main"] = LockedError("the index of main", "process 7")
        watch.note(change(world))
        rest(world)
        assert isinstance(watch.run_due()[0], Skipped)
        world.index.unwritable.clear()
        rest(world)
        assert isinstance(watch.run_due()[0], Reindexed)


class TestTalks:
    """Transcripts, when they are searched: after 100,000 bytes or 50 changes."""

    @pytest.fixture
    def heard(self, world: World) -> Engine:
        self.say(world, size=4_000)
        engine = engine_of(world, search=SearchSettings(sessions=True))
        engine.search.find(SearchRequest("orion"))
        world.index.synced.clear()
        return engine

    def say(self, world: World, *, size: int) -> frozenset[Path]:
        stored = row()
        assert stored.transcript is not None
        world.sessions.hold(replace(stored, transcript=replace(stored.transcript, size_bytes=size)))
        world.sessions.transcripts["id-main"] = talk(f"about orion, {size} times")
        return frozenset({fake_agent().sessions_dir / "id-main.jsonl"})

    def test_little_waits(self, world: World, heard: Engine) -> None:
        watch = heard.watches.index()
        watch.note(self.say(world, size=5_000))
        rest(world)
        assert watch.run_due() == ()
        assert watch.due_in_s() is None

    def test_much_is_indexed(self, world: World, heard: Engine) -> None:
        watch = heard.watches.index()
        watch.note(self.say(world, size=200_000))
        rest(world)
        assert watch.take_due() == (Reindex(fake_agent().ref, with_sessions=True),)

    def test_so_are_many_changes(self, world: World, heard: Engine) -> None:
        watch = heard.watches.index()
        paths = self.say(world, size=5_000)
        for _ in range(49):
            watch.note(paths)
        rest(world)
        assert watch.take_due() == ()
        watch.note(paths)
        rest(world)
        assert len(watch.take_due()) == 1

    def test_memory_takes_them_along(self, world: World, heard: Engine) -> None:
        watch = heard.watches.index()
        watch.note(self.say(world, size=5_000) | change(world))
        rest(world)
        assert watch.take_due() == (Reindex(fake_agent().ref, with_sessions=True),)
