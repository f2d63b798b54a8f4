"""`jobs`, `once` and `runs`: the scheduler's jobs, one of them now, and what was done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memconsole.cli.call import exits, perform
from memconsole.cli.call.call import Answer
from memconsole.cli.call.options import (
    DryRunOption,
    Since,
    at_least_one,
    call_of,
    parse_since,
)
from memconsole.cli.json import outcome
from memconsole.cli.output import views, wording
from memconsole.cli.output.printer import Cell, Column
from memconsole.domain.agents import Origin  # noqa: TC001  # Typer reads the annotations
from memconsole.domain.jobs.layers import layer_of
from memconsole.domain.jobs.runs import SKIPPED, JobEnd, JobRun
from memconsole.errors import LockedError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from memconsole.cli.call.call import Call
    from memconsole.cli.json.encode import Row
    from memconsole.cli.output.printer import Printer
    from memconsole.domain.jobs.runs import JobView
    from memconsole.domain.snapshot.snapshot import SchedulerStatus
    from memconsole.scheduler.control import Jobs


def jobs(
    context: typer.Context,
    *,
    pause: Annotated[
        str | None, typer.Option("--pause", metavar="JOB", help="Do not run this job any more.")
    ] = None,
    resume: Annotated[
        str | None, typer.Option("--resume", metavar="JOB", help="Run a paused job again.")
    ] = None,
    dry_run: DryRunOption = False,
) -> int:
    """List the scheduler's jobs: when each ran, what came of it, when it runs next."""
    call = call_of(context)
    if pause is not None and resume is not None:
        raise UsageError("--pause and --resume exclude each other", hint="Give one of them.")
    control = _control(call)
    wanted = pause or resume
    if wanted is not None and dry_run:
        name = control.named(wanted)
        return _planned(call, name, f"would {'pause' if pause else 'resume'} {name}")
    if wanted is not None:
        control.pause(wanted, is_paused=pause is not None)
    call.engine.runs.log.require_readable()
    found = control.jobs()

    def show(printer: Printer) -> None:
        show_jobs(printer, found, control.watch.status())

    return call.answer(Answer("jobs", data=lambda: [_job(one) for one in found], show=show))


def _planned(call: Call, job: str, message: str) -> int:
    end = JobEnd("planned", None, message)
    return call.answer(
        Answer(
            "jobs",
            data=lambda: [_whole("jobs", JobRun(end), key=job)],
            show=lambda printer: show_end(printer, job, end),
        )
    )


def once(
    context: typer.Context,
    job: Annotated[str, typer.Argument(metavar="JOB", help="A job of `jobs`.")],
    dry_run: DryRunOption = False,
) -> int:
    """Run one job now, as the scheduler would: it does not ask."""
    call = call_of(context)
    control = _control(call)
    with call.busy(f"running {job}"):
        run = _run(control, job, dry_run=dry_run)
    code = max(exits.exit_of_outcomes(run.outcomes), int(run.end.status == "failed"))

    def data() -> list[Row]:
        rows = [outcome.outcome(one) for one in run.outcomes]
        return rows or [_whole(job, run)]

    def show(printer: Printer) -> None:
        if run.outcomes:
            perform.show_outcomes(printer, run.outcomes, {})
        else:
            show_end(printer, job, run.end)

    return call.answer(
        Answer(
            "once",
            data=data,
            show=show,
            code=code,
            failures=_failures(run),
        )
    )


def _failures(run: JobRun) -> tuple[tuple[str, str], ...]:
    whole = ((run.end.message, ""),) if run.end.status == "failed" else ()
    return outcome.failures(run.outcomes) or whole


def _control(call: Call) -> Jobs:
    from memconsole.compose.jobs import build_jobs  # noqa: PLC0415 - `--help` composes nothing

    return build_jobs(call.settings, call.engine, clock=call.clock)


def _run(control: Jobs, job: str, *, dry_run: bool) -> JobRun:
    try:
        return control.run_now(job, dry_run=dry_run)
    except LockedError as error:  # a held lock is a skip, and a skip is no failure
        return JobRun(JobEnd(SKIPPED, error.code, str(error)))


def _job(one: JobView) -> Row:
    record = one.record
    return {
        "id": one.id,
        "enabled": one.is_enabled,
        "paused": record.is_paused,
        "trigger": one.trigger,
        "last_start": record.started_at,
        "last_end": record.ended_at,
        "last_status": record.status,
        "last_reason": record.reason,
        "next_at": record.next_at,
        "running": one.is_running,
        "state": one.state,
        "last_message": record.message or None,
        "last_duration_ms": record.duration_ms,
        "missed": record.missed,
        "failures": record.failures,
        "help": one.help,
        "layer": layer_of(one.id).value,
        "pid": None if one.owner is None else one.owner.pid,
        "since": None if one.owner is None else one.owner.since,
    }


def _whole(command: str, run: JobRun, *, key: str | None = None) -> Row:
    """Return what came of a job that ran no commands as an outcome of the contract."""
    return outcome.told(command, run.end.status, run.end.message, key=key, reason=run.end.reason)


_COLUMNS = (
    Column("job"),
    Column("trigger", rank=2),
    Column("state"),
    Column("last", right=True),
    Column("result"),
    Column("next"),
    Column("message", cut="end", least=16, rank=1),
)


def show_jobs(printer: Printer, found: Iterable[JobView], scheduler: SchedulerStatus) -> None:
    """Write who runs the jobs, and every job."""
    printer.write(Cell("scheduler ", "dim"), _owner(printer, scheduler))
    if scheduler.is_split:
        for one in scheduler.layers:
            name = Cell(f"  layer {one.layer.value:<11}", "dim")
            printer.write(name, _holder(printer, one.state, one.pid, one.host, one.since))
    printer.table(_COLUMNS, [_row(printer, one) for one in found])


def show_end(printer: Printer, job: str, found: JobEnd) -> None:
    """Write how a job ended that ran no commands."""
    printer.write(Cell(printer.text(job), "head"), "  ", _result(found.status, found.reason))
    printer.write(f"  {printer.text(found.message)}")


def _owner(printer: Printer, scheduler: SchedulerStatus) -> Cell:
    if scheduler.silence:
        return Cell(f"{scheduler.state}; {scheduler.silence}", "warn")
    return _holder(printer, scheduler.state, scheduler.pid, scheduler.host, scheduler.since)


def _holder(
    printer: Printer, state: str, pid: int | None, host: str | None, since: datetime | None
) -> Cell:
    if pid is None:
        return Cell(state, "ok" if state == "running" else "warn")
    text = f"{state}, pid {pid} on {host} since {wording.stamp(since, printer.zone)}"
    return Cell(printer.text(text), "ok" if state == "running" else "due")


def _row(printer: Printer, job: JobView) -> list[Cell | str]:
    record = job.record
    ran = (
        wording.NOTHING
        if record.started_at is None
        else wording.age(record.started_at, printer.now)
    )
    is_known = record.next_at is not None
    return [
        Cell(job.id, "head"),
        job.trigger,
        _state(job),
        ran,
        wording.NOTHING if record.status is None else _result(record.status, record.reason),
        wording.stamp(record.next_at, printer.zone) if is_known else wording.NOTHING,
        printer.text(record.message),
    ]


def _state(job: JobView) -> Cell:
    styles = {"paused": "warn", "polling": "warn", "running": "ok", "on": "ok"}
    return Cell(job.state, styles.get(job.state, "dim"))


def _result(status: str, reason: str | None) -> Cell:
    return Cell(
        status if reason is None else f"{status} ({reason})", wording.OUTCOME_STYLES.get(status, "")
    )


def runs(
    context: typer.Context,
    *,
    job: Annotated[str | None, typer.Option("--job", metavar="J", help="Only this job.")] = None,
    origin: Annotated[
        Origin | None,
        typer.Option("--by", help="Only what this face asked for.", show_default=False),
    ] = None,
    since: Since = None,
    all_: Annotated[
        bool, typer.Option("--all", help="Each run in a row of its own, repeated ones too.")
    ] = False,
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="At most this many.")] = 200,
) -> int:
    """List what memconsole did, newest first; what repeats itself is one row."""
    at_least_one("--limit", limit)
    call = call_of(context)
    start = None if since is None else parse_since(since, call.clock.now())
    found = call.engine.runs.newest(limit=limit, since=start, job=job, origin=origin)

    def show(printer: Printer) -> None:
        views.runs(printer, found, is_folded=not all_)

    return call.answer(
        Answer(
            "runs",
            data=lambda: [outcome.run(one) for one in found],
            show=show,
        )
    )
