"""The keys of the screen one came from, generated from what is bound there now."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar, Final

from memconsole.ui.drawing.listing import Listing
from memconsole.ui.drawing.spans import Cell, Column, Role, Row
from memconsole.ui.keys import bind, key_name
from memconsole.ui.screens.base import Dialog
from memconsole.ui.widgets.pane import Pane

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.app import ComposeResult
    from textual.binding import ActiveBinding, Binding, BindingType

    from memconsole.ui.drawing.glyphs import Glyphs
    from memconsole.ui.screens.palette.actions import Offer

_COLUMNS = (Column("key", 12), Column("does", 24, flex=1))
_WIDTH = 76


class Purpose(StrEnum):
    """What a key is for, in the order of the list."""

    ACT = "Act"
    HERE = "On this screen"
    OPEN = "Open"
    VIEW = "View"
    MOVE = "Move and find"
    CONSOLE = "Console"


_NAMED: Final = {
    Purpose.ACT: "undo host mark actions",
    Purpose.OPEN: "open observations checkpoints memory bootstrap consolidation jobs health "
    "findings finding log",
    Purpose.VIEW: "maximise sort copy freeze refresh slower faster",
    Purpose.MOVE: "search next previous up down page-up page-down first last next-panel"
    " previous-panel",
    Purpose.CONSOLE: "palette help back quit interrupt suspend",
}
"""Ids of bindings; a command acts, and what is not named belongs to the screen alone."""

_PURPOSES: Final = {name: purpose for purpose, names in _NAMED.items() for name in names.split()}


def purpose_of(binding: Binding) -> Purpose:
    """Return what a key is for."""
    if binding.action.startswith("command("):
        return Purpose.ACT
    if binding.action.startswith("panel("):
        return Purpose.MOVE
    return _PURPOSES.get(binding.id or "", Purpose.HERE)


def help_rows(bindings: Iterable[ActiveBinding], offered: Iterable[Offer] = ()) -> tuple[Row, ...]:
    """Return one row for each thing a key does, by purpose; keys that do the same share it."""
    keys: dict[str, list[str]] = {}
    first: dict[str, ActiveBinding] = {}
    for active in bindings:
        name = active.binding.id or active.binding.action
        shown = active.binding.key_display or key_name(active.binding.key)
        if shown not in keys.setdefault(name, []):
            keys[name].append(shown)
        first.setdefault(name, active)
    grouped: dict[Purpose, list[Row]] = {purpose: [] for purpose in Purpose}
    for name, active in first.items():
        if active.binding.tooltip or active.binding.description:
            grouped[purpose_of(active.binding)].append(_row(name, active, keys[name]))
    grouped[Purpose.HERE] += [_offer_row(one) for one in offered]
    found: list[Row] = []
    for purpose, rows in grouped.items():
        found += [_heading(purpose), *rows] if rows else []
    return tuple(found)


def _heading(purpose: Purpose) -> Row:
    return Row(purpose.name, (Cell(), Cell(purpose.value, Role.STRONG)), is_heading=True)


def _row(name: str, active: ActiveBinding, keys: Iterable[str]) -> Row:
    text = active.binding.tooltip or active.binding.description
    role = Role.PLAIN if active.enabled else Role.MUTED
    prefix = "" if active.enabled else "not now: "
    return Row(
        key=name,
        cells=(Cell(" ".join(keys), Role.ACCENT), Cell(f"{prefix}{text}", role)),
        value=text,
    )


def _offer_row(offer: Offer) -> Row:
    role = Role.MUTED if offer.refusal else Role.PLAIN
    prefix = "not now: " if offer.refusal else ""
    text = offer.verb.help
    cells = (Cell(offer.verb.keys, Role.ACCENT), Cell(f"{prefix}{text}", role))
    return Row(key=offer.verb.name, cells=cells, value=text)


class HelpScreen(Dialog[None]):
    """Lists keys; any of Esc, ? and Enter closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("escape,question_mark,enter,q", "back", "close", "Close the help", name="back")
    ]

    def __init__(
        self,
        bindings: tuple[ActiveBinding, ...],
        offered: tuple[Offer, ...],
        where: str,
        glyphs: Glyphs,
    ) -> None:
        super().__init__("help")
        self._rows = help_rows(bindings, offered)
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
        self.call_after_refresh(pane.action_first)  # the heading above it shows as well

    def on_resize(self) -> None:
        """Fit the screen."""
        pane = self._dialog
        pane.styles.width = min(_WIDTH, max(self.size.width - 2, 10))
        pane.styles.height = min(len(self._rows) + 3, max(self.size.height - 2, 3))

    def action_back(self) -> None:
        """Close the help."""
        self.dismiss()
