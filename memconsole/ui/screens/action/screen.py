"""The dialog of an action: its plan, the question, what is being done, and the proof."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.commands.command import command_line
from memconsole.ui.actions.action import Phase
from memconsole.ui.screens.action.rows import action_lines
from memconsole.ui.screens.question import CANCEL, NO, YES, Button, Question

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memconsole.ui.actions.action import Action
    from memconsole.ui.drawing.glyphs import Glyphs
    from memconsole.ui.drawing.spans import Line

_MORE, _RUN = "more", "run"
"""The buttons that show and fold everything the dry run says, and that open the run."""


class ActionScreen(Question[None]):
    """Shows one action from its plan to its end; closing it does not stop what runs."""

    def __init__(self, action: Action, glyphs: Glyphs) -> None:
        super().__init__("action", glyphs)
        self.action = action
        self._is_detailed = False
        self._phase = action.phase

    def heading(self) -> str:
        """Return the verb and the target."""
        targets = self.action.targets
        name = targets[0].name if len(targets) == 1 else f"{len(targets)} targets"
        return f"{self.action.spec.title} {name}"

    def lines(self, width: int) -> Sequence[Line]:
        """Return the action as far as it is."""
        return action_lines(self.action, self.desk.context(), width, detailed=self._is_detailed)

    def buttons(self) -> tuple[Button, ...]:
        """Return what can be done about the action now."""
        action = self.action
        more = Button(_MORE, "less" if self._is_detailed else "more")
        match action.phase:
            case Phase.PLANNING:
                return (Button(CANCEL, "Cancel"),)
            case Phase.ASKING:
                verb = action.spec.title.lower()
                return (Button(CANCEL, "Cancel"), Button(YES, f"y {verb}"), more)
            case Phase.RUNNING if len(action.todo) > 1 and not action.is_stopping:
                return (Button(CANCEL, "Close"), Button(NO, "n begin no other"))
            case Phase.RUNNING:
                return (Button(CANCEL, "Close"),)
            case Phase.DONE if (kept := self._kept()) is not None:
                return (Button(CANCEL, "Close"), Button(_RUN, f"run {kept}"), more)
            case Phase.DONE:
                return (Button(CANCEL, "Close"), more)

    def pressed(self, name: str) -> None:
        """Do what was pressed; `n` means no to the question, and no more while it runs."""
        if name == YES:
            self.desk.actions.confirm(self.action)
        elif name == NO and self.action.phase is Phase.RUNNING:
            self.action.stop()
            self.show()
        elif name == _RUN:
            self.dismiss()
            self.desk.go.runs(f"run-{self._kept()}")
        elif name == _MORE:
            self._is_detailed = not self._is_detailed
            self.show()
        elif name == CANCEL or self.action.phase in (Phase.PLANNING, Phase.ASKING):
            self.action_back()

    def _kept(self) -> int | None:
        """Return the run that keeps it; of several the last one."""
        runs = [one.run_id for one in self.action.courses if one.run_id is not None]
        return runs[-1] if runs else None

    def show_action(self) -> None:
        """Draw the action as far as it is; a question that just appeared takes no key yet."""
        if self._phase is not self.action.phase:
            self._phase, self._chosen = self.action.phase, CANCEL
            if self._phase is Phase.ASKING:
                self.asked()
        self.show()

    def copied(self) -> str:
        """Return the command line that does the same."""
        return command_line(self.action.plans[0].command) if self.action.plans else ""
