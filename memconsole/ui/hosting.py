"""What stands before jobs that run in the console: `S` for all that nobody runs, or one now."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from memconsole.domain.commands.outcomes import Planned
from memconsole.domain.jobs.runs import FAILED, SKIPPED, Start
from memconsole.errors import MemconsoleError
from memconsole.ui.drawing.literal import literal
from memconsole.ui.drawing.spans import Role

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from memconsole.domain.jobs.runs import JobView
    from memconsole.ports.jobs import JobControl
    from memconsole.ui.desk import Desk

logger = logging.getLogger(__name__)


def why_not_host(app: Desk) -> str | None:
    """Return why the scheduler cannot run here, or None when it can."""
    if app.jobs is None:
        return "this console has no jobs"
    if app.settings.ui.read_only:
        return "memconsole runs read-only; start it without --read-only to run jobs"
    if app.snapshot is None:
        return "nothing was read yet, so who runs the jobs is unknown"
    if app.jobs.is_hosting:
        return "this console runs the jobs already, until it quits"
    scheduler = app.snapshot.scheduler
    if scheduler.state == "stopped" or any(one.state == "stopped" for one in scheduler.silent):
        return None
    owner = "several processes" if scheduler.pid is None else f"pid {scheduler.pid}"
    return f"the jobs are run already: {scheduler.state}, {owner}"


def ask_to_host(app: Desk) -> None:
    """Show what running the jobs here would begin, and ask; finding out may take a while."""
    jobs = app.jobs
    if jobs is None:
        return

    def look() -> None:
        views = [one for one in jobs.jobs() if not one.is_served]
        resets: Iterator[str] = iter(())
        if any(one.id == "rotation" for one in views):
            resets = _planned(jobs, "rotation", "would reset", "rotation would reset no session")
        app.call_from_thread(app.go.host, jobs, (*_starts(views), "", *resets), views)

    _look(app, "looking what the jobs would do", look)


def ask_to_run(app: Desk, job: str, run: Callable[[str], None]) -> None:
    """Show what one job would do now, and ask; `run` is told its name after a yes."""
    jobs = app.jobs
    if jobs is None:
        return

    def ask(plan: tuple[str, ...]) -> None:
        app.ask(f"Run {job}", plan, "run", lambda: run(job), line=f"memconsole once {job}")

    _look(
        app,
        f"looking what {job} would do",
        lambda: app.call_from_thread(ask, tuple(_planned(jobs, job, "would do", ""))),
    )


def _look(app: Desk, said: str, look: Callable[[], None]) -> None:
    """Find something out in a thread; say so, and say why where it cannot be."""
    app.say(said, Role.MUTED)

    def looking() -> None:
        try:
            look()
        except MemconsoleError as error:
            _tell(app, f"{error}. {error.hint}", Role.WARNING)
        except Exception:  # the edge of a thread: the console goes on
            logger.exception("the jobs could not be listed")
            _tell(app, "the jobs could not be listed, which is a bug; press l for it", Role.DUE)

    app.run_worker(looking, thread=True, group="host", exit_on_error=False)


def _starts(views: Iterable[JobView]) -> Iterator[str]:
    """Yield when each job would run, those alike in one sentence."""
    listed = [one for one in views if one.watching is None]
    on = [one for one in listed if one.is_enabled and not one.record.is_paused]
    for start in Start:
        names = [
            one.id if start is Start.AT_ONCE else f"{one.id} ({one.trigger})"
            for one in on
            if one.start is start
        ]
        if names:
            yield f"{start.value}: {', '.join(names)}"
    off = [one.id for one in listed if one not in on]
    if off:
        yield f"off or paused: {', '.join(off)}"


def _planned(jobs: JobControl, job: str, would: str, nothing: str) -> Iterator[str]:
    """Yield what a job would do if it ran now, as the disk tells; `nothing` says that of none."""
    try:
        run = jobs.run_now(job, dry_run=True)
    except MemconsoleError as error:
        yield f"what {job} {would} is not known: {error}"
        return
    found = [one for one in run.outcomes if isinstance(one, Planned)]
    if found:
        yield f"{job} {would}, unless that changes until then:"
        yield from (f"  {one.message}" for one in found)
    elif run.end.status == FAILED:
        yield f"what {job} {would} is not known: {run.end.message}"
    elif run.end.status == SKIPPED:
        yield f"{nothing or f'{job} would do nothing'} as things are now"
    else:
        yield run.end.message


def _tell(app: Desk, text: str, role: Role) -> None:
    app.call_from_thread(app.say, literal(text), role)
    app.call_from_thread(app.readings.request)
