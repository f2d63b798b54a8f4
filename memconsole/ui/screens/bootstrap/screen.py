"""What sessions of one agent start with: by class, file by file, and what would be cut."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.containers import Horizontal

from memconsole.ui.keys import panel_keys
from memconsole.ui.screens.base import AgentScreen
from memconsole.ui.screens.bootstrap.rows import (
    Starts,
    StartsReading,
    classes_listing,
    given_listing,
    loaded_listing,
    remedies_listing,
)
from memconsole.ui.widgets.pane import Pane
from memconsole.ui.workers.loading import Loaded, Loader

if TYPE_CHECKING:
    from datetime import datetime

    from textual.app import ComposeResult
    from textual.binding import BindingType


_PANELS = ("sessions", "given", "loaded", "remedies")


class BootstrapScreen(AgentScreen):
    """The starts of one agent's sessions."""

    BINDINGS: ClassVar[list[BindingType]] = [*panel_keys(_PANELS)]
    LOWER: ClassVar[tuple[str, ...]] = ("loaded", "remedies")

    def __init__(self, agent_id: str) -> None:
        super().__init__("bootstrap", agent_id)
        self._seen: datetime | None = None
        self._has_asked = False
        self._loader: Loader[Starts] = Loader(self, "starts")

    def body(self) -> ComposeResult:
        """Yield classes and files above, the platform's own files and the remedies below."""
        glyphs = self.desk.glyphs
        with Horizontal(id="upper"):
            yield Pane("sessions", glyphs=glyphs, classes="-current")
            yield Pane("given", glyphs=glyphs)
        with Horizontal(id="lower"):
            yield Pane("loaded", glyphs=glyphs)
            yield Pane("remedies", glyphs=glyphs)

    def show_snapshot(self) -> None:
        """Look again when the memory was read again."""
        pool = self._pool
        seen = None if pool is None else pool.read_at
        if not self._has_asked or seen != self._seen:
            self._has_asked, self._seen = True, seen
            self._loader.ask(self._look)
        self._show()
        super().show_snapshot()

    def _look(self) -> Starts:
        engine, key = self.desk.engine, f"agent:{self._agent_id}:main"
        return Starts(
            engine.bootstrap.by_class(self._agent_id),
            engine.bootstrap.to_read(session_key=key),
            engine.hooks.folder.status(""),
        )

    @on(Loaded)
    def show_loaded(self, message: Loaded) -> None:
        """Show what was found, or why nobody could look."""
        self._loader.take(message)
        self._show()

    def _show(self) -> None:
        listing = classes_listing(self._scene, self.context(), failure=self._loader.failure)
        self.named("sessions").show(listing)
        self._show_class()

    @property
    def _scene(self) -> StartsReading:
        snapshot = self.desk.snapshot
        return StartsReading(
            self._loader.value,
            self._pool,
            None if snapshot is None else snapshot.home.config,
            self.desk.settings.for_agent(self._pool.agents[0] if self._pool else "").bootstrap,
        )

    @on(Pane.Moved, "#sessions")
    @on(Pane.Resized)
    def _show_class(self) -> None:
        """Show the files of the class under the cursor, and what all of them share a limit with."""
        if not self.is_open:
            return
        reading, context, row = self._scene, self.context(), self.named("sessions").row
        loaded, remedies = self.named("loaded"), self.named("remedies")
        self.named("given").show(given_listing(reading, "" if row is None else row.key, context))
        loaded.show(loaded_listing(reading, context, loaded.room[0]))
        remedies.show(remedies_listing(reading, context, remedies.room[0]))
        self.show_keys()

    # ---- keys ----------------------------------------------------------------------------

    def action_open(self) -> None:
        """Go from a class to its files, from a file to its text."""
        pane, row = self.pane, None if self.pane is None else self.pane.row
        if pane is None or row is None:
            return
        path = self._path_of(row.value)
        if path is not None:
            self.desk.go.memory(self._agent_id, path)
        elif pane.id == "sessions":
            self.action_panel(2)
        elif pane.id != "remedies":
            self.say(f"{row.value} is not among the memory files")

    def _path_of(self, value: str) -> str | None:
        """Return the memory file that a row is about."""
        pool = self._scene.pool
        relative = "" if pool is None else value.removeprefix(f"{pool.root}/")
        is_known = pool is not None and any(item.path == relative for item in pool.items)
        return relative if is_known else None
