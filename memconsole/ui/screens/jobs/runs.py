"""The history of runs: what ran, for whom, with what result; and one of them in full."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on

from memconsole.domain.jobs.runs import repeated
from memconsole.text import figures
from memconsole.ui.drawing.listing import Listing, fact_rows, text_row
from memconsole.ui.drawing.literal import literal
from memconsole.ui.drawing.spans import Cell, Column, Role, Row, Span
from memconsole.ui.keys import bind
from memconsole.ui.screens.base import ConsoleScreen
from memconsole.ui.screens.jobs.activity import proof_lines, status_sign, step_lines, who_began
from memconsole.ui.widgets.pane import Pane
from memconsole.ui.workers.loading import Loaded, Loader

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from memconsole.domain.commands.outcomes import Run
    from memconsole.domain.jobs.runs import Repeated
    from memconsole.ui.drawing.context import Context

_MOST = 500

_COLUMNS = (
    Column("when", 6),
    Column("by", 9, drop=3),
    Column("command", 11),
    Column("agent", 6, flex=1, most=16, drop=2),
    Column("", 1, name="sign"),
    Column("result", 12, flex=4),
    Column("took", 6, right=True, drop=4),
)


def runs_listing(runs: tuple[Run, ...], context: Context, own: Collection[int]) -> Listing:
    """Return all runs, newest first."""
    return Listing(
        title="Runs",
        about=f"{context.glyphs.dot} {figures.thousands(len(runs))}",
        source="state",
        number=1,
        columns=_COLUMNS,
        rows=tuple(_row(one, context, own) for one in repeated(runs)),
        empty=("nothing ran yet",),
    )


def _row(line: Repeated, context: Context, own: Collection[int]) -> Row:
    run = line.run
    since = figures.when(line.first_at, context.now, context.zone)
    times = "" if line.count == 1 else f"{line.count} times since {since}: "
    sign, role = status_sign(run.status, context.glyphs)
    return Row(
        key=f"run-{run.id}",
        cells=(
            Cell(figures.when(run.started_at, context.now, context.zone), Role.MUTED),
            Cell(who_began(run, own), Role.MUTED),
            Cell(literal(run.command)),
            Cell(literal(run.agent or "")),
            Cell(sign, role),
            Cell(times + (literal(run.message) or run.status)),
            Cell(figures.took(run.duration_ms), Role.MUTED),
        ),
        value=run.command_line,
    )


def run_listing(run: Run | None, context: Context, width: int) -> Listing:
    """Return one run in full."""
    facts = () if run is None else fact_rows(_facts(run, context), width)
    rows = facts if run is None else (*_account_rows(run, context, width), *facts)
    return Listing(title="Run", number=2, rows=rows, empty=("no run is selected",))


def _account_rows(run: Run, context: Context, width: int) -> Iterator[Row]:
    """Yield the steps and the proof, as the dialog showed them, and an empty line."""
    if (account := run.account) is None:
        yield text_row("account-0", Span("its steps were not kept", Role.MUTED))
    else:
        lines = (
            *step_lines(account.steps, context.glyphs, width),
            *proof_lines(account.proof, context.glyphs, width),
        )
        thing = place = 0
        for line in lines:
            begins = bool(line[0].text.strip())  # else it goes on with the one above
            thing, place = thing + begins, 0 if begins else place + 1
            text = "".join(span.text for span in line).strip()
            yield text_row(f"account-{thing}:{place}", *line, value=text)
    yield text_row("account-end", Span(""))


def _facts(run: Run, context: Context) -> tuple[tuple[str, str], ...]:
    word = run.status if run.reason is None else f"{run.status}: {run.reason}"
    return (
        ("command", run.command_line),
        ("result", word),
        ("message", run.message),
        ("agent", run.agent or ""),
        ("session", run.key or ""),
        ("job", run.job or ""),
        ("asked by", run.origin.value),
        ("started", figures.day_and_time(run.started_at, context.zone)),
        ("took", figures.took(run.duration_ms)),
    )


class RunsScreen(ConsoleScreen):
    """All runs, and the one under the cursor in full."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("1", "panel(1)", "runs", "Panel 1: runs", name="panel-1"),
        bind("2", "panel(2)", "run", "Panel 2: run", name="panel-2"),
    ]

    def __init__(self, key: str | None) -> None:
        super().__init__("runs")
        self._key = key
        self._seen: object = None
        self._loader: Loader[tuple[Run, ...]] = Loader(self, "runs")

    @property
    def where(self) -> str:
        """The name of the screen."""
        return "runs"

    def body(self) -> ComposeResult:
        """Yield the list, and the run below it."""
        yield Pane("list", glyphs=self.desk.glyphs, classes="-current")
        yield Pane("run", glyphs=self.desk.glyphs)

    def show_snapshot(self) -> None:
        """Ask again when the newest reading holds other runs than the last one."""
        snapshot = self.desk.snapshot
        newest = None if snapshot is None else snapshot.activity[:1]
        if self._loader.value is None or newest != self._seen:
            self._seen = newest
            self._loader.ask(lambda: self.desk.engine.runs.newest(limit=_MOST))
        self._show()
        super().show_snapshot()

    @on(Loaded)
    def show_loaded(self, message: Loaded) -> None:
        """Show the runs, at first the one that was asked for."""
        self._loader.take(message)
        self._show()
        if self._key is not None:
            self.named("list").select(self._key)
            self._key = None

    def _show(self) -> None:
        listed = self.named("list")
        if self._loader.value is None:
            text = self._loader.failure or "reading the history"
            listed.show(Listing("Runs", number=1, empty=(text,)))
        else:
            listed.show(runs_listing(self._loader.value, self.context(), self.desk.actions.runs))
        self._show_run()

    @on(Pane.Moved, "#list")
    @on(Pane.Resized, "#run")
    def _show_run(self) -> None:
        row = self.named("list").row
        runs = self._loader.value or ()
        run = next((one for one in runs if row is not None and row.key == f"run-{one.id}"), None)
        pane = self.named("run")
        pane.show(run_listing(run, self.context(), pane.room[0]))
