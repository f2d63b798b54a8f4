r"""`observations.md` as values: what stands in a line, and the lines of a file.

A file is read line by line and nothing of it is lost: lines that are not ours (prose, lists without
a priority, code, comments) are kept as they are, in their place, with their own line ends. Only an
observation that was changed is written anew, in exactly this shape:

    Date: 2026-01-26
    - 🔴 14:05 Chose REST <!-- dc:type=decision dc:importance=8.0 dc:date=2026-01-26 mc:id=… -->
      - 🟡 14:06 a child, indented two spaces

`text` of an observation is Markdown as it stands in the file: new text is masked, cut and then
quoted (`text/markdown.py`) before it becomes one.
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from memconsole.domain.calendar import UNKNOWN_CLOCK
from memconsole.lazy_dataclass import dataclass
from memconsole.text.markdown import line_ending

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import date

OBSERVATIONS: Final = "memory/observations.md"
"""Path inside a workspace."""

TITLE: Final = "# Observations Log"
LAST_REFLECTION: Final = "Last reflection: "
NEVER: Final = "never"

DEFAULT_IMPORTANCE: Final = 5.0
"""Of a line that does not say."""

CORRECTS: Final = "mc:corrects"
"""Metadata word with the id of an older line that a line takes the place of."""

HIGH_SCORE: Final = 6.0
MEDIUM_SCORE: Final = 3.0


class Priority(StrEnum):
    """How urgent an observation is, by its sign."""

    HIGH = "🔴"
    MEDIUM = "🟡"
    LOW = "🟢"

    @classmethod
    def of_score(cls, score: float) -> Priority:
        """Return the priority of a score from 0 to 10."""
        if score >= HIGH_SCORE:
            return cls.HIGH
        return cls.MEDIUM if score >= MEDIUM_SCORE else cls.LOW

    @property
    def rank(self) -> int:
        """0 for the highest."""
        return tuple(Priority).index(self)


class Kind(StrEnum):
    """What an observation is about (`dc:type`)."""

    DECISION = "decision"
    PREFERENCE = "preference"
    RULE = "rule"
    GOAL = "goal"
    HABIT = "habit"
    FACT = "fact"
    EVENT = "event"
    CONTEXT = "context"


@dataclass(frozen=True, slots=True)
class Observation:
    """One remembered thing.

    Attributes:
        text: Markdown, one line, without bullet, priority, clock time and metadata.
        day: The day of the heading it stands under; None above the first heading.
        clock: `HH:MM`, when the line has one.
        kind: `fact` when the line does not say.
        importance: 0 to 10, one decimal; 5.0 when the line does not say.
        refers_to: `dc:date`, the day that the fact is about.
        id: `mc:id`, such as `o-7f3a91c2`.
        source: `mc:src`, such as `main/ab12cd34#118`: agent, session, record.
        extra: Further words of the metadata comment, as written, in order.
        is_child: Indented under the line before.
    """

    priority: Priority
    text: str
    day: date | None = None
    clock: str | None = None
    kind: Kind = Kind.FACT
    importance: float = DEFAULT_IMPORTANCE
    refers_to: date | None = None
    id: str | None = None
    source: str | None = None
    extra: tuple[str, ...] = ()
    is_child: bool = False

    @property
    def latest_day(self) -> date | None:
        """The later one of the day it was written and the day it is about; None without both."""
        return max((one for one in (self.day, self.refers_to) if one is not None), default=None)

    def noted(self, key: str, value: str) -> Observation:
        """Return it with one more word `key=value` in its metadata, in place of an older one."""
        kept = (word for word in self.extra if not word.startswith(f"{key}="))
        return replace(self, extra=(*kept, f"{key}={value}"))

    def note(self, key: str) -> str | None:
        """Return the value of a word `key=value` in its metadata."""
        starts = (word for word in self.extra if word.startswith(f"{key}="))
        return next((word.partition("=")[2] for word in starts), None)

    @property
    def corrects(self) -> tuple[str, ...]:
        """Ids of the lines that it takes the place of."""
        return tuple(filter(None, (self.note(CORRECTS) or "").split(",")))


@dataclass(frozen=True, slots=True)
class Line:
    r"""One line of the file.

    Attributes:
        text: As it stands there, without its end.
        end: `\n`, `\r\n`, `\r`, or nothing at the end of the file.
        observation: What it says, when it is one of ours or has its shape.
        heading: The day that begins here, when it is the heading of one.
    """

    text: str
    end: str = "\n"
    observation: Observation | None = None
    heading: date | None = None

    @property
    def is_blank(self) -> bool:
        """Whether nothing stands there."""
        return not self.text.strip()


@dataclass(frozen=True, slots=True)
class ObservationLog:
    """The whole file; `text` of what was parsed is the same text again."""

    lines: tuple[Line, ...] = ()

    @property
    def text(self) -> str:
        """The file."""
        return "".join(f"{line.text}{line.end}" for line in self.lines)

    @property
    def ending(self) -> str:
        r"""The line end that most of its lines have; `\n` in an empty one."""
        return line_ending("".join(line.end for line in self.lines))

    @property
    def observations(self) -> tuple[Observation, ...]:
        """All of them, in order."""
        return tuple(line.observation for line in self.lines if line.observation is not None)

    @property
    def corrected(self) -> frozenset[str]:
        """Ids of the lines that a newer line takes the place of."""
        return frozenset(old for one in self.observations for old in one.corrects if old != one.id)

    @property
    def days(self) -> tuple[date, ...]:
        """The days of the headings, in order."""
        return tuple(line.heading for line in self.lines if line.heading is not None)

    @property
    def has_title(self) -> bool:
        """Whether the first line that is not blank is our title."""
        first = next((line for line in self.lines if not line.is_blank), None)
        return first is not None and first.text.strip().lstrip("\ufeff") == TITLE

    def reflected(self, stamp: str) -> ObservationLog:
        """Return it with the header's time of the last reflection, `YYYY-MM-DD HH:MM`."""
        header = tuple(self._header())
        said = f"{LAST_REFLECTION}{stamp}"
        for number, line in enumerate(header):
            if line.text.startswith(LAST_REFLECTION.rstrip()):
                return replace(self, lines=_with(self.lines, number, replace(line, text=said)))
        at = 1 + max((n for n, line in enumerate(header) if line.text.strip() == TITLE), default=-1)
        end = self.ending
        new = (Line("", end), Line(said, end)) if at else (Line(said, end), Line("", end))
        return replace(self, lines=(*self.lines[:at], *new, *self.lines[at:]))

    def _header(self) -> Iterator[Line]:
        """Yield the lines above the first day and the first observation."""
        for line in self.lines:
            if line.heading is not None or line.observation is not None:
                return
            yield line


def new_log() -> ObservationLog:
    """Return an empty file with its header."""
    kept = "Maintained by memconsole. Loaded at session start."
    return ObservationLog(
        tuple(Line(text) for text in (TITLE, "", kept, f"{LAST_REFLECTION}{NEVER}", "", "---"))
    )


def line_of(observation: Observation, end: str = "\n") -> Line:
    """Return the line of a new or changed observation."""
    return Line(render(observation), end, observation)


def heading_of(day: date, end: str = "\n") -> Line:
    """Return the heading of a day."""
    return Line(f"Date: {day.isoformat()}", end, heading=day)


def render(observation: Observation) -> str:
    """Return the line of an observation, without its end."""
    indent = "  " if observation.is_child else ""
    clock = observation.clock
    if clock is None and looks_timed(observation.text):
        clock = UNKNOWN_CLOCK
    words = [observation.priority.value, *([clock] if clock else []), observation.text]
    said = " ".join(word for word in words if word)
    return f"{indent}- {said} <!-- {' '.join(_metadata(observation))} -->"


def render_archived(observation: Observation, *, because: str) -> str:
    """Return the line of an observation in the archive: its day in front, the reason behind.

    Args:
        observation: What was removed.
        because: One word, such as `duplicate`, or one with an id, `superseded-by:o-7f3a91c2`.
    """
    day = "" if observation.day is None else f"mc:day={observation.day.isoformat()} "
    line = render(replace(observation, is_child=False))
    return f"{line.removesuffix(' -->')} {day}mc:because={_word(because)} -->"


def observation_id(text: str) -> str:
    """Return the id of a text: the same wherever the line stands."""
    said = " ".join(text.casefold().split())
    from hashlib import sha256  # noqa: PLC0415 - it loads OpenSSL, and few lines are named

    digest = sha256(f"{OBSERVATIONS}\0{said}".encode("utf-8", errors="replace"))
    return f"o-{digest.hexdigest()[:8]}"


def looks_timed(text: str) -> bool:
    """Whether a text begins like a clock time, which would be taken for the line's own."""
    first = text.split(maxsplit=1)[0] if text.split() else ""
    hours, colon, minutes = first.partition(":")
    is_time = hours.isdigit() and minutes.isdigit() and len(hours) <= 2 and len(minutes) == 2
    return first == UNKNOWN_CLOCK or (bool(colon) and is_time)


def _metadata(observation: Observation) -> Iterable[str]:
    refers_to = observation.refers_to or observation.day
    yield f"dc:type={observation.kind}"
    yield f"dc:importance={observation.importance:.1f}"
    if refers_to is not None:
        yield f"dc:date={refers_to.isoformat()}"
    if observation.id is not None:
        yield f"mc:id={_word(observation.id)}"
    if observation.source is not None:
        yield f"mc:src={_word(observation.source)}"
    yield from map(_word, observation.extra)


def _word(text: str) -> str:
    """Return what may stand in a comment: one word that cannot end it."""
    return "_".join(text.split()).replace(">", "_").replace("<", "_")


def _with(lines: tuple[Line, ...], number: int, line: Line) -> tuple[Line, ...]:
    return (*lines[:number], line, *lines[number + 1 :])
