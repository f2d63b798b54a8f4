"""Finds the windows of a session: what its stores hold under its key, and under its key of old."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memconsole.domain.sessions.stored import SessionState
from memconsole.domain.sessions.windows import (
    BEFORE_COMPACTION,
    BEFORE_RESET,
    before_compactions,
    point_name,
    split,
    window_of,
)
from memconsole.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memconsole.domain.agents import AgentRef
    from memconsole.domain.sessions.stored import CompactionPoint, StoredSession
    from memconsole.domain.sessions.windows import Window
    from memconsole.ports.state import CaptureLog, ObserverLog, SummaryLog

_NEVER = datetime.min.replace(tzinfo=UTC)


def stored_windows(
    sessions: Iterable[StoredSession], key: str, known: Mapping[str, str]
) -> tuple[StoredSession, ...]:
    """Return all that the stores of an agent hold of a session, the newest first.

    Args:
        sessions: All that its stores list.
        key: The session's.
        known: Keys by session id as they were: a transcript that lost its key belongs to the
            session that had it while it went on.
    """
    found = [
        one
        for one in sessions
        if one.session_id is not None
        and (one.key.text if one.key is not None else known.get(one.session_id)) == key
    ]
    return tuple(sorted(found, key=newness, reverse=True))


def unattributed(
    sessions: Iterable[StoredSession], known: Mapping[str, str]
) -> tuple[StoredSession, ...]:
    """Return the ended transcripts of an agent of which nobody knows the session.

    2026.1 leaves one with each reset, and 2026.3 puts them away without a key.
    """
    return tuple(
        one
        for one in sessions
        if one.key is None and one.session_id is not None and one.session_id not in known
    )


def newness(one: StoredSession) -> tuple[bool, datetime]:
    """Order sessions by their age: what goes on is newer than all that has ended."""
    return one.state is SessionState.LIVE, one.spoke_at or one.updated_at or _NEVER


def windows(
    agent: AgentRef,
    found: Sequence[StoredSession],
    resets: Sequence[datetime | None],
    messages: int | None,
    *,
    captures: CaptureLog,
    summaries: SummaryLog,
    observer: ObserverLog,
) -> tuple[Window, ...]:
    """Return the windows of a session, the newest first.

    Args:
        agent: Whose it is.
        found: What the stores hold of it.
        resets: Times of the resets in place in its present transcript, oldest first.
        messages: Messages of its present transcript; None when they were not counted.
        captures: What checkpoints saved.
        summaries: Which sessions have a summary.
        observer: Which sessions were observed.
    """
    observed = observer.cursors(agent)
    made: list[Window] = []
    for one in found:
        session_id = one.session_id or ""
        captured: list[str] = []
        if captures.last(agent, session_id) is not None:
            captured.append("checkpoint")
        if session_id in observed:
            captured.append("observations")
        if (summary := summaries.last(agent, session_id)) is not None:
            captured.append(summary.path)
        is_live = one.state is SessionState.LIVE
        count = messages if is_live and not resets else None
        window = window_of(one, messages=count, captured=tuple(captured))
        made += split(window, resets if is_live else ())
        made += before_compactions(one)
    return tuple(made)


def chosen_point(
    found: Sequence[StoredSession], name: str
) -> tuple[StoredSession, CompactionPoint] | None:
    """Return the compaction before which a window ends; None for a name of another kind.

    Raises:
        UsageError: The session has no such window.
    """
    if BEFORE_COMPACTION not in name:
        return None
    for one in found:
        for point in one.points:
            if point_name(one, point) == name:
                return one, point
    raise _no_window(name)


def _no_window(name: str) -> UsageError:
    return UsageError(
        f"{name} is no window of this session",
        hint="`memconsole session KEY --windows` lists them.",
    )


def chosen(found: Sequence[StoredSession], name: str | None) -> tuple[StoredSession, bool]:
    """Return the window that an operator names, and whether it stands before a reset in place.

    Args:
        found: What the stores hold of the session, the newest first.
        name: Id of a window or its beginning; None for the newest that has ended.

    Raises:
        UsageError: There is none of that name, or several.
    """
    if name is None:
        ended = [one for one in found if one.state is not SessionState.LIVE]
        if ended:
            return ended[0], False
        if found:
            return found[0], True
        raise UsageError("no window of this session is there")
    plain = name.removesuffix(BEFORE_RESET)
    fits = list(_named(found, plain))
    ids = {one.session_id for one in fits}
    if len(ids) > 1:
        raise UsageError(f"{name} is the beginning of {len(ids)} windows")
    if not fits:
        raise _no_window(name)
    return fits[0], plain != name


def _named(found: Sequence[StoredSession], name: str) -> Iterator[StoredSession]:
    whole = [one for one in found if one.session_id == name]
    yield from whole or (one for one in found if (one.session_id or "").startswith(name))
