"""Asks what to write down, and where: a text, its layer, marker and heading."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Final

from textual import on

from memconsole.domain.commands.memory import Layer
from memconsole.domain.memory.edits import DEFAULT_SECTION
from memconsole.domain.memory.files import MARKER_TAGS
from memconsole.lazy_dataclass import dataclass
from memconsole.text import cells
from memconsole.ui.drawing.listing import Listing
from memconsole.ui.drawing.spans import Role, Span
from memconsole.ui.keys import bind
from memconsole.ui.screens.base import Dialog
from memconsole.ui.widgets.line_input import LineInput
from memconsole.ui.widgets.pane import Pane

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from memconsole.domain.commands.command import CommandSpec
    from memconsole.ui.drawing.glyphs import Glyphs
    from memconsole.ui.drawing.spans import Line

_WIDTH: Final = 76
_FIELDS: Final = ("text", "where", "marker", "heading")
_LABEL: Final = 9

_PLACES: Final = {
    Layer.LONG: ("MEMORY.md", "durable facts and decisions; every session of yours loads it"),
    Layer.USER: ("USER.md", "about you: preferences, names, how you like things done"),
    Layer.DAILY: ("today's log", "what matters for now; search finds it, nothing loads it"),
}
"""Where something goes, and what belongs there."""

_LESSONS: Final = "Lessons about tools go into AGENTS.md or TOOLS.md, by hand."


@dataclass(frozen=True, slots=True)
class Note:
    """What shall be written down.

    Attributes:
        tag: One of the eight markers; None for none.
        section: Heading in MEMORY.md or USER.md.
    """

    text: str
    layer: Layer
    tag: str | None
    section: str

    def spec(self, usual: CommandSpec) -> CommandSpec:
        """Return the command of the catalogue with everything that was said."""
        given = {
            "text": self.text,
            "layer": self.layer,
            "tag": self.tag,
            "section": self.section,
        }
        return replace(usual, about="", given=given)


class _Form(Pane, can_focus=False, inherit_bindings=False):
    """A frame around fields: it has no rows, so that no key of a list moves about in it."""


class NoteScreen(Dialog[Note | None]):
    """A form of four lines; returns what was said, None when it was left."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("escape", "back", "close", "Close; nothing is written", name="back", show=True),
        bind("enter", "done", "plan", "Go on to the plan, which asks", name="done", show=True),
        bind("down,tab", "field(1)", "next", "The next line", name="next-field"),
        bind("up,shift+tab", "field(-1)", "previous", "The line before", name="previous-field"),
        bind("right,space", "choose(1)", "other", "The next choice", name="choose"),
        bind("left", "choose(-1)", "other", "The choice before", name="choose-back"),
    ]

    def __init__(self, whose: str, glyphs: Glyphs) -> None:
        super().__init__("note")
        self._whose = whose
        self._glyphs = glyphs
        self._at = 0
        self._layer = Layer.LONG
        self._tag: str | None = None
        self._complaint = ""
        self._dialog = _Form("dialog", glyphs=glyphs, always_active=True)
        self._text = LineInput("note-text", placeholder="what to remember")
        self._heading = LineInput("note-heading", value=DEFAULT_SECTION)

    def compose(self) -> ComposeResult:
        """Yield the form."""
        with self._dialog:
            yield self._text
            yield self._heading

    def on_mount(self) -> None:
        """Give the text the keys."""
        self._text.focus()
        self.on_resize()

    def on_resize(self) -> None:
        """Fit the screen."""
        self._dialog.styles.width = min(_WIDTH, max(self.size.width - 2, 10))
        self._show()

    def _show(self) -> None:
        width = min(_WIDTH, max(self.size.width - 2, 10)) - 6
        lines = [*self._lines(), (), *self._help(width)]
        self._heading.display = self._layer is not Layer.DAILY
        self._dialog.styles.height = min(len(lines) + 2, max(self.size.height - 2, 4))
        self._dialog.show(
            Listing(
                title=f"Add to the memory of {self._whose}",
                age="esc closes",
                fixed=tuple(lines),
            )
        )

    def _lines(self) -> list[Line]:
        tag = "none" if self._tag is None else self._tag
        heading = "" if self._layer is not Layer.DAILY else "none: a log of a day has its clock"
        values = ("", _PLACES[self._layer][0], tag, heading)
        found: list[Line] = []
        for place, (name, value) in enumerate(zip(_FIELDS, values, strict=True)):
            sign = self._glyphs.cursor if place == self._at else " "
            is_choice = place == self._at and name in ("where", "marker")
            more = "   left, right: another" if is_choice else ""
            role = Role.STRONG if place == self._at else Role.PLAIN
            found.append(
                (
                    Span(f"{sign} ", Role.ACCENT),
                    Span(f"{name:<{_LABEL}}", Role.MUTED),
                    Span(value, role),
                    Span(more, Role.MUTED),
                )
            )
        return found

    def _help(self, width: int) -> list[Line]:
        if self._complaint:
            return [(Span("  "), Span(self._complaint, Role.WARNING))]
        place, belongs = _PLACES[self._layer]
        texts = (f"{place}: {belongs}.", _LESSONS, "Enter shows the plan first.")
        pieces = (piece for text in texts for piece in cells.wrap(text, max(width - 2, 8)))
        return [(Span("  "), Span(piece, Role.MUTED)) for piece in pieces]

    # ---- keys ----------------------------------------------------------------------------

    def action_field(self, step: int) -> None:
        """Go to another line of the form."""
        count = len(_FIELDS) - (self._layer is Layer.DAILY)
        self._at = (self._at + step) % count
        fields = {0: self._text, 3: self._heading}
        self.set_focus(fields.get(self._at))
        self._show()

    def action_choose(self, step: int) -> None:
        """Take another choice of this line."""
        if _FIELDS[self._at] == "where":
            layers = tuple(Layer)
            self._layer = layers[(layers.index(self._layer) + step) % len(layers)]
        elif _FIELDS[self._at] == "marker":
            tags = (None, *MARKER_TAGS)
            self._tag = tags[(tags.index(self._tag) + step) % len(tags)]
        self._show()

    @on(LineInput.Changed)
    def complain_no_more(self) -> None:
        """Take a complaint away once something is typed."""
        if self._complaint:
            self._complaint = ""
            self._show()

    @on(LineInput.Submitted)
    def action_done(self) -> None:
        """Close with what was said, when there is something."""
        text = self._text.value.strip()
        if not text:
            self._complaint = "there is nothing to remember yet: type it in the first line"
            self._at = 0
            self._text.reopen()
            self._show()
            return
        section = self._heading.value.strip() or DEFAULT_SECTION
        self.dismiss(Note(text, self._layer, self._tag, section))

    def action_back(self) -> None:
        """Close; nothing is written."""
        self.dismiss(None)
