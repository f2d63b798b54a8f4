"""Jobs as people read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.cli import shape
from memconsole.cli.paper import Cell, Column

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memconsole.cli.paper import Paper
    from memconsole.domain.jobs import JobEnd, JobView
    from memconsole.domain.snapshot import SchedulerStatus

_STYLES = {"done": "ok", "planned": "title", "skipped": "warn", "failed": "due"}

_COLUMNS = (
    Column("job"),
    Column("trigger", rank=2),
    Column("state"),
    Column("last", right=True),
    Column("result"),
    Column("next"),
    Column("message", cut="end", least=16, rank=1),
)


def jobs(paper: Paper, found: Iterable[JobView], scheduler: SchedulerStatus) -> None:
    """Write who runs the jobs, and every job."""
    paper.write(Cell("scheduler ", "dim"), _owner(paper, scheduler))
    paper.table(_COLUMNS, [_row(paper, one) for one in found])


def end(paper: Paper, job: str, found: JobEnd) -> None:
    """Write how a job ended that ran no commands."""
    paper.write(Cell(paper.text(job), "head"), "  ", _result(found.status, found.reason))
    paper.write(f"  {paper.text(found.message)}")


def _owner(paper: Paper, scheduler: SchedulerStatus) -> Cell:
    if scheduler.pid is None:
        return Cell(scheduler.state, "warn" if scheduler.state != "running" else "ok")
    since = shape.stamp(scheduler.since, paper.zone)
    text = f"{scheduler.state}, pid {scheduler.pid} on {scheduler.host} since {since}"
    return Cell(paper.text(text), "ok" if scheduler.state == "running" else "due")


def _row(paper: Paper, job: JobView) -> list[Cell | str]:
    record = job.record
    ran = shape.NOTHING if record.started_at is None else shape.age(record.started_at, paper.now)
    is_known = record.next_at is not None
    return [
        Cell(job.id, "head"),
        job.trigger,
        _state(job),
        ran,
        shape.NOTHING if record.status is None else _result(record.status, record.reason),
        shape.stamp(record.next_at, paper.zone) if is_known else shape.NOTHING,
        paper.text(record.message),
    ]


def _state(job: JobView) -> Cell:
    styles = {"paused": "warn", "polling": "warn", "running": "ok", "on": "ok"}
    return Cell(job.state, styles.get(job.state, "dim"))


def _result(status: str, reason: str | None) -> Cell:
    return Cell(status if reason is None else f"{status} ({reason})", _STYLES.get(status, ""))
