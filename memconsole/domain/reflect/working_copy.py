"""A working copy of `observations.md` for a reflection: lines change, the rest keeps its place.

Whatever is taken out is noted with its reason, so that the archive can name it.
"""

from __future__ import annotations

from dataclasses import field, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from memconsole.domain.memory.observations import (
    Kind,
    Line,
    Observation,
    ObservationLog,
    Priority,
    line_of,
    render,
)
from memconsole.domain.memory.observations import observation_id as id_of_text
from memconsole.lazy_dataclass import dataclass
from memconsole.text.estimate import tokens_in, words_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import date


TODO: Final = "[TODO]"

RECENT: Final = timedelta(days=3)
"""Observations of so many days, today among them, come before older ones."""


@dataclass(frozen=True, slots=True)
class Removed:
    """One observation that went.

    Attributes:
        because: One word for the archive, such as `duplicate-of:o-7f3a91c2` or `expired`.
    """

    observation: Observation
    because: str


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two lines that contradict each other and both stay, for somebody to look at."""

    older: Observation
    newer: Observation
    guards: tuple[str, ...]


@dataclass(slots=True)
class Budget:
    """How many words and how many tokens of the observations may go."""

    words: float
    tokens: float

    def take(self, gone: Iterable[Observation], into: Observation | None) -> bool:
        """Take lines out of the room, if it has so much.

        Args:
            gone: The lines.
            into: The line that takes their place.
        """
        lines, kept = "\n".join(map(render, gone)), "" if into is None else render(into)
        words = words_in(lines) - words_in(kept)
        tokens = tokens_in(lines) - tokens_in(kept)
        if words > self.words or tokens > self.tokens:
            return False
        self.words -= words
        self.tokens -= tokens
        return True


@dataclass(slots=True)
class WorkingCopy:
    """The file while it is worked on: lines by number, None for those that went.

    Attributes:
        lines: As many as the file had; children of a topic hang on their parent instead.
        below: Lines that were moved under another line, by that line's number.
        budget: What may still go of it; None for all.
    """

    lines: list[Line | None]
    budget: Budget | None = None
    removed: list[Removed] = field(default_factory=list)
    conflicts: list[Conflict] = field(default_factory=list)
    below: dict[int, list[Line]] = field(default_factory=dict)

    def items(self) -> Iterator[tuple[int, Observation]]:
        """Yield (line number, observation) of what is still there, in order."""
        for number, line in enumerate(self.lines):
            if line is not None and line.observation is not None:
                yield number, line.observation

    def observations(self) -> Iterator[Observation]:
        """Yield what is still there, in order."""
        return (one for _, one in self.items())

    def at(self, number: int) -> Observation:
        """Return the observation in a line."""
        line = self.lines[number]
        assert line is not None
        assert line.observation is not None
        return line.observation

    def put(self, number: int, observation: Observation) -> None:
        """Write a line anew."""
        old = self.lines[number]
        assert old is not None
        if old.observation != observation:
            self.lines[number] = line_of(observation, old.end or "\n")

    def spares(self, *numbers: int, into: Observation | None = None) -> bool:
        """Whether there is room to take lines out; when there is, they count as gone.

        Args:
            numbers: The lines.
            into: The line that takes their place.
        """
        return self.budget is None or self.budget.take(map(self.at, numbers), into)

    def drop(self, number: int, because: str) -> None:
        """Take a line out, and say why; its children stand alone from now on."""
        self.removed.append(Removed(self.at(number), because))
        self.take(number)

    def take(self, number: int) -> Line:
        """Take a line out without a word: it stands elsewhere now."""
        line = self.lines[number]
        assert line is not None
        was_parent = line.observation is not None and not line.observation.is_child
        self.lines[number] = None
        if was_parent:
            self._free(number + 1)
        return line

    def children(self, number: int) -> tuple[int, ...]:
        """Return the numbers of the lines that hang on one."""
        found = []
        for place in range(number + 1, len(self.lines)):
            line = self.lines[place]
            if line is None:
                continue
            if line.observation is None or not line.observation.is_child:
                break
            found.append(place)
        return tuple(found)

    def log(self) -> ObservationLog:
        """Return the file that is left, without days under which nothing stands any more."""
        return ObservationLog(tuple(_without_empty_days(_flat(self))))

    def _free(self, start: int) -> None:
        for place in self.children(start - 1):
            self.put(place, replace(self.at(place), is_child=False))


def name_of(observation: Observation) -> str:
    """Return the id of an observation; a line without one has that of its text."""
    return observation.id or id_of_text(observation.text)


def is_kept_for_good(observation: Observation, today: date) -> bool:
    """Whether an observation may never go: 🔴, about the future, or an open task."""
    return observation.priority is Priority.HIGH or is_pending(observation, today)


def may_go(observation: Observation, today: date) -> bool:
    """Whether an observation may go where room is needed: neither kept for good nor a rule."""
    return observation.kind is not Kind.RULE and not is_kept_for_good(observation, today)


def is_recent(observation: Observation, today: date) -> bool:
    """Whether an observation is of the last days, today among them."""
    return observation.day is not None and today - observation.day < RECENT


def is_pending(observation: Observation, today: date) -> bool:
    """Whether an observation is about the future, or an open task."""
    return is_ahead(observation, today) or holds_task(observation)


def holds_task(observation: Observation) -> bool:
    """Whether an observation is marked as an open task."""
    return TODO in observation.text.replace("\\", "")


def is_ahead(observation: Observation, today: date) -> bool:
    """Whether an observation is about a day that is still to come."""
    day = observation.refers_to or observation.day
    return day is not None and day > today


def newest_first(copy: WorkingCopy, numbers: Sequence[int]) -> list[int]:
    """Return line numbers, the newest day first, of one day the last line first."""

    def age(number: int) -> tuple[bool, date | None, int]:
        day = copy.at(number).day
        return day is not None, day, number

    return sorted(numbers, key=age, reverse=True)


def _flat(copy: WorkingCopy) -> Iterator[Line]:
    for number, line in enumerate(copy.lines):
        if line is not None:
            yield line
            yield from copy.below.get(number, ())


def _without_empty_days(lines: Iterator[Line]) -> Iterator[Line]:
    """Leave out headings that nothing stands under any more, and the blank lines behind them."""
    pending: list[Line] = []
    for line in lines:
        if line.heading is not None:
            pending = [line]
        elif pending and line.is_blank:
            pending.append(line)
        else:
            yield from pending
            pending = []
            yield line
