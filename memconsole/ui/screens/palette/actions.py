"""The list behind `a`: what one screen alone can do, each with its letter.

What cannot work now is dimmed with its reason. It takes keys from its first moment: `a` and a
letter are typed as one word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.actions import parse

from memconsole.lazy_dataclass import dataclass
from memconsole.text import cells
from memconsole.ui.drawing.listing import Listing
from memconsole.ui.drawing.spans import Cell, Column, Role, Row
from memconsole.ui.keys import bind
from memconsole.ui.screens.base import Dialog
from memconsole.ui.widgets.pane import Pane

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from memconsole.ui.drawing.glyphs import Glyphs
    from memconsole.ui.keys import Verb
    from memconsole.ui.screens.base import ConsoleScreen

_COLUMNS = (Column("", 2), Column("", 8, flex=1, most=16), Column("", 20, flex=3))
_WIDTH = 76


@dataclass(frozen=True, slots=True)
class Offer:
    """A verb of a screen.

    Attributes:
        refusal: Why it cannot work now; empty when it can.
    """

    verb: Verb
    refusal: str


def offers(screen: ConsoleScreen) -> tuple[Offer, ...]:
    """Return what a screen alone can do now, and what of it cannot work."""
    found = []
    for verb in screen.actions():
        _, name, parameters = parse(verb.action)
        found.append(Offer(verb, screen.why_not(name, parameters) or ""))
    return tuple(found)


def _row(offer: Offer) -> Row:
    role = Role.MUTED if offer.refusal else Role.PLAIN
    return Row(
        key=offer.verb.name,
        cells=(
            Cell(offer.verb.key, Role.MUTED if offer.refusal else Role.ACCENT),
            Cell(offer.verb.title, role),
            Cell(f"not now: {offer.refusal}" if offer.refusal else offer.verb.help, role),
        ),
        value=offer.verb.help,
    )


class ActionsScreen(Dialog["str | None"]):
    """Lists the actions of a screen; returns the one that was chosen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("escape", "back", "close", "Close without doing anything", name="back"),
        bind("enter", "choose", "do it", "Do what the cursor is on", name="choose"),
    ]

    def __init__(self, offered: tuple[Offer, ...], where: str, glyphs: Glyphs) -> None:
        super().__init__("actions")
        self._offers = {one.verb.key: one for one in offered}
        self._where = where
        self._glyphs = glyphs
        self._dialog = Pane("dialog", glyphs=glyphs)

    def compose(self) -> ComposeResult:
        """Yield the list."""
        yield self._dialog

    def on_mount(self) -> None:
        """Show the list."""
        self._show()
        self._dialog.focus()
        self.on_resize()

    def on_resize(self) -> None:
        """Fit the screen."""
        self._dialog.styles.width = min(_WIDTH, max(self.size.width - 2, 10))
        self._dialog.styles.height = min(len(self._offers) + 2, max(self.size.height - 2, 3))

    def _show(self, problem: str = "") -> None:
        self._dialog.show(
            Listing(
                title="Actions",
                about=f"{self._glyphs.dot} {cells.cut(self._where, 40)}",
                age="esc closes",
                columns=_COLUMNS,
                rows=tuple(_row(one) for one in self._offers.values()),
                problem=problem,
            )
        )

    # ---- keys ----------------------------------------------------------------------------

    def type_ahead(self, letter: str) -> None:
        """Do what a letter stands for; say so when it stands for nothing."""
        offer = self._offers.get(letter)
        if offer is not None:
            self._choose(offer)
        elif letter not in self.active_bindings:
            self._show(f"{letter}: no such action here")

    def action_choose(self) -> None:
        """Do what the cursor is on."""
        number = self._dialog.place.number
        if number is not None:
            self._choose(tuple(self._offers.values())[number])

    @on(Pane.Opened)
    def chosen_by_mouse(self) -> None:
        """A second click does it, as Enter does."""
        self.action_choose()

    def _choose(self, offer: Offer) -> None:
        """Leave it to the screen, which also says why it cannot do it now."""
        self.dismiss(offer.verb.action)

    def action_back(self) -> None:
        """Close without doing anything."""
        self.dismiss(None)
