"""A talk that goes on under another session: the one that ended is recovered soon."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.agents import Storage
from memconsole.domain.commands.recover import Recover
from memconsole.domain.settings.sections import RecoverySettings
from memconsole.engine.engine import Engine
from memconsole.engine.recover.watch import REST_S, EndedWatch
from memconsole.errors import HomeNotFoundError
from tests.doubles.bundle import World
from tests.doubles.platform import HOME, NOW, fake_agent
from tests.engine.rows import row
from tests.scheduler.stage import SETTINGS

if TYPE_CHECKING:
    from memconsole.domain.sessions.stored import StoredSession

AGENT, OTHER = fake_agent(), fake_agent("work")
CHANGED = frozenset({AGENT.sessions_dir / "sessions.json"})
GROUP = "agent:main:telegram:group:-1"


class Stage:
    """Two agents; the first has a talk and a group."""

    def __init__(self) -> None:
        self.world = World(AGENT, OTHER)
        self.hold(row(session_id="s-1"), row(key=GROUP, session_id="g-1"))
        self.watch = Engine(self.world.ports, SETTINGS).watches.ended()
        self.watch.begin()

    def hold(self, *sessions: StoredSession, **listing: object) -> None:
        self.world.sessions.hold(*sessions, **listing)  # type: ignore[arg-type]

    def due(self, paths: frozenset[Path] = CHANGED) -> list[Recover]:
        self.watch.note(paths)
        self.world.clock.advance(timedelta(seconds=REST_S))
        return list(self.watch.take_due())


def test_an_agent_that_wants_no_recovery_is_left_alone() -> None:
    stage = Stage()
    off = replace(SETTINGS, recovery=RecoverySettings(is_enabled=False))
    settings = replace(SETTINGS, agents={"main": off})
    stage.watch = Engine(stage.world.ports, settings).watches.ended()
    stage.watch.begin()
    stage.hold(row(session_id="s-2"))
    assert stage.due() == []


def test_another_session_of_a_key_is_recovered_once_after_a_rest() -> None:
    stage = Stage()
    assert stage.due() == []
    stage.hold(row(session_id="s-2"), row(key=GROUP, session_id="g-1"))
    stage.watch.note(CHANGED)
    assert (stage.watch.due_in_s(), stage.watch.take_due()) == (REST_S, ())
    stage.world.clock.advance(timedelta(seconds=REST_S - 1))
    assert stage.watch.due_in_s() == 1
    stage.world.clock.advance(timedelta(seconds=1))
    assert stage.watch.due_in_s() == 0
    assert stage.watch.take_due() == (Recover(AGENT.ref),)
    assert stage.watch.due_in_s() is None
    assert stage.due() == []


@pytest.mark.parametrize(
    "changed",
    [
        row(session_id="s-1", started_at=NOW),  # a reset in place keeps the id
        row(key="agent:main:telegram:dm:7", session_id="s-9"),  # its key is gone
    ],
)
def test_a_reset_in_place_and_a_session_that_is_gone_have_ended_too(changed: StoredSession) -> None:
    stage = Stage()
    stage.hold(changed, row(key=GROUP, session_id="g-1"))
    assert stage.due() == [Recover(AGENT.ref)]


def test_groups_new_sessions_and_words_are_no_end() -> None:
    stage = Stage()
    talk = replace(row(session_id="s-1"), tokens_reported=9_000, updated_at=NOW)
    stage.hold(talk, row(key=GROUP, session_id="g-2"))
    assert stage.due() == []
    stage.hold(talk, row(key="agent:main:telegram:dm:7", session_id="s-9"))
    assert stage.due() == []


@pytest.mark.parametrize(
    "listing", [{"storage": Storage.UNREADABLE}, {"left_out": {"unreadable": 1}}]
)
def test_a_store_that_cannot_be_read_has_ended_nothing(listing: dict[str, object]) -> None:
    stage = Stage()
    stage.hold(row(key=GROUP, session_id="g-1"), **listing)
    assert stage.due() == []
    stage.hold(row(session_id="s-1"), row(key=GROUP, session_id="g-1"))
    assert stage.due() == []
    stage.hold(row(session_id="s-2"))
    assert stage.due() == [Recover(AGENT.ref)]


def test_only_agents_whose_files_changed_are_looked_at_unless_it_may_be_all() -> None:
    stage = Stage()
    stage.hold(row(session_id="s-2"))
    assert stage.due(frozenset({OTHER.sessions_dir / "sessions.json", Path("/elsewhere")})) == []
    assert stage.due(frozenset({HOME})) == [Recover(AGENT.ref)]
    stage.hold(row(session_id="s-3"))
    stage.watch.begin()
    stage.world.clock.advance(timedelta(seconds=REST_S))
    assert stage.watch.take_due() == (Recover(AGENT.ref),)


def test_a_run_that_looked_at_all_agents_leaves_nothing_due() -> None:
    stage = Stage()
    stage.hold(row(session_id="s-2"))
    stage.watch.note(CHANGED)
    stage.watch.recovered()
    assert stage.watch.due_in_s() is None
    assert stage.due() == []


def test_a_home_that_is_gone_for_a_while_changes_nothing() -> None:
    stage = Stage()

    def gone() -> object:
        raise HomeNotFoundError("/gone")

    watch = EndedWatch(stage.world.clock, gone, stage.world.sessions.sessions)  # type: ignore[arg-type]
    watch.note(CHANGED)
    assert watch.due_in_s() is None
