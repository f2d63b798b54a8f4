"""The settings for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.cli.paper import Cell, Column

if TYPE_CHECKING:
    from pathlib import Path

    from memconsole.cli.paper import Paper
    from memconsole.config.show import SettingRow

_COLUMNS = (
    Column("key"),
    Column("value", cut="middle", least=12),
    Column("from", cut="middle", least=10, rank=1),
)


def settings(paper: Paper, file: Path | None, rows: tuple[SettingRow, ...]) -> None:
    """Write where the file is, then every setting with its value and its source."""
    state = "" if file is not None and file.exists() else "  (does not exist; all defaults)"
    paper.write(paper.text(str(file)), Cell(state, "dim"))
    paper.gap()
    cells: list[list[Cell | str]] = [
        [row.key, paper.text(row.text), Cell(paper.text(row.source), "dim")] for row in rows
    ]
    paper.table(_COLUMNS, cells)
