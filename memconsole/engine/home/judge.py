"""Judges one stored session and its evidence: a row as the faces show it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole.domain.rotation import explain, why_not_due
from memconsole.domain.sessions.activity import activity_of
from memconsole.domain.sessions.judgement import (
    count_tokens,
    model_of,
    percent,
    threshold_of,
    window_of,
)
from memconsole.domain.sessions.keys import SessionClass, classify
from memconsole.domain.sessions.stored import SessionState
from memconsole.domain.sessions.tokens import growth
from memconsole.domain.settings.sections import HealthSettings
from memconsole.domain.snapshot.snapshot import SessionView
from memconsole.lazy_dataclass import dataclass
from memconsole.text.plain import one_line
from memconsole.text.timestamps import oddities, settled

if TYPE_CHECKING:
    from datetime import datetime, timedelta

    from memconsole.domain.agents import PlatformConfig
    from memconsole.domain.sessions.stored import StoredSession
    from memconsole.domain.sessions.tokens import Growth, Sample
    from memconsole.domain.settings.sections import RotationSettings
    from memconsole.domain.transcripts.records import Tail


@dataclass(slots=True)  # not frozen: made for every session at every reading
class Evidence:
    """What is known about a session beside its entry.

    Attributes:
        usage: The end of its transcript, when it was read.
        samples: Counts seen earlier, from `state.db`.
        read_at: When its store was read.
        name: What it is called among the sessions of its agent.
        stuck_after: A run without a sign of life for so long is stuck.
    """

    usage: Tail | None
    samples: tuple[Sample, ...]
    read_at: datetime
    name: str = "?"
    stuck_after: timedelta = HealthSettings().stuck_after


def judge(
    stored: StoredSession,
    evidence: Evidence,
    *,
    config: PlatformConfig,
    rules: RotationSettings,
    now: datetime,
) -> SessionView:
    """Return the row that every face shows; no time in it is ahead of `now`."""
    stored = _in_time(stored, now)
    session_class = (
        SessionClass.OTHER if stored.key is None else classify(stored.key, stored.chat_type)
    )
    window = window_of(stored, config)
    key_text = None if stored.key is None else stored.key.text
    threshold = threshold_of(rules, window, key_text, model_of(stored))
    count = count_tokens(stored, window, evidence.usage, rules.overhead_tokens)
    not_due = why_not_due(stored, session_class, count, rules, threshold)
    because = None if not_due is None else explain(not_due, stored, session_class, threshold)
    return SessionView(
        stored=stored,
        session_class=session_class,
        label=None if stored.label is None else one_line(stored.label) or None,
        count=count,
        window=window,
        threshold=threshold,
        percent_of_threshold=percent(count.basis, threshold),
        percent_of_window=percent(count.basis, window),
        is_due=not_due is None,
        not_due=not_due,
        not_due_because=because,
        growth=_growth(stored, evidence, count.basis, threshold, now),
        messages=None,
        read_at=evidence.read_at,
        name=evidence.name,
        samples=evidence.samples,
        activity=activity_of(
            stored,
            evidence.usage,
            is_conversation=session_class.is_conversation,
            now=now,
            stuck_after=evidence.stuck_after,
        ),
    )


def times_of(stored: StoredSession) -> tuple[datetime | None, ...]:
    """Return the times of a session that are shown."""
    return (
        stored.started_at,
        stored.updated_at,
        stored.last_interaction_at,
        stored.run_started_at,
    )


def _in_time(stored: StoredSession, now: datetime) -> StoredSession:
    if not oddities(times_of(stored), now):
        return stored
    return replace(
        stored,
        started_at=settled(stored.started_at, now)[0],
        updated_at=settled(stored.updated_at, now)[0],
        last_interaction_at=settled(stored.last_interaction_at, now)[0],
        run_started_at=settled(stored.run_started_at, now)[0],
    )


def _growth(
    stored: StoredSession, evidence: Evidence, current: int | None, threshold: int, now: datetime
) -> Growth | None:
    if stored.state is not SessionState.LIVE:
        return None
    tail = evidence.usage
    if tail is None and not evidence.samples:
        return None
    begins = (stored.started_at, None if tail is None else tail.last_compaction_at)
    since = max((at for at in begins if at is not None), default=None)
    seen = growth(
        [(sample.at, sample.tokens) for sample in evidence.samples],
        current=current,
        threshold=threshold,
        now=now,
        source="samples",
        since=since,
    )
    if seen is not None or tail is None:
        return seen
    return growth(
        tail.usage_points,
        current=current,
        threshold=threshold,
        now=now,
        source="transcript",
        since=since,
    )
