"""What a starting session is given of its memory; long because choosing also explains itself.

An index it can trust, what was going on, what was observed, and the rule to search for the rest.
Groups and jobs are given nothing: private memory is not theirs. Planted instructions are handed to
nobody. A session of one person among several (`…:direct:<peer>`) is given what was observed in its
own messages, and lines of other hands, which are nobody's.

A file that is cut at its end loses the newest months, so its lines are weighed instead: what is
still open and what was said in the last days come first, then what is worth most for its length.
What is given stands in the order of the file, without the comments that only programs read.
"""

from __future__ import annotations

from dataclasses import field, replace
from enum import StrEnum
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Final

from memconsole.domain.calendar import stamp
from memconsole.domain.memory.files import EMOJI, MARKER_TAGS
from memconsole.domain.memory.observation_log import parse
from memconsole.domain.memory.observations import OBSERVATIONS, Kind, Line, render
from memconsole.domain.observe.rules import BY, MARK
from memconsole.domain.observe.worth import values
from memconsole.domain.planted import is_planted, is_quoted
from memconsole.domain.reflect.working_copy import WorkingCopy, holds_task, is_pending, is_recent
from memconsole.domain.sessions.keys import SessionClass
from memconsole.lazy_dataclass import dataclass
from memconsole.text.estimate import readable, tokens_in_bytes
from memconsole.text.figures import plural, short_kilo, size_words
from memconsole.text.graphemes import boundary_before

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from datetime import date, datetime, timedelta

    from memconsole.domain.calendar import Zone
    from memconsole.domain.memory.observations import Observation, ObservationLog
    from memconsole.domain.settings.sections import BootstrapSettings


HANDOVER_NAME: Final = "HANDOVER.md"
INDEX_NAME: Final = "MEMORY_INDEX.md"
ACTIVE_NAME: Final = "ACTIVE_CONTEXT.md"
OBSERVATIONS_NAME: Final = "observations.md"

BEGIN: Final = "<!-- memconsole:begin bootstrap -->"
END: Final = "<!-- memconsole:end bootstrap -->"
"""What we inject is never captured again: `domain/transcripts/messages.py` takes it out."""

BY_VALUE: Final = "chosen by value"
"""Stands in the reason of a file that was not cut at its end."""

_LEAST_CHARS: Final = 200
_NO_ROOM: Final = "no room is left"

OUTLOOK: Final = (10_000, 20_000, 40_000)
"""Limits of one file, in characters, for which the choice is looked at as well."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """What another limit of one file would do.

    Attributes:
        max_chars: The limit.
        given: Observations that would be given.
        left_out: Observations that would not.
        chars: Characters that the file would take.
    """

    max_chars: int
    given: int
    left_out: int
    chars: int


@dataclass(frozen=True, slots=True)
class Weighing:
    """How observations were chosen.

    Attributes:
        choice: All of them, weighed.
        found: Those that are given.
        left: Characters that the files before them left of all that may be given.
        max_chars: The limit of one file.
    """

    choice: LineChoice
    found: ChosenLines
    left: int
    max_chars: int

    def lines(self) -> tuple[WeighedLine, ...]:
        """Return every observation in the order of the file, and whether it is given."""
        return self.choice.weighed(self.found)

    def outlook(self) -> tuple[Outlook, ...]:
        """Return what the limit does, and what others would do."""
        return tuple(map(self._under, sorted({*OUTLOOK, self.max_chars})))

    def _under(self, max_chars: int) -> Outlook:
        room = min(max_chars, self.left) - len(wrapped(""))
        if room < _LEAST_CHARS:
            return Outlook(max_chars, 0, self.found.of, 0)
        found = self.choice.within(room)
        chars = len(wrapped(found.text))
        return Outlook(max_chars, found.observations, found.of - found.observations, chars)


@dataclass(frozen=True, slots=True)
class Given:
    """One file that a session is given.

    Attributes:
        name: As the session sees it.
        path: Where it is, absolute.
        whole_chars: Characters before it was cut, comments of observations not counted; None where
            nothing was.
        weighing: How its observations were chosen; None of any other file.
    """

    name: str
    path: str
    content: str
    whole_chars: int | None = None
    weighing: Weighing | None = field(default=None, repr=False, compare=False)

    @property
    def is_given_once(self) -> bool:
        """Whether the next start alone is given it, as the hand-over of an earlier window."""
        return self.name == HANDOVER_NAME


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """Everything that one session is given.

    Attributes:
        left_out: What it is not given, each with its reason.
    """

    session_class: SessionClass
    files: tuple[Given, ...]
    left_out: tuple[str, ...]

    @property
    def chars(self) -> int:
        """Characters of all files."""
        return sum(len(one.content) for one in self.files)

    @property
    def weighing(self) -> Weighing | None:
        """How the observations were chosen; None where none are given."""
        return next((one.weighing for one in self.files if one.weighing is not None), None)


def wanted(
    session_class: SessionClass, *, is_large: bool, rules: BootstrapSettings
) -> tuple[str, ...]:
    """Return the names of the files that a session of this class is given, in order."""
    if session_class.is_captured:
        index = (INDEX_NAME,) if is_large else ()
        return (*index, ACTIVE_NAME, OBSERVATIONS_NAME)
    is_group = session_class in (SessionClass.GROUP, SessionClass.THREAD)
    return (INDEX_NAME,) if is_group and rules.groups and is_large else ()


def instruction(size_bytes: int, files: int) -> str:
    """Return what stands above the index: how large the memory is, and how to use it."""
    markers = ", ".join(f"{EMOJI[tag]} [{tag}]" for tag in MARKER_TAGS)
    return "\n".join(
        [
            f"Your memory has {files} files, {size_words(size_bytes)}, about "
            f"{tokens_in_bytes(size_bytes)} tokens. Do not load all of it.",
            "Before you answer about earlier work, decisions, dates, people, preferences or todos, "
            "search it (memory_search), then read the lines around a hit (memory_get).",
            f"Markers: {markers}.",
            "",
        ]
    )


def stale_line(modified_at: datetime | None, now: datetime, zone: Zone, limit: timedelta) -> str:
    """Return the line above an old ACTIVE_CONTEXT.md; empty for a fresh one."""
    if modified_at is None or now - modified_at <= limit:
        return ""
    hours = int((now - modified_at).total_seconds() // 3600)
    return (
        f"> This is {hours} hours old (written {stamp(modified_at, zone)}): check before you rely "
        "on it.\n\n"
    )


def wrapped(text: str) -> str:
    """Return a text between the marks by which it is known to be ours."""
    return f"{BEGIN}\n{text.strip()}\n{END}\n"


def fitted(files: tuple[Given, ...], rules: BootstrapSettings, today: date) -> Bootstrap:
    """Cut each file, and all of them together, to what a session may be given.

    Observations are chosen by their value; every other file is cut at its end.

    Args:
        files: Whole and wrapped, in order of importance.
        rules: The limits.
        today: The user's day.
    """
    kept: list[Given] = []
    left_out: list[str] = []
    room = rules.total_chars
    for one in files:
        fit, lost = _fit(one, rules.max_chars, room, today)
        if lost:
            left_out.append(f"{one.name}: {lost}")
        if fit is not None:
            room -= len(fit.content)
            kept.append(fit)
    return Bootstrap(SessionClass.OTHER, tuple(kept), tuple(left_out))


def _fit(one: Given, most: int, left: int, today: date) -> tuple[Given | None, str]:
    """Return what is given of a file, and what is said of the rest of it."""
    if one.path.endswith(OBSERVATIONS):
        log = parse(one.content.removeprefix(f"{BEGIN}\n").removesuffix(f"{END}\n"))
        if log.observations:
            return _chosen(one, log, most, left, today)
    content = _cut(one, min(most, left))
    if not content:
        return None, _NO_ROOM
    if len(content) == len(one.content):
        return replace(one, content=content), ""
    whole = len(one.content)
    said = f"{short_kilo(whole)} characters, cut to {short_kilo(len(content))}"
    return replace(one, content=content, whole_chars=whole), said


def _chosen(
    one: Given, log: ObservationLog, most: int, left: int, today: date
) -> tuple[Given | None, str]:
    frame = len(wrapped(""))
    room = min(most, left) - frame
    if room < _LEAST_CHARS:
        return None, _NO_ROOM
    choice = LineChoice(log, today)
    found = choice.within(room)
    given = replace(one, content=wrapped(found.text), weighing=Weighing(choice, found, left, most))
    if found.is_whole:
        return given, ""
    prose = f", {plural(found.prose, 'other line')} left out" if found.prose else ""
    said = (
        f"{found.observations} of {found.of} observations, {BY_VALUE}{prose}; the rest "
        f"stands in {OBSERVATIONS}"
    )
    return replace(given, whole_chars=found.whole_chars + frame), said


def _cut(one: Given, most: int) -> str:
    if len(one.content) <= most:
        return one.content
    note = f"\n\n[truncated, use memory_get {one.path.rpartition('/')[2]} for the rest]\n"
    room = most - len(note) - len(END) - 1
    if room < _LEAST_CHARS:
        return ""
    text = one.content[: boundary_before(one.content, room)]
    line = text.rfind("\n")
    text = text[:line] if line > room // 2 else text
    return f"{text}{note}{END}\n"


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
        kept: Numbers of the lines that are given.
    """

    text: str
    whole_chars: int
    observations: int
    of: int
    prose: int = 0
    kept: frozenset[int] = field(default=frozenset(), repr=False)

    @property
    def is_whole(self) -> bool:
        """Whether nothing was left out."""
        return self.observations == self.of and not self.prose


class Why(StrEnum):
    """By what an observation found its place, or what it lacked.

    What is left out by VALUE is worth less than all that is given by theirs; what is left out by
    ROOM is worth as much or would come first, and is too long for what was left.
    """

    OPEN = "open-task"
    AHEAD = "date-ahead"
    RULE = "rule"
    RECENT = "recent"
    VALUE = "value"
    ROOM = "room"
    CORRECTED = "corrected"


@dataclass(frozen=True, slots=True)
class WeighedLine:
    """One observation, and whether it is given.

    Attributes:
        text: As a session reads it.
        day: Under which it stands.
        value: What it is worth a character; None where a newer one corrects it.
    """

    text: str
    day: date | None
    value: float | None
    why: Why
    is_taken: bool


class LineChoice:
    """The observations of one file, weighed once for any room.

    Args:
        log: What the session may be handed.
        today: The user's day.
    """

    def __init__(self, log: ObservationLog, today: date) -> None:
        self._lines = tuple(_readable(log))
        corrected = log.corrected  # made anew each time: asked once, not once a line
        self._corrected = tuple(one for one in log.observations if one.id in corrected)
        self._today = today
        self._ones = {
            number: line.observation
            for number, line in enumerate(self._lines)
            if line.observation is not None
        }
        self._whole = "\n".join(line.text for line in self._lines).strip()

    @cached_property
    def _worth(self) -> dict[int, float]:
        return dict(zip(self._ones, values(self._ones.values()), strict=True))

    def within(self, room: int) -> ChosenLines:
        """Return the part of the file that is worth most.

        Open tasks, plans and rules go first, then the last days, then everything by its value; what
        does not fit is skipped, and a shorter line may still find its place.

        Args:
            room: Characters.
        """
        lines, ones, whole = self._lines, self._ones, self._whole
        if len(whole) <= room:
            every = frozenset(range(len(lines)))
            return ChosenLines(whole, len(whole), len(ones), len(ones), kept=every)
        prose = [n for n, line in enumerate(lines) if _is_prose(line)]
        free = room - len(_rest(len(ones), len(prose))) - 1
        sheet = _Sheet(lines, free)
        sheet.fill(prose, free // _PROSE_PART)
        ranked = sorted(ones, key=lambda number: (-self._worth[number], number))
        sheet.fill((n for n in ranked if _is_open(ones[n], self._today)), free // _PENDING_PART)
        sheet.fill((n for n in ranked if is_recent(ones[n], self._today)), free // _RECENT_PART)
        sheet.fill((*ranked, *prose), free)
        given = len(sheet.kept & ones.keys())
        missed = len(prose) - len(sheet.kept.intersection(prose))
        text = f"{sheet.text}\n{_rest(len(ones) - given, missed)}".strip()
        kept = frozenset(sheet.kept)
        return ChosenLines(text, len(whole), given, len(ones), missed, kept)

    def weighed(self, found: ChosenLines) -> tuple[WeighedLine, ...]:
        """Return every observation in the order of the file, and whether it is given.

        Those that a newer one corrects stand at the end.
        """
        taken = self._ones.keys() & found.kept
        by_value = (n for n in taken if self._group(n) is Why.VALUE)
        least = min((self._worth[n] for n in by_value), default=0.0)
        weighed = [
            WeighedLine(
                self._lines[number].text.strip(),
                one.day,
                self._worth[number],
                self._why(number, is_taken=number in taken, least=least),
                number in taken,
            )
            for number, one in self._ones.items()
        ]
        gone = (
            WeighedLine(_said(one), one.day, None, Why.CORRECTED, is_taken=False)
            for one in self._corrected
        )
        return (*weighed, *gone)

    def _why(self, number: int, *, is_taken: bool, least: float) -> Why:
        group = self._group(number)
        is_short_of_value = group is Why.VALUE and self._worth[number] < least
        return group if is_taken or is_short_of_value else Why.ROOM

    def _group(self, number: int) -> Why:
        """Return by what an observation competes for room."""
        one = self._ones[number]
        if one.kind is Kind.RULE:
            return Why.RULE
        if is_pending(one, self._today):
            return Why.OPEN if holds_task(one) else Why.AHEAD
        return Why.RECENT if is_recent(one, self._today) else Why.VALUE


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
    r"""Yield the lines of a file as they are read, each to be ended by `\n`.

    What a newer line corrects is left out.
    """
    gone = log.corrected
    lines = (it for it in log.lines if it.observation is None or it.observation.id not in gone)
    for is_ours, run in groupby(lines, key=_is_ours):
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


@dataclass(frozen=True, slots=True)
class Disclosed:
    """A text, and what was taken out of it.

    Attributes:
        planted: Lines with planted instructions.
        foreign: Lines of other sessions.
    """

    text: str
    planted: int
    foreign: int

    @property
    def left_out(self) -> tuple[str, ...]:
        """What is said of the lines that were taken out."""
        found = []
        if self.planted:
            found.append(f"{_lines(self.planted)} with planted instructions")
        if self.foreign:
            found.append(f"{_lines(self.foreign)} of other sessions")
        return tuple(found)


def disclosed(text: str, own: Collection[str] | None = None) -> Disclosed:
    """Return the observations that a session is handed.

    Args:
        text: The whole file.
        own: Beginnings of the sources that are the session's own, such as `main/ab12cd34`; None
            for a session that everything is meant for.
    """
    log = parse(text)
    copy = WorkingCopy(list(log.lines))
    planted = foreign = 0
    for number, one in list(copy.items()):
        if _is_planted(one):
            planted += 1
        elif own is not None and not _is_common(one) and _source(one) not in own:
            foreign += 1
        else:
            continue
        copy.lines[number] = None
    shown = copy.log().text if planted or foreign else text
    return Disclosed(shown, planted, foreign)


def _is_planted(one: Observation) -> bool:
    return one.note(MARK) is not None or is_quoted(one.text) or is_planted(one.text)


def _is_common(one: Observation) -> bool:
    """Whether somebody wrote the line by hand: captures name a source, folds and hooks a note."""
    return one.source is None and one.id is None and not one.extra and one.note(BY) is None


def _source(one: Observation) -> str:
    return "" if one.source is None else one.source.rpartition("#")[0]


def _lines(number: int) -> str:
    return "1 line" if number == 1 else f"{number} lines"
