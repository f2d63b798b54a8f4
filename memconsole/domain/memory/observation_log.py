"""Reads `observations.md`, whoever wrote it, and adds observations to it."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from datetime import date
from itertools import groupby
from typing import TYPE_CHECKING, Final

from memconsole.domain.calendar import UNKNOWN_CLOCK
from memconsole.domain.memory.observations import (
    Kind,
    Line,
    Observation,
    ObservationLog,
    Priority,
    heading_of,
    line_of,
    new_log,
)
from memconsole.text.compiled import compiled
from memconsole.text.fences import hidden_spans

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

_LINE: Final = r"([^\r\n]*)(\r\n|\n|\r|\Z)"
_DAY: Final = r"(?P<day>\d{4}-\d{2}-\d{2})(?!\d|-\d)"
_HEADING: Final = rf" {{0,3}}(?:\*{{0,2}}Date:\*{{0,2}}|#{{1,6}}(?: +Date:)?) *{_DAY}"
_ITEM: Final = (
    rf"(?s)(?P<indent>[ \t]*)[-*+][ \t]+(?P<priority>[{''.join(Priority)}])\ufe0f?[ \t]*"
    rf"(?:(?P<clock>\d{{1,2}}:\d{{2}}|{re.escape(UNKNOWN_CLOCK)})(?=[ \t]|$)[ \t]*)?"
    r"(?P<text>.*)"
)
_TOP: Final = 10.0


def parse(text: str) -> ObservationLog:
    """Return the lines of a file; `parse(text).text == text` for every text."""
    pairs = [match.groups() for match in compiled(_LINE).finditer(text)]
    if pairs and pairs[-1] == ("", ""):
        pairs.pop()
    shown = _shown([line for line, _ in pairs])
    lines: list[Line] = []
    day: date | None = None
    for (line, end), is_shown in zip(pairs, shown, strict=True):
        heading = _heading(line) if is_shown else None
        day = day if heading is None else heading
        said = parse_line(line, day) if is_shown and heading is None else None
        lines.append(Line(line, end, said, heading))
    return ObservationLog(tuple(lines))


def parse_line(line: str, day: date | None = None) -> Observation | None:
    """Return the observation in one line: a bullet with a priority sign; None otherwise.

    Args:
        line: Without its end.
        day: Of the heading above.
    """
    item = compiled(_ITEM).fullmatch(line)
    if item is None:
        return None
    text, words = _without_metadata(item["text"])
    known, extra = _known(words)
    clock = item["clock"]
    return Observation(
        priority=Priority(item["priority"]),
        text=text,
        day=day,
        clock=None if clock in (None, UNKNOWN_CLOCK) else clock.rjust(5, "0"),
        extra=tuple(extra),
        is_child=bool(item["indent"]),
        kind=Kind(known.get("dc:type", Kind.FACT)),
        importance=round(float(known.get("dc:importance", "5")), 1),
        refers_to=date.fromisoformat(known["dc:date"]) if "dc:date" in known else None,
        id=known.get("mc:id"),
        source=known.get("mc:src"),
    )


def add(log: ObservationLog, observations: Iterable[Observation]) -> ObservationLog:
    """Return the file with observations under the headings of their days.

    A day that has a heading gets them at the end of its lines, one that has none gets a heading
    before the first later day. Nothing else is moved or changed; an empty file gets its header.

    Args:
        log: The file.
        observations: Each with its `day`; those of one day in the order they shall have.
    """
    grown = log if any(not line.is_blank for line in log.lines) else new_log()
    dated = sorted((one for one in observations if one.day is not None), key=_day)
    for day, group in groupby(dated, _day):
        grown = _with_day(grown, day, tuple(group))
    return grown


def appended(old: ObservationLog, new: ObservationLog) -> str | None:
    r"""Return what `new` adds behind `old`, with `\n` at line ends; None when it does more."""
    before, after = old.text, new.text
    ending = old.ending
    if before and not before.endswith(("\n", "\r")):
        before += ending
    if not after.startswith(before):
        return None
    return after[len(before) :].replace(ending, "\n")


def _day(observation: Observation) -> date:
    assert observation.day is not None
    return observation.day


def _with_day(log: ObservationLog, day: date, group: Sequence[Observation]) -> ObservationLog:
    end = log.ending
    lines = _ended(log.lines, end)
    new = [line_of(one, end) for one in group]
    headings = [number for number, line in enumerate(lines) if line.heading is not None]
    own = [number for number in headings if lines[number].heading == day]
    if own:
        at = _end_of_section(lines, own[-1], headings)
    else:
        at = next((n for n in headings if (lines[n].heading or day) > day), len(lines))
        gap = [Line("", end)] if at and not lines[at - 1].is_blank else []
        new = [*gap, heading_of(day, end), *new, *([Line("", end)] if at < len(lines) else [])]
    return replace(log, lines=(*lines[:at], *new, *lines[at:]))


def _end_of_section(lines: Sequence[Line], heading: int, headings: Sequence[int]) -> int:
    """Return where a day's lines end: at the end of the file, else before the blank lines."""
    following = [number for number in headings if number > heading]
    if not following:
        return len(lines)
    at = following[0]
    while at - 1 > heading and lines[at - 1].is_blank:
        at -= 1
    return at


def _ended(lines: tuple[Line, ...], end: str) -> tuple[Line, ...]:
    """Give the last line an end, so that another can stand behind it."""
    if lines and not lines[-1].end:
        return (*lines[:-1], replace(lines[-1], end=end))
    return lines


def _shown(lines: Sequence[str]) -> Iterator[bool]:
    """Yield for each line whether it begins outside of code fences and comments."""
    spans = iter([*hidden_spans("\n".join(lines)), (math.inf, math.inf)])
    start = 0
    hidden_from, hidden_to = next(spans)
    for line in lines:
        while hidden_to <= start:
            hidden_from, hidden_to = next(spans)
        yield not hidden_from <= start < hidden_to
        start += len(line) + 1


def _heading(line: str) -> date | None:
    found = compiled(_HEADING).match(line)
    return None if found is None else _date(found["day"])


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _without_metadata(text: str) -> tuple[str, tuple[str, ...]]:
    """Split the comment at the end of a line off; return the text and the comment's words."""
    body = text.rstrip()
    start = body.rfind("<!--")
    is_comment = start >= 0 and body.find("-->", start + 4) == len(body) - 3
    if not is_comment or body[:start].endswith("\\"):
        return body, ()
    return body[:start].rstrip(), tuple(body[start + 4 : -3].split())


def _known(words: Iterable[str]) -> tuple[dict[str, str], list[str]]:
    """Return the words that are understood, the first of each key, and all others."""
    known: dict[str, str] = {}
    extra: list[str] = []
    for word in words:
        key, _, value = word.partition("=")
        if key in _VALID and key not in known and _VALID[key](value):
            known[key] = value
        else:
            extra.append(word)
    return known, extra


def _is_importance(value: str) -> bool:
    try:
        return 0.0 <= float(value) <= _TOP
    except ValueError:
        return False


_VALID: Final[dict[str, Callable[[str], bool]]] = {
    "dc:type": lambda value: value in tuple(Kind),
    "dc:importance": _is_importance,
    "dc:date": lambda value: _date(value) is not None,
    "mc:id": bool,
    "mc:src": bool,
}
