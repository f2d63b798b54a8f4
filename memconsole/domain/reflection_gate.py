"""Whether a consolidated text may take the place of `observations.md` (mission §12, A19).

The same gate for our own result and for a text from elsewhere: a person's, or a model's.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from memconsole.domain.likeness import features, is_exact
from memconsole.domain.observations import Priority
from memconsole.domain.observations_text import parse
from memconsole.domain.plain import clean
from memconsole.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from memconsole.domain.observations import Observation, ObservationLog

SMALLEST: Final = 0.1
"""Share of the original that a candidate must have, unless forced."""

_FENCED: Final = re.compile(
    r"(?:\A|\n)[ \t]*(?P<fence>`{3,}|~{3,})[a-z]*[ \t]*\n"
    r"(?P<text>.*?\n)[ \t]*(?P=fence)[ \t]*(?:\n|\Z)",
    re.DOTALL,
)
_INDENT: Final = re.compile(r"^[ \t]+", re.MULTILINE)
_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the gate says.

    Attributes:
        log: The candidate as it would be written; None when it is rejected.
        because: Why it is rejected, as the end of a sentence; empty when it is accepted.
        words_before: Words of the original, comments left out.
        words_after: Words of the candidate.
    """

    log: ObservationLog | None
    because: str
    words_before: int
    words_after: int


def judge(
    original: ObservationLog,
    candidate: str,
    today: date,
    *,
    is_forced: bool = False,
    is_own: bool = False,
) -> Verdict:
    """Say whether a text may replace the file.

    Args:
        original: The file as it is.
        candidate: The new text; one in a code fence is taken out of it first.
        today: The user's day.
        is_forced: Also a text of less than a tenth.
        is_own: Our own consolidation: whatever it left out it names, so that all may have expired,
            and it keeps the shape that somebody's hands gave the file.
    """
    text = unwrapped(candidate)
    log = parse(text)
    before, after = words_of(original.text), words_of(text)
    because = (
        _shape(text, log, original if is_own else None)
        or _losses(original, log, today)
        or _size(before, after, original.text, text, is_forced=is_forced or is_own)
    )
    return Verdict(None if because else log, because, before, after)


def unwrapped(text: str) -> str:
    """Return what stands in the code fence of an answer; a text without one as it is."""
    found = _FENCED.search(text)
    if found is None or not parse(found["text"]).has_title:
        return text
    return found["text"]


def words_of(text: str) -> int:
    """Return the words of a file, comments left out: metadata is not read by anybody."""
    return len(_COMMENT.sub(" ", text).split())


def tokens_of(text: str) -> int:
    """Return the estimated tokens of a file, comments left out (mission §3)."""
    return -(-len(_COMMENT.sub("", text)) // 4)


def _shape(text: str, log: ObservationLog, own: ObservationLog | None) -> str:
    """Return what is wrong with a text by itself.

    Args:
        text: The candidate.
        log: The same, parsed.
        own: What it was made of, when we made it: that need not have had a better shape.
    """
    if not text.strip():
        return "it is empty"
    if own is None and not log.observations and log.has_title:
        return "it holds no observation"
    had = set() if own is None else set(_misshapen(own.text, own))
    return next((one for one in _misshapen(text, log) if one not in had), "")


def _misshapen(text: str, log: ObservationLog) -> Iterator[str]:
    if clean(text.replace("\r", "")) != text.replace("\r", ""):
        yield "it holds control characters"
    if not log.has_title:
        yield "it does not begin with the title of the file"
    if not text.endswith(("\n", "\r")):
        yield "its last line is cut off"


def _size(before: int, after: int, old: str, new: str, *, is_forced: bool) -> str:
    # Lines that were put below another one are indented: that says no more than before.
    had, has = tokens_of(_INDENT.sub("", old)), tokens_of(_INDENT.sub("", new))
    if after > before or has > had:
        return f"it is longer than before ({after} words, {before} before)"
    if not is_forced and has < SMALLEST * had:
        return f"less than a tenth is left of it ({after} words, {before} before)"
    return ""


def _losses(original: ObservationLog, log: ObservationLog, today: date) -> str:
    ids = {one.id for one in log.observations if one.id is not None}
    texts = {features(one.text).folded for one in log.observations}
    kept = [features(one.text) for one in log.observations]

    def is_there(one: Observation) -> bool:
        mine = features(one.text)
        if one.id in ids or mine.folded in texts:
            return True
        return any(it.fingerprint == mine.fingerprint and is_exact(it, mine) for it in kept)

    for one in original.observations:
        day = one.refers_to or one.day
        is_ahead = day is not None and day > today
        if (one.priority is Priority.HIGH or is_ahead) and not is_there(one):
            what = "🔴 line" if one.priority is Priority.HIGH else "line with a future date"
            return f"a {what} is missing: {one.text[:80]}"
    return ""
