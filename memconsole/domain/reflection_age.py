"""What has expired in `observations.md` (mission §12, step e)."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from memconsole.domain.estimate import tokens_in
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
    so while the file is over its budget: facts that nobody needs the room of are not thrown away.
    The least important go first, of equal importance the oldest, as long as the sheet spares any.
    """
    seen = _mentions(sheet)
    over: list[tuple[date, int, str]] = []
    expired: list[tuple[date, int, str]] = []
    for number, one in sheet.items():
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
    _drop(sheet, over, down_to=0)
    _drop(sheet, expired, down_to=BUDGET_TOKENS)


def _drop(sheet: Sheet, lines: list[tuple[date, int, str]], *, down_to: int) -> None:
    """Drop lines, the least important first, until the file is in its budget of tokens."""
    spent = sum(_tokens(one) for one in sheet.observations())
    lines.sort(key=lambda line: (sheet.at(line[1]).importance, line))
    for _, number, because in lines:
        if spent <= down_to:
            return
        if sheet.spares(number):
            spent -= _tokens(sheet.at(number))
            sheet.drop(number, because)


def _tokens(observation: Observation) -> int:
    """Return the estimate for a line as it is read, without its comment."""
    return tokens_in(f"- 🟡 14:05 {observation.text}\n")


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
