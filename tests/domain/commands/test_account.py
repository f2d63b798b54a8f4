"""What the account of a run says: its steps, what a failure left out, both sides of its proof."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memconsole.domain.agents import AgentRef, HomeRef
from memconsole.domain.commands.account import account_of, proof_of
from memconsole.domain.commands.compact import Compact, Compacted
from memconsole.domain.commands.memory import MemoryAdd, Remembered
from memconsole.domain.commands.outcomes import (
    Account,
    Failed,
    Proof,
    Skipped,
    SkipReason,
    Step,
    Verdict,
    Written,
)
from memconsole.domain.commands.reflect import Reflect, Reflected
from memconsole.domain.commands.rotate import ROTATE, Rotate, Rotated

if TYPE_CHECKING:
    from memconsole.domain.commands.outcomes import Detail

MAIN = AgentRef(HomeRef("/home/operator/.openclaw"), "main")
ROTATION = Rotate(MAIN, "agent:main:main")
COMPACTION = Compact(MAIN, "agent:main:main")
SAVED = Step("checkpoint", "done", 31, "59 messages")


def side(revision: str | None, tokens: int | None, session: str = "s-1") -> dict[str, Detail]:
    return {"session_id": session, "revision": revision, "started_at": None, "tokens": tokens}


def proof(before: Detail, after: Detail, *, proven: bool) -> dict[str, Detail]:
    return {"proof": {"before": before, "after": after, "proven": proven}}


def test_a_reset_is_proven_by_both_sides() -> None:
    details = proof(side("84d7aa10", 159_100), side("91cc0022", 0), proven=True)
    assert proof_of(Rotated(ROTATION, "", details=details)) == Proof(
        Verdict.PROVEN, "revision 84d7… → 91cc…, 159.1K → 0"
    )


def test_a_reset_that_gave_another_session_names_it() -> None:
    details = proof(side(None, 159_100, "aaaabbbb"), side(None, None, "ccccdddd"), proven=True)
    found = proof_of(Rotated(ROTATION, "", details=details))
    assert found == Proof(Verdict.PROVEN, "session aaaa… → cccc…, 159.1K → ?")


def test_a_reset_without_effect_says_that_it_is_the_same_session() -> None:
    details = proof(side("84d7", 159_100), side("84d7", 159_100), proven=False)
    found = proof_of(Failed(ROTATION, "reset-ineffective", "", details=details))
    assert found == Proof(Verdict.NOT_PROVEN, "the same session, 159.1K → 159.1K")


def test_a_reset_that_nobody_could_look_at_proves_nothing() -> None:
    found = proof_of(Failed(ROTATION, "gone", "", details=proof(side("1", 9), None, proven=False)))
    assert found is not None
    assert found.verdict is Verdict.UNSEEN


@pytest.mark.parametrize(
    ("fault", "verdict", "end"),
    [(None, Verdict.PROVEN, ""), ("too-short", Verdict.NOT_PROVEN, ", too-short")],
)
def test_a_compaction_sets_its_summary_against_what_it_replaces(
    fault: str | None, verdict: Verdict, end: str
) -> None:
    details: dict[str, Detail] = {
        "tokens_before": 159_100,
        "tokens_after": 42_000,
        "entry": {"summary_chars": 5200, "fault": fault},
    }
    outcome = (
        Compacted(COMPACTION, "", details=details)
        if fault is None
        else Failed(COMPACTION, "bad-compaction", "", details=details)
    )
    said = f"159.1K → 42.0K, summary of 5.2K characters for 159.1K tokens{end}"
    assert proof_of(outcome) == Proof(verdict, said)


def test_a_compaction_that_the_transcript_does_not_show_is_not_called_proven() -> None:
    details: dict[str, Detail] = {"tokens_before": 9, "tokens_after": None, "entry": None}
    found = proof_of(Compacted(COMPACTION, "", details=details))
    assert found is not None
    assert found.verdict is Verdict.UNSEEN


def test_a_consolidation_says_its_words_and_where_the_old_file_is() -> None:
    details: dict[str, Detail] = {"words_before": 1200, "words_after": 400, "backup": "memory/b.md"}
    assert proof_of(Reflected(Reflect(MAIN), "", details=details)) == Proof(
        Verdict.WRITTEN, "1200 → 400 words, the whole file is kept as memory/b.md"
    )


def test_what_was_written_down_is_told_by_its_file_and_never_by_its_words() -> None:
    outcome = Remembered(MemoryAdd(MAIN, "the door code"), "added", (Written("MEMORY.md", 2150),))
    account = account_of(outcome, (), ())
    assert account.proof == Proof(Verdict.WRITTEN, "MEMORY.md 2 KB")
    assert "door" not in str(account)


def test_a_failure_stops_at_its_line_and_names_what_was_not_done() -> None:
    outcome = Failed(ROTATION, "gateway-refused", "no")
    heard = [SAVED, Step("observations", "done", 1), Step("summary", "failed", 1, "full")]
    assert [(one.name, one.status) for one in account_of(outcome, heard, ROTATE.stages).steps] == [
        ("checkpoint", "done"),
        ("observations", "done"),
        ("summary", "failed"),
        ("reset", "not-done"),
        ("proof", "not-done"),
    ]


def test_a_skip_before_the_first_step_has_one_line() -> None:
    outcome = Skipped(ROTATION, SkipReason.BUSY, "a run is going on", duration_ms=3)
    assert account_of(outcome, (), ROTATE.stages) == Account(
        (Step("rotate", "skipped", 3, "active-run"),)
    )


def test_a_skip_after_some_work_says_what_was_left_out() -> None:
    outcome = Skipped(ROTATION, SkipReason.BUSY, "a run began meanwhile")
    statuses = [one.status for one in account_of(outcome, [SAVED], ROTATE.stages).steps]
    assert statuses == ["done", *["not-done"] * 4]
