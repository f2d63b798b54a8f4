"""What happened between two readings, as far as they tell.

A store does not say who began a session anew, nor who wrote a file; so neither is claimed here.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from memconsole.domain.events import (
    Event,
    EventKind,
    Noted,
    NotedSession,
    is_another,
    is_compacted,
    is_ours,
)
from memconsole.domain.gateway import Verdict
from memconsole.domain.sessions.stored import SessionState
from memconsole.domain.sessions.tokens import DEFAULT_WINDOW, TokenState
from memconsole.domain.snapshot.unsaved import unsaved_words
from memconsole.lazy_dataclass import dataclass
from memconsole.text import figures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from memconsole.domain.agents import AgentRef
    from memconsole.domain.events import Cut
    from memconsole.domain.memory.files import Pool
    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot, SessionView

MOST_FILES: Final = 5
"""Changed files of one workspace that are told one by one in one reading."""

_EARLY: Final = 75.0
"""Percent of the threshold from which a session is worth a line."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What our own records know beside the readings.

    Attributes:
        tokens: The last count of a session id that was kept before now; None for none.
        saved_at: When a session id of an agent was captured last; None for never.
    """

    tokens: Callable[[str], int | None]
    saved_at: Callable[[AgentRef, str], datetime | None]


def noted_of(snapshot: ConsoleSnapshot) -> Noted:
    """Return what is noted of a reading."""
    verdict = snapshot.gateway.verdict
    is_up = None if verdict in ("off", Verdict.LATE) else verdict == Verdict.UP
    pools = {str(one.pool.root): one.pool for one in snapshot.agents if one.pool is not None}
    newest = {
        root: max((it.modified_at for it in pool.items if it.modified_at), default=None)
        for root, pool in pools.items()
    }
    return Noted(
        snapshot.taken_at,
        is_up,
        snapshot.gateway.version if is_up else None,
        {
            (view.agent.id, view.key_text): NotedSession(
                view.session_id,
                view.stored.revision,
                view.stored.compactions,
                _level(view, snapshot),
            )
            for view in snapshot.sessions
            if view.key_text is not None and _is_watched(view)
        },
        {root: at for root, at in newest.items() if at is not None},
    )


def changes(
    before: Noted, after: Noted, snapshot: ConsoleSnapshot, since: datetime, evidence: Evidence
) -> tuple[Event, ...]:
    """Return what happened between two readings, as far as they tell; our own acts left out.

    Args:
        before: What was noted last.
        after: What is noted now, with `merged`.
        snapshot: The reading of now.
        since: The last look of anybody whom we know of.
        evidence: Our own records.
    """
    home = str(snapshot.home.path)
    found = [
        *_of_machinery(before, after, home, since),
        *_of_sessions(before, after, snapshot, since, evidence),
        *(_of_files(before, snapshot, since) if after.files != before.files else ()),
    ]
    return tuple(one for one in found if not is_ours(one, snapshot.activity))


def _is_watched(view: SessionView) -> bool:
    return view.state is SessionState.LIVE and not view.is_cron_run


def _level(view: SessionView, snapshot: ConsoleSnapshot) -> int | None:
    is_known = view.count.state in (TokenState.FRESH, TokenState.ESTIMATED)
    if not is_known or view.tokens is None or not view.session_class.is_rotated:
        return None
    limits = _limits(view, snapshot)
    return sum(view.tokens >= limit for limit in limits)


def _limits(view: SessionView, snapshot: ConsoleSnapshot) -> tuple[float, int, int]:
    """Return 75 % of the threshold, the threshold, and where the platform compacts."""
    window = view.window or DEFAULT_WINDOW
    compaction = max(window - snapshot.home.config.reserve_tokens, view.threshold)
    return view.threshold * _EARLY / 100, view.threshold, compaction


def _of_machinery(before: Noted, after: Noted, home: str, since: datetime) -> Iterator[Event]:
    def event(kind: EventKind, message: str) -> Event:
        return Event(0, home, after.at, since, kind, None, None, message)

    if before.gateway and after.gateway is False:
        yield event(EventKind.GATEWAY_GONE, "the gateway does not answer any more")
    if before.gateway is False and after.gateway:
        yield event(EventKind.GATEWAY_BACK, "the gateway answers again")
    if before.release and after.release and before.release != after.release:
        yield event(EventKind.RELEASE, f"release {before.release} → {after.release}")


def _of_sessions(
    before: Noted, after: Noted, snapshot: ConsoleSnapshot, since: datetime, evidence: Evidence
) -> Iterator[Event]:
    home = str(snapshot.home.path)
    cuts = {(one.agent.id, one.session_id): one for one in snapshot.cuts if one.at > before.at}
    for view in snapshot.sessions:
        name = (view.agent.id, view.key_text or "")
        old, new = before.sessions.get(name), after.sessions.get(name)
        if old is None or new is None or not _is_watched(view):
            continue
        kind, at, said = EventKind.FILLED, after.at, _filled(old, new, view, snapshot)
        cut = cuts.get((view.agent.id, old.session_id or ""))
        if is_another(old, new):
            kind, said = EventKind.RESET, _reset(old, view, evidence, cut)
            at = _known(view.stored.started_at, since, after.at)
        elif is_compacted(old, new):
            kind, said = EventKind.COMPACTED, _compacted(old, view, evidence, cut)
            at = _known(None if cut is None else cut.at, since, after.at)
        if said:
            start = since if at == after.at else at
            yield Event(0, home, at, start, kind, view.agent.id, view.key_text, said)


def _known(at: datetime | None, since: datetime, now: datetime) -> datetime:
    """Return when it happened, where its store tells a time that can be true; else now."""
    return at if at is not None and since <= at <= now else now


def _filled(
    old: NotedSession, new: NotedSession, view: SessionView, snapshot: ConsoleSnapshot
) -> str:
    if old.level is None or new.level is None or new.level <= old.level:
        return ""
    limit = _limits(view, snapshot)[new.level - 1]
    what = ("75 % of its threshold", "its threshold", "the point of its compaction")[new.level - 1]
    count = figures.kilo(view.tokens)
    is_early = new.level == 1
    return f"reached {what}: {count} of {figures.short_kilo(view.threshold if is_early else limit)}"


def _reset(old: NotedSession, view: SessionView, evidence: Evidence, cut: Cut | None) -> str:
    """Say what ended; nothing in a store says whether freshness, a person or a program did it."""
    by = "by freshness, a person or a program: its store does not say"
    return f"began anew{_stood(old, view, evidence, cut)}, {by}"


def _compacted(old: NotedSession, view: SessionView, evidence: Evidence, cut: Cut | None) -> str:
    after = "" if view.tokens is None else f", now {figures.kilo(view.tokens)}"
    return f"compacted{_stood(old, view, evidence, cut)}{after}"


def _stood(old: NotedSession, view: SessionView, evidence: Evidence, cut: Cut | None) -> str:
    """Return how full it was and how much of it was saved, as the finding about it says.

    Where its store tells neither, the last count before, and when it was saved last.
    """
    if old.session_id is None:
        return ""
    saved_at = evidence.saved_at(view.agent, old.session_id)
    if cut is not None and cut.tokens is not None:
        count = f" at {figures.short_kilo(cut.tokens)}"
    else:
        tokens = evidence.tokens(old.session_id)
        count = "" if tokens is None else f" at {figures.kilo(tokens)} or more"
    if cut is not None:
        return f"{count}, {unsaved_words(cut, saved_at)}"
    if saved_at is None:
        return f"{count}, never saved by memconsole"
    ago = figures.age(max(view.read_at - saved_at, timedelta(0)))
    return f"{count}, saved {ago} before"


def _of_files(before: Noted, snapshot: ConsoleSnapshot, since: datetime) -> Iterator[Event]:
    pools = {str(one.pool.root): one.pool for one in snapshot.agents if one.pool is not None}
    for root, pool in pools.items():
        last = before.files.get(root)
        if last is not None:
            yield from _of_pool(pool, last, snapshot, since)


def _of_pool(
    pool: Pool, last: datetime, snapshot: ConsoleSnapshot, since: datetime
) -> Iterator[Event]:
    home, now = str(snapshot.home.path), snapshot.taken_at
    found = [
        (it.modified_at, it)
        for it in pool.items
        if it.modified_at is not None and it.modified_at > last and not it.is_generated
    ]
    owner = pool.agents[0] if pool.agents else None
    found.sort(key=lambda pair: pair[0], reverse=True)
    for at, item in found[:MOST_FILES]:
        said = f"{item.path} changed, now {figures.size(item.size_bytes)}; not by memconsole"
        when = min(at, now)
        yield Event(0, home, when, when, EventKind.MEMORY, owner, None, said)
    if len(found) > MOST_FILES:
        said = f"{len(found) - MOST_FILES} more files changed; not by memconsole"
        yield Event(0, home, now, since, EventKind.MEMORY, owner, None, said)
