"""The dialog of an action: its plan, the question, what is being done, and the proof."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on

from memconsole.domain.commands.line import command_line
from memconsole.ui.actions.action import Phase
from memconsole.ui.drawing.listing import Listing
from memconsole.ui.keys import bind
from memconsole.ui.screens.action.rows import CANCEL, CONFIRM, action_rows, choice_line
from memconsole.ui.screens.base import Dialog
from memconsole.ui.widgets.pane import Pane

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from memconsole.ui.actions.action import Action
    from memconsole.ui.drawing.glyphs import Glyphs

_MOST_WIDTH = 80
_FRAME = 6
"""Cells of frame, margin and gutter beside the text."""


class ActionScreen(Dialog[None]):
    """Shows one action from its plan to its end; closing it does not stop what runs."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("enter", "choose", "choose", "Do what is chosen", name="choose", show=True),
        bind(
            "escape", "back", "close", "Cancel, or close; what runs goes on", name="back", show=True
        ),
        bind("left,right,tab", "other", "other", "The other choice", name="other"),
        bind("d", "details", "details", "Everything the dry run says", name="details", show=True),
        bind("s", "stop", "stop", "Finish this one, begin no other", name="stop", show=True),
        bind("y", "copy", "copy", "Copy the command line", name="copy"),
        bind(
            "question_mark", "app.help", "help", "The keys of this dialog", name="help", show=True
        ),
    ]

    def __init__(self, action: Action, glyphs: Glyphs) -> None:
        super().__init__("action")
        self.action = action
        self._dialog = Pane("dialog", glyphs=glyphs)
        self._chosen = CONFIRM
        self._is_detailed = False

    def compose(self) -> ComposeResult:
        """Yield the dialog."""
        yield self._dialog

    def on_mount(self) -> None:
        """Show the action as far as it is."""
        self._dialog.focus()
        self.show_action()

    def on_resize(self) -> None:
        """Wrap for the new width."""
        self.show_action()

    def show_action(self) -> None:
        """Draw the action as far as it is."""
        dialog = self._dialog
        width = min(_MOST_WIDTH, max(self.size.width - 2, 10))
        rows = action_rows(
            self.action,
            self.desk.context(),
            width - _FRAME,
            chosen=self._chosen,
            detailed=self._is_detailed,
        )
        dialog.styles.width = width
        dialog.styles.height = min(len(rows) + 2, max(self.size.height - 2, 3))
        dialog.show(Listing(title=self._title(), rows=rows))

    def _title(self) -> str:
        targets = self.action.targets
        name = targets[0].name if len(targets) == 1 else f"{len(targets)} targets"
        return f"{self.action.spec.title} {name}"

    # ---- keys ----------------------------------------------------------------------------

    def why_not(self, action: str, parameters: tuple[object, ...]) -> str | None:
        """Return why a key does nothing now."""
        del parameters
        phase = self.action.phase
        if action == "stop" and not (phase is Phase.RUNNING and len(self.action.todo) > 1):
            return "there is nothing to stop"
        if action == "other" and phase is not Phase.ASKING:
            return "there is nothing to choose"
        if action == "details" and not self.action.plans:
            return "the dry run has not answered yet"
        return None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Dim keys that cannot work now."""
        return True if self.why_not(action, parameters) is None else None

    def action_choose(self) -> None:
        """Do what is chosen; at the end, close."""
        if self.action.phase is Phase.ASKING and self._chosen == CONFIRM:
            self.desk.actions.confirm(self.action)
        elif self.action.phase in (Phase.ASKING, Phase.DONE):
            self.action_back()

    def action_other(self) -> None:
        """Move the choice."""
        self._chosen = CANCEL if self._chosen == CONFIRM else CONFIRM
        self.show_action()

    def action_details(self) -> None:
        """Show or fold everything that the dry run says."""
        self._is_detailed = not self._is_detailed
        self.show_action()

    def action_stop(self) -> None:
        """Begin no other target."""
        self.action.stop()
        self.show_action()

    def action_copy(self) -> None:
        """Copy the command line that does the same."""
        if self.action.plans:
            self.desk.copy(command_line(self.action.plans[0].command))

    def action_back(self) -> None:
        """Close the dialog."""
        self.dismiss()

    @on(Pane.Moved)
    def keep_still(self, event: Pane.Moved) -> None:
        """A dialog has no rows to go to."""
        event.stop()

    def on_click(self, event: events.Click) -> None:
        """Choose with the mouse."""
        if self.action.phase is not Phase.ASKING:
            return
        dialog = self._dialog
        x, y = event.screen_x - dialog.region.x, event.screen_y - dialog.region.y
        lines = dialog.text.split("\n")
        start = 0
        for span, name in zip(
            choice_line(self.action, CONFIRM), (CONFIRM, "", CANCEL), strict=False
        ):
            place = lines[y].find(span.text, start) if 0 <= y < len(lines) else -1
            if name and place >= 0 and place <= x < place + len(span.text):
                self._chosen = name
                self.action_choose()
                return
