"""An action in lines: what would be done, what was done, how long it took, how to undo it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.commands.command import command_line
from memconsole.domain.commands.outcomes import Failed, Planned, Skipped, status_of
from memconsole.text import figures
from memconsole.ui.actions.action import Phase
from memconsole.ui.drawing import cells
from memconsole.ui.drawing.literal import literal
from memconsole.ui.drawing.spans import Role, Span
from memconsole.ui.screens.jobs.activity import status_sign

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memconsole.domain.commands.outcomes import Outcome
    from memconsole.ui.actions.action import Action
    from memconsole.ui.actions.targets import Target
    from memconsole.ui.drawing.context import Context
    from memconsole.ui.drawing.spans import Line

_CHANGES = "diff"
"""Detail of a plan that holds the lines of a change."""

_MOST_CHANGES = 8
_CHANGE_ROLES = {"+": Role.OK, "-": Role.WARNING}


def action_lines(
    action: Action, context: Context, width: int, *, detailed: bool
) -> tuple[Line, ...]:
    """Return the dialog's text.

    Args:
        action: What is going on.
        context: Glyphs.
        width: Cells of a line.
        detailed: Also everything that the dry run says.
    """
    lines: list[Line] = []
    if action.phase in (Phase.PLANNING, Phase.ASKING) or not action.outcomes:
        lines += _plans(action, context, width, detailed=detailed)
    if action.phase is Phase.RUNNING or action.outcomes:
        lines += _planned(action, context, width)
        lines += _progress(action, context, width)
    if action.phase is Phase.DONE and action.outcomes and detailed:
        for outcome in action.outcomes:
            lines += _details(outcome, width)
    if action.refusal:
        lines += [(), *_wrapped(action.refusal, width, Role.WARNING)]
    if (doing := _doing(action)) is not None:
        lines += [(), (Span(doing, Role.MUTED),)]
    return tuple(lines)


def _doing(action: Action) -> str | None:
    if action.phase is Phase.PLANNING:
        return "planning"
    if action.phase is Phase.RUNNING:
        return "stopping after this one" if action.is_stopping else "running"
    return None


def _plans(action: Action, context: Context, width: int, *, detailed: bool) -> Iterator[Line]:
    for target, plan in zip(action.targets, action.plans, strict=False):
        yield from _outcome(target, plan, context, width)
        yield from _changes(plan, width, most=None if detailed else _MOST_CHANGES)
        if detailed:
            yield from _details(plan, width)
        yield from _wrapped(command_line(plan.command), width, Role.MUTED)
    if action.phase is Phase.PLANNING:
        for target in action.targets[len(action.plans) :]:
            yield (Span(f"{context.glyphs.dot} {target.name}", Role.MUTED),)


def _planned(action: Action, context: Context, width: int) -> Iterator[Line]:
    """What was planned stays above what came of it."""
    if not action.outcomes:
        return
    for place in action.todo:
        plan = action.plans[place]
        text = f"{context.glyphs.arrow} {literal(plan.message)}"
        yield from _wrapped(text, width, Role.MUTED)
    yield ()


def _progress(action: Action, context: Context, width: int) -> Iterator[Line]:
    glyphs = context.glyphs
    skipped = [place for place in range(len(action.targets)) if place not in action.todo]
    for place in skipped:
        yield from _outcome(action.targets[place], action.plans[place], context, width)
    for number, place in enumerate(action.todo):
        target = action.targets[place]
        if number < len(action.outcomes):
            yield from _outcome(target, action.outcomes[number], context, width)
        elif number == len(action.outcomes) and action.phase is Phase.RUNNING:
            yield (Span(f"{glyphs.running} ", Role.ACCENT), Span(target.name))
        else:
            yield (Span(f"{glyphs.skipped} {target.name}  not begun", Role.MUTED),)
    done = [one for one in action.outcomes if status_of(one) == "done"]
    if action.phase is Phase.DONE and done and action.spec.undo:
        yield ()
        yield from _wrapped(f"undo: {action.spec.undo}", width, Role.MUTED)


def _outcome(target: Target, outcome: Outcome, context: Context, width: int) -> Iterator[Line]:
    sign, role = status_sign(status_of(outcome), context.glyphs)
    if isinstance(outcome, Planned):
        sign, role = context.glyphs.arrow, Role.ACCENT
    took = figures.took(outcome.duration_ms) if not isinstance(outcome, Planned) else ""
    head = literal(target.name)
    yield (
        Span(f"{sign} ", role),
        Span(head, Role.STRONG),
        Span(f"  {status_of(outcome)}", role),
        Span(f"  {took}", Role.MUTED),
    )
    yield from _indented(literal(outcome.message), width, Role.PLAIN)
    if not isinstance(outcome, Failed | Skipped):
        for written in outcome.wrote:
            size = figures.size(written.size_bytes)
            yield from _indented(
                f"{literal(written.path)}  {size}  {written.mode}", width, Role.MUTED
            )
    if isinstance(outcome, Failed | Skipped) and outcome.hint:
        yield from _indented(literal(outcome.hint), width, Role.MUTED)


def _changes(outcome: Outcome, width: int, *, most: int | None) -> Iterator[Line]:
    """Yield the lines that a file would lose and win, where a plan says them."""
    lines = outcome.details.get(_CHANGES)
    if not isinstance(lines, list):
        return
    for line in lines[:most]:
        text = literal(str(line))
        role = _CHANGE_ROLES.get(text[:1], Role.MUTED)
        yield (Span("  "), Span(cells.cut(text, width - 2), role))
    if most is not None and len(lines) > most:
        yield (Span(f"  {len(lines) - most:,} more lines behind [ more ]", Role.MUTED),)


def _details(outcome: Outcome, width: int) -> Iterator[Line]:
    for name, value in outcome.details.items():
        if name == _CHANGES:
            continue
        yield from _indented(f"{literal(name)}: {literal(str(value))}", width, Role.MUTED)


def _indented(text: str, width: int, role: Role) -> Iterator[Line]:
    for piece in cells.wrap(text, max(width - 2, 8)):
        yield (Span("  "), Span(piece, role))


def _wrapped(text: str, width: int, role: Role) -> Iterator[Line]:
    for piece in cells.wrap(literal(text), width):
        yield (Span(piece, role),)
