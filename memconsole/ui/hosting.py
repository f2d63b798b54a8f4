"""`S`: runs the scheduler inside the console when nobody else does."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from memconsole.domain.commands.outcomes import Planned
from memconsole.domain.jobs.runs import FAILED, Start
from memconsole.errors import MemconsoleError
from memconsole.ui.drawing.literal import literal
from memconsole.ui.drawing.spans import Role

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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
    app.say("looking what the jobs would do", Role.MUTED)

    def look() -> None:
        try:
            views = [one for one in jobs.jobs() if not one.is_served]
            resets = _resets(jobs) if any(one.id == "rotation" for one in views) else ()
            plan = (*_starts(views), "", *resets)
        except MemconsoleError as error:
            _tell(app, f"{error}. {error.hint}", Role.WARNING)
        except Exception:  # the edge of a thread: the console goes on
            logger.exception("the jobs could not be listed")
            _tell(app, "the jobs could not be listed, which is a bug; press l for it", Role.DUE)
        else:
            app.call_from_thread(app.go.host, jobs, plan, views)

    app.run_worker(look, thread=True, group="host", exit_on_error=False)


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


def _resets(jobs: JobControl) -> Iterator[str]:
    """Yield which sessions the first rotation would reset, as the disk tells now."""
    try:
        run = jobs.run_now("rotation", dry_run=True)
    except MemconsoleError as error:
        yield f"which sessions rotation would reset is not known: {error}"
        return
    found = [one for one in run.outcomes if isinstance(one, Planned)]
    if run.end.status == FAILED and not found:
        yield f"which sessions rotation would reset is not known: {run.end.message}"
    elif not found:
        yield "rotation would reset no session as things are now"
    else:
        yield "rotation would reset, unless that changes until then:"
        yield from (f"  {one.message}" for one in found)


def _tell(app: Desk, text: str, role: Role) -> None:
    app.call_from_thread(app.say, literal(text), role)
    app.call_from_thread(app.readings.request)
