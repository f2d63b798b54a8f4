"""What the checkpoints of an agent saved, and what changed between two of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on

from memconsole.ui.keys import panel_keys
from memconsole.ui.screens.base import AgentScreen
from memconsole.ui.screens.checkpoints.rows import (
    Saved,
    beside_each_other,
    changes_listing,
    checkpoints_listing,
    pair_of,
)
from memconsole.ui.widgets.pane import Pane
from memconsole.ui.workers.loading import Loaded, Loader

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType


class CheckpointsScreen(AgentScreen):
    """The checkpoints of one agent, and two of them beside each other."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *panel_keys(("checkpoints", "changes")),
    ]
    MARKED: ClassVar[tuple[str, ...]] = ("list",)

    def __init__(self, agent_id: str) -> None:
        super().__init__("checkpoints", agent_id)
        self._seen: object = None
        self._loader: Loader[tuple[Saved, ...]] = Loader(self, "checkpoints")

    def body(self) -> ComposeResult:
        """Yield the list, and the changes below it."""
        yield Pane("list", glyphs=self.desk.glyphs, classes="-current")
        yield Pane("changes", glyphs=self.desk.glyphs)

    # ---- drawing -------------------------------------------------------------------------

    def show_snapshot(self) -> None:
        """Ask for the checkpoints again when there is another one."""
        snapshot = self.desk.snapshot
        agents = () if snapshot is None else snapshot.agents
        seen = next((one.checkpoint_at for one in agents if one.ref.id == self._agent_id), None)
        if self._loader.value is None or seen != self._seen:
            self._seen = seen
            engine, agent_id = self.desk.engine, self._agent_id
            self._loader.ask(lambda: beside_each_other(engine.memory.checkpoints(agent_id)))
        self._show()
        super().show_snapshot()

    @on(Loaded)
    def show_loaded(self, message: Loaded) -> None:
        """Show what was read, or why it could not be."""
        self._loader.take(message)
        self._show()

    def _show(self) -> None:
        context = self.context()
        self.named("list").show(
            checkpoints_listing(
                self._loader.value, context, agent=self._agent_id, failure=self._loader.failure
            )
        )
        self._show_changes()

    @on(Pane.Moved, "#list")
    @on(Pane.Resized, "#changes")
    def _show_changes(self) -> None:
        place, pane = self.named("list").place, self.named("changes")
        pair = pair_of(self._loader.value or (), place.cursor, place.marks)
        pane.show(changes_listing(pair, self.context(), pane.room[0]))

    # ---- keys ----------------------------------------------------------------------------

    def why_not(self, action: str, parameters: tuple[object, ...]) -> str | None:
        """Add what only this screen knows."""
        if action == "mark" and self.pane is not self.named("list"):
            return "only checkpoints can be marked"
        return super().why_not(action, parameters)

    def action_open(self) -> None:
        """Go into the changes."""
        self.focus_pane(self.named("changes"))
