"""What the platform would trim or clear of a session's next request, as rows and bars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memconsole.domain.pruning import CHARS_PER_TOKEN, PruneAction, PruneReason
from memconsole.text import figures
from memconsole.ui.drawing import cells
from memconsole.ui.drawing.listing import Listing, text_row
from memconsole.ui.drawing.literal import literal
from memconsole.ui.drawing.spans import Cell, Column, Gauge, Role, Row, Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memconsole.domain.pruning import PrunedResult, PruningPlan
    from memconsole.engine.pruning import PruningRequest
    from memconsole.ui.drawing.context import Context
    from memconsole.ui.drawing.spans import Line

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
        about="" if plan is None else f"{context.glyphs.dot} {plan.rules.window_tokens:,} tokens",
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
                f"{number}-{place}",
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
        f"over {rules.max_chars:,} characters, from {rules.soft_ratio:.0%} on",
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
