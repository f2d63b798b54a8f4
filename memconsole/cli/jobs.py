"""`jobs` and `once`: the scheduler's jobs, and one of them now (mission §4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memconsole.cli import exits
from memconsole.cli.call import Answer
from memconsole.cli.shared import DryRunOption, call_of
from memconsole.errors import LockedError, UsageError

if TYPE_CHECKING:
    from memconsole.cli.call import Call
    from memconsole.cli.encode import Row
    from memconsole.cli.paper import Paper
    from memconsole.domain.jobs import JobRun, JobView
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
) -> int:
    """List the scheduler's jobs: when each ran, what came of it, when it runs next."""
    call = call_of(context)
    if pause is not None and resume is not None:
        raise UsageError("--pause and --resume exclude each other", hint="Give one of them.")
    control = _control(call)
    wanted = pause or resume
    if wanted is not None:
        control.pause(wanted, is_paused=pause is not None)
    call.engine.require_records()
    found = control.jobs()

    def show(paper: Paper) -> None:
        from memconsole.cli import jobs_view  # noqa: PLC0415  # not for machines

        jobs_view.jobs(paper, found, control.watch.status())

    return call.answer(
        Answer("jobs", data=lambda: [_job(one) for one in found], show=show, at=call.clock.now())
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
        from memconsole.cli import encode_outcome  # noqa: PLC0415

        rows = [encode_outcome.outcome(one) for one in run.outcomes]
        return rows or [_whole(job, run)]

    def show(paper: Paper) -> None:
        from memconsole.cli import jobs_view, results  # noqa: PLC0415

        if run.outcomes:
            results.outcomes(paper, run.outcomes, {})
        else:
            jobs_view.end(paper, job, run.end)

    return call.answer(
        Answer(
            "once",
            data=data,
            show=show,
            at=call.clock.now(),
            code=code,
            failures=_failures(run),
        )
    )


def _failures(run: JobRun) -> tuple[tuple[str, str], ...]:
    from memconsole.cli import encode_outcome  # noqa: PLC0415

    whole = ((run.end.message, ""),) if run.end.status == "failed" else ()
    return encode_outcome.failures(run.outcomes) or whole


def _control(call: Call) -> Jobs:
    from memconsole import wiring_jobs  # noqa: PLC0415

    return wiring_jobs.build_jobs(call.settings, call.engine, clock=call.clock)


def _run(control: Jobs, job: str, *, dry_run: bool) -> JobRun:
    from memconsole.domain.jobs import SKIPPED, JobEnd, JobRun  # noqa: PLC0415

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
    }


def _whole(job: str, run: JobRun) -> Row:
    """Return a job that ran no commands as an outcome of `cli.md`."""
    return {
        "command": job,
        "agent": None,
        "key": None,
        "status": run.end.status,
        "reason": run.end.reason,
        "message": run.end.message,
        "hint": None,
        "duration_ms": 0,
        "wrote": [],
        "details": {},
    }
