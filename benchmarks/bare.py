"""The least that a Textual app with a table can be: what the console is measured against.

`u` changes one cell, as a session file that changed does in the console.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import App
from textual.widgets import DataTable

if TYPE_CHECKING:
    from textual.app import ComposeResult

FIRST_CELL = "conversation 0"


class Bare(App[None]):
    """One table of forty rows."""

    def __init__(self) -> None:
        super().__init__()
        self._changes = 0

    def compose(self) -> ComposeResult:
        """Yield the table."""
        yield DataTable()

    def on_mount(self) -> None:
        """Fill the table."""
        table = self.query_one(DataTable)
        for name in ("session", "tokens", "of", "state", "age"):
            table.add_column(name, key=name)
        for row in range(40):
            table.add_row(f"conversation {row}", "152.0K", "150K", "DUE", "4 min", key=str(row))

    def key_u(self) -> None:
        """Change one cell; the new text is as wide as the old one."""
        self._changes += 1
        self.query_one(DataTable).update_cell("0", "tokens", f"{153 + self._changes}.1K")


if __name__ == "__main__":
    Bare().run()
