"""Finds out, by the journal and the disk alone, what became of resets whose process has ended."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole.domain.rotation import RotationState, is_another, of_stored
from memconsole.domain.sessions.stored import SessionState
from memconsole.engine.home.lookup import agents_of
from memconsole.engine.rotation.run import UNANSWERED
from memconsole.errors import LockedError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from memconsole.domain.agents import AgentRef
    from memconsole.domain.rotation import Rotation
    from memconsole.domain.sessions.stored import StoredSession
    from memconsole.engine.home.reader import Reader
    from memconsole.ports.platform import Clock, Locks, RotationLog

_NEWEST = 5


def settle(
    rotations: RotationLog, reader: Reader, locks: Locks, clock: Clock, *, since: datetime
) -> tuple[Rotation, ...] | None:
    """Return the resets that were sent since then, each with its end; nothing is sent.

    None while one of them may still be answered, or its process still goes on.

    Raises:
        StateError: An end cannot be written into the journal.
    """
    found: list[Rotation] = []
    for agent, key, stored in _live(reader):
        for one in rotations.recent(agent, key, limit=_NEWEST):
            if one.started_at < since or one.state is RotationState.DEFERRED:
                continue
            ended = _ended(rotations, locks, clock.now(), one, stored)
            if ended is None:
                return None
            found.append(ended)
    return tuple(found)


def _live(reader: Reader) -> Iterator[tuple[AgentRef, str, StoredSession]]:
    home = reader.home()
    for agent in agents_of(home, None):
        for one in reader.sessions(home, agent).listing.sessions:
            if one.state is SessionState.LIVE and one.key is not None:
                yield agent.ref, one.key.text, one


def _ended(
    rotations: RotationLog, locks: Locks, now: datetime, one: Rotation, stored: StoredSession
) -> Rotation | None:
    if one.state is not RotationState.SENT:
        return one
    try:
        with locks.session(one.agent.home.path, one.key):
            after = of_stored(stored)
            if is_another(one.before, after):
                state = RotationState.PROVEN
            elif now - one.started_at >= UNANSWERED:
                state = RotationState.INEFFECTIVE
            else:
                return None
            rotations.finish(one.id, state, after, now)
            return replace(one, state=state, after=after, ended_at=now)
    except LockedError:
        return None
