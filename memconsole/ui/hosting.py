"""`S`: runs the scheduler inside the console when nobody else does."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from memconsole.errors import MemconsoleError
from memconsole.ui.drawing.literal import literal
from memconsole.ui.drawing.spans import Role

if TYPE_CHECKING:
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
    if scheduler is not None and scheduler.state != "stopped":
        return f"the jobs are run already: {scheduler.state}, pid {scheduler.pid}"
    return None


def host(app: Desk) -> None:
    """Begin to run the jobs; taking their lock looks at the disk, so a thread does it."""
    jobs = app.jobs
    if jobs is None:
        return

    def begin() -> None:
        try:
            jobs.host()
        except MemconsoleError as error:
            _tell(app, f"{error}. {error.hint}", Role.WARNING)
        except Exception:  # the edge of a thread: the console goes on
            logger.exception("the scheduler could not begin")
            _tell(
                app, "the scheduler could not begin, which is a bug; press l for the log", Role.DUE
            )
        else:
            _tell(app, "this console runs the jobs until it quits", Role.MUTED)

    app.run_worker(begin, thread=True, group="host", exit_on_error=False)


def _tell(app: Desk, text: str, role: Role) -> None:
    app.call_from_thread(app.say, literal(text), role)
    app.call_from_thread(app.readings.request)
