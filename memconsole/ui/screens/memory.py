"""The memory of one agent: its files to read, its entries to add to, forget and bring back."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from memconsole.domain.command_spec import Subject
from memconsole.ui.keys import bind, command_key, panel_keys
from memconsole.ui.refusals import is_read_only
from memconsole.ui.rows.advice import advised
from memconsole.ui.rows.file import View
from memconsole.ui.screens.memory_files import PANELS, FilesScreen
from memconsole.ui.targets import for_entries

if TYPE_CHECKING:
    from textual.binding import BindingType

    from memconsole.ui.targets import Target

_PICK = "select an entry first: e lists those of this file"


class MemoryScreen(FilesScreen):
    """The files of one workspace, and what can be done with what stands in them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        command_key("a", "memory add", "add", show=True),
        command_key("D", "memory forget", "forget", show=True),
        command_key("u", "memory undo", "undo", show=True),
        bind("e", "entries", "entries", "Its entries, and back", name="entries", show=True),
        bind("space", "mark", "mark", "Mark an entry", name="mark"),
        bind("E", "edit", "edit", "How to edit this file by hand", name="edit"),
        *panel_keys(PANELS),
        bind("p", "plain", "plain", "Rendered or plain text", name="plain"),
    ]

    # ---- keys ----------------------------------------------------------------------------

    def action_plain(self) -> None:
        """Show the file as it is written, or rendered."""
        self.turn(View.RENDERED if self._view is View.PLAIN else View.PLAIN)

    def action_entries(self) -> None:
        """Show the entries of the file, which can be forgotten, or the file again."""
        self.turn(View.RENDERED if self._view is View.ENTRIES else View.ENTRIES)
        if self._view is View.ENTRIES:
            self._visit("entries of", "show")

    def action_edit(self) -> None:
        """Say how the file is edited by hand: an editor needs the terminal for itself."""
        line = self._visit("how to edit", "edit")
        self.desk.copy(line)
        self.say(f"{line} opens your editor; the line is copied")

    def _visit(self, what: str, word: str) -> str:
        words = ("memory", word, self._path or "", "--agent", self._agent_id)
        return self.desk.history.add(self.desk.clock.now(), f"{what} {self._path}", *words)

    def action_open(self) -> None:
        """Go from a file, a marked line, an entry or an advice to its text."""
        pane, row = self.pane, None if self.pane is None else self.pane.row
        if pane is None or row is None:
            return
        entry = advised(self._advice, row.key) if pane.id == "advice" else None
        if entry is not None:
            self.turn(View.ENTRIES, entry.path, entry.id)
        elif pane.id == "markers":
            path, line = row.key.rsplit(":", 2)[:2]
            self.turn(View.PLAIN, path, f"{line}:0")
        elif pane.id == "file" and self._is_listed:
            self.turn(View.PLAIN, key=f"{row.cells[2].text}:0")
        else:
            self.action_panel(2)

    def _chosen(self) -> tuple[str, ...]:
        """Return the ids of the marked entries, else of the one under the cursor."""
        pane = self.pane
        if pane is None or pane.row is None:
            return ()
        if pane.id == "advice":
            entry = advised(self._advice, pane.row.key)
            return () if entry is None else (entry.id,)
        if pane.id != "file" or not self._is_listed:
            return ()
        marks = pane.place.marks or {pane.row.key}
        ids = (row.key.partition(" ")[0] for row in pane.place.rows if row.key in marks)
        return tuple(dict.fromkeys(ids))

    def why_not(self, action: str, parameters: tuple[object, ...]) -> str | None:
        """Add what only this screen knows."""
        reason = super().why_not(action, parameters)
        is_forget = action == "command" and parameters == ("memory forget",)
        if reason is None and is_forget and not self._chosen():
            return _PICK
        if action == "mark" and not (
            self.pane is not None and self.pane.id == "file" and self._is_listed
        ):
            return _PICK
        if action in ("entries", "edit", "plain") and self._path is None:
            return "select a file first"
        if action == "edit" and self.desk.settings.ui.read_only:
            return is_read_only("memory edit")
        return reason

    def targets(self, subject: Subject) -> tuple[Target, ...]:
        """Return the agent whose memory this is, or the entries that are chosen."""
        snapshot = self.desk.snapshot
        if snapshot is None or subject is not Subject.ENTRY:
            return super().targets(subject)
        return for_entries(snapshot, self._agent_id, self._chosen())
