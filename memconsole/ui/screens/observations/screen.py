"""What is remembered of an agent's sessions: by weight, type and day, conflicts, one in full."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual import on

from memconsole.domain.memory.observation_log import parse
from memconsole.domain.memory.observations import OBSERVATIONS
from memconsole.ui.keys import Verb, bind
from memconsole.ui.screens.base import AgentScreen
from memconsole.ui.screens.observations.rows import (
    ObservationFilter,
    observation_listing,
    observations_listing,
)
from memconsole.ui.widgets.pane import Pane
from memconsole.ui.workers.loading import Loaded, Loader

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from memconsole.domain.memory.observations import ObservationLog


class ObservationsScreen(AgentScreen):
    """The observations of one agent, and the one under the cursor in full."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("1", "panel(1)", "observations", "Panel 1: observations", name="panel-1"),
        bind("2", "panel(2)", "observation", "Panel 2: observation", name="panel-2"),
    ]
    ACTIONS: ClassVar[tuple[Verb, ...]] = (
        Verb("p", "priority", "weight", "Only one weight, and all again", "priority"),
        Verb("t", "kind", "type", "Only one type, and all again", "kind"),
        Verb("x", "conflicts", "conflicts", "Only what contradicts another", "conflicts"),
    )

    def __init__(self, agent_id: str) -> None:
        super().__init__("observations", agent_id)
        self._sieve = ObservationFilter()
        self._seen: object = None
        self._loader: Loader[ObservationLog] = Loader(self, "observations")

    def body(self) -> ComposeResult:
        """Yield the list, and the observation below it."""
        yield Pane("list", glyphs=self.desk.glyphs, classes="-current")
        yield Pane("one", glyphs=self.desk.glyphs)

    def show_snapshot(self) -> None:
        """Read the file again when the memory of the agent was read again."""
        pool = self._pool
        seen = None if pool is None else pool.read_at
        if self._loader.value is None or seen != self._seen:
            self._seen = seen
            engine, agent_id = self.desk.engine, self._agent_id
            self._loader.ask(lambda: parse(engine.memory.text(agent_id, OBSERVATIONS) or ""))
        self._show()
        super().show_snapshot()

    @on(Loaded)
    def show_loaded(self, message: Loaded) -> None:
        """Show what was read, or why it could not be."""
        self._loader.take(message)
        self._show()

    def _show(self) -> None:
        self.named("list").show(
            observations_listing(
                self._loader.value,
                self._sieve,
                self.context(),
                agent=self._agent_id,
                failure=self._loader.failure,
            )
        )
        self._show_one()

    @on(Pane.Moved, "#list")
    @on(Pane.Resized, "#one")
    def _show_one(self) -> None:
        row, pane = self.named("list").row, self.named("one")
        key = None if row is None else row.key
        pane.show(observation_listing(self._loader.value, key, self.context(), pane.room[0]))

    # ---- keys ----------------------------------------------------------------------------

    def action_priority(self) -> None:
        """Show the next weight alone, and all of them again."""
        self._sift(self._sieve.next_priority())

    def action_kind(self) -> None:
        """Show the next type alone, and all of them again."""
        self._sift(self._sieve.next_kind())

    def action_conflicts(self) -> None:
        """Show only what contradicts another line, and everything again."""
        self._sift(replace(self._sieve, has_conflicts=not self._sieve.has_conflicts))

    def _sift(self, sieve: ObservationFilter) -> None:
        self._sieve = sieve
        self._show()
