"""What a compaction shows of itself: the signatures, and what only looks like one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.domain.agents import AgentRef, HomeRef, Severity
from memconsole.domain.compaction import (
    BadCompaction,
    CompactionEvidence,
    Fault,
    cascade,
    explain,
    judge_compaction,
    judge_summary,
    judge_text,
    newest_first,
)
from memconsole.domain.transcripts.records import Compaction

LOST = "Summary unavailable due to context limits. Older messages were truncated."
BLANK = (
    '## Latest user request context\n"What is the rollback plan?"\n\n'
    "## Decisions\nNo prior history.\n\n## Open TODOs\nNone.\n\n## Constraints/Rules\nNone.\n\n"
    "## Pending user asks\nNone.\n\n## Exact identifiers\nNone captured.\n"
)
TURN = "\n**Turn Context (split turn):**\n\n### Decisions\n- Keep SQLite in WAL mode.\n"
KEPT = "\n\n## Recent turns preserved verbatim\n- User: Go on.\n- Assistant: Done.\n"
GOOD = (
    "## Goal\nOperator wants the nightly backup verified.\n\n## Progress\n### Done\n"
    "- [x] Checked the backup log\n\n## Next Steps\n1. Rotate the archive\n"
)
AT = datetime(2026, 1, 26, 9, tzinfo=UTC)
MAIN = AgentRef(HomeRef("/home/operator/.openclaw"), "main")


@pytest.mark.parametrize(
    ("summary", "fault"),
    [
        ("", Fault.EMPTY),
        (" \n\t", Fault.EMPTY),
        ("<read-files>\nMEMORY.md\n</read-files>", Fault.EMPTY),
        (LOST, Fault.UNAVAILABLE),
        (LOST.upper(), Fault.UNAVAILABLE),
        (f"{LOST}\n\n## Tool Failures\n- read: ENOENT\n" * 20, Fault.UNAVAILABLE),
        (
            "Context contained 120 messages (3 oversized). Summary unavailable due to size limits.",
            Fault.UNAVAILABLE,
        ),
        ("No prior history.", Fault.BLANK),
        ("## History\nNo prior history.", Fault.BLANK),
        (BLANK, Fault.BLANK),
        (BLANK + KEPT, Fault.BLANK),
        (BLANK + TURN + KEPT, Fault.BLANK_HISTORY),
        (GOOD, None),
        (f"{GOOD}\n**Turn Context (split turn):**\n{GOOD}", None),
        (GOOD * 5 + 'The log said "Summary unavailable" twice.', None),
        ("## Decisions\nNo prior history.\n\n## Open TODOs\n- Write the drill.", None),
    ],
)
def test_the_words_of_a_summary_are_judged(summary: str, fault: Fault | None) -> None:
    assert judge_text(summary) is fault


def test_a_blank_template_of_a_session_without_a_past_is_right() -> None:
    assert judge_text(BLANK, has_earlier_words=False) is None
    assert judge_text(BLANK, has_earlier_words=True) is Fault.BLANK
    assert judge_text(LOST, has_earlier_words=False) is Fault.UNAVAILABLE


@pytest.mark.parametrize(
    ("compaction", "fault"),
    [
        (Compaction(GOOD, 55_000, duration_ms=99), Fault.TOO_FAST),
        (Compaction(GOOD, 55_000, duration_ms=100), Fault.TOO_SHORT),
        (Compaction(GOOD * 2, 55_000, duration_ms=100), None),
        (Compaction(GOOD * 2, 55_000), None),
        (Compaction(GOOD, 5_000), None),
        (Compaction(GOOD, None), None),
        (Compaction(LOST, 55_000, duration_ms=5), Fault.UNAVAILABLE),
        (Compaction(BLANK + TURN, 55_000, duration_ms=5), Fault.TOO_FAST),
        (Compaction(BLANK + TURN, 55_000), Fault.BLANK_HISTORY),
    ],
)
def test_durations_and_sizes_are_judged(compaction: Compaction, fault: Fault | None) -> None:
    assert judge_compaction(compaction) is fault


def test_the_limit_of_the_duration_is_a_setting() -> None:
    quick = Compaction(GOOD * 2, 55_000, duration_ms=400)
    assert judge_compaction(quick, min_duration_ms=500) is Fault.TOO_FAST
    assert judge_compaction(quick, min_duration_ms=0) is None


@pytest.mark.parametrize("fault", list(Fault))
def test_every_fault_has_words_and_a_severity(fault: Fault) -> None:
    words = explain(fault, Compaction(GOOD, 55_000, duration_ms=12))
    assert words.startswith(("its summary", "it took 12 ms"))
    assert "{" not in words
    is_suspicion = fault in (Fault.BLANK_HISTORY, Fault.TOO_SHORT)
    assert fault.severity is (Severity.WARNING if is_suspicion else Severity.CRITICAL)


def test_the_hook_that_wrote_a_lost_summary_is_named() -> None:
    lost = Compaction(LOST, 50_210, is_from_hook=True)
    assert explain(Fault.UNAVAILABLE, lost).endswith("written by the safeguard hook")
    assert "hook" not in explain(Fault.UNAVAILABLE, Compaction(LOST))


@pytest.mark.parametrize(
    ("minutes", "found"),
    [
        ([], None),
        ([0, 5], None),
        ([0, 5, 10], (10, 3)),
        ([10, 0, 5], (10, 3)),
        ([0, 5, 11], None),
        ([0, 1, 2, 3, 60], (3, 4)),
        ([0, 1, 2, 60, 61, 62], (62, 3)),
    ],
)
def test_three_within_ten_minutes_are_a_cascade(
    minutes: list[int], found: tuple[int, int] | None
) -> None:
    result = cascade(AT + timedelta(minutes=one) for one in minutes)
    assert result == (None if found is None else (AT + timedelta(minutes=found[0]), found[1]))


def test_evidence_is_newest_first_and_knows_a_loss() -> None:
    def bad(fault: Fault, at: datetime | None) -> BadCompaction:
        return BadCompaction(MAIN, "agent:main:main", "a1", at, fault, "…")

    old, new = bad(Fault.EMPTY, AT), bad(Fault.TOO_SHORT, AT + timedelta(hours=1))
    timeless = bad(Fault.BLANK, None)
    assert newest_first([timeless, old, new]) == (new, old, timeless)
    assert CompactionEvidence(bad=(old, new)).has_loss
    assert not CompactionEvidence(bad=(new,)).has_loss


def test_an_answer_of_the_gateway_is_judged_by_the_same_words() -> None:
    assert judge_summary(None) == judge_summary("  ") == "its summary is empty"
    assert judge_summary(BLANK) == judge_summary(LOST) == "its summary says nothing"
    assert judge_summary(BLANK + TURN) is None
    assert judge_summary(GOOD) is None


@given(st.text())
def test_no_text_is_too_odd_to_be_judged(text: str) -> None:
    fault = judge_text(text)
    assert (fault is Fault.EMPTY) or text.strip()
    assert judge_text(f"{GOOD}\n## Decisions\n- Use {len(text)} rows.\n{'x' * 700}") is None
