"""Folds small things of a day into one line and lines of one topic together; drops the expired.

They are the last two steps of a reflection: what has expired goes first, then what is left is
folded.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from memconsole.domain.memory.observations import (
    Kind,
    Observation,
    Priority,
    line_of,
    observation_id,
)
from memconsole.domain.memory.similarity import features
from memconsole.domain.reflect.working_copy import Removed, is_kept_for_good, name_of, newest_first
from memconsole.text.estimate import tokens_in

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from memconsole.domain.reflect.working_copy import WorkingCopy


FOLDED_AFTER: Final = timedelta(days=2)
FOLDED_CHARS: Final = 200

TOPIC_LINES: Final = 3
"""Lines that share a rare term from which they are a topic."""

_COMMON: Final = 0.1
"""A term in a larger share of all lines is no topic."""

_BETWEEN: Final = "; "


def fold_days(copy: WorkingCopy, today: date) -> None:
    """Fold the 🟢 lines of each day before the last two into one of at most 200 characters."""
    by_day: dict[date, list[int]] = {}
    for number, one in copy.items():
        is_small = one.priority is Priority.LOW and not is_kept_for_good(one, today)
        if is_small and one.day is not None and today - one.day > FOLDED_AFTER:
            by_day.setdefault(one.day, []).append(number)
    for day, numbers in by_day.items():
        if len(numbers) > 1:
            _fold(copy, day, numbers)


def group_topics(copy: WorkingCopy) -> None:
    """Put three or more 🟡 lines that share a rare term under the newest of them."""
    alone = [
        number
        for number, one in copy.items()
        if one.priority is Priority.MEDIUM and not one.is_child and not copy.children(number)
    ]
    terms = {number: _folded_terms(copy.at(number)) for number in alone}
    counts = Counter(term for found in terms.values() for term in found)
    most = max(TOPIC_LINES, int(_COMMON * sum(1 for _ in copy.items())))
    topics = [term for term, count in counts.items() if TOPIC_LINES <= count <= most]
    for term in sorted(topics, key=lambda it: (-counts[it], it)):
        members = [number for number in alone if term in terms[number]]
        if len(members) >= TOPIC_LINES:
            _group(copy, newest_first(copy, members))
            alone = [number for number in alone if number not in members]


def _fold(copy: WorkingCopy, day: date, numbers: Sequence[int]) -> None:
    ones = [copy.at(number) for number in numbers]
    texts = list(dict.fromkeys(one.text for one in ones))
    kept = list(texts)
    while len(kept) > 1 and len(_joined(kept, len(texts))) > FOLDED_CHARS:
        kept.pop()
    text = _joined(kept, len(texts))
    folded = Observation(
        priority=Priority.LOW,
        text=text,
        day=day,
        kind=Kind.CONTEXT,
        importance=max(one.importance for one in ones),
        refers_to=day,
        id=observation_id(text),
    )
    if not copy.spares(*numbers, into=folded):
        return
    total = sum(int(one.note("mc:folded") or 1) for one in ones if _is_count(one))
    for number in numbers[1:]:
        copy.drop(number, f"folded-into:{name_of(folded)}")
    first = numbers[0]
    copy.removed.append(_gone(copy, first, folded))
    is_child = copy.at(first).is_child
    copy.put(first, replace(folded, is_child=is_child).noted("mc:folded", str(total)))


def _gone(copy: WorkingCopy, number: int, folded: Observation) -> Removed:
    return Removed(copy.at(number), f"folded-into:{name_of(folded)}")


def _joined(texts: Sequence[str], total: int) -> str:
    left = total - len(texts)
    return _BETWEEN.join(texts) + (f"{_BETWEEN}{left} more" if left else "")


def _is_count(observation: Observation) -> bool:
    noted = observation.note("mc:folded")
    return noted is None or (noted.isdecimal() and len(noted) < 6)


def _group(copy: WorkingCopy, numbers: Sequence[int]) -> None:
    """Move lines under the first of them; each keeps the day it is about."""
    parent = numbers[0]
    below = []
    for number in sorted(numbers[1:]):
        one = copy.at(number)
        line = copy.take(number)
        moved = replace(one, is_child=True, refers_to=one.refers_to or one.day)
        below.append(line_of(moved, line.end or "\n"))
    copy.below[parent] = below


def _folded_terms(observation: Observation) -> frozenset[str]:
    found = features(observation.text)
    return found.names | frozenset(it for it in found.numbers if len(it) > 3 and not it.isdigit())


BUDGET_TOKENS: Final = 5_000
"""What the file may take at the start of a session."""

SMALL_THINGS: Final = timedelta(days=7)
"""🟢 lines live so long unless something later goes back to them."""

LIVES: Final = {
    Kind.EVENT: timedelta(days=14),
    Kind.CONTEXT: timedelta(days=30),
    Kind.FACT: timedelta(days=90),
    Kind.PREFERENCE: timedelta(days=180),
    Kind.GOAL: timedelta(days=365),
    Kind.HABIT: timedelta(days=365),
    Kind.DECISION: timedelta(days=365),
}
"""A rule never expires; a decision holds as long as a goal."""

_RARE: Final = 3


def drop_expired(copy: WorkingCopy, today: date) -> None:
    """Drop what is too old for its kind; 🔴, future dates and open tasks stay.

    🟢 lines and events go when their time is over. What else has expired with 🟡 may go, and does
    so while the file is over its budget: facts that nobody needs the room of are not thrown away.
    The least important go first, of equal importance the oldest, as long as the sheet spares any.
    """
    seen = _mentions(copy)
    over: list[tuple[date, int, str]] = []
    expired: list[tuple[date, int, str]] = []
    for number, one in copy.items():
        day = one.latest_day
        if day is None or is_kept_for_good(one, today):
            continue
        age = today - day
        life = LIVES.get(one.kind)
        if life is not None and age > life:
            is_short = one.priority is Priority.LOW or one.kind is Kind.EVENT
            (over if is_short else expired).append((day, number, f"expired-{one.kind}"))
        elif one.priority is Priority.LOW and age > SMALL_THINGS and not _is_referred(one, seen):
            over.append((day, number, "expired-small"))
    _drop(copy, over, down_to=0)
    _drop(copy, expired, down_to=BUDGET_TOKENS)


def _drop(copy: WorkingCopy, lines: list[tuple[date, int, str]], *, down_to: int) -> None:
    """Drop lines, the least important first, until the file is in its budget of tokens."""
    spent = sum(_tokens(one) for one in copy.observations())
    lines.sort(key=lambda line: (copy.at(line[1]).importance, line))
    for _, number, because in lines:
        if spent <= down_to:
            return
        if copy.spares(number):
            spent -= _tokens(copy.at(number))
            copy.drop(number, because)


def _tokens(observation: Observation) -> int:
    """Return the estimate for a line as it is read, without its comment."""
    return tokens_in(f"- 🟡 14:05 {observation.text}\n")


def _mentions(copy: WorkingCopy) -> dict[str, date]:
    """Return the last day on which each rare term, or an id, was mentioned."""
    counts: Counter[str] = Counter()
    last: dict[str, date] = {}
    for one in copy.observations():
        for term in _terms(one):
            counts[term] += 1
            if one.day is not None:
                last[term] = max(last.get(term, one.day), one.day)
    return {term: day for term, day in last.items() if 1 < counts[term] <= _RARE}


def _terms(observation: Observation) -> set[str]:
    found = features(observation.text)
    named = {word for word in observation.text.split() if word.startswith("o-")}
    return {*found.names, *(it for it in found.numbers if len(it) > 2), *named}


def _is_referred(observation: Observation, seen: dict[str, date]) -> bool:
    """Whether a later day mentions it: its id, or a rare name or number of its text."""
    day = observation.day
    terms = {*_terms(observation), name_of(observation)}
    return day is not None and any(seen.get(term, day) > day for term in terms)
