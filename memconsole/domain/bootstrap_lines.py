"""Chooses the observations that a starting session is given, by their value within a room.

A file that is cut at its end loses the newest months, so lines are weighed instead: what is still
open and what was said in the last days come first, then what is worth most for its length. What is
given stands in the order of the file, without the comments that only programs read.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final

from memconsole.domain.memory.observations import OBSERVATIONS, Kind, Line, render
from memconsole.domain.observe.value import values
from memconsole.domain.reflect.working_copy import is_pending, is_recent
from memconsole.lazy_dataclass import dataclass
from memconsole.text.estimate import readable
from memconsole.text.figures import plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import date

    from memconsole.domain.memory.observations import Observation, ObservationLog

_PROSE_PART: Final = 2
_PENDING_PART: Final = 2
_RECENT_PART: Final = 3
"""Prose, what is still open and what is recent take this part of the room at most before what is
left of them competes by value: a flood of one kind leaves room for the rest."""


@dataclass(frozen=True, slots=True)
class ChosenLines:
    """What is given of a file.

    Attributes:
        text: Without comments; its last line says how much more there is and where.
        whole_chars: Characters that the whole file takes without comments.
        observations: How many are given.
        of: How many there are.
        prose: Lines of other hands that found no room.
    """

    text: str
    whole_chars: int
    observations: int
    of: int
    prose: int = 0

    @property
    def is_whole(self) -> bool:
        """Whether nothing was left out."""
        return self.observations == self.of and not self.prose


def chosen(log: ObservationLog, room: int, today: date) -> ChosenLines:
    """Return the part of a file that is worth most.

    Open tasks, plans and rules go first, then the last days, then everything by its value; what
    does not fit is skipped, and a shorter line may still find its place.

    Args:
        log: What the session may be handed.
        room: Characters.
        today: The user's day.
    """
    lines = tuple(_readable(log))
    whole = "\n".join(line.text for line in lines).strip()
    ones = {n: line.observation for n, line in enumerate(lines) if line.observation is not None}
    if len(whole) <= room:
        return ChosenLines(whole, len(whole), len(ones), len(ones))
    prose = [n for n, line in enumerate(lines) if _is_prose(line)]
    free = room - len(_rest(len(ones), len(prose))) - 1
    sheet = _Sheet(lines, free)
    sheet.fill(prose, free // _PROSE_PART)
    worth = dict(zip(ones, values(ones.values()), strict=True))
    ranked = sorted(ones, key=lambda number: (-worth[number], number))
    sheet.fill((n for n in ranked if _is_open(ones[n], today)), free // _PENDING_PART)
    sheet.fill((n for n in ranked if is_recent(ones[n], today)), free // _RECENT_PART)
    sheet.fill((*ranked, *prose), free)
    given = len(sheet.kept & ones.keys())
    missed = len(prose) - len(sheet.kept.intersection(prose))
    text = f"{sheet.text}\n{_rest(len(ones) - given, missed)}".strip()
    return ChosenLines(text, len(whole), given, len(ones), missed)


class _Sheet:
    """Lines of a file that are put on one sheet, each with the heading that it stands under."""

    def __init__(self, lines: tuple[Line, ...], room: int) -> None:
        self._lines = lines
        self._room = room
        self._headings = tuple(_headings(lines))
        self._gaps = tuple(_gaps(lines))
        self.kept: set[int] = set()

    def fill(self, numbers: Iterable[int], most: int) -> None:
        """Put down what fits, in the order given.

        Args:
            numbers: Of lines; those that are there already cost nothing.
            most: Characters that these may take together.
        """
        for number in numbers:
            wanted = {number, self._headings[number]} - self.kept
            cost = sum(len(self._lines[one].text) + 1 + self._gaps[one] for one in wanted)
            if cost <= min(most, self._room):
                self.kept |= wanted
                self._room -= cost
                most -= cost

    @property
    def text(self) -> str:
        """The sheet, in the order of the file."""
        return "\n".join(self._written())

    def _written(self) -> Iterator[str]:
        has_parent = False
        for number, line in enumerate(self._lines):
            one = line.observation
            if one is not None and not one.is_child:
                has_parent = number in self.kept
            if number in self.kept:
                is_orphan = one is not None and one.is_child and not has_parent
                yield line.text.lstrip() if is_orphan else line.text
                yield from [""] * self._gaps[number]


def _readable(log: ObservationLog) -> Iterator[Line]:
    r"""Yield the lines of a file as they are read, each to be ended by `\n`."""
    for is_ours, run in groupby(log.lines, key=_is_ours):
        if is_ours:
            for line in run:
                said = line.observation
                yield Line(line.text if said is None else _said(said), "\n", said, line.heading)
        else:
            text = readable("".join(f"{line.text}{line.end}" for line in run))
            yield from (Line(one.rstrip()) for one in text.splitlines())


def _said(one: Observation) -> str:
    """Return a line without its comment; one that stands under another day names its own."""
    line = readable(render(one)).rstrip()
    day = one.refers_to
    if not one.is_child or day in (None, one.day) or str(day) in line:
        return line
    return f"{line} ({day})"


def _is_ours(line: Line) -> bool:
    return line.observation is not None or line.heading is not None


def _is_prose(line: Line) -> bool:
    return not _is_ours(line) and not line.is_blank


def _is_open(one: Observation, today: date) -> bool:
    return one.kind is Kind.RULE or is_pending(one, today)


def _headings(lines: Iterable[Line]) -> Iterator[int]:
    """Yield for each line the number of the heading above it; its own where there is none."""
    last: int | None = None
    for number, line in enumerate(lines):
        last = number if line.heading is not None else last
        yield number if last is None else last


def _gaps(lines: tuple[Line, ...]) -> Iterator[int]:
    """Yield for each line whether a gap belongs behind it: 1 where blank lines follow."""
    for number in range(len(lines)):
        yield int(number + 1 < len(lines) and lines[number + 1].is_blank)


def _rest(observations: int, prose: int) -> str:
    """Return the line that says how much more there is."""
    kinds = ((observations, "more observation"), (prose, "other line"))
    what = " and ".join(plural(count, kind) for count, kind in kinds if count)
    return f"[{what} in {OBSERVATIONS}: search once for each part of a question (memory_search)]"
