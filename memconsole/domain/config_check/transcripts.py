"""Findings from the transcripts: what compactions really did."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.agents import Severity
from memconsole.domain.config_check.finding import Finding
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memconsole.domain.commands.outcomes import Detail
    from memconsole.domain.compaction import BadCompaction, CompactionEvidence
    from memconsole.domain.config_check.finding import ConfigFacts

_SHOWN = 3


def check_evidence(facts: ConfigFacts) -> Iterator[Finding]:
    """Yield what the transcripts show; says so when nobody could look."""
    evidence = facts.evidence
    if evidence is None:
        yield Finding(
            "evidence-unread",
            Severity.WARNING,
            "nobody could look at the transcripts, so nothing is known about their compactions",
        )
        return
    yield from _bad(evidence)
    yield from _cascades(evidence)
    yield from _miscounts(evidence)
    yield from _unread(evidence)


def evidence_rows(bad: Sequence[BadCompaction]) -> tuple[dict[str, Detail], ...]:
    """Return `details` of the health check `compaction-evidence`."""
    return tuple(
        {
            "key": one.key,
            "session_id": one.session_id,
            "at": None if one.at is None else one.at.isoformat(),
            "why": one.why,
        }
        for one in bad
    )


def hint_of(bad: BadCompaction) -> str:
    """Say where the lost turns are, and how to save and to read them."""
    what = "The lost turns are" if bad.fault.is_loss else "What it may have left out is"
    return (
        f"{what} still in the same transcript: `{bad.recovery}` saves them, "
        f"`memconsole transcript {one_line(bad.key or bad.session_id)} --all` shows them."
    )


def _bad(evidence: CompactionEvidence) -> Iterator[Finding]:
    """Yield one finding a session, its newest compaction first."""
    by_session: dict[str, list[BadCompaction]] = {}
    for one in evidence.bad:
        by_session.setdefault(one.session_id, []).append(one)
    for found in by_session.values():
        worst = max(found, key=lambda one: (one.severity.rank, one.at is not None))
        at = "an unknown time" if worst.at is None else f"{worst.at:%Y-%m-%d %H:%M} UTC"
        more = "" if len(found) == 1 else f"; {len(found) - 1} more of this session are bad"
        yield Finding(
            "compaction-evidence",
            worst.severity,
            f"{_name(worst)} was compacted at {at}, and {worst.why}{more}",
            current=worst.fault.value,
            agent=worst.agent.id,
            hint=hint_of(worst),
            details=evidence_rows(found),
        )


def _cascades(evidence: CompactionEvidence) -> Iterator[Finding]:
    for one in evidence.cascades:
        yield Finding(
            "compaction-cascade",
            Severity.HIGH,
            f"{one_line(one.key or one.session_id)} was compacted {one.count} times within ten "
            f"minutes, up to {one.at:%Y-%m-%d %H:%M} UTC",
            current=one.count,
            agent=one.agent.id,
            hint="Its summaries do not make it smaller: start it anew with `memconsole rotate`.",
            details=({"key": one.key, "session_id": one.session_id, "at": one.at.isoformat()},),
        )


def _miscounts(evidence: CompactionEvidence) -> Iterator[Finding]:
    for one in evidence.miscounts:
        yield Finding(
            "compaction-count",
            Severity.WARNING,
            f"the platform counts {one.counted} compactions of {one_line(one.key or '?')}, and its "
            f"transcript holds {one.found}: some were cancelled, or their records are gone",
            current=one.found,
            agent=one.agent.id,
            details=({"key": one.key, "session_id": one.session_id, "counted": one.counted},),
        )


def _unread(evidence: CompactionEvidence) -> Iterator[Finding]:
    if not evidence.unread:
        return
    more = len(evidence.unread) - _SHOWN
    named = "; ".join(one_line(one) for one in evidence.unread[:_SHOWN])
    yield Finding(
        "evidence-unread",
        Severity.WARNING,
        f"nobody could look at {named}" + (f"; and {more} more" if more > 0 else ""),
        current=len(evidence.unread),
    )


def _name(one: BadCompaction) -> str:
    return one_line(one.key or f"session {one.session_id}")
