"""What lies ahead of sessions, and a home that is told while it is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.checkpoint.rules import Capture
from memconsole.domain.sessions.stored import SessionState
from memconsole.domain.settings import Settings
from tests.doubles.bundle import World, reader_of, snapshots_of
from tests.doubles.platform import HOME, NOW, fake_agent
from tests.engine.rows import row

if TYPE_CHECKING:
    from collections.abc import Callable

    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot

SETTINGS = Settings(state_dir=HOME / "state")


def test_a_live_session_knows_when_it_was_saved_and_where_things_happen_to_it() -> None:
    world = World()
    ended = row("agent:main:telegram:direct:9", 5, state=SessionState.ARCHIVED)
    world.sessions.hold(row("agent:main:main", 160_000), ended)
    agent = world.platform.read().agents[0].ref
    world.captures.add(
        Capture(
            agent, "id-main", None, NOW, "h", "b", is_logged=False, day_file=None, workspace="w"
        )
    )

    taken = snapshots_of(world, reader_of(world, SETTINGS)).take(settings=SETTINGS)

    [live, archived] = taken.sessions
    assert archived.outlook is None
    assert live.outlook is not None
    assert live.outlook.saved_at == NOW
    limits = live.outlook.limits
    assert (limits.flush, limits.rotation, limits.compaction) == (140_000, 150_000, 180_000)


def test_who_does_not_show_what_lies_ahead_does_not_look() -> None:
    world = World()
    world.sessions.hold(row("agent:main:main", 160_000))
    [view] = snapshots_of(world, reader_of(world, SETTINGS)).take().sessions
    assert view.outlook is None


def test_agents_can_be_told_while_the_others_are_still_read() -> None:
    world = World(fake_agent("main"), fake_agent("work"), fake_agent("ops"))
    parts: list[ConsoleSnapshot] = []

    def keep(told: Callable[[], ConsoleSnapshot]) -> None:
        parts.append(told())

    whole = snapshots_of(world, reader_of(world, SETTINGS)).take(so_far=keep)

    assert [(len(part.agents), part.unread) for part in parts] == [(1, 2), (2, 1)]
    assert (len(whole.agents), whole.unread) == (3, 0)
