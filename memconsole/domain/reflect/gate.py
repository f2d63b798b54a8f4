"""Whether a consolidated text may take the place of `observations.md`.

The same gate for our own result and for a text from elsewhere: a person's, or a model's.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from memconsole.domain.memory.observation_log import parse
from memconsole.domain.memory.observations import Priority
from memconsole.domain.memory.similarity import same_words
from memconsole.domain.planted import is_planted, is_quoted
from memconsole.domain.reflect.rules import SMALLEST
from memconsole.domain.reflect.working_copy import is_ahead, is_kept_for_good, is_pending
from memconsole.lazy_dataclass import dataclass
from memconsole.text.estimate import tokens_in, words_in
from memconsole.text.plain import clean

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import date

    from memconsole.domain.memory.observations import Observation, ObservationLog

_FENCED: Final = re.compile(
    r"(?:\A|\n)[ \t]*(?P<fence>`{3,}|~{3,})[a-z]*[ \t]*\n"
    r"(?P<text>.*?\n)[ \t]*(?P=fence)[ \t]*(?:\n|\Z)",
    re.DOTALL,
)
_INDENT: Final = re.compile(r"^[ \t]+", re.MULTILINE)


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
        is_own: Our own consolidation: whatever it left out it names and stops at a tenth by itself,
            repeated lines not counted, and it keeps the shape that somebody's hands gave the file.
    """
    text = unwrapped(candidate)
    log = parse(text)
    before, after = words_in(original.text), words_in(text)
    because = (
        _shape(text, log, original if is_own else None)
        or ("" if is_own else _planted(original, log))
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
    had, has = tokens_in(_INDENT.sub("", old)), tokens_in(_INDENT.sub("", new))
    if after > before or has > had:
        return f"it is longer than before ({after} words, {before} before)"
    if not is_forced and has < SMALLEST * had:
        return f"less than a tenth is left of it ({after} words, {before} before)"
    return ""


def _planted(original: ObservationLog, log: ObservationLog) -> str:
    """Return which planted instruction a text makes a rule of, or takes the mark off."""
    known = {same_words(one.text) for one in original.observations}
    for one in log.observations:
        is_new = same_words(one.text) not in known
        if is_new and is_planted(one.text) and not is_quoted(one.text):
            return f"it holds planted instructions: {one.text[:80]}"
    return ""


def _losses(original: ObservationLog, log: ObservationLog, today: date) -> str:
    """Return which protected line is gone, or stands there with other words or a softer sign.

    An id proves nothing: whoever wrote the text may have kept it and turned the words around.
    """
    kept: dict[str, list[Observation]] = {}
    for one in log.observations:
        kept.setdefault(same_words(one.text), []).append(one)
    by_id = {one.id: one for one in log.observations if one.id is not None}
    for one in original.observations:
        if not is_kept_for_good(one, today):
            continue
        twins = kept.get(same_words(one.text), [])
        if not any(_protects(twin, one, today) for twin in twins):
            changed = by_id.get(one.id or "")
            return _lost(one, today, twins or ([changed] if changed is not None else []))
    return ""


def _protects(twin: Observation, one: Observation, today: date) -> bool:
    """Whether a line of the same words is kept as long as the original would have been."""
    if twin.priority.rank > one.priority.rank:
        return False
    return is_pending(twin, today) or not is_pending(one, today)


def _lost(one: Observation, today: date, others: Sequence[Observation]) -> str:
    if one.priority is Priority.HIGH:
        what = "🔴 line"
    else:
        what = "line with a future date" if is_ahead(one, today) else "line with an open task"
    now = next((f"; it reads {it.priority} {it.text[:80]} now" for it in others), "")
    how = "was changed" if others else "is missing"
    return f"a {what} {how}: {one.text[:80]}{now}"
