"""The dialog of an action: its plan, the question, what is being done, and the proof."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from memconsole.domain.commands.command import command_line
from memconsole.domain.commands.outcomes import Failed, Planned, Skipped, Verdict, status_of
from memconsole.text import cells, figures
from memconsole.ui.actions.action import Phase
from memconsole.ui.drawing.literal import literal
from memconsole.ui.drawing.spans import Role, Span, cut_line
from memconsole.ui.screens.jobs.activity import proof_lines, status_sign, step_lines
from memconsole.ui.screens.question import CANCEL, NO, YES, Button, Question

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memconsole.domain.commands.outcomes import Outcome, Proof
    from memconsole.ui.actions.action import Action, Series
    from memconsole.ui.actions.targets import Target
    from memconsole.ui.drawing.context import Context
    from memconsole.ui.drawing.glyphs import Glyphs
    from memconsole.ui.drawing.spans import Line


_WAIT_S = 1.0

_MORE, _RUN = "more", "run"
"""The buttons that show and fold everything the dry run says, and that open the run."""


class ActionScreen(Question[None]):
    """Shows one action from its plan to its end; closing it does not stop what runs."""

    def __init__(self, action: Action, glyphs: Glyphs) -> None:
        super().__init__("action", glyphs)
        self.action = action
        self._is_detailed = False
        self._phase = action.phase

    def heading(self) -> str:
        """Return the verb and the target."""
        targets = self.action.targets
        name = targets[0].name if len(targets) == 1 else f"{len(targets)} targets"
        if self.action.places > 1:
            name += f" on {self.action.places} hosts"
        return f"{self.action.spec.title} {name}"

    def lines(self, width: int) -> Sequence[Line]:
        """Return the action as far as it is."""
        return action_lines(self.action, self.desk.context(), width, detailed=self._is_detailed)

    def buttons(self) -> tuple[Button, ...]:
        """Return what can be done about the action now."""
        action = self.action
        more = Button(_MORE, "less" if self._is_detailed else "more")
        match action.phase:
            case Phase.PLANNING:
                return (Button(CANCEL, "Cancel"),)
            case Phase.ASKING:
                verb = action.spec.title.lower()
                return (Button(CANCEL, "Cancel"), Button(YES, f"y {verb}"), more)
            case Phase.RUNNING if not action.is_stopping and (
                len(action.todo) > 1 or action.still_waits
            ):
                no = "take back what waits" if action.still_waits else "begin no other"
                return (Button(CANCEL, "Close"), Button(NO, f"n {no}"))
            case Phase.RUNNING:
                return (Button(CANCEL, "Close"),)
            case Phase.DONE if (kept := self._kept()) is not None:
                return (Button(CANCEL, "Close"), Button(_RUN, f"run {kept}"), more)
            case Phase.DONE:
                return (Button(CANCEL, "Close"), more)

    def pressed(self, name: str) -> None:
        """Do what was pressed; `n` means no to the question, and no more while it runs."""
        if name == YES:
            self.desk.actions.confirm(self.action)
        elif name == NO and self.action.phase is Phase.RUNNING:
            self.action.stop()
            self.show()
        elif name == _RUN:
            self.dismiss()
            self.desk.go.runs(f"run-{self._kept()}")
        elif name == _MORE:
            self._is_detailed = not self._is_detailed
            self.show()
        elif name == CANCEL or self.action.phase in (Phase.PLANNING, Phase.ASKING):
            self.action_back()

    def _kept(self) -> int | None:
        """Return the run that keeps it; of several the last one."""
        runs = [one.run_id for one in self.action.courses.values() if one.run_id is not None]
        return runs[-1] if runs else None

    def show_action(self) -> None:
        """Draw the action as far as it is; a question that just appeared takes no key yet."""
        if self._phase is not self.action.phase:
            self._phase, self._chosen = self.action.phase, CANCEL
            if self._phase is Phase.ASKING:
                self.asked()
            elif self._phase is Phase.RUNNING and self.action.waits:
                self.set_interval(_WAIT_S, self._show_waiting)
        self.show()

    def _show_waiting(self) -> None:
        """Show how long what was sent to a host that is away still waits."""
        if self.action.phase is Phase.RUNNING:
            self.show()

    def copied(self) -> str:
        """Return the command line that does the same."""
        return command_line(self.action.plans[0].command) if self.action.plans else ""


_CHANGES, _TEXT, _ENTRIES = "diff", "text", "entries"
"""Details of a plan that hold the lines of a change: as such, one text to add, entries to go."""

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
    if action.phase in (Phase.PLANNING, Phase.ASKING) or not action.courses:
        lines += _plans(action, context, width, detailed=detailed)
    if action.phase is Phase.RUNNING or action.courses:
        lines += _planned(action, context, width, detailed=detailed)
        lines += _progress(action, context, width)
    if action.phase is Phase.DONE and action.outcomes and detailed:
        for outcome in action.outcomes.values():
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
    if action.phase is Phase.ASKING and action.spec.undo:
        yield from _wrapped(f"undo: {action.spec.undo}", width, Role.MUTED)
    if action.phase is Phase.PLANNING:
        for target in action.targets[len(action.plans) :]:
            yield (Span(f"{context.glyphs.dot} {target.name}", Role.MUTED),)


def _planned(action: Action, context: Context, width: int, *, detailed: bool) -> Iterator[Line]:
    """What was planned stays above what came of it."""
    if not action.courses:
        return
    todo = action.todo
    for place in todo:
        plan = action.plans[place]
        text = f"{context.glyphs.arrow} {literal(plan.message)}"
        yield from _wrapped(text, width, Role.MUTED)
        if len(todo) == 1:
            yield from _changes(plan, width, most=None if detailed else _MOST_CHANGES)
    yield ()


def _progress(action: Action, context: Context, width: int) -> Iterator[Line]:
    """Yield what was done: one target in full, of several one line each and their totals."""
    glyphs, todo = context.glyphs, action.todo
    is_one = len(action.targets) == 1
    for place in (place for place in range(len(action.targets)) if place not in todo):
        yield from _outcome(action.targets[place], action.plans[place], context, width)
    for place in todo:
        target, course = action.targets[place], action.courses.get(place)
        if place in action.outcomes and course is not None:
            outcome = action.outcomes[place]
            if is_one:
                yield from _ended(target, outcome, course, context, width)
            else:
                yield _short(target, outcome, context, width)
        elif course is not None and action.phase is Phase.RUNNING:
            if action.is_waiting(place):
                yield _waiting(action, place, course, context)
            else:
                yield from _running(target, course, context, width)
        else:
            yield (Span(f"{glyphs.skipped} {literal(target.name)}  not begun", Role.MUTED),)
    if not is_one and action.phase is Phase.DONE:
        yield from ((), (Span(_totals(action), Role.STRONG),))
    yield from _afterwards(action, width)


def _waiting(action: Action, place: int, course: Series, context: Context) -> Line:
    """Return that a target waits for its host, and when it gives up."""
    left = max(int((action.within - course.passed).total_seconds()), 0)
    age = figures.age(context.since(action.waits[place]))
    dot = context.glyphs.dot
    return (
        Span(f"{context.glyphs.off} ", Role.WARNING),
        Span(literal(action.targets[place].name)),
        Span("  waits", Role.WARNING),
        Span(f"  away {age} {dot} gives up in {left // 60}:{left % 60:02d}", Role.MUTED),
    )


def _running(target: Target, course: Series, context: Context, width: int) -> Iterator[Line]:
    counted = "" if course.counted is None else f"  {course.counted[0]:,} of {course.counted[1]:,}"
    yield (
        Span(f"{context.glyphs.running} ", Role.ACCENT),
        Span(literal(target.name)),
        Span(counted, Role.MUTED),
    )
    for line in step_lines(course.steps, context.glyphs, width - 2):
        yield (Span("  "), *line)


def _ended(
    target: Target, outcome: Outcome, course: Series, context: Context, width: int
) -> Iterator[Line]:
    """Yield head, steps, proof, and what is said of it."""
    head, *rest = _outcome(target, outcome, context, width)
    yield head
    account = course.account
    if account is not None and (len(account.steps) > 1 or course.steps):
        for line in step_lines(account.steps, context.glyphs, width - 2):
            yield (Span("  "), *line)
    if account is not None and account.proof is not None and _is_news(account.proof):
        for line in proof_lines(account.proof, context.glyphs, width - 2):
            yield (Span("  "), *line)
    yield from rest


def _is_news(proof: Proof) -> bool:
    """Whether it says more than the files that are listed anyway."""
    return proof.verdict is not Verdict.WRITTEN


def _short(target: Target, outcome: Outcome, context: Context, width: int) -> Line:
    """Return one target in one line."""
    [head, *_] = _outcome(target, outcome, context, width)
    line = (*head, Span(f"  {literal(outcome.message)}", Role.MUTED))
    return cut_line(line, width, ellipsis=context.glyphs.ellipsis)


def _totals(action: Action) -> str:
    """Return how many targets ended how, and what they took together."""
    planned = [plan for place, plan in enumerate(action.plans) if place not in action.todo]
    counts = Counter(status_of(one) for one in (*action.outcomes.values(), *planned))
    parts = [f"{counts[word]} {word}" for word in ("done", "skipped", "failed") if counts[word]]
    if left := len(action.todo) - len(action.outcomes):
        parts.append(f"{left} not begun")
    took = figures.took(sum(one.duration_ms or 0 for one in action.outcomes.values()))
    return ", ".join(parts) + (f" in {took}" if action.outcomes else "")


def _afterwards(action: Action, width: int) -> Iterator[Line]:
    """Yield where it is kept, and what can be done about it."""
    if action.phase is not Phase.DONE:
        return
    courses = action.courses.values()
    kept = [course.run_id for course in courses if course.run_id is not None]
    done = [one for one in action.outcomes.values() if status_of(one) == "done"]
    if kept or (done and action.spec.undo):
        yield ()
    if kept:
        runs = f"run {kept[0]}" if len(kept) == 1 else f"runs {kept[0]} to {kept[-1]}"
        yield from _wrapped(f"kept as {runs}", width, Role.MUTED)
    elif any(course.account is not None for course in courses):
        yield from _wrapped("not kept: the run log cannot be written", width, Role.WARNING)
    if done and action.spec.undo:
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
    lines = _changed(outcome)
    for line in lines[:most]:
        text = literal(line)
        role = _CHANGE_ROLES.get(text[:1], Role.MUTED)
        yield (Span("  "), Span(cells.cut(text, width - 2), role))
    if most is not None and len(lines) > most:
        yield (Span(f"  {len(lines) - most:,} more lines behind [ more ]", Role.MUTED),)


def _changed(outcome: Outcome) -> list[str]:
    """Return the text itself: what comes behind a plus, what goes behind a minus."""
    lines, text = outcome.details.get(_CHANGES), outcome.details.get(_TEXT)
    entries = outcome.details.get(_ENTRIES)
    if isinstance(lines, list):
        return [str(line) for line in lines]
    if isinstance(text, str):
        return [f"+ {line}" for line in text.splitlines()]
    if not isinstance(entries, list):
        return []
    texts = [str(one.get(_TEXT) or "") for one in entries if isinstance(one, dict)]
    return [f"- {line}" for text in texts for line in text.splitlines()]


def _details(outcome: Outcome, width: int) -> Iterator[Line]:
    for name, value in outcome.details.items():
        if name in (_CHANGES, _TEXT, _ENTRIES):
            continue
        yield from _indented(f"{literal(name)}: {literal(str(value))}", width, Role.MUTED)


def _indented(text: str, width: int, role: Role) -> Iterator[Line]:
    for piece in cells.wrap(text, max(width - 2, 8)):
        yield (Span("  "), Span(piece, role))


def _wrapped(text: str, width: int, role: Role) -> Iterator[Line]:
    for piece in cells.wrap(literal(text), width):
        yield (Span(piece, role),)
