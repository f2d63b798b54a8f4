"""Files and entries of a memory for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.cli import shape
from memconsole.cli.paper import Cell, Column
from memconsole.domain.sizes import size_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memconsole.cli.paper import Paper
    from memconsole.domain.entries import MemoryEntry
    from memconsole.domain.memory import Pool


def files(paper: Paper, pool: Pool) -> None:
    """Write the files of one memory."""
    if not pool.items:
        paper.write("No memory files.")
        return
    columns = (
        Column("file", cut="middle", least=20),
        Column("size", right=True),
        Column("~tokens", right=True),
        Column("modified", right=True, rank=1),
    )
    rows: list[list[Cell | str]] = [
        [
            Cell(paper.text(one.path), "" if one.is_counted else "dim"),
            size_words(one.size_bytes),
            shape.count(one.tokens),
            shape.age(one.modified_at, paper.now),
        ]
        for one in pool.items
    ]
    paper.table(columns, rows)


def entries(paper: Paper, found: Sequence[MemoryEntry]) -> None:
    """Write entries, each with the id that `memory forget` takes."""
    if not found:
        paper.write("No entries.")
        return
    columns = (
        Column("id"),
        Column("place", cut="middle", least=14, rank=1),
        Column("text", cut="end", least=20),
    )
    rows: list[list[Cell | str]] = [
        [one.id, paper.text(f"{one.path}:{one.line}"), paper.text(one.text)] for one in found
    ]
    paper.table(columns, rows)
