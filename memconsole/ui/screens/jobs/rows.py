"""Jobs of the scheduler: state, last run, next run; and who runs them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.text import figures
from memconsole.ui.drawing.listing import Listing
from memconsole.ui.drawing.literal import literal
from memconsole.ui.drawing.spans import Cell, Column, Role, Row
from memconsole.ui.screens.jobs.activity import status_sign

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memconsole.domain.commands.outcomes import Run
    from memconsole.domain.jobs.runs import JobView
    from memconsole.domain.snapshot.snapshot import SchedulerStatus
    from memconsole.ui.drawing.context import Context

_COLUMNS = (
    Column("job", 11, flex=1, most=18),
    Column("when", 9, flex=1, most=14, drop=3),
    Column("state", 7),
    Column("last", 7, right=True),
    Column("", 1, name="sign"),
    Column("result", 28, flex=4),
    Column("took", 6, right=True, drop=2),
    Column("next", 7, right=True, drop=1),
)

_RUN_COLUMNS = (
    Column("", 5, name="when"),
    Column("", 9, drop=2, name="by"),
    Column("", 8, flex=1, most=16, name="agent"),
    Column("", 1, name="sign"),
    Column("", 16, flex=6, name="result"),
    Column("", 6, right=True, drop=1, name="took"),
)


def jobs_listing(
    jobs: Sequence[JobView], scheduler: SchedulerStatus, context: Context, *, is_here: bool
) -> Listing:
    """Return every job, in the order of the table.

    Args:
        jobs: The jobs.
        scheduler: Who runs them.
        context: The circumstances of the drawing.
        is_here: This console runs them.
    """
    owner = owner_words(scheduler, is_here=is_here)
    return Listing(
        title="Jobs",
        about=f"{context.glyphs.dot} {owner}",
        source="state",
        number=1,
        columns=_COLUMNS,
        rows=tuple(_row(one, context) for one in jobs),
        empty=("no jobs are known",),
        problem=""
        if scheduler.state == "running"
        else f"nobody runs them: {_HOW[scheduler.state]}",
    )


_HOW = {
    "stopped": "S runs them here, `memconsole --serve` in the background",
    "stale": "the owner does not move; end it, then start `memconsole --serve`",
}


def owner_words(scheduler: SchedulerStatus, *, is_here: bool) -> str:
    """Return who runs the jobs, in words."""
    if is_here:
        return "run by this console until it quits"
    if scheduler.pid is None:
        return scheduler.state
    return f"{scheduler.state}, pid {scheduler.pid}"


def _row(job: JobView, context: Context) -> Row:
    record = job.record
    sign, role = status_sign(record.status or "", context.glyphs)
    word, state_role = _state(job)
    passed = None if record.started_at is None else context.now - record.started_at
    left = None if record.next_at is None else record.next_at - context.now
    return Row(
        key=job.id,
        cells=(
            Cell(job.id, Role.STRONG),
            Cell(job.trigger, Role.MUTED),
            Cell(word, state_role),
            Cell("never" if passed is None else figures.age(passed), Role.MUTED),
            Cell(sign if record.status else "", role),
            Cell(_result(job), Role.WARNING if record.status == "failed" else Role.PLAIN),
            Cell(figures.took(record.duration_ms), Role.MUTED),
            Cell(figures.until(left)),
        ),
        value=f"memconsole once {job.id}",
    )


def _state(job: JobView) -> tuple[str, Role]:
    roles = {
        "paused": Role.WARNING,
        "polling": Role.WARNING,
        "running": Role.ACCENT,
        "on": Role.ACCENT,
    }
    return job.state, roles.get(job.state, Role.MUTED)


def _result(job: JobView) -> str:
    """Return the result with its reason; what was missed and what fails again and again too."""
    record = job.record
    if record.status is None:
        return literal(record.message) or job.help
    parts = [record.status if record.reason is None else f"{record.status}: {record.reason}"]
    if record.failures > 1:
        parts.append(f"{record.failures} in a row")
    if record.missed:
        parts.append(f"{record.missed} missed before")
    return literal(", ".join(parts) + (f"; {record.message}" if record.message else ""))


def job_listing(job: JobView | None, runs: Sequence[Run] | None, context: Context) -> Listing:
    """Return the history of one job, newest first; why it was skipped stands in each line."""
    if job is None:
        return Listing("History", number=2, empty=("no job is selected",))
    return Listing(
        title="History",
        about=f"{context.glyphs.dot} {job.id}",
        source="state",
        number=2,
        columns=_RUN_COLUMNS,
        rows=tuple(_run_row(run, context) for run in runs or ()),
        empty=(
            "reading the history" if runs is None else "it has done nothing yet",
            job.help,
        ),
    )


def _run_row(run: Run, context: Context) -> Row:
    sign, role = status_sign(run.status, context.glyphs)
    word = run.status if run.reason is None else f"{run.status}: {run.reason}"
    return Row(
        key=f"run-{run.id}",
        cells=(
            Cell(figures.when(run.started_at, context.now, context.zone), Role.MUTED),
            Cell(run.origin.value, Role.MUTED),
            Cell(literal(run.agent or "")),
            Cell(sign, role),
            Cell(f"{word}; {literal(run.message)}" if run.message else word),
            Cell(figures.took(run.duration_ms), Role.MUTED),
        ),
        value=run.command_line,
    )
