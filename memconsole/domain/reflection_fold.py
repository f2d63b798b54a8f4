"""Small things of a day in one line, lines of one topic together (mission §12, step f)."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from memconsole.domain.likeness import features
from memconsole.domain.observations import Kind, Observation, Priority, line_of, observation_id
from memconsole.domain.reflection import Removed, is_kept_for_good, name_of, newest_first

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from memconsole.domain.reflection import Sheet

FOLDED_AFTER: Final = timedelta(days=2)
FOLDED_CHARS: Final = 200

TOPIC_LINES: Final = 3
"""Lines that share a rare term from which they are a topic."""

_COMMON: Final = 0.1
"""A term in a larger share of all lines is no topic."""

_BETWEEN: Final = "; "


def fold_days(sheet: Sheet, today: date) -> None:
    """Fold the 🟢 lines of each day before the last two into one of at most 200 characters."""
    by_day: dict[date, list[int]] = {}
    for number, one in sheet.items():
        is_small = one.priority is Priority.LOW and not is_kept_for_good(one, today)
        if is_small and one.day is not None and today - one.day > FOLDED_AFTER:
            by_day.setdefault(one.day, []).append(number)
    for day, numbers in by_day.items():
        if len(numbers) > 1:
            _fold(sheet, day, numbers)


def group_topics(sheet: Sheet) -> None:
    """Put three or more 🟡 lines that share a rare term under the newest of them."""
    alone = [
        number
        for number, one in sheet.items()
        if one.priority is Priority.MEDIUM and not one.is_child and not sheet.children(number)
    ]
    terms = {number: _terms(sheet.at(number)) for number in alone}
    counts = Counter(term for found in terms.values() for term in found)
    most = max(TOPIC_LINES, int(_COMMON * sum(1 for _ in sheet.items())))
    topics = [term for term, count in counts.items() if TOPIC_LINES <= count <= most]
    for term in sorted(topics, key=lambda it: (-counts[it], it)):
        members = [number for number in alone if term in terms[number]]
        if len(members) >= TOPIC_LINES:
            _group(sheet, newest_first(sheet, members))
            alone = [number for number in alone if number not in members]


def _fold(sheet: Sheet, day: date, numbers: Sequence[int]) -> None:
    ones = [sheet.at(number) for number in numbers]
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
    if not sheet.spares(*numbers, into=folded):
        return
    total = sum(int(one.note("mc:folded") or 1) for one in ones if _is_count(one))
    for number in numbers[1:]:
        sheet.drop(number, f"folded-into:{name_of(folded)}")
    first = numbers[0]
    sheet.removed.append(_gone(sheet, first, folded))
    is_child = sheet.at(first).is_child
    sheet.put(first, replace(folded, is_child=is_child).noted("mc:folded", str(total)))


def _gone(sheet: Sheet, number: int, folded: Observation) -> Removed:
    return Removed(sheet.at(number), f"folded-into:{name_of(folded)}")


def _joined(texts: Sequence[str], total: int) -> str:
    left = total - len(texts)
    return _BETWEEN.join(texts) + (f"{_BETWEEN}{left} more" if left else "")


def _is_count(observation: Observation) -> bool:
    noted = observation.note("mc:folded")
    return noted is None or (noted.isdecimal() and len(noted) < 6)


def _group(sheet: Sheet, numbers: Sequence[int]) -> None:
    """Move lines under the first of them; each keeps the day it is about."""
    parent = numbers[0]
    below = []
    for number in sorted(numbers[1:]):
        one = sheet.at(number)
        line = sheet.take(number)
        moved = replace(one, is_child=True, refers_to=one.refers_to or one.day)
        below.append(line_of(moved, line.end or "\n"))
    sheet.below[parent] = below


def _terms(observation: Observation) -> frozenset[str]:
    found = features(observation.text)
    return found.names | frozenset(it for it in found.numbers if len(it) > 3 and not it.isdigit())
