"""Reads a memory file for the screen, in a thread: its text, or its entries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.lazy_dataclass import dataclass
from memconsole.ui.screens.memory.file import View, read_entries, read_file

if TYPE_CHECKING:
    from memconsole.engine.engine import Engine
    from memconsole.ui.screens.memory.file import File


@dataclass(frozen=True, slots=True)
class Wanted:
    """A file, and how it shall be shown.

    Attributes:
        is_beside: It was found beside the workspace, in a folder of `search.extra_paths`.
    """

    agent_id: str
    path: str
    view: View
    is_beside: bool

    def read(self, engine: Engine, width: int) -> File | None:
        """Return it for a width in cells; None when it is gone.

        Raises:
            MemconsoleError: It cannot be read.
        """
        if self.view is View.ENTRIES:
            return read_entries(engine.memory.entries(self.agent_id, self.path))
        if self.is_beside:
            text = "\n".join(engine.search.lines(self.agent_id, self.path)) or None
        else:
            text = engine.memory.text(self.agent_id, self.path)
        return read_file(text, self.path, width, is_plain=self.view is View.PLAIN)
