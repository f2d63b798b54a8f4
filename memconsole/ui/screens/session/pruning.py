"""What the platform would trim or clear of one session's next request, and what fills it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Final, cast

from textual import on
from textual.containers import Horizontal

from memconsole.domain.commands.command import Subject
from memconsole.domain.pruning import CHARS_PER_TOKEN, PruneAction, PruneReason, PruningMode
from memconsole.engine.pruning import PruningRequest
from memconsole.text import cells, figures
from memconsole.ui.actions.targets import for_session
from memconsole.ui.drawing.listing import Listing, text_row
from memconsole.ui.drawing.literal import literal
from memconsole.ui.drawing.names import full_name, row_key
from memconsole.ui.drawing.spans import Cell, Column, Gauge, Role, Row, Span
from memconsole.ui.keys import Verb, panel_keys
from memconsole.ui.screens.base import ConsoleScreen
from memconsole.ui.screens.session.rows import fill_listing
from memconsole.ui.widgets.pane import Pane
from memconsole.ui.workers.loading import Loaded, Loader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from memconsole.domain.pruning import PrunedResult, PruningPlan
    from memconsole.domain.snapshot.snapshot import SessionDetail, SessionView
    from memconsole.engine.pruning import PruningPreview
    from memconsole.ui.actions.targets import Target
    from memconsole.ui.drawing.context import Context
    from memconsole.ui.drawing.spans import Line


_PANELS = ("results", "window", "fill")
_MODES: Final = (None, *PruningMode)
"""Choices of the mode: as configured, then each."""


class PruningScreen(ConsoleScreen):
    """A preview; the transcript is only read, and nothing is ever written."""

    BINDINGS: ClassVar[list[BindingType]] = [*panel_keys(_PANELS)]
    ACTIONS: ClassVar[tuple[Verb, ...]] = (
        Verb("x", "mode", "mode", "Another mode, and as configured", "mode"),
        Verb("d", "due", "when due", "As if the ttl were over, and now", "due"),
    )
    LOWER: ClassVar[tuple[str, ...]] = ("window", "fill")

    def __init__(self, view: SessionView) -> None:
        super().__init__("pruning")
        self._view = view
        self._request = PruningRequest()
        self._preview: PruningPreview | None = None
        self._detail: SessionDetail | None = None
        self._failures: dict[str, str] = {}
        self._previews: Loader[PruningPreview] = Loader(self, "pruning")
        self._details: Loader[SessionDetail] = Loader(self, "detail")

    @property
    def where(self) -> str:
        """The session whose next request it is."""
        return f"pruning {self.desk.glyphs.dot} {full_name(self._view)}"

    def body(self) -> ComposeResult:
        """Yield the results, and what they do to the window."""
        glyphs = self.desk.glyphs
        yield Pane("results", glyphs=glyphs, classes="-current")
        with Horizontal(id="lower"):
            yield Pane("window", glyphs=glyphs)
            yield Pane("fill", glyphs=glyphs)

    def opened(self) -> None:
        """Ask for the preview as configured, then for what fills the context."""
        self._ask()

    @property
    def _asked(self) -> str:
        return self._view.key_text or self._view.session_id or ""

    def _ask(self) -> None:
        (engine, _), name = self.desk.engine.of(self._view.agent.id), self._asked
        request = self._request
        self._previews.ask(lambda: engine.sessions.pruned(name, request))
        self._details.ask(lambda: engine.sessions.detail(name))

    # ---- drawing -------------------------------------------------------------------------

    def show_snapshot(self) -> None:
        """Preview again when the session has moved on."""
        snapshot, key = self.desk.snapshot, row_key(self._view)
        sessions = () if snapshot is None else snapshot.sessions
        found = next((view for view in sessions if row_key(view) == key), self._view)
        has_moved = found.stored != self._view.stored
        self._view = found
        if has_moved:
            self._ask()
        self._show()
        super().show_snapshot()

    @on(Loaded)
    def show_loaded(self, message: Loaded) -> None:
        """Show what was found, or why nobody could look."""
        self._failures[message.what] = message.failure
        if message.what == "pruning":
            self._previews.done()
            self._preview = cast("PruningPreview | None", message.value)
        else:
            self._details.done()
            self._detail = cast("SessionDetail | None", message.value) or self._detail
        self._show()

    @on(Pane.Resized, "#window")
    def _show(self) -> None:
        if not self.is_open:
            return
        context, window = self.context(), self.named("window")
        plan = None if self._preview is None else self._preview.plan
        failure = self._failures.get("pruning", "")
        self.named("results").show(results_listing(plan, failure, context))
        width, failed = window.room[0], bool(failure)
        window.show(window_listing(plan, self._request, context, width, failed=failed))
        self.named("fill").show(fill_listing(self._detail, context))
        self.show_keys()

    # ---- keys ----------------------------------------------------------------------------

    def action_mode(self) -> None:
        """Preview by another mode than the configured one, and by that one again."""
        place = (_MODES.index(self._request.mode) + 1) % len(_MODES)
        self._wonder(replace(self._request, mode=_MODES[place]))

    def action_due(self) -> None:
        """Preview the moment at which the ttl is over, and the present again."""
        due_at = None if self._preview is None else self._preview.plan.due_at
        self._wonder(replace(self._request, at=due_at if self._request.at is None else None))

    def _wonder(self, request: PruningRequest) -> None:
        self._request = request
        self._ask()

    def why_not(self, action: str, parameters: tuple[object, ...]) -> str | None:
        """Add what only this screen knows."""
        plan = None if self._preview is None else self._preview.plan
        if action in ("mode", "due") and plan is None:
            return "there is no preview yet"
        if action == "due" and self._request.at is None and (plan is None or plan.due_at is None):
            return "no ttl runs: it counts from the last call, in the mode cache-ttl"
        if action == "open":
            return "there is nothing to go into here"
        return super().why_not(action, parameters)

    def targets(self, subject: Subject) -> tuple[Target, ...]:
        """Return this session; it has no entries of a memory."""
        return () if subject is Subject.ENTRY else (for_session(self._view),)


WHY: Final = {
    PruneReason.OFF: "pruning is off",
    PruneReason.NO_CALL: "the assistant has not said anything yet",
    PruneReason.TTL: "the last call is younger than the ttl",
    PruneReason.BELOW_RATIO: "the context is too small to be trimmed",
    PruneReason.FEW_ASSISTANTS: "there are too few assistant messages",
    PruneReason.NO_USER: "before the first user message",
    PruneReason.RECENT: "near the end: kept whole",
    PruneReason.DENIED: "this tool is kept by configuration",
    PruneReason.IMAGE: "holds a picture",
    PruneReason.SHORT: "short enough",
    PruneReason.TRIMMED: "head and tail stay",
    PruneReason.CLEARED: "the context is still too full",
    PruneReason.AGGRESSIVE: "every old result goes",
}
"""Each reason in words; the stable words are for machines."""

_ACTIONS: Final = {
    PruneAction.KEEP: ("kept", Role.MUTED),
    PruneAction.TRIM: ("TRIM", Role.WARNING),
    PruneAction.CLEAR: ("CLEAR", Role.DUE),
}

_GAUGE: Final = 24
_WORDS: Final = 22
"""Cells of the words behind a gauge."""
_LABEL: Final = 12

_COLUMNS = (
    Column("msg", 4, right=True),
    Column("tool", 8, flex=1, most=20),
    Column("", 5, name="verdict"),
    Column("before", 6, right=True),
    Column("", 8, flex=2, most=16, drop=2, name="gauge before"),
    Column("after", 6, right=True),
    Column("", 8, flex=2, most=16, drop=3, name="gauge after"),
    Column("why", 18, flex=2),
)


def results_listing(plan: PruningPlan | None, failure: str, context: Context) -> Listing:
    """Return every tool result of the next request, with what would happen to it."""
    title = "Tool results"
    if plan is None:
        return Listing(title, number=1, empty=(failure or "reading the transcript",))
    counts = {action: plan.count(action) for action in PruneAction}
    words = ", ".join(f"{count} {_ACTIONS[one][0].lower()}" for one, count in counts.items())
    largest = max((one.part.chars for one in plan.results), default=0) or 1
    return Listing(
        title=title,
        about=f"{context.glyphs.dot} {words}" if plan.results else "",
        source="transcript",
        number=1,
        columns=_COLUMNS,
        rows=tuple(_result(one, largest) for one in plan.results),
        empty=("no tool result is in the next request: there is nothing to prune",),
        problem=failure,
    )


def _result(one: PrunedResult, largest: int) -> Row:
    word, role = _ACTIONS[one.action]
    tool = literal(one.part.tool) or "?"
    return Row(
        key=f"result-{one.part.index}",
        cells=(
            Cell(str(one.part.index), Role.MUTED),
            Cell(tool),
            Cell(word, role),
            Cell(figures.kilo(one.part.chars)),
            Gauge(one.part.chars / largest, is_share=True),
            Cell(figures.kilo(one.chars_after), role),
            Gauge(one.chars_after / largest, is_share=True),
            Cell(WHY[one.reason], Role.MUTED),
        ),
        value=f"{one.part.index} {tool} {one.part.chars} {one.chars_after} {one.reason.value}",
    )


def window_listing(
    plan: PruningPlan | None, request: PruningRequest, context: Context, width: int, *, failed: bool
) -> Listing:
    """Return how full the window is before and after, and by which rules."""
    rows = []
    if plan is not None:
        rows = [
            text_row("before", *_bar("before", plan, plan.chars_before, context, width)),
            text_row("after", *_bar("after", plan, plan.chars_after, context, width)),
        ]
        rows += _facts(plan, request, context, width)
    return Listing(
        title="Window",
        about=""
        if plan is None
        else f"{context.glyphs.dot} window of {figures.short_kilo(plan.rules.window_tokens)}",
        number=2,
        rows=tuple(rows),
        empty=("nothing was read" if failed else "reading",),
    )


def _bar(label: str, plan: PruningPlan, chars: int, context: Context, width: int) -> Line:
    tokens = figures.kilo(-(-chars // CHARS_PER_TOKEN))
    return (
        Span(f"{label:<{_LABEL}}", Role.MUTED),
        *Gauge(chars / plan.rules.window_chars).draw(
            min(max(width - _LABEL - _WORDS, 6), _GAUGE), context.glyphs, right=False
        ),
        Span(f" {figures.percent(plan.percent(chars)):>4}", Role.STRONG),
        Span(f"  ~{tokens} tokens"),
    )


def _facts(
    plan: PruningPlan, request: PruningRequest, context: Context, width: int
) -> Iterator[Row]:
    for number, (label, text, role) in enumerate(_told(plan, request, context)):
        for place, piece in enumerate(cells.wrap(text, max(width - _LABEL, 8))):
            head = "" if place else label
            yield text_row(
                f"{number}:{place}",
                Span(f"{head:<{_LABEL}}", Role.MUTED),
                Span(piece, role),
                value=text,
            )


def _told(
    plan: PruningPlan, request: PruningRequest, context: Context
) -> Iterator[tuple[str, str, Role]]:
    if plan.gate is not None:
        yield "all is kept", WHY[plan.gate], Role.WARNING
    rules = plan.rules
    asked = "as configured" if request.mode is None else "asked for here; x goes on"
    yield "mode", f"{rules.mode.value} ({asked})", Role.STRONG
    if plan.last_call_at is not None:
        ago = figures.ago(context.since(plan.last_call_at))
        yield "last call", ago, Role.PLAIN
    if plan.due_at is not None:
        left = figures.until(plan.due_at - plan.at)
        word = "over" if plan.at >= plan.due_at else f"over in {left}"
        seen = ", seen from then" if request.at is not None else ""
        yield "ttl", f"{figures.age(rules.ttl)}, {word}{seen}", Role.PLAIN
    yield (
        "trimmed",
        f"over {figures.short_kilo(rules.max_chars)} characters, from {rules.soft_ratio:.0%} on",
        Role.PLAIN,
    )
    if rules.is_hard_enabled:
        yield (
            "cleared",
            f"oldest first, from {rules.hard_ratio:.0%} on, where {rules.min_prunable_chars:,} "
            "characters may go",
            Role.PLAIN,
        )
    yield "kept", f"the last {rules.keep_last_assistants} answers and what follows them", Role.PLAIN
