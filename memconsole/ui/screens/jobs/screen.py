"""The scheduler's jobs: what runs when, what came of it, and pausing and running them."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from textual import on

from memconsole.domain.snapshot.snapshot import SchedulerStatus
from memconsole.text import figures
from memconsole.ui.drawing.listing import Listing
from memconsole.ui.drawing.literal import literal
from memconsole.ui.drawing.spans import Cell, Column, Role, Row
from memconsole.ui.drawing.table import measured
from memconsole.ui.hosting import ask_to_run
from memconsole.ui.keys import Verb, bind
from memconsole.ui.screens.base import ConsoleScreen
from memconsole.ui.screens.jobs.activity import status_sign
from memconsole.ui.widgets.pane import Pane
from memconsole.ui.workers.loading import Loaded, Loader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from memconsole.domain.commands.outcomes import Run
    from memconsole.domain.jobs.runs import JobView
    from memconsole.ports.jobs import JobControl
    from memconsole.ui.drawing.context import Context


_MOST = 200


class JobsScreen(ConsoleScreen):
    """All jobs, and the history of the one under the cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("1", "panel(1)", "jobs", "Panel 1: jobs", name="panel-1"),
        bind("2", "panel(2)", "history", "Panel 2: history", name="panel-2"),
    ]
    ACTIONS: ClassVar[tuple[Verb, ...]] = (
        Verb("p", "pause_job", "pause", "Pause this job, or let it go on", "pause"),
        Verb("x", "run_job", "run now", "Run this job now", "run-job"),
    )

    def __init__(self) -> None:
        super().__init__("jobs")
        self._jobs: tuple[JobView, ...] | None = None
        self._runs: tuple[str, tuple[Run, ...]] | None = None
        self._failure = ""
        self._list: Loader[tuple[JobView, ...]] = Loader(self, "jobs")
        self._history: Loader[tuple[str, tuple[Run, ...]]] = Loader(self, "history")
        self._deed: Loader[str] = Loader(self, "deed")

    @property
    def where(self) -> str:
        """The name of the screen."""
        return "jobs"

    def body(self) -> ComposeResult:
        """Yield the jobs, and the history of one below them."""
        yield Pane("list", glyphs=self.desk.glyphs, classes="-current")
        yield Pane("runs", glyphs=self.desk.glyphs)

    def show_snapshot(self) -> None:
        """Ask again with every reading: jobs run elsewhere, and their times pass."""
        control = self.desk.jobs
        if control is not None:
            self._list.ask(control.jobs)
        self._show()
        super().show_snapshot()

    @on(Loaded)
    def show_loaded(self, message: Loaded) -> None:
        """Show what came."""
        if message.what == "deed":
            self._done(message)
        elif message.what == "history":
            self._history.done()
            if message.value is not None:
                self._runs = cast("tuple[str, tuple[Run, ...]]", message.value)
            self._show_history()
        else:
            self._list.done()
            self._failure = message.failure
            if message.value is not None:
                self._jobs = cast("tuple[JobView, ...]", message.value)
            self._show()
            self._ask_history()

    # ---- drawing -------------------------------------------------------------------------

    def _show(self) -> None:
        listed, control = self.named("list"), self.desk.jobs
        if self._jobs is None or control is None:
            text = self._failure or ("reading the jobs" if control else "there are no jobs here")
            listed.show(Listing("Jobs", number=1, empty=(text,)))
        else:
            snapshot = self.desk.snapshot
            scheduler = SchedulerStatus() if snapshot is None else snapshot.scheduler
            context = self.context()
            listed.show(jobs_listing(self._jobs, scheduler, context, is_here=control.is_hosting))
        self._show_history()

    def _show_history(self) -> None:
        job = self._job
        is_known = job is not None and self._runs is not None and self._runs[0] == job.id
        runs = self._runs[1] if is_known and self._runs is not None else None
        self.named("runs").show(job_listing(job, runs, self.context()))

    @on(Pane.Moved, "#list")
    def _ask_history(self) -> None:
        job = self._job
        if job is not None:
            name, engine = job.id, self.desk.engine
            self._history.ask(lambda: (name, engine.runs.newest(limit=_MOST, job=name)))
        self._show_history()

    @property
    def _job(self) -> JobView | None:
        row = self.named("list").row
        return next(
            (one for one in self._jobs or () if row is not None and row.key == one.id), None
        )

    # ---- deeds ---------------------------------------------------------------------------

    def why_not(self, action: str, parameters: tuple[object, ...]) -> str | None:
        """Return why an action cannot work now, or None when it can."""
        if action not in ("pause_job", "run_job"):
            return super().why_not(action, parameters)
        job = self._job if self.is_open else None
        if job is None or self.desk.jobs is None:
            return "no job is selected"
        if self.desk.settings.ui.read_only:
            return "memconsole runs read-only; start it without --read-only to act"
        if action == "run_job" and job.is_running:
            return f"{job.id} runs already"
        if action == "run_job" and self._deed.is_running:
            return "something is still running"
        return None

    def action_open(self) -> None:
        """Go on from a job to its history, and from there to one run in full."""
        pane = self.pane
        if pane is not None and pane.id == "runs" and pane.row is not None:
            self.desk.go.runs(pane.row.key)
        else:
            self.focus_pane(self.named("runs"))

    def action_pause_job(self) -> None:
        """Pause the job under the cursor, or let it go on."""
        job, control = self._job, self.desk.jobs
        if job is not None and control is not None:
            self._deed.ask(lambda: _paused(control, job))

    def action_run_job(self) -> None:
        """Show what the job under the cursor would do now in this process, and ask."""
        if self._job is not None:
            ask_to_run(self.desk, self._job.id, self._run)

    def _run(self, job: str) -> None:
        control = self.desk.jobs
        if control is not None:
            self.say(f"{job} runs", Role.MUTED)
            self._deed.ask(lambda: _ran(control, job))

    def _done(self, message: Loaded) -> None:
        self._deed.done()
        self.say_what_came(message)
        self._runs = None
        self.desk.readings.request()
        self.show_snapshot()


def _paused(control: JobControl, job: JobView) -> str:
    control.pause(job.id, is_paused=not job.record.is_paused)
    return f"{job.id} {'goes on' if job.record.is_paused else 'is paused'}"


def _ran(control: JobControl, job: str) -> str:
    end = control.run_now(job).end
    word = end.status if end.reason is None else f"{end.status} ({end.reason})"
    return f"{job} {word}: {end.message}"


_COLUMNS = (
    Column("job", 11, is_measured=True),
    Column("when", 9, drop=3, is_measured=True),
    Column("state", 7),
    Column("last", 7, right=True),
    Column("", 1, name="sign"),
    Column("result", 20, flex=4),
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
    rows = tuple(_row(one, context) for one in jobs)
    return Listing(
        title="Jobs",
        about=f"{context.glyphs.dot} {owner}",
        source="state",
        number=1,
        columns=measured(_COLUMNS, rows),
        rows=rows,
        empty=("no jobs are known",),
        problem=_problem(scheduler),
    )


_HOW = {
    "stopped": "S runs them here, `memconsole --serve` in the background",
    "stale": "the owner does not move; end it, then start `memconsole --serve`",
}


def _problem(scheduler: SchedulerStatus) -> str:
    if scheduler.state != "running":
        return f"nobody runs them: {_HOW[scheduler.state]}"
    if not scheduler.silence:
        return ""
    return f"{scheduler.silence}: S runs what nobody runs here, `memconsole --serve --layer` too"


def owner_words(scheduler: SchedulerStatus, *, is_here: bool) -> str:
    """Return who runs the jobs, in words."""
    if is_here:
        return "run by this console until it quits"
    if scheduler.is_split:
        pids = [f"{one.layer.value} {one.pid}" for one in scheduler.layers if one.pid is not None]
        return f"{scheduler.state}, {', '.join(pids)}"
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
