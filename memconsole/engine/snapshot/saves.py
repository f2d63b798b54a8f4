"""Gathers what was saved of a home and what was said since, from what a reading has read anyway."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from memconsole.domain.calendar import resolve_zone
from memconsole.domain.commands.rotate import ROTATE
from memconsole.domain.events import Cut, EventKind
from memconsole.domain.sessions.keys import classify, key_of
from memconsole.domain.sessions.stored import SessionState
from memconsole.domain.settings import usable
from memconsole.domain.snapshot.snapshot import name_of, named
from memconsole.domain.snapshot.unsaved import TODAY, Saves
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from memconsole.domain.agents import Home
    from memconsole.domain.commands.outcomes import Run
    from memconsole.domain.events import Event
    from memconsole.domain.settings import Settings
    from memconsole.domain.snapshot.snapshot import SessionView
    from memconsole.domain.transcripts.records import Tail
    from memconsole.engine.home.reader import AgentReading
    from memconsole.ports.state import CaptureLog, EventLog, RecoveryLog


_CUTTING = frozenset({EventKind.COMPACTED, EventKind.RESET})
_EVENTS = 200
"""The newest of a home; a compaction is told until so many others came, or a day is over."""

_SLACK = timedelta(seconds=2)
"""Clocks of files and of runs may differ by so much."""


def saves_of(
    readings: Sequence[AgentReading],
    sessions: Iterable[SessionView],
    *,
    home: Home,
    settings: Settings,
    captures: CaptureLog,
    recovery: RecoveryLog,
    events: EventLog,
    runs: Sequence[Run],
    now: datetime,
) -> Saves:
    """Return what was saved and said; asks our own database alone, and opens no transcript."""
    tails = {
        (reading.agent.id, session_id): tail
        for reading in readings
        for session_id, tail in reading.usages.items()
    }
    cuts = (
        *_compactions(tails, sessions, _compacted(events, home, now), now),
        *(cut for one in readings for cut in _resets(one, recovery, runs)),
    )
    checkpoints = {
        agent_id: found
        for agent_id in (one.agent.id for one in readings)
        if (found := _checkpoint(settings, agent_id)) is not None
    }
    return Saves(
        saved=captures.latest_by_session(str(home.path)),
        said={
            session_id: tuple(at for at, _ in tail.usage_points)
            for (_, session_id), tail in tails.items()
        },
        cuts=cuts,
        since=events.first_look(str(home.path)),
        intervals={agent_id: one for agent_id, (one, _) in checkpoints.items()},
        quiet={agent_id: one for agent_id, (_, one) in checkpoints.items()},
        zone=resolve_zone(settings.timezone, home.config.user_timezone).zone,
    )


def _compacted(events: EventLog, home: Home, now: datetime) -> dict[tuple[str, str], Event]:
    """Return what our readings noted of the day's compactions, by agent and session key.

    The end of a transcript is read back to so many answers only: it forgets a compaction soon.
    """
    found: dict[tuple[str, str], Event] = {}
    for one in events.events(str(home.path), limit=_EVENTS):
        if one.kind in _CUTTING and one.agent and one.key and now - one.at <= TODAY:
            found.setdefault((one.agent, one.key), one)
    return {place: one for place, one in found.items() if one.kind is EventKind.COMPACTED}


def _compactions(
    tails: Mapping[tuple[str, str], Tail],
    sessions: Iterable[SessionView],
    noted: Mapping[tuple[str, str], Event],
    now: datetime,
) -> Iterator[Cut]:
    """Yield the live sessions that were compacted within the last day."""
    cut = {one: tail for one, tail in tails.items() if tail.last_compaction_at is not None}
    for view in sessions if cut or noted else ():
        session_id, key = view.session_id, view.key_text
        if view.state is not SessionState.LIVE or not view.is_capturable or not session_id:
            continue
        tail = cut.get((view.agent.id, session_id))
        at = None if tail is None else tail.last_compaction_at
        event = None if tail is not None or key is None else noted.get((view.agent.id, key))
        if event is not None and key is not None and _is_behind(view, event, tails):
            # Somebody spoke until then: the reading before is as late as that is known to be.
            yield Cut(
                view.agent, session_id, name_of(view), key, "compacted", event.at, event.since
            )
        if tail is None or at is None or key is None or now - at > TODAY:
            continue
        spoke_at, tokens = tail.spoke_before_at or at, tail.tokens_before_compaction
        yield Cut(view.agent, session_id, name_of(view), key, "compacted", at, spoke_at, tokens)


def _is_behind(view: SessionView, event: Event, tails: Mapping[tuple[str, str], Tail]) -> bool:
    """Whether a compaction that was noted lies before what was read of this very session."""
    tail, begun = tails.get((view.agent.id, view.session_id or "")), view.stored.started_at
    return (tail is None or not tail.is_whole) and (begun is None or begun <= event.at)


def _resets(reading: AgentReading, recovery: RecoveryLog, runs: Sequence[Run]) -> Iterator[Cut]:
    """Yield the sessions that ended today; whose they were is known while they go on."""
    if not reading.ended:
        return
    agent = reading.agent
    known: Mapping[str, str] = recovery.keys(agent.ref)
    for stored, spoke_at in reading.ended:
        text = known.get(stored.session_id or "") if stored.key is None else stored.key.text
        if text is None or stored.session_id is None or stored.updated_at is None:
            continue  # nobody knows whether it was a group's
        key = stored.key or key_of(agent, text)
        kind = classify(key, stored.chat_type)
        if kind.may_be_captured(groups=stored.captures_groups):
            name = named(agent.id, one_line(key.short))
            at = stored.updated_at
            is_ours = any(_did(one, text, at) for one in runs)
            what = "rotated" if is_ours else stored.archive_reason or "reset"
            yield Cut(agent.ref, stored.session_id, name, text, what, at, spoke_at)


def _did(run: Run, key: str, at: datetime) -> bool:
    """Whether a rotation of ours reset a session at that time."""
    ended_at = run.ended_at or run.started_at
    is_then = run.started_at - _SLACK <= at <= ended_at + _SLACK
    return is_then and (run.command, run.key) == (ROTATE.name, key)


def _checkpoint(settings: Settings, agent_id: str) -> tuple[timedelta, timedelta] | None:
    """Return how often an agent is saved, and when it counts as quiet."""
    own = settings.for_agent(agent_id).checkpoint
    return usable(lambda: (own.interval, own.stale_after), None)
