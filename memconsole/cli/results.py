"""Outcomes for people: what was done, what was not, and what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.cli import shape
from memconsole.cli.encode_outcome import hint_of, session_key_of, wrote_of
from memconsole.cli.paper import Cell
from memconsole.domain.command_line import key_of, name_of
from memconsole.domain.outcomes import reason_of, status_of
from memconsole.domain.sizes import size_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memconsole.cli.paper import Paper
    from memconsole.domain.outcomes import Outcome

_STYLES = {"done": "ok", "planned": "title", "skipped": "warn", "failed": "due"}


def outcomes(paper: Paper, found: Sequence[Outcome], left_out: Mapping[str, int]) -> None:
    """Write every outcome of a batch."""
    for one in found:
        _outcome(paper, one)
    if not found:
        paper.write("Nothing to do.")
    below = left_out.get("below", 0)
    if below:
        paper.write(Cell(f"{shape.plural(below, 'session')} below the threshold.", "dim"))


def _outcome(paper: Paper, one: Outcome) -> None:
    status = status_of(one)
    reason = reason_of(one)
    key = key_of(one.command) or session_key_of(one)
    subject = (one.command.agent.id or name_of(one.command)) if key is None else key
    word = status if reason is None else f"{status} ({reason})"
    paper.write(
        Cell(paper.text(subject), "head"),
        "  ",
        Cell(word, _STYLES[status]),
        Cell(f"  {one.duration_ms} ms" if status == "done" else "", "dim"),
    )
    paper.write(f"  {paper.text(one.message)}")
    for file in wrote_of(one):
        verb = "would write" if status == "planned" else "wrote"
        paper.write(
            Cell(f"  {verb} ", "dim"), paper.text(file.path), f"  {size_words(file.size_bytes)}"
        )
    if hint := hint_of(one):
        paper.write(Cell(f"  {paper.text(hint)}", "dim"))
