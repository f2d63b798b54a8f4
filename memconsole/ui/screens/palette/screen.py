"""The palette: every command, screen and theme by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on

from memconsole.lazy_dataclass import dataclass
from memconsole.ui.drawing.listing import Listing
from memconsole.ui.drawing.spans import Cell, Column, Role, Row, Span
from memconsole.ui.keys import bind
from memconsole.ui.screens.base import Dialog
from memconsole.ui.widgets.line_input import LineInput
from memconsole.ui.widgets.pane import Pane

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.widgets import Input

    from memconsole.ui.drawing.glyphs import Glyphs

_COLUMNS = (Column("", 14, flex=1, most=22), Column("", 5), Column("", 20, flex=3))
_WIDTH = 84
_ROWS = 16


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing to do.

    Attributes:
        action: Action of the screen the palette was opened on, or of the app.
        refusal: Why it cannot be done now; shown instead of the help.
    """

    name: str
    key: str
    help: str
    action: str
    refusal: str = ""


def ranked(entries: tuple[Entry, ...], query: str) -> tuple[Entry, ...]:
    """Return the entries that resemble the query, best first; all of them for an empty one."""
    from rapidfuzz import fuzz, process, utils  # noqa: PLC0415 - only for who opens the palette

    if not utils.default_process(query):
        return entries if not query.strip() else ()
    hits = process.extract(
        query,
        [f"{entry.name} {entry.help}" for entry in entries],
        scorer=fuzz.partial_token_set_ratio if " " in query else fuzz.partial_ratio,
        processor=utils.default_process,
        limit=len(entries),
        score_cutoff=70,
    )
    begins = query.strip().casefold()
    order = sorted(hits, key=lambda hit: (not entries[hit[2]].name.startswith(begins), -hit[1]))
    return tuple(entries[place] for _, _, place in order)


class PaletteScreen(Dialog[str | None]):
    """A line to type in and the list of what it may mean; returns the action chosen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("escape", "back", "close", "Close without doing anything", name="back", show=True),
        bind("enter", "choose", "do it", "Do what the cursor is on", name="choose", show=True),
        bind("up", "move(-1)", "up", "One line up", name="up"),
        bind("down", "move(1)", "down", "One line down", name="down"),
        bind("pageup", "move(-10)", "page up", "Ten lines up", name="page-up"),
        bind("pagedown", "move(10)", "page down", "Ten lines down", name="page-down"),
    ]

    def __init__(self, entries: tuple[Entry, ...], glyphs: Glyphs) -> None:
        super().__init__("palette")
        self._entries = entries
        self._shown = entries
        self._dialog = Pane("dialog", glyphs=glyphs, always_active=True)
        self._field = LineInput("query", placeholder="what to do")

    def compose(self) -> ComposeResult:
        """Yield the line and the list."""
        with self._dialog:
            yield self._field

    def on_mount(self) -> None:
        """Give the line the keys."""
        self._field.focus()
        self._show()
        self.on_resize()

    def on_resize(self) -> None:
        """Fit the screen."""
        box = self._dialog
        box.styles.width = min(_WIDTH, max(self.size.width - 2, 10))
        box.styles.height = min(_ROWS + 3, max(self.size.height - 2, 4))

    def _show(self) -> None:
        self._dialog.show(
            Listing(
                title="Commands",
                age="enter does it",
                columns=_COLUMNS,
                fixed=((Span("> ", Role.ACCENT),),),
                rows=tuple(_row(number, entry) for number, entry in enumerate(self._shown)),
                empty=("nothing is called that",),
            )
        )

    @on(LineInput.Changed)
    def query_changed(self, event: Input.Changed) -> None:
        """Rank while typing; the best stands under the cursor."""
        self._shown = ranked(self._entries, event.value)
        self._show()
        self._dialog.action_first()

    @on(LineInput.Submitted)
    def submitted(self) -> None:
        """Do what the cursor is on."""
        self.action_choose()

    def action_choose(self) -> None:
        """Close, and do what the cursor is on."""
        number = self._dialog.place.number
        self.dismiss(None if number is None else self._shown[number].action)

    def action_move(self, step: int) -> None:
        """Move the cursor while the line keeps the keys."""
        self._dialog.action_move(step)

    def action_back(self) -> None:
        """Close without doing anything."""
        self.dismiss(None)


def _row(number: int, entry: Entry) -> Row:
    role = Role.MUTED if entry.refusal else Role.PLAIN
    return Row(
        key=f"{number}-{entry.action}",
        cells=(
            Cell(entry.name, role),
            Cell(entry.key, Role.ACCENT),
            Cell(entry.refusal or entry.help, Role.MUTED),
        ),
        value=entry.name,
    )
