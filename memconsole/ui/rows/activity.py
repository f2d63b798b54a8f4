"""The panel of activity: what ran, who asked for it, what came of it, and how to do it again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.ui import figures
from memconsole.ui.listing import Listing
from memconsole.ui.literal import literal
from memconsole.ui.spans import Cell, Column, Role, Row
from memconsole.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from memconsole.domain.outcomes import Run
    from memconsole.domain.snapshot import ConsoleSnapshot
    from memconsole.ui.glyphs import Glyphs
    from memconsole.ui.rows.context import Context


@dataclass(frozen=True, slots=True)
class Visit:
    """A screen that was opened; it has a twin on the command line, but leaves no run.

    Attributes:
        at: When, aware UTC.
        command_line: The call that shows the same.
    """

    number: int
    at: datetime
    what: str
    command_line: str


_COLUMNS = (
    Column("", 5),
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
        columns=_COLUMNS,
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
            Cell(figures.when(run.started_at, context.now, context.zone), Role.MUTED),
            Cell(run.origin.value, Role.MUTED),
            Cell(literal(subject)),
            Cell(sign, role),
            Cell(message, Role.WARNING if run.status == "failed" else Role.PLAIN),
            Cell(figures.took(run.duration_ms), Role.MUTED),
            Cell(literal(run.command_line), Role.MUTED, is_id=True),
        ),
        value=run.command_line,
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
            Cell(figures.when(visit.at, context.now, context.zone), Role.MUTED),
            Cell("you", Role.MUTED),
            Cell("opened", Role.MUTED),
            Cell(context.glyphs.dot, Role.MUTED),
            Cell(literal(visit.what)),
            Cell(""),
            Cell(literal(visit.command_line), Role.MUTED, is_id=True),
        ),
        value=visit.command_line,
    )
