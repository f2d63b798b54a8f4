"""The account of a run in lines: each step with its time, what was left out, and the proof."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.commands.steps import NOT_DONE, RUNNING, Verdict
from memconsole.text import figures
from memconsole.ui.drawing import cells
from memconsole.ui.drawing.literal import literal
from memconsole.ui.drawing.spans import Role, Span
from memconsole.ui.screens.jobs.activity import status_sign

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memconsole.domain.commands.steps import Proof, Step
    from memconsole.ui.drawing.glyphs import Glyphs
    from memconsole.ui.drawing.spans import Line

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
