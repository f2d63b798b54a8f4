"""Understands the days that a question names, and says how near a note's day is to them.

A month counts when it is written with a capital letter or beside a day or a year; "may" alone is no
month. What is relative, such as "last week", is meant from now.
"""

from __future__ import annotations

import calendar
from datetime import date, timedelta
from typing import TYPE_CHECKING, Final, NamedTuple

from memconsole.text.compiled import compiled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from re import Match

DATE_BONUS: Final = 0.35
"""What a note of the day asked for gains; chosen on LoCoMo's development conversations."""

_FADES_DAYS: Final = 10
"""A thing is mostly written down on its day or soon after."""

_EARLIER: Final = 0.3
"""Of what was written in the same month before its day, as plans are."""

_UNDATED: Final = 0.5
"""Of what is of no day: a runbook may be what was meant."""

_MONTHS: Final = tuple(calendar.month_name)[1:]
_WEEKDAYS: Final = tuple(calendar.day_name)
_MONTH: Final = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    "|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
_DAY: Final = r"(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
_YEAR: Final = r"(?:19|20)\d\d"
_ISO: Final = rf"(?<![\d-])({_YEAR})-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01]))?(?!\d|-\d)"
_NAMED: Final = (
    rf"(?i)(?<![\w-])(?:({_DAY})\.?\s+(?:of\s+)?)?({_MONTH})\b\.?"
    rf"(?:\s+({_DAY})(?![\d:]))?(?:(?:,\s*|\s+)(?:of\s+)?({_YEAR})\b)?"
)
_RELATIVE: Final = (
    r"(?i)\b(today|yesterday|this week|last week|this month|last month"
    rf"|(?:last\s+)?(?:{'|'.join(_WEEKDAYS)}))\b"
)


class AskedDate(NamedTuple):
    """A month, or a day of it, or `days` days from that day on.

    Attributes:
        year: None for that month of any year.
        day: None for the whole month.
    """

    year: int | None
    month: int
    day: int | None = None
    days: int = 1

    def nearness(self, day: date) -> float:
        """Return how near a note's day is: 1 on it, 0 for what has nothing to do with it."""
        if self.year is not None and self.day is not None:
            first = date(self.year, self.month, self.day)
            last = first + timedelta(days=self.days - 1)
            behind = (day - last).days
            if day >= first:
                return max(0.0, 1 - max(0, behind) / _FADES_DAYS)
        if day.month != self.month or self.year not in {None, day.year}:
            return 0.0
        if self.day is None:
            return 1.0
        behind = day.day - self.day
        return max(0.0, 1 - behind / _FADES_DAYS) if behind >= 0 else _EARLIER

    def __str__(self) -> str:
        """Return it as a reader knows it: `May 2023`, `7 May`, `7 days from 1 June 2026`."""
        parts = (self.day, _MONTHS[self.month - 1], self.year)
        words = " ".join(str(part) for part in parts if part is not None)
        return words if self.days == 1 else f"{self.days} days from {words}"


def asked_dates(text: str, today: Callable[[], date]) -> tuple[AskedDate, ...]:
    """Return the dates that a question names, each once.

    Args:
        text: As it was typed.
        today: Of the user; asked for only where a question needs it.
    """
    # "the Sunday before October 25, 2022" is not meant from now.
    found = [*_iso(text), *_named(text)] or list(_relative(text, today))
    return tuple(dict.fromkeys(found))


def nearness(asked: tuple[AskedDate, ...], day: date | None) -> float:
    """Return how near a note's day is to the nearest of the dates asked for, 0…1."""
    return _UNDATED if day is None else max(one.nearness(day) for one in asked)


def day_in(text: str) -> date | None:
    """Return the first whole ISO date in a path or heading."""
    for match in compiled(_ISO).finditer(text):
        if match[3] and (found := _exists(int(match[1]), int(match[2]), int(match[3]))):
            return found
    return None


def _iso(text: str) -> Iterator[AskedDate]:
    for match in compiled(_ISO).finditer(text) if "-" in text else ():
        year, month = int(match[1]), int(match[2])
        if match[3] is None:
            yield AskedDate(year, month)
        elif day := _exists(year, month, int(match[3])):
            yield AskedDate(day.year, day.month, day.day)


def _named(text: str) -> Iterator[AskedDate]:
    for match in compiled(_NAMED).finditer(text):
        before, name, behind, year = match.groups()
        said = before or behind
        if said is None and year is None and not _is_month_alone(match):
            continue
        month = _month(name)
        day = None if said is None else int(said.rstrip("stndrhSTNDRH"))
        # 2024 is a leap year: a 29 February of no year is a day.
        if day is not None and _exists(int(year or 2024), month, day) is None:
            day = None
        yield AskedDate(None if year is None else int(year), month, day)


def _is_month_alone(match: Match[str]) -> bool:
    """Whether a name without day and year is a month: `In May`, not `May I`, not `mar`."""
    name = match[2]
    return name[0].isupper() and (name in _MONTHS) and not (name == "May" and match.start() == 0)


def _month(name: str) -> int:
    head = name[:3].casefold()
    return next(at for at, one in enumerate(_MONTHS, 1) if one.casefold().startswith(head))


def _relative(text: str, now: Callable[[], date]) -> Iterator[AskedDate]:
    for match in compiled(_RELATIVE).finditer(text):
        said = " ".join(match[1].casefold().split())
        today = now()
        monday = today - timedelta(days=today.weekday())
        if said.endswith("month"):
            day = today.replace(day=1)
            day = day - timedelta(days=1) if said.startswith("last") else day
            yield AskedDate(day.year, day.month)
        elif said.endswith("week"):
            first = monday - timedelta(days=7 if said.startswith("last") else 0)
            yield AskedDate(first.year, first.month, first.day, 7)
        else:
            day = _day_meant(said, today)
            yield AskedDate(day.year, day.month, day.day)


def _day_meant(said: str, today: date) -> date:
    """Return today, yesterday, or the last such day of the week; "last" leaves today out."""
    if said in {"today", "yesterday"}:
        return today - timedelta(days=said == "yesterday")
    wanted = [one.casefold() for one in _WEEKDAYS].index(said.removeprefix("last "))
    back = (today.weekday() - wanted) % 7
    return today - timedelta(days=back or 7 * said.startswith("last "))


def _exists(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
