"""What the platform, its agents and people do by themselves: the values, and who did it.

Nobody reports these things: they are seen by comparing what was noted last with what is read now
(`domain/snapshot/changes.py`). Whoever looks first keeps them, so that nobody tells them twice.
"""

from __future__ import annotations

from dataclasses import field, replace
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple

from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from memconsole.domain.agents import AgentRef
    from memconsole.domain.commands.outcomes import Run

_SLACK: Final = timedelta(seconds=2)
"""Clocks of files and of runs may differ by so much."""


class EventKind(StrEnum):
    """What happened; the stable words of the database."""

    COMPACTED = "compacted"
    RESET = "reset"
    FILLED = "filled"
    GATEWAY_GONE = "gateway-gone"
    GATEWAY_BACK = "gateway-back"
    RELEASE = "release"
    MEMORY = "memory"


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened without us.

    Attributes:
        id: Number in the database; 0 before it is stored.
        at: When it happened, or was seen where nobody knows.
        since: The reading before: it cannot be older than that. Equal to `at` where that is known.
        agent: Agent id, when it is about one.
        key: Session key, when it is about one.
        message: What came of it, without a full stop.
    """

    id: int
    home: str
    at: datetime
    since: datetime
    kind: EventKind
    agent: str | None
    key: str | None
    message: str


@dataclass(frozen=True, slots=True)
class Cut:
    """A session whose words left its context, or that ended.

    Attributes:
        name: What people call it.
        key: The session key that it has or had.
        what: `compacted`, `rollover` (the platform's own reset, daily or idle), `rotated` (a
            reset of ours) or `reset`, of which nothing says who did it.
        spoke_at: The last message before it.
        tokens: Before it, where that is known.
    """

    agent: AgentRef
    session_id: str
    name: str
    key: str
    what: str
    at: datetime
    spoke_at: datetime
    tokens: int | None = None


class NotedSession(NamedTuple):
    """What is noted of a live session; None for what its store does not say.

    Attributes:
        level: 0 to 3: below 75 %, from there, from the threshold, from the compaction on.
    """

    session_id: str | None
    revision: str | None
    compactions: int | None
    level: int | None


@dataclass(frozen=True, slots=True)
class Noted:
    """What is noted of a reading, to be compared with the next one.

    Attributes:
        gateway: True when it was up, False when it was not, None when nobody knows.
        release: The platform's release; None when nobody knows.
        sessions: By agent id and session key.
        files: Time of the newest memory file, by the path of the workspace.
    """

    at: datetime
    gateway: bool | None = None
    release: str | None = None
    sessions: Mapping[tuple[str, str], NotedSession] = field(default_factory=dict)
    files: Mapping[str, datetime] = field(default_factory=dict)


def merged(before: Noted | None, after: Noted) -> Noted:
    """Return what is noted now, with what only the reading before knew."""
    if before is None:
        return after
    sessions = {name: _kept(before.sessions.get(name), one) for name, one in after.sessions.items()}
    # An agent without any session may be one whose store cannot be read just now.
    listed = {agent for agent, _ in sessions}
    sessions |= {name: one for name, one in before.sessions.items() if name[0] not in listed}
    return Noted(
        after.at,
        before.gateway if after.gateway is None else after.gateway,
        after.release or before.release,
        sessions,
        {**before.files, **after.files},
    )


def is_same(one: Noted, other: Noted) -> bool:
    """Whether nothing happened between two readings."""
    return replace(one, at=other.at) == other


def is_ours(event: Event, runs: Iterable[Run]) -> bool:
    """Whether a run of ours did it: such a thing has a line already."""
    return any(_explains(run, event) for run in runs)


def _explains(run: Run, event: Event) -> bool:
    ended_at = run.ended_at or run.started_at
    if event.kind is EventKind.MEMORY:
        is_then = run.started_at - _SLACK <= event.at <= ended_at + _SLACK
        return is_then and run.status in ("done", "failed") and run.agent in (None, event.agent)
    wanted = {EventKind.RESET: ("rotate",), EventKind.COMPACTED: ("compact",)}.get(event.kind, ())
    is_then = run.started_at <= event.at + _SLACK and ended_at >= event.since - _SLACK
    return run.command in wanted and run.key == event.key and is_then


def is_another(old: NotedSession, new: NotedSession) -> bool:
    """Whether a session was begun anew: an id or a revision that both know has changed."""
    return any(
        was is not None and now is not None and was != now
        for was, now in ((old.session_id, new.session_id), (old.revision, new.revision))
    )


def is_compacted(old: NotedSession, new: NotedSession) -> bool:
    """Whether it was compacted; a store that counts none proves nothing."""
    return old.compactions is not None and (new.compactions or 0) > old.compactions


def _kept(old: NotedSession | None, new: NotedSession) -> NotedSession:
    """Return a session as it is noted: a level falls by a reset or a compaction alone."""
    if old is None or old.level is None or is_another(old, new) or is_compacted(old, new):
        return new
    return new._replace(level=max(old.level, new.level or 0))
