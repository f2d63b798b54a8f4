"""What an operator names is found exactly, or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memconsole.domain.sessions.stored import SessionState
from memconsole.domain.settings import Settings
from memconsole.engine.home.lookup import find_agent
from memconsole.engine.sessions.service import find_session
from memconsole.errors import SessionNotFoundError, UnknownAgentError, UsageError
from tests.doubles.bundle import World, reader_of, snapshots_of
from tests.doubles.platform import HOME, fake_agent
from tests.engine.rows import row

if TYPE_CHECKING:
    from memconsole.domain.sessions.stored import StoredSession
    from memconsole.domain.snapshot.snapshot import SessionView


def views(*sessions: StoredSession) -> tuple[SessionView, ...]:
    world = World()
    world.sessions.hold(*sessions)
    reader = reader_of(world, Settings(state_dir=HOME / "state"))
    return snapshots_of(world, reader).take().sessions


KEY = "agent:main:main"


def test_an_agent_is_found_in_any_letter_case_and_never_replaced() -> None:
    home = World(fake_agent("main"), fake_agent("ops")).platform.read()

    assert find_agent(home, " OPS ").id == "ops"
    with pytest.raises(UnknownAgentError) as caught:
        find_agent(home, "агент")
    assert caught.value.hint == "Known agents: main, ops."


def test_an_empty_home_knows_nobody() -> None:
    world = World()
    world.platform.agents = ()

    with pytest.raises(UnknownAgentError) as caught:
        find_agent(world.platform.read(), "main")
    assert caught.value.hint == "Known agents: none."


def test_keys_and_ids_name_the_live_session_first() -> None:
    rows = views(
        row(KEY, session_id="aaaaaaaa-1", state=SessionState.ARCHIVED),
        row(KEY, session_id="aaaaaaaa-2"),
        row(None, session_id="bbbbbbbb-3", state=SessionState.ORPHAN),
    )

    assert find_session(rows, KEY).session_id == "aaaaaaaa-2"
    assert find_session(rows, "aaaaaaaa-1").state is SessionState.ARCHIVED
    assert find_session(rows, "bbbbbb").session_id == "bbbbbbbb-3"


def test_an_ambiguous_beginning_lists_what_it_could_mean() -> None:
    rows = views(row(KEY, session_id="aaaaaaaa-1"), row("agent:main:x", session_id="aaaaaaaa-2"))

    with pytest.raises(UsageError) as caught:
        find_session(rows, "aaaaaaaa")
    assert caught.value.hint == "They are: aaaaaaaa-1, aaaaaaaa-2."


@pytest.mark.parametrize("name", ["", "aaaaa", "agent:main", "zzzzzzzz"])
def test_what_nothing_is_called_is_not_found(name: str) -> None:
    with pytest.raises(SessionNotFoundError):
        find_session(views(row(KEY, session_id="aaaaaaaa-1")), name)
