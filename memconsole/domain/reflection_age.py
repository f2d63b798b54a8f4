"""What has expired in `observations.md` (mission §12, step e)."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from memconsole.domain.likeness import features
from memconsole.domain.observations import Kind, Priority
from memconsole.domain.reflection import is_kept_for_good, name_of

if TYPE_CHECKING:
    from datetime import date

    from memconsole.domain.observations import Observation
    from memconsole.domain.reflection import Sheet

BUDGET_TOKENS: Final = 5_000
"""What the file may take at the start of a session (§12)."""

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
"""A rule never expires; a decision holds as long as a goal, which the specification leaves open."""

_RARE: Final = 3


def drop_expired(sheet: Sheet, today: date) -> None:
    """Drop what is too old for its kind; 🔴, future dates and open tasks stay.

    🟢 lines and events go when their time is over. What else has expired with 🟡 may go, and does
    so, the least important first, while the file is over its budget: facts that nobody needs the
    room of are not thrown away.
    """
    seen = _mentions(sheet)
    expired: list[tuple[date, int]] = []
    for number, one in list(sheet.items()):
        day = one.latest_day
        if day is None or is_kept_for_good(one, today):
            continue
        age = today - day
        life = LIVES.get(one.kind)
        if life is not None and age > life:
            if one.priority is Priority.LOW or one.kind is Kind.EVENT:
                sheet.drop(number, f"expired-{one.kind}")
            else:
                expired.append((day, number))
        elif one.priority is Priority.LOW and age > SMALL_THINGS and not _is_referred(one, seen):
            sheet.drop(number, "expired-small")
    _make_room(sheet, expired)


def _make_room(sheet: Sheet, expired: list[tuple[date, int]]) -> None:
    """Drop expired lines, of equal importance the oldest first, until the file is in its budget."""
    spent = sum(_tokens(one) for one in sheet.observations())
    for _, number in sorted(expired, key=lambda pair: (sheet.at(pair[1]).importance, pair)):
        if spent <= BUDGET_TOKENS:
            return
        one = sheet.at(number)
        spent -= _tokens(one)
        sheet.drop(number, f"expired-{one.kind}")


def _tokens(observation: Observation) -> int:
    """Return the estimate of §3 for a line as it is read, without its comment."""
    return -(-len(f"- 🟡 14:05 {observation.text}\n") // 4)


def _mentions(sheet: Sheet) -> dict[str, date]:
    """Return the last day on which each rare term, or an id, was mentioned."""
    counts: Counter[str] = Counter()
    last: dict[str, date] = {}
    for one in sheet.observations():
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
