"""What consolidation would do, for people (mission §20)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.cli import shape
from memconsole.cli.paper import Cell, Column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memconsole.cli.paper import Paper
    from memconsole.domain.consolidation import ConsolidationPreview
    from memconsole.domain.decay import Decayed
    from memconsole.domain.promotion import Proposal


def previews(paper: Paper, found: Sequence[ConsolidationPreview]) -> None:
    """Write a section for each memory."""
    for one in found:
        _preview(paper, one)
    if not found:
        paper.write("No agents.")


def _preview(paper: Paper, one: ConsolidationPreview) -> None:
    agent = paper.text(one.agent.id)
    paper.title(agent, f"observations: {one.tokens_before:,} of {one.token_target:,} tokens")
    left = f"could be archived, which leaves {one.tokens_after:,} tokens"
    for lines, words, option in (
        (one.archived, left, "--apply"),
        (one.high, "with 🔴 could go as well", "--apply-high"),
    ):
        if lines:
            paper.write(f"{shape.plural(len(lines), 'line')} {words}:")
            _lines(paper, lines)
            paper.write(Cell(f"memconsole consolidate --agent {agent} {option}", "dim"))
    if one.proposals:
        notes = shape.plural(len(one.proposals), "daily note")
        paper.write(f"{notes} could go into MEMORY.md:")
        _proposals(paper, one.proposals)
        paper.write(Cell(f"memconsole memory promote ID --agent {agent} (or decline)", "dim"))
    if one.is_empty:
        paper.write("Nothing has decayed, and nothing is proposed.")
    for note in one.notes:
        paper.sentence(Cell("note  ", "warn"), paper.text(note))


def _lines(paper: Paper, lines: Sequence[Decayed]) -> None:
    columns = (
        Column("id"),
        Column("score", right=True),
        Column("days", right=True, rank=1),
        Column("line", cut="end", least=20),
    )
    rows: list[list[Cell | str]] = [
        [
            paper.text(one.id),
            f"{one.score:.1f}",
            "?" if one.age_days is None else str(one.age_days),
            paper.text(one.text),
        ]
        for one in lines
    ]
    paper.table(columns, rows)


def _proposals(paper: Paper, proposals: Sequence[Proposal]) -> None:
    columns = (
        Column("id"),
        Column("score", right=True),
        Column("found", right=True),
        Column("questions", right=True, rank=2),
        Column("days", right=True, rank=2),
        Column("place", cut="middle", least=14, rank=1),
        Column("note", cut="end", least=20),
    )
    rows: list[list[Cell | str]] = [
        [
            one.id,
            f"{one.score:.2f}",
            str(one.finds),
            str(one.queries),
            str(one.days),
            paper.text(f"{one.path}:{one.line}"),
            paper.text(one.text.removeprefix("- ")),
        ]
        for one in proposals
    ]
    paper.table(columns, rows)
