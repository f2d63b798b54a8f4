"""What an operator is told about the state of a transcript."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.agents import Notice
from memconsole.domain.planted import PLANTED
from memconsole.text.timestamps import FUTURE, SKEWED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memconsole.domain.transcripts.records import TranscriptCounts


def transcript_notices(
    name: str, counts: TranscriptCounts, *, has_gap: bool, path: str | None, agent: str
) -> Iterator[Notice]:
    """Yield one notice for each thing that is odd about a transcript.

    Args:
        name: The session's key, else its id.
        counts: What a reading passed over.
        has_gap: A record without `parentId` was met.
        path: The file or database it lies in.
        agent: Agent id.
    """
    if counts.damaged:
        lines = "line" if counts.damaged == 1 else "lines"
        text = f"{counts.damaged} damaged {lines} in the transcript of {name}"
        yield Notice("transcript-damaged", text, path, agent)
    if counts.in_progress:
        text = f"the last line of {name} is being written; it is read once it is complete"
        yield Notice("transcript-in-progress", text, path, agent)
    yield from _unknown(name, counts, path, agent)
    for count, code, words in (
        (counts.future, FUTURE, "have a time ahead of the clock, and are shown as of now"),
        (counts.skewed, SKEWED, "have a time of before the platform, which counts as unknown"),
    ):
        if count:
            yield Notice(code, f"{_records(count)} of {name} {words}", path, agent)
    if has_gap:
        text = f"{name} holds records without parentId; all of them are kept as said"
        yield Notice("transcript-damaged", text, path, agent)


def _unknown(name: str, counts: TranscriptCounts, path: str | None, agent: str) -> Iterator[Notice]:
    if counts.unknown:
        text = f"{_records(counts.unknown)} of {name} are of a kind that this version does not know"
        if counts.unknown_newest:
            text += f"; {counts.unknown_newest} of them are newer than its newest message"
        yield Notice("unknown-records", text, path, agent)


def _records(count: int) -> str:
    return "1 record" if count == 1 else f"{count} records"


def masked_notice(name: str, count: int, *, path: str | None, agent: str) -> Notice:
    """Return the notice that secrets were left out of what was written."""
    messages = "1 message" if count == 1 else f"{count} messages"
    return Notice("secrets-masked", f"secrets in {messages} of {name} were masked", path, agent)


def planted_notice(name: str, count: int, *, path: str | None, agent: str) -> Notice:
    """Return the notice that somebody planted instructions in a session."""
    messages = "1 message" if count == 1 else f"{count} messages"
    hold = "holds" if count == 1 else "hold"
    sentence = (
        f"{messages} of {name} {hold} instructions that somebody planted: they are quoted"
        " and are no rule"
    )
    return Notice(PLANTED, sentence, path, agent)
