"""The account of a run: its steps as they went, and what proves its end.

It is kept with the run for ever, so it says how much and where, never what somebody wrote: that may
be forgotten one day, and the run log is not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.commands.command import name_of
from memconsole.domain.commands.outcomes import (
    NOT_DONE,
    Account,
    Detail,
    Failed,
    Proof,
    Reported,
    Skipped,
    Step,
    Verdict,
    reason_of,
    status_of,
)
from memconsole.text import figures

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memconsole.domain.commands.outcomes import Outcome

_ID_CHARS = 4
"""Characters of an id or a revision that tell two of them apart for an eye."""


def account_of(outcome: Outcome, heard: Iterable[Step], stages: Iterable[str]) -> Account:
    """Return the account of a command that has ended.

    Args:
        outcome: What came of it.
        heard: The steps that it told of.
        stages: Names of the steps that it takes when all goes well, in order.
    """
    status = status_of(outcome)
    steps = list(heard)
    if status == "failed" or (status == "skipped" and any(one.status == "done" for one in steps)):
        names = list(stages)
        past = max((names.index(one.name) for one in steps if one.name in names), default=-1)
        steps += [Step(name, NOT_DONE) for name in names[past + 1 :]]
    if not steps:
        said = reason_of(outcome) or ""
        steps = [Step(name_of(outcome.command), status, outcome.duration_ms, said)]
    return Account(tuple(steps), proof_of(outcome))


def proof_of(outcome: Outcome) -> Proof | None:
    """Return what an outcome shows of both sides; None where there is nothing to compare."""
    details = outcome.details
    proof = details.get("proof")
    if isinstance(proof, dict):
        return _of_reset(proof)
    if "tokens_before" in details and "entry" in details:
        return _of_compaction(outcome)
    if "words_before" in details:
        return _of_words(outcome)
    if isinstance(totals := details.get("totals"), dict) and "bytes_after" in totals:
        return _of_sizes(totals, outcome)
    return _of_files(outcome)


def brief(outcome: Outcome) -> str:
    """Return what came of a command that was a step of another one, in a few words."""
    details = outcome.details
    if isinstance(outcome, Failed):
        return outcome.message
    if isinstance(outcome, Skipped):
        return outcome.reason.value.replace("-", " ")
    match name_of(outcome.command):
        case "observe":
            return _counted(details.get("added"), "line")
        case "summarize":
            return str(details.get("path") or "")
        case "checkpoint":
            return _counted(details.get("read"), "message")
        case _:
            return outcome.message


def _counted(number: Detail, noun: str) -> str:
    if not isinstance(number, int):
        return ""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _of_reset(proof: Mapping[str, Detail]) -> Proof:
    before, after = proof.get("before"), proof.get("after")
    if not isinstance(before, dict) or not isinstance(after, dict):
        return Proof(Verdict.UNSEEN, "nobody could look at the session after it")
    sides = [
        f"{words} {_short(before.get(name))} → {_short(after.get(name))}"
        for name, words in (("revision", "revision"), ("session_id", "session"))
        if before.get(name) != after.get(name)
    ]
    if not sides and before.get("started_at") != after.get("started_at"):
        sides = [f"started {before.get('started_at') or '?'} → {after.get('started_at') or '?'}"]
    same = ["the same session"] if not sides else []
    counts = f"{_tokens(before.get('tokens'))} → {_tokens(after.get('tokens'))}"
    verdict = Verdict.PROVEN if proof.get("proven") is True else Verdict.NOT_PROVEN
    return Proof(verdict, ", ".join([*sides, *same, counts]))


def _of_compaction(outcome: Outcome) -> Proof:
    details, entry = outcome.details, outcome.details.get("entry")
    before, after = details.get("tokens_before"), details.get("tokens_after")
    counts = f"{_tokens(before)} → {_tokens(after)}"
    if not isinstance(entry, dict):
        is_done = isinstance(outcome, Reported)
        seen = "by its answer alone; the transcript does not show it yet"
        return Proof(Verdict.UNSEEN, f"{counts}, {seen}" if is_done else "no compaction was seen")
    chars = entry.get("summary_chars")
    size = f"{figures.short_kilo(chars)} characters" if isinstance(chars, int) else "? characters"
    fault = f", {entry['fault']}" if entry.get("fault") else ""
    return Proof(
        Verdict.PROVEN if isinstance(outcome, Reported) else Verdict.NOT_PROVEN,
        f"{counts}, summary of {size} for {_tokens(before)} tokens{fault}",
    )


def _of_words(outcome: Outcome) -> Proof | None:
    if not isinstance(outcome, Reported):
        return None
    details = outcome.details
    backup = details.get("backup")
    kept = f", the whole file is kept as {backup}" if backup else ""
    words = f"{details['words_before']} → {details['words_after']} words"
    return Proof(Verdict.WRITTEN, f"{words}{kept}")


def _of_sizes(totals: Mapping[str, Detail], outcome: Outcome) -> Proof | None:
    """Return the sizes that were seen on disk before and after."""
    before, after = totals["bytes_before"], totals["bytes_after"]
    if not isinstance(before, int) or not isinstance(after, int):
        return None
    kept = totals["bytes_kept"]
    more = f", {figures.size(kept)} kept for undo" if isinstance(kept, int) and kept else ""
    verdict = Verdict.PROVEN if isinstance(outcome, Reported) else Verdict.NOT_PROVEN
    return Proof(verdict, f"{figures.size(before)} → {figures.size(after)} of old files{more}")


def _of_files(outcome: Outcome) -> Proof | None:
    """Return the files that were written and seen on disk."""
    wrote = outcome.wrote if isinstance(outcome, Reported) else ()
    if not wrote:
        return None
    files = dict.fromkeys(f"{one.path} {figures.size(one.size_bytes)}" for one in wrote)
    return Proof(Verdict.WRITTEN, ", ".join(files))


def _short(value: Detail) -> str:
    text = "?" if value is None else str(value)
    return text if len(text) <= _ID_CHARS + 1 else f"{text[:_ID_CHARS]}…"


def _tokens(value: Detail) -> str:
    return figures.kilo(value) if isinstance(value, int | float) else "?"
