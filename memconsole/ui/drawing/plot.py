"""A small plot of tokens over time, against the threshold and with the forecast."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from memconsole.lazy_dataclass import dataclass
from memconsole.text import cells, figures
from memconsole.ui.drawing.spans import Role, Span, between

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime, tzinfo

    from memconsole.ui.drawing.glyphs import Glyphs
    from memconsole.ui.drawing.spans import Line

_LABEL = 7
_FORECAST_SHARE = 0.25
"""Part of the width that the time to come takes at most."""

_HEADROOM = 1.04


@dataclass(frozen=True, slots=True)
class Series:
    """What is plotted.

    Attributes:
        points: (time, tokens), oldest first.
        threshold: Drawn as a line across.
        due_at: When the forecast reaches the threshold; None without a forecast.
    """

    points: Sequence[tuple[datetime, int]]
    threshold: int
    now: datetime
    due_at: datetime | None


@dataclass(frozen=True, slots=True)
class _Axis:
    """Times across the columns."""

    start: datetime
    end: datetime
    width: int

    def place(self, at: datetime) -> float:
        """Return the column of a time, which may lie outside."""
        span = max(self.end - self.start, timedelta(seconds=1))
        return (at - self.start) / span * (self.width - 1)

    def column(self, at: datetime) -> int:
        """Return the nearest column that exists."""
        return min(self.width - 1, max(0, round(self.place(at))))


def plot(course: Series, size: tuple[int, int], glyphs: Glyphs, zone: tzinfo) -> list[Line]:
    """Return the plot in lines; too few points or too little room give none.

    Args:
        course: What is plotted.
        size: Width and height in cells, labels included.
        glyphs: What to draw with.
        zone: Zone of the times below.
    """
    width, height = size[0] - _LABEL - 1, size[1] - 1
    if len(course.points) < 2 or width < 12 or height < 3:
        return []
    axis = _Axis(course.points[0][0], _end(course), width)
    present = axis.column(course.now)
    values = _values(course, axis)
    forecast = _forecast(course, axis, values[present])
    top = max(course.threshold, *(value for _, value in course.points)) * _HEADROOM
    step = top / height
    lines = []
    for row in range(height):
        bottom = step * (height - 1 - row)
        is_limit = bottom <= course.threshold < bottom + step
        label = _label(course, values[present], bottom, step)
        head = Span(cells.pad(label, _LABEL, right=True) + " ", Role.MUTED)
        dots = (
            _dot(values[column], bottom / step, step, course.threshold, glyphs)
            if column <= present
            else _guess(forecast[column - 1 : column + 1], bottom, step, glyphs)
            for column in range(width)
        )
        blank = Span(glyphs.horizontal, Role.WARNING) if is_limit else Span(" ")
        lines.append(_merged([head, *(dot or blank for dot in dots)]))
    lines.append(_times(course, axis, present, zone))
    return lines


def _label(course: Series, here: int, bottom: float, step: float) -> str:
    """Return what stands left of a row: the threshold, the present count, the ground."""
    if bottom <= course.threshold < bottom + step:
        return figures.short_kilo(course.threshold)
    if bottom <= here < bottom + step:
        return figures.short_kilo(here)
    return "0" if bottom == 0 else ""


def _end(course: Series) -> datetime:
    span = max(course.now - course.points[0][0], timedelta(minutes=5))
    if course.due_at is None or course.due_at <= course.now:
        return course.now
    return min(course.due_at, course.now + span * (_FORECAST_SHARE / (1 - _FORECAST_SHARE)))


def _values(course: Series, axis: _Axis) -> list[int]:
    """Return the last count at or before each column."""
    known = {axis.column(at): value for at, value in course.points}
    last = course.points[0][1]
    values = []
    for column in range(axis.width):
        last = known.get(column, last)
        values.append(last)
    return values


def _forecast(course: Series, axis: _Axis, here: int) -> list[float | None]:
    """Return the straight way from the present count to the threshold."""
    if course.due_at is None:
        return [None] * axis.width
    present = axis.column(course.now)
    goal = max(axis.place(course.due_at), present + 1)
    slope = (course.threshold - here) / (goal - present)
    return [here + slope * (column - present) for column in range(axis.width)]


def _dot(value: int, below: float, step: float, threshold: int, glyphs: Glyphs) -> Span | None:
    """Return one cell of the bar; `below` is the number of cells under it."""
    part = value / step - below
    if part <= 0:
        return None
    level = min(len(glyphs.sparks) - 1, int(part * len(glyphs.sparks)))
    return Span(glyphs.sparks[level], Role.DUE if value >= threshold else Role.ACCENT)


def _guess(ends: Sequence[float | None], bottom: float, step: float, glyphs: Glyphs) -> Span | None:
    """Return one cell of the way to come: a line of dots, steep ones without holes."""
    if len(ends) < 2:
        return None
    before, here = ends
    if before is None or here is None:
        return None
    low, high = min(before, here), max(before, here)
    is_on = bottom <= here < bottom + step or low < bottom + step <= high
    return Span(glyphs.dot, Role.ACCENT) if is_on else None


def _merged(spans: Sequence[Span]) -> Line:
    return tuple(_runs(spans))


def _runs(spans: Sequence[Span]) -> Iterator[Span]:
    text, role = "", spans[0].role
    for span in spans:
        if span.role is not role:
            yield Span(text, role)
            text, role = "", span.role
        text += span.text
    yield Span(text, role)


def _times(course: Series, axis: _Axis, present: int, zone: tzinfo) -> Line:
    left = figures.when(axis.start, course.now, zone)
    is_open = axis.end > course.now
    right = figures.when(axis.end, course.now, zone) if is_open else "now"
    [*spans] = between((Span(left),), (Span(right),), axis.width)
    text = "".join(span.text for span in spans)
    if is_open and len(left) + 1 < present < axis.width - len(right) - 4:
        text = f"{text[:present]}now{text[present + 3 :]}"
    return (Span(" " * (_LABEL + 1)), Span(text, Role.MUTED))
