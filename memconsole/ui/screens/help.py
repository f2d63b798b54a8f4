"""The keys of the screen one came from, generated from what is bound there now."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from memconsole.ui.keys import bind, key_name
from memconsole.ui.listing import Listing
from memconsole.ui.screens.dialog import Dialog
from memconsole.ui.spans import Cell, Column, Role, Row
from memconsole.ui.widgets.pane import Pane

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.app import ComposeResult
    from textual.binding import ActiveBinding, BindingType

    from memconsole.ui.glyphs import Glyphs

_COLUMNS = (Column("key", 12), Column("does", 24, flex=1))
_WIDTH = 76


def help_rows(bindings: Iterable[ActiveBinding]) -> tuple[Row, ...]:
    """Return one row for each thing a key does; keys that do the same share it."""
    keys: dict[str, list[str]] = {}
    first: dict[str, ActiveBinding] = {}
    for active in bindings:
        name = active.binding.id or active.binding.action
        shown = active.binding.key_display or key_name(active.binding.key)
        if shown not in keys.setdefault(name, []):
            keys[name].append(shown)
        first.setdefault(name, active)
    rows = []
    # What is special here comes first; moving about, which every list knows, comes last.
    for name, active in sorted(first.items(), key=lambda pair: _rank(pair[1])):
        text = active.binding.tooltip or active.binding.description
        if not text:
            continue
        role = Role.PLAIN if active.enabled else Role.MUTED
        prefix = "" if active.enabled else "not now: "
        rows.append(
            Row(
                key=name,
                cells=(Cell(" ".join(keys[name]), Role.ACCENT), Cell(f"{prefix}{text}", role)),
                value=text,
            )
        )
    return tuple(rows)


def _rank(active: ActiveBinding) -> int:
    if active.binding.action.startswith("command("):
        return 0
    if active.binding.action.startswith("app."):
        return 2
    return 3 if isinstance(active.node, Pane) else 1


class HelpScreen(Dialog[None]):
    """Lists keys; any of Esc, ? and Enter closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("escape,question_mark,enter,q", "back", "close", "Close the help", name="back")
    ]

    def __init__(self, bindings: tuple[ActiveBinding, ...], where: str, glyphs: Glyphs) -> None:
        super().__init__("help")
        self._rows = help_rows(bindings)
        self._where = where
        self._glyphs = glyphs
        self._dialog = Pane("dialog", glyphs=glyphs)

    def compose(self) -> ComposeResult:
        """Yield the list."""
        yield self._dialog

    def on_mount(self) -> None:
        """Show the keys."""
        pane = self._dialog
        pane.show(
            Listing(
                title="Keys",
                about=f"{self._glyphs.dot} {self._where}",
                age="esc closes",
                columns=_COLUMNS,
                rows=self._rows,
            )
        )
        pane.focus()
        self.on_resize()

    def on_resize(self) -> None:
        """Fit the screen."""
        pane = self._dialog
        pane.styles.width = min(_WIDTH, max(self.size.width - 2, 10))
        pane.styles.height = min(len(self._rows) + 3, max(self.size.height - 2, 3))

    def action_back(self) -> None:
        """Close the help."""
        self.dismiss()
