"""The dialog of `S`: what running the jobs here begins, the question, and what ran, line by line.

Closing it stops nothing: the jobs run until the console quits.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from memconsole.domain.jobs.runs import Start
from memconsole.errors import MemconsoleError
from memconsole.text import cells, figures
from memconsole.ui.drawing.literal import literal
from memconsole.ui.drawing.spans import Role, Span, cut_line
from memconsole.ui.screens.jobs.activity import status_sign
from memconsole.ui.screens.question import CANCEL, YES, Button, Question

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from memconsole.domain.jobs.runs import JobView
    from memconsole.ports.jobs import JobControl
    from memconsole.ui.drawing.glyphs import Glyphs
    from memconsole.ui.drawing.spans import Line

logger = logging.getLogger(__name__)

_LINE: Final = "memconsole --serve"
_LOOK_S: Final = 0.5
_RUNNING: Final = "running"


class HostScreen(Question[None]):
    """Asks whether the jobs shall run here, begins them, and follows those that run at once."""

    def __init__(
        self, jobs: JobControl, plan: Sequence[str], views: Sequence[JobView], glyphs: Glyphs
    ) -> None:
        """Make the dialog.

        Args:
            jobs: The jobs.
            plan: What would happen, in sentences; an empty one is an empty line.
            views: The jobs as they are before.
            glyphs: Signs of the terminal.
        """
        super().__init__("host", glyphs)
        self._jobs, self._plan = jobs, plan
        self._before: dict[str, datetime | None] = {
            one.id: one.record.started_at
            for one in views
            if one.watching is None
            and one.start is Start.AT_ONCE
            and one.is_enabled
            and not one.record.is_paused
        }
        self._views: Sequence[JobView] = ()
        self._is_begun = False
        self._failure = ""

    # ---- what it says --------------------------------------------------------------------

    def heading(self) -> str:
        """Return what is asked, and then what happens."""
        return "The jobs run in this console" if self._is_begun else "Run the jobs in this console"

    def lines(self, width: int) -> Sequence[Line]:
        """Return the plan; once it was agreed to, what ran and how it went."""
        found: list[Line] = []
        if not self._is_begun:
            for sentence in self._plan:
                found += [(Span(piece),) for piece in cells.wrap(literal(sentence), width)] or [()]
            return [*found, (), (Span(_LINE, Role.MUTED),)]
        if self._failure:
            return [(Span(piece, Role.WARNING),) for piece in cells.wrap(self._failure, width)]
        found += [self._row(name, width) for name in self._before]
        said = "this console runs the jobs until it quits; S and v show them"
        return [*found, (), *((Span(one, Role.MUTED),) for one in cells.wrap(said, width))]

    def _row(self, name: str, width: int) -> Line:
        """Return one job: not begun yet, running, or how it ended."""
        glyphs, record = self._glyphs, None
        most = max(map(len, self._before)) + 2
        for view in self._views:
            if view.id == name and view.record.started_at != self._before[name]:
                record = view.record
        if record is None:
            return (Span(f"{glyphs.dot} {name:<{most}}not begun yet", Role.MUTED),)
        status = _RUNNING if record.is_running else record.status or "?"
        sign, role = status_sign(status, glyphs)
        took = "" if record.is_running else figures.took(record.duration_ms)
        said = _RUNNING if record.is_running else literal(record.message)
        line = (Span(f"{sign} ", role), Span(f"{name:<{most}}"), Span(f"{took:>8}  ", Role.MUTED))
        return cut_line((*line, Span(said)), width, ellipsis=glyphs.ellipsis)

    def buttons(self) -> tuple[Button, ...]:
        """Return both answers, and afterwards what closes it."""
        if self._is_begun:
            return (Button(CANCEL, "Close"),)
        return (Button(CANCEL, "Cancel"), Button(YES, "y run them"))

    def copied(self) -> str:
        """Return the command line that does the same."""
        return _LINE

    def pressed(self, name: str) -> None:
        """Begin, or close."""
        if name != YES:
            self.dismiss()
            return
        self._is_begun = True
        self.show()
        self._work(self._begin)

    # ---- what runs -----------------------------------------------------------------------

    def _work(self, work: Callable[[], None]) -> None:
        self.desk.run_worker(work, thread=True, group="host", exit_on_error=False)

    def _begin(self) -> None:
        """Begin to run the jobs; taking their lock looks at the disk, so a thread does it."""
        try:
            self._jobs.host()
            views = self._jobs.jobs()
        except MemconsoleError as error:
            self._failure = literal(f"{error}. {error.hint}")
            self.desk.call_from_thread(self.show)
        except Exception:  # the edge of a thread: the console goes on
            logger.exception("the scheduler could not begin")
            self._failure = "the scheduler could not begin, which is a bug; press l for the log"
            self.desk.call_from_thread(self.show)
        else:
            self.desk.call_from_thread(self._heard, views)
        self.desk.call_from_thread(self.desk.readings.request)

    def _look(self) -> None:
        try:
            views = self._jobs.jobs()
        except MemconsoleError as error:
            logger.warning("the jobs cannot be read: %s", error)
            return
        self.desk.call_from_thread(self._heard, views)

    def _heard(self, views: Sequence[JobView]) -> None:
        """Show how far they are, and look again while one of them has not ended."""
        if not self.is_attached:
            return
        self._views = views
        self.show()
        ended = {
            one.id
            for one in views
            if one.id in self._before
            and one.record.started_at != self._before[one.id]
            and not one.record.is_running
        }
        if ended != set(self._before):
            self.set_timer(_LOOK_S, lambda: self._work(self._look))
