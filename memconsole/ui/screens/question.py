"""A dialog that asks: it starts on Cancel, and takes no key that was typed before it was seen.

`y` does it, `n` and `Esc` do not, `Enter` presses the button that is lit. Over a slow connection
keys arrive in a bunch; those of the first moment were meant for what was there before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on

from memconsole.lazy_dataclass import dataclass
from memconsole.text import cells, figures
from memconsole.ui.drawing.listing import Listing, text_row
from memconsole.ui.drawing.literal import literal
from memconsole.ui.drawing.spans import Role, Span
from memconsole.ui.keys import bind
from memconsole.ui.screens.base import Dialog, Result
from memconsole.ui.widgets.line import TakesClicks
from memconsole.ui.widgets.pane import Pane

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from memconsole.ui.drawing.glyphs import Glyphs
    from memconsole.ui.drawing.spans import Line, Row

_MOST_WIDTH = 80
_FRAME = 6
"""Cells of frame, margin and gutter beside the text."""

_GAP = "  "
_WHEEL = 3


@dataclass(frozen=True, slots=True)
class Button:
    """Something to press.

    Attributes:
        name: What `Question.pressed` is told.
        title: What it says; a letter that presses it as well comes first.
    """

    name: str
    title: str

    @property
    def text(self) -> str:
        """The button as it is drawn."""
        return f"[ {self.title} ]"


YES, NO, CANCEL = "yes", "no", "cancel"


class Question(TakesClicks, Dialog[Result]):
    """A dialog with a row of buttons below its text."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("enter", "press_chosen", "press", "Press the button that is lit", name="press"),
        bind("escape", "back", "cancel", "Cancel, or close; what runs goes on", name="back"),
        bind("right,tab", "choose(1)", "other", "The next button", name="choose"),
        bind("left,shift+tab", "choose(-1)", "other", "The button before", name="choose-back"),
        bind("y", f"press('{YES}')", "yes", "Do it", name="yes"),
        bind("n", f"press('{NO}')", "no", "Do not", name="no"),
        bind("up,k", "scroll(-1)", "up", "Further up in the text", name="up"),
        bind("down,j", "scroll(1)", "down", "Further down in the text", name="down"),
        bind("pageup", "scroll(-10)", "page up", "Ten lines up", name="page-up"),
        bind("pagedown", "scroll(10)", "page down", "Ten lines down", name="page-down"),
        bind("Y", "copy", "copy", "Copy the command line", name="copy"),
        bind("question_mark", "app.help", "help", "The keys of this dialog", name="help"),
    ]

    def __init__(self, name: str, glyphs: Glyphs) -> None:
        super().__init__(name)
        self._glyphs = glyphs
        self._dialog = Pane("dialog", glyphs=glyphs, always_active=True)
        self._chosen = CANCEL
        self._offset = 0
        self._seen_at = 0.0

    # ---- what a dialog says --------------------------------------------------------------

    def buttons(self) -> tuple[Button, ...]:
        """Return what can be pressed now; where the lit one is gone, the first is lit."""
        raise NotImplementedError

    def lines(self, width: int) -> Sequence[Line]:
        """Return the text above the buttons, in lines of at most `width` cells."""
        raise NotImplementedError

    def heading(self) -> str:
        """Return what stands in the frame."""
        raise NotImplementedError

    def pressed(self, name: str) -> None:
        """Do what a button says."""
        raise NotImplementedError

    def copied(self) -> str:
        """Return the command line that does the same; empty when there is none."""
        return ""

    # ---- drawing -------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        """Yield the dialog."""
        yield self._dialog

    def on_mount(self) -> None:
        """Show the question."""
        self.asked()
        self.show()

    def on_resize(self) -> None:
        """Wrap for the new width."""
        self.show()

    def asked(self) -> None:
        """Begin the moment in which keys are not taken: the question has just appeared."""
        self._seen_at = self.desk.clock.monotonic()

    @property
    def is_new(self) -> bool:
        """Whether nobody can have read it yet."""
        return self.desk.clock.monotonic() - self._seen_at < self.desk.reading_pause_s

    def show(self) -> None:
        """Draw the text, as much of it as there is room for, and the buttons below it."""
        dialog = self._dialog
        width = min(_MOST_WIDTH, max(self.size.width - 2, 10))
        buttons = self._button_lines(width - _FRAME)
        room = max(self.size.height - len(buttons) - 5, 1)
        text = self._window(self.lines(width - _FRAME), room)
        dialog.styles.width = width
        dialog.styles.height = len(text) + len(buttons) + 3
        dialog.show(Listing(title=self.heading(), rows=_rows([*text, (), *buttons])))

    def _window(self, lines: Sequence[Line], room: int) -> Sequence[Line]:
        """Return the lines in view; the last one says how many more there are."""
        if len(lines) <= room:
            self._offset = 0
            return lines
        self._offset = max(0, min(self._offset, len(lines) - room))
        below = len(lines) - self._offset - room
        shown = list(lines[self._offset : self._offset + room])
        if below:
            more = f"{self._glyphs.falling} {figures.plural(below + 1, 'more line')}"
            shown[-1] = (Span(more, Role.MUTED),)
        return shown

    def _lit(self) -> str:
        names = [one.name for one in self.buttons()]
        return self._chosen if self._chosen in names else names[0]

    def _button_lines(self, width: int) -> Sequence[Line]:
        """Return the buttons, below each other where they do not fit beside each other."""
        lit = self._lit()
        spans = [Span(one.text, Role.STRONG, is_cursor=one.name == lit) for one in self.buttons()]
        if sum(cells.width(span.text) + len(_GAP) for span in spans) > width + len(_GAP):
            return [(span,) for span in spans]
        return [tuple(piece for span in spans for piece in (span, Span(_GAP)))]

    # ---- keys ----------------------------------------------------------------------------

    def action_press_chosen(self) -> None:
        """Press the button that is lit."""
        self.pressed(self._lit())

    def action_press(self, name: str) -> None:
        """Press a button by its letter, where it stands there."""
        if name == NO or any(one.name == name for one in self.buttons()):
            self.pressed(name)

    def action_choose(self, step: int) -> None:
        """Light another button."""
        names = [one.name for one in self.buttons()]
        self._chosen = names[(names.index(self._lit()) + step) % len(names)]
        self.show()

    def action_scroll(self, step: int) -> None:
        """Show another part of the text."""
        self._offset += step
        self.show()

    def action_copy(self) -> None:
        """Copy the command line that does the same."""
        if line := self.copied():
            self.desk.copy(line)

    def action_back(self) -> None:
        """Close the dialog."""
        self.dismiss()

    @on(Pane.Moved)
    def keep_still(self, event: Pane.Moved) -> None:
        """A dialog has no rows to go to."""
        event.stop()

    def on_mouse_scroll_down(self) -> None:
        """Show what is further down in the text."""
        self.action_scroll(_WHEEL)

    def on_mouse_scroll_up(self) -> None:
        """Show what is further up in the text."""
        self.action_scroll(-_WHEEL)

    def on_click(self, event: events.Click) -> None:
        """Press with the mouse."""
        if not self.is_click(event):
            return
        dialog = self._dialog
        x, y = event.screen_x - dialog.region.x, event.screen_y - dialog.region.y
        lines = dialog.text.split("\n")
        if self.is_new or not 0 <= y < len(lines):
            return
        for button in self.buttons():
            place = lines[y].find(button.text)
            if 0 <= place <= x < place + cells.width(button.text):
                self.pressed(button.name)
                return


def _rows(lines: Sequence[Line]) -> tuple[Row, ...]:
    return tuple(
        text_row(f"line-{number}", *line, is_heading=True) for number, line in enumerate(lines)
    )


class AskScreen(Question[bool]):
    """Asks one question with a text; returns whether it was answered with yes."""

    def __init__(
        self, heading: str, sentences: Sequence[str], yes: str, glyphs: Glyphs, *, line: str = ""
    ) -> None:
        """Make the question.

        Args:
            heading: What is asked, in the frame.
            sentences: What the answer means; an empty one is an empty line.
            yes: Verb of the button that does it.
            glyphs: Signs of the terminal.
            line: The command line that does the same.
        """
        super().__init__("ask", glyphs)
        self._heading, self._sentences, self._yes, self._line = heading, sentences, yes, line

    def heading(self) -> str:
        """Return what is asked."""
        return self._heading

    def lines(self, width: int) -> Sequence[Line]:
        """Return what the answer means."""
        found: list[Line] = []
        for sentence in self._sentences:
            found += [(Span(piece),) for piece in cells.wrap(literal(sentence), width)] or [()]
        if self._line:
            found += [(), (Span(cells.cut(literal(self._line), width), Role.MUTED),)]
        return found

    def buttons(self) -> tuple[Button, ...]:
        """Return both answers."""
        return (Button(CANCEL, "Cancel"), Button(YES, f"y {self._yes}"))

    def pressed(self, name: str) -> None:
        """Close with the answer."""
        self.dismiss(name == YES)

    def copied(self) -> str:
        """Return the command line that does the same."""
        return self._line

    def action_back(self) -> None:
        """Close without doing anything."""
        self.dismiss(False)
