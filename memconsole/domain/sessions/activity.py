"""What a session is doing: working, waiting for somebody, or stuck in a run nothing comes of.

The platform says whether a run is going on: in its store, over the wire, or by a lock beside the
transcript. The newest message says whom it waits for.
"""

from __future__ import annotations

from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from memconsole.domain.sessions.stored import SessionState
from memconsole.domain.transcripts.records import Turn
from memconsole.lazy_dataclass import dataclass
from memconsole.text.figures import UNKNOWN, span

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from memconsole.domain.sessions.stored import StoredSession
    from memconsole.domain.transcripts.records import Tail

_OF_TODAY = timedelta(days=1)
"""Nobody is waited for any longer: a session that is older rests."""

_FAILED = frozenset({"failed", "killed", "timeout"})
"""Words of the platform for a last run that did not end well."""


class Doing(StrEnum):
    """What a live session does; `idle` is one that nobody waits for."""

    STUCK = "stuck"
    WORKING = "working"
    TOOL = "waits-for-tool"
    PERSON = "waits-for-person"
    UNANSWERED = "unanswered"
    FAILED = "failed"
    IDLE = "idle"


RUNNING = frozenset({Doing.STUCK, Doing.WORKING, Doing.TOOL})
"""A run is going on."""


@dataclass(frozen=True, slots=True)
class Activity:
    """What a session does.

    Attributes:
        since: Since when; None where nobody knows.
        heard_at: Its newest sign of life; None where there is none.
    """

    doing: Doing
    since: datetime | None = None
    heard_at: datetime | None = None


def is_running(stored: StoredSession) -> bool:
    """Tell whether the platform says that a run is going on."""
    if stored.state is not SessionState.LIVE:
        return False
    return stored.is_active is True or (stored.is_active is None and stored.status == "running")


def activity_of(
    stored: StoredSession,
    tail: Tail | None,
    *,
    is_conversation: bool,
    now: datetime,
    stuck_after: timedelta,
) -> Activity | None:
    """Return what a live session does; None where that cannot be known, and for what has ended.

    Args:
        stored: What the store, and the Gateway, say of it.
        tail: The end of its transcript, where it was read.
        is_conversation: People talk in it; a job waits for nobody.
        now: The present.
        stuck_after: A run without a sign of life for so long is stuck.
    """
    if stored.state is not SessionState.LIVE:
        return None
    turn = None if tail is None else tail.turn
    if is_running(stored):
        return _run(stored, turn, _newest(stored, tail), now, stuck_after)
    heard_at = None if tail is None else tail.spoke_at
    if stored.status in _FAILED:
        return Activity(Doing.FAILED, stored.updated_at, heard_at)
    if not is_conversation or heard_at is None or now - heard_at > _OF_TODAY:
        heard_at = heard_at or stored.last_interaction_at or stored.updated_at
        is_known = stored.is_active is False or _is_old(heard_at, now)
        return Activity(Doing.IDLE, heard_at, heard_at) if is_known else None
    if turn is Turn.ASSISTANT:
        return Activity(Doing.PERSON, heard_at, heard_at)
    is_over = turn is not None and now - heard_at >= stuck_after
    return Activity(Doing.UNANSWERED, heard_at, heard_at) if is_over else None


def _run(
    stored: StoredSession,
    turn: Turn | None,
    heard_at: datetime | None,
    now: datetime,
    stuck_after: timedelta,
) -> Activity:
    """Tell what a run does: a sign of life from before it began is none of its own."""
    since = stored.run_started_at
    newest = max((at for at in (since, heard_at) if at is not None), default=None)
    if newest is not None and now - newest >= stuck_after:
        return Activity(Doing.STUCK, newest, heard_at)
    if turn is Turn.TOOL_CALL and heard_at is not None:
        return Activity(Doing.TOOL, heard_at, heard_at)
    return Activity(Doing.WORKING, since, heard_at)


def _newest(stored: StoredSession, tail: Tail | None) -> datetime | None:
    """Return the newest sign of life: a message, or a record of another kind in the transcript."""
    written_at = None if stored.transcript is None else stored.transcript.modified_at
    times = (written_at, None if tail is None else tail.spoke_at)
    return max((at for at in times if at is not None), default=None)


def _is_old(at: datetime | None, now: datetime) -> bool:
    return at is not None and now - at > _OF_TODAY


def words_of(one: Activity | None, now: datetime) -> str:
    """Return what a session does in a word or two, such as `works 4 min`; `?` where unknown."""
    if one is None:
        return UNKNOWN
    word = _WORDS[one.doing]
    return f"{word} {span(now - one.since)}" if one.doing in RUNNING and one.since else word


def in_full(one: Activity | None, now: datetime) -> str:
    """Return the same with whom it waits for, and how long, such as `waits for a person, 2 h`."""
    if one is None or one.doing in RUNNING - {Doing.TOOL}:
        return words_of(one, now)
    said = {Doing.TOOL: "waits for a tool", Doing.PERSON: "waits for a person"}
    word = said.get(one.doing, _WORDS[one.doing])
    return word if one.since is None else f"{word}, {span(now - one.since)}"


_WORDS = {
    Doing.STUCK: "STUCK",
    Doing.WORKING: "works",
    Doing.TOOL: "tool",
    Doing.PERSON: "waits",
    Doing.UNANSWERED: "unanswered",
    Doing.FAILED: "failed",
    Doing.IDLE: "rests",
}


def counted(activities: Iterable[Activity | None]) -> dict[Doing, int]:
    """Return how many sessions do what; those of which nobody knows are left out."""
    found: dict[Doing, int] = {}
    for one in activities:
        if one is not None:
            found[one.doing] = found.get(one.doing, 0) + 1
    return found


def told(
    counts: Mapping[Doing, int] | None, sessions: int | None
) -> list[tuple[Doing | None, str]]:
    """Return what an agent's sessions do, what matters most first: `2 work`, `1 waits`.

    Args:
        counts: How many of them do what; None where its store cannot be read.
        sessions: All of them; those of which nobody knows come last, as `3 ?`, or `?` alone.
    """
    if counts is None or sessions is None:
        return [(None, UNKNOWN)]
    found: list[tuple[Doing | None, str]] = [
        (one, f"{counts[one]} {_WORDS[one] if counts[one] == 1 else _WORDS[one].removesuffix('s')}")
        for one in _MATTERS
        if counts.get(one)
    ]
    unknown = sessions - sum(counts.values())
    if unknown > 0:
        found.append((None, f"{unknown} {UNKNOWN}" if found else UNKNOWN))
    return found


_MATTERS = (
    Doing.STUCK,
    Doing.WORKING,
    Doing.TOOL,
    Doing.UNANSWERED,
    Doing.PERSON,
    Doing.FAILED,
    Doing.IDLE,
)
"""A failure that is over may be old; who waits for an answer does so today."""
