"""How runs, their times and their accounts are drawn wherever they are listed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.agents import Origin
from memconsole.domain.commands.outcomes import NOT_DONE, RUNNING, Verdict
from memconsole.lazy_dataclass import dataclass
from memconsole.text import cells, figures
from memconsole.ui.drawing.literal import literal
from memconsole.ui.drawing.spans import Cell, Column, Role, Span

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from datetime import datetime

    from memconsole.domain.commands.outcomes import Proof, Run, Step
    from memconsole.ui.drawing.context import Context
    from memconsole.ui.drawing.glyphs import Glyphs
    from memconsole.ui.drawing.spans import Line


def who_began(run: Run, own: Collection[int]) -> str:
    """Return who began a run: `me` in this console, `job` by the scheduler, else the face."""
    if run.id in own:
        return "me"
    return "job" if run.job is not None or run.origin is Origin.SCHEDULER else run.origin.value


_FIRST = 100
"""Share of the room that is left, against those of `_COLUMNS`."""


@dataclass(frozen=True, slots=True)
class When:
    """A time that says as much as there is room for.

    Attributes:
        text: The time of today, day and time of any other day.
        short: The time of today, the day of any other.
    """

    text: str
    short: str

    def draw(self, width: int, glyphs: Glyphs, *, right: bool) -> Line:
        """Return the time in exactly `width` cells."""
        fits = cells.width(self.text) <= width
        cell = Cell(self.text if fits else self.short, Role.MUTED)
        return cell.draw(width, glyphs, right=right)


def when_column(times: Sequence[datetime], context: Context) -> Column:
    """Return the column of the times: it grows first, where days have to be told as well."""
    drawn = [when_cell(at, context) for at in times]
    least = max((cells.width(one.short) for one in drawn), default=0)
    most = max((cells.width(one.text) for one in drawn), default=0)
    return Column("", least, flex=_FIRST if least < most else 0, most=most, name="when")


def when_cell(at: datetime, context: Context) -> When:
    """Return a time for the screen."""
    return When(
        figures.moment(at, context.now, context.zone), figures.when(at, context.now, context.zone)
    )


def status_sign(status: str, glyphs: Glyphs) -> tuple[str, Role]:
    """Return the sign and role of a status word."""
    match status:
        case "done":
            return glyphs.done, Role.OK
        case "failed":
            return glyphs.failed, Role.DUE
        case "running":
            return glyphs.running, Role.ACCENT
        case _:
            return glyphs.skipped, Role.MUTED


_TIME = 8
_VERDICTS = {
    Verdict.PROVEN: ("done", "PROVEN"),
    Verdict.NOT_PROVEN: ("failed", "NOT PROVEN"),
    Verdict.UNSEEN: ("skipped", "NOT SEEN"),
    Verdict.WRITTEN: ("done", "WRITTEN"),
}


def step_lines(steps: Iterable[Step], glyphs: Glyphs, width: int) -> Iterator[Line]:
    """Yield one line a step, with more lines below it where its message is long."""
    listed = tuple(steps)
    room = max((cells.width(literal(one.name)) for one in listed), default=0)
    for one in listed:
        sign, role = status_sign("failed" if one.status == "unanswered" else one.status, glyphs)
        took = "" if one.duration_ms is None else figures.took(one.duration_ms)
        name = literal(one.name)
        head = (
            Span(f"{sign} ", role),
            Span(name + " " * (room - cells.width(name)), _role(one)),
            Span(f"{took:>{_TIME}}  ", Role.MUTED),
        )
        indent = 2 + room + _TIME + 2
        said = literal(one.message) or _WORDS.get(one.status, "")
        pieces = list(cells.wrap(said, max(width - indent, _LEAST))) or [""]
        for place, piece in enumerate(pieces):
            yield (*(head if place == 0 else (Span(" " * indent),)), Span(piece, _role(one)))


_LEAST = 12
_WORDS = {
    NOT_DONE: "not done",
    RUNNING: "running",
    "unanswered": "no answer came",
    "skipped": "skipped",
    "failed": "failed",
}


def _role(step: Step) -> Role:
    if step.status in ("failed", "unanswered"):
        return Role.WARNING
    return Role.MUTED if step.status in (NOT_DONE, "skipped") else Role.PLAIN


def proof_lines(proof: Proof | None, glyphs: Glyphs, width: int) -> Iterator[Line]:
    """Yield the verdict and both sides; nothing where there is nothing to prove."""
    if proof is None:
        return
    status, word = _VERDICTS[proof.verdict]
    sign, role = status_sign(status, glyphs)
    text = literal(proof.text)
    if cells.width(text) <= width - len(word) - 4:
        yield (Span(f"{sign} {word}", role), Span(f"  {text}"))
        return
    yield (Span(f"{sign} {word}", role),)
    for piece in cells.wrap(text, max(width - 2, _LEAST)):
        yield (Span("  "), Span(piece))
