"""Gathers what was saved of a home and what was said since, from what a reading has read anyway."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.calendar import resolve_zone
from memconsole.domain.sessions.keys import classify, key_of
from memconsole.domain.sessions.stored import SessionState
from memconsole.domain.snapshot.unsaved import TODAY, Cut, Saves
from memconsole.domain.snapshot.wording import name_of, named
from memconsole.errors import ConfigError
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from memconsole.domain.agents import Home
    from memconsole.domain.settings import CheckpointSettings, Settings
    from memconsole.domain.snapshot.snapshot import SessionView
    from memconsole.engine.home.reader import AgentReading
    from memconsole.ports.state import CaptureLog, RecoveryLog


def saves_of(
    readings: Sequence[AgentReading],
    sessions: Iterable[SessionView],
    *,
    home: Home,
    settings: Settings,
    captures: CaptureLog,
    recovery: RecoveryLog,
    now: datetime,
) -> Saves:
    """Return what was saved and said; asks our own database once, and opens no transcript."""
    tails = {
        (reading.agent.id, session_id): tail
        for reading in readings
        for session_id, tail in reading.usages.items()
    }
    compactions = {one: tail for one, tail in tails.items() if tail.last_compaction_at is not None}
    live = [
        view
        for view in (sessions if compactions else ())
        if view.state is SessionState.LIVE and view.is_capturable
    ]
    cuts = [
        Cut(view.agent, view.session_id, name_of(view), view.key_text, "compacted", at, at, before)
        for view in live
        if view.session_id is not None
        and view.key_text is not None
        and (tail := compactions.get((view.agent.id, view.session_id))) is not None
        and (at := tail.last_compaction_at) is not None
        and now - at <= TODAY
        for before in (tail.tokens_before_compaction,)
    ]
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
        cuts=(*cuts, *(cut for one in readings for cut in _resets(one, recovery))),
        intervals={agent_id: one.interval for agent_id, one in checkpoints.items()},
        quiet={agent_id: one.stale_after for agent_id, one in checkpoints.items()},
        zone=resolve_zone(settings.timezone, home.config.user_timezone).zone,
    )


def _resets(reading: AgentReading, recovery: RecoveryLog) -> Iterator[Cut]:
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
            yield Cut(
                agent.ref, stored.session_id, name, text, "reset", stored.updated_at, spoke_at
            )


def _checkpoint(settings: Settings, agent_id: str) -> CheckpointSettings | None:
    try:
        return settings.for_agent(agent_id).checkpoint
    except ConfigError:  # what the section lacks is a finding of its own
        return None
