"""The panel of activity: what ran, who asked for it, what came of it, and how to do it again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.lazy_dataclass import dataclass
from memconsole.text import figures
from memconsole.ui.drawing import cells
from memconsole.ui.drawing.listing import Listing
from memconsole.ui.drawing.literal import literal
from memconsole.ui.drawing.spans import Cell, Column, Role, Row

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from memconsole.domain.commands.outcomes import Run
    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot
    from memconsole.ui.drawing.context import Context
    from memconsole.ui.drawing.glyphs import Glyphs
    from memconsole.ui.drawing.spans import Line
    from memconsole.ui.history import Visit


_FIRST = 100
"""Share of the room that is left, against those of `_COLUMNS`."""


@dataclass(frozen=True, slots=True)
class When:
    """A time that says as much as there is room for.

    Attributes:
        text: The time of today, day and time of any other day.
        short: The time of today, the day of any other.
    """

    text: str
    short: str

    def draw(self, width: int, glyphs: Glyphs, *, right: bool) -> Line:
        """Return the time in exactly `width` cells."""
        fits = cells.width(self.text) <= width
        cell = Cell(self.text if fits else self.short, Role.MUTED)
        return cell.draw(width, glyphs, right=right)


_COLUMNS = (
    Column("", 9, drop=3),
    Column("", 15, flex=1, most=20),
    Column("", 1),
    Column("", 16, flex=4),
    Column("", 6, right=True, drop=2),
    Column("", 30, flex=2, drop=4),
)


def activity_listing(
    snapshot: ConsoleSnapshot, context: Context, visits: Iterable[Visit] = ()
) -> Listing:
    """Return runs and visits, the newest first."""
    rows = [(run.started_at, run_row(run, context)) for run in snapshot.activity]
    rows += [(visit.at, _visit_row(visit, context)) for visit in visits]
    rows.sort(key=lambda pair: pair[0], reverse=True)
    return Listing(
        title="Activity",
        source="disk",
        age=context.age(snapshot.taken_at),
        number=5,
        columns=(_when_column([at for at, _ in rows], context), *_COLUMNS),
        rows=tuple(row for _, row in rows),
        empty=("nothing ran yet: c takes a checkpoint",),
        is_stale=context.is_stale(snapshot.taken_at),
    )


def run_row(run: Run, context: Context) -> Row:
    """Return one run as a row."""
    sign, role = status_sign(run.status, context.glyphs)
    subject = " ".join(part for part in (run.command, run.agent) if part)
    word = run.status if run.reason is None else f"{run.status}: {run.reason}"
    message = literal(run.message) or word
    return Row(
        key=f"run-{run.id}",
        cells=(
            _when(run.started_at, context),
            Cell(run.origin.value, Role.MUTED),
            Cell(literal(subject)),
            Cell(sign, role),
            Cell(message, Role.WARNING if run.status == "failed" else Role.PLAIN),
            Cell(figures.took(run.duration_ms), Role.MUTED),
            Cell(literal(run.command_line), Role.MUTED, is_id=True),
        ),
        value=run.command_line,
    )


def _when_column(times: Sequence[datetime], context: Context) -> Column:
    """Return the column of the times: it grows first, where days have to be told as well."""
    drawn = [_when(at, context) for at in times]
    least = max((cells.width(one.short) for one in drawn), default=0)
    most = max((cells.width(one.text) for one in drawn), default=0)
    return Column("", least, flex=_FIRST if least < most else 0, most=most)


def _when(at: datetime, context: Context) -> When:
    return When(
        figures.moment(at, context.now, context.zone), figures.when(at, context.now, context.zone)
    )


def status_sign(status: str, glyphs: Glyphs) -> tuple[str, Role]:
    """Return the sign and role of a status word."""
    match status:
        case "done":
            return glyphs.done, Role.OK
        case "failed":
            return glyphs.failed, Role.DUE
        case "running":
            return glyphs.running, Role.ACCENT
        case _:
            return glyphs.skipped, Role.MUTED


def _visit_row(visit: Visit, context: Context) -> Row:
    return Row(
        key=f"visit-{visit.number}",
        cells=(
            _when(visit.at, context),
            Cell("you", Role.MUTED),
            Cell("opened", Role.MUTED),
            Cell(context.glyphs.dot, Role.MUTED),
            Cell(literal(visit.what)),
            Cell(""),
            Cell(literal(visit.command_line), Role.MUTED, is_id=True),
        ),
        value=visit.command_line,
    )
