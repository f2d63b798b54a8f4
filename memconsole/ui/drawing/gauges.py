"""Cells of the lists of sessions and agents: gauges with marks, names on a gauge, small courses."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING

from memconsole.lazy_dataclass import dataclass
from memconsole.text import cells, figures
from memconsole.ui.drawing.glyphs import blocks
from memconsole.ui.drawing.spans import Role, Span, bar_role

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memconsole.domain.memory.files import PoolDay
    from memconsole.domain.snapshot.outlook import Limits
    from memconsole.ui.drawing.glyphs import Glyphs
    from memconsole.ui.drawing.spans import Line

_FILLS = {
    Role.OK_BAR: Role.OK_FILL,
    Role.WARNING_BAR: Role.WARNING_FILL,
    Role.DUE_BAR: Role.DUE_FILL,
}


@dataclass(frozen=True, slots=True)
class MarkedGauge:
    """How full a session is, with a mark wherever something happens to it, and a visible end.

    Attributes:
        tokens: None is drawn as nothing at all, because it is not zero.
        threshold: Where it is due: it gives the bar its role.
        limits: Where the marks are; None where nobody looked, and the end is the threshold.
    """

    tokens: int | None
    threshold: int
    limits: Limits | None = None

    @property
    def text(self) -> str:
        """What a filter looks at: nothing."""
        return ""

    @property
    def said(self) -> str:
        """What it shows, in figures."""
        return figures.percent(None if self.tokens is None else self.tokens * 100 / self.threshold)

    def draw(self, width: int, glyphs: Glyphs, *, right: bool) -> Line:
        """Return the gauge in exactly `width` cells."""
        del right
        if self.tokens is None or width < 2:
            return (Span(" " * width),)
        left = glyphs.brackets[0]
        room = width - 1 - len(left)
        scale = max(self.threshold, 1) if self.limits is None else self.limits.last
        filled, empty = blocks(self.tokens / scale, room, glyphs)
        text = _marked(filled + empty, self._marks(room, scale, glyphs))
        role = bar_role(self.tokens / max(self.threshold, 1))
        spans = (
            Span(left + text[: len(filled)], role),
            Span(text[len(filled) :] + glyphs.ends[2], Role.TRACK),
        )
        return tuple(span for span in spans if span.text)

    def _marks(self, room: int, scale: int, glyphs: Glyphs) -> Iterator[tuple[int, str]]:
        if self.limits is None:
            return
        for limit, sign in zip(
            (self.limits.flush, self.limits.rotation, self.limits.compaction),
            glyphs.ends,
            strict=True,
        ):
            place = None if limit is None else int(limit * room / scale)
            if place is not None and 0 < place < room:
                yield place, sign


def _marked(bar: str, marks: Iterator[tuple[int, str]]) -> str:
    signs = list(bar)
    for place, sign in marks:
        signs[place] = sign
    return "".join(signs)


@dataclass(frozen=True, slots=True)
class GaugedName:
    """A name with the gauge as its background, for lists without room for both.

    Attributes:
        fill: 0 to 1 and above; None when nobody knows.
    """

    text: str
    role: Role
    fill: float | None

    def draw(self, width: int, glyphs: Glyphs, *, right: bool) -> Line:
        """Return the name in exactly `width` cells."""
        room = max(width - 1, 0)
        shown = cells.pad(cells.cut_middle(self.text, room, ellipsis=glyphs.ellipsis), room)
        if self.fill is None:
            return (Span(f"{shown} "[:width], self.role),)
        head, rest = _split(shown, round(min(max(self.fill, 0.0), 1.0) * room))
        end = glyphs.ends[2] if width else ""
        role = _FILLS[bar_role(self.fill)]
        spans = (Span(head, role), Span(rest, self.role), Span(end, Role.FRAME))
        del right
        return tuple(span for span in spans if span.text)


def short_age(passed: timedelta | None) -> str:
    """Return how old something is as a column of ages shows it: `26m`, `now`, `?`."""
    return short(figures.age(passed))


def short(span: str) -> str:
    """Return a span of time as a column of them shows it: `26m`."""
    for long, unit in ((" min", "m"), (" s", "s"), (" h", "h"), (" d", "d")):
        span = span.replace(long, unit)
    return span


def _split(text: str, width: int) -> tuple[str, str]:
    """Return a text in two, the first part at most so many cells wide."""
    head = text[:width]
    while cells.width(head) > width:
        head = head[:-1]
    return head, text[len(head) :]


@dataclass(frozen=True, slots=True)
class Course:
    """How a number went lately, one sign a step; nothing before two readings.

    Attributes:
        points: (time, value), oldest first.
        top: The value of the highest sign; None takes the highest value.
        base: The value of the lowest sign.
    """

    points: Sequence[tuple[datetime, int]]
    until: datetime
    span: timedelta
    top: int | None = None
    base: int = 0

    @property
    def text(self) -> str:
        """What a filter looks at: nothing."""
        return ""

    def draw(self, width: int, glyphs: Glyphs, *, right: bool) -> Line:
        """Return the course in exactly `width` cells."""
        del right
        if len(self.points) < 2 or width <= 0:
            return (Span(" " * width),)
        top = (self.top or max(value for _, value in self.points)) - self.base or 1
        signs = []
        for value in self._steps(width):
            share = 0 if value is None else (value - self.base) / top
            place = round(share * (len(glyphs.sparks) - 1))
            sign = glyphs.sparks[min(max(place, 0), len(glyphs.sparks) - 1)]
            signs.append(" " if value is None else sign)
        return (Span("".join(signs), Role.MUTED),)

    def _steps(self, width: int) -> Iterator[int | None]:
        """Yield the last value that was known at the end of each step."""
        known: int | None = None
        place = 0
        for step in range(width):
            end = self.until - self.span * ((width - 1 - step) / width)
            while place < len(self.points) and self.points[place][0] <= end:
                known = self.points[place][1]
                place += 1
            yield known


def days_course(days: Sequence[PoolDay], now: datetime, cells: int) -> Course:
    """Return how a memory grew, a sign a day; what hardly changed is drawn in the middle."""
    sizes = [one.size_bytes for one in days] or [0]
    low, high = min(sizes), max(sizes)
    spare = max((high - low) // 10, high // 20, 1)
    points = [(datetime.combine(one.day, time(), UTC), one.size_bytes) for one in days]
    return Course(points, now, timedelta(days=cells), top=high + spare, base=low - spare)
