"""Consolidation of one memory: proposals to accept or decline line by line, and what has decayed.

Nothing of it is done by itself; everything asks first, and can be undone.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual import on

from memconsole.domain.commands.command import Subject
from memconsole.domain.commands.consolidate import CONSOLIDATE
from memconsole.domain.commands.memory_undo import MEMORY_UNDO
from memconsole.domain.commands.promotion import DECLINE, PROMOTE
from memconsole.ui.actions.targets import for_entries
from memconsole.ui.keys import Verb, command_verb, panel_keys
from memconsole.ui.screens.base import AgentScreen
from memconsole.ui.screens.consolidation.rows import decayed_listing, one_listing, proposals_listing
from memconsole.ui.widgets.pane import Pane
from memconsole.ui.workers.loading import Loaded, Loader

if TYPE_CHECKING:
    from datetime import datetime

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from memconsole.domain.consolidate.text import ConsolidationPreview
    from memconsole.ui.actions.targets import Target

_PANELS = ("proposals", "archive", "one")
_OF_PROPOSALS = (PROMOTE.name, DECLINE.name)


class ConsolidationScreen(AgentScreen):
    """A look at one memory; the keys act on the proposals, and on what has decayed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *panel_keys(_PANELS),
    ]
    ACTIONS: ClassVar[tuple[Verb, ...]] = (
        command_verb("a", PROMOTE, "accept"),
        command_verb("x", DECLINE, "decline"),
        command_verb("A", CONSOLIDATE, "archive"),
        command_verb("u", MEMORY_UNDO, "undo"),
    )
    MARKED: ClassVar[tuple[str, ...]] = ("proposals",)

    def __init__(self, agent_id: str) -> None:
        super().__init__("consolidation", agent_id)
        self._seen: tuple[datetime | None, object] | None = None
        self._chosen = "proposals"
        self._loader: Loader[ConsolidationPreview] = Loader(self, "consolidation")

    def body(self) -> ComposeResult:
        """Yield proposals, decayed observations, and one of them in full."""
        yield Pane("proposals", glyphs=self.desk.glyphs, classes="-current")
        yield Pane("archive", glyphs=self.desk.glyphs)
        yield Pane("one", glyphs=self.desk.glyphs)

    def show_snapshot(self) -> None:
        """Look again when the memory was read again, or something was done to it."""
        snapshot, pool = self.desk.snapshot, self._pool
        last = None if snapshot is None else snapshot.activity[:1]
        seen = (None if pool is None else pool.read_at, last)
        if seen != self._seen:
            self._seen = seen
            engine, agent_id = self.desk.engine, self._agent_id
            self._loader.ask(lambda: engine.consolidation.preview(agent_id))
        self._show()
        super().show_snapshot()

    @on(Loaded)
    def show_loaded(self, message: Loaded) -> None:
        """Show what was found, or why nobody could look."""
        self._loader.take(message)
        self._show()

    def _show(self) -> None:
        context, proposals = self.context(), self.named("proposals")
        proposals.show(proposals_listing(self._loader.value, self._loader.failure, context))
        proposals.place.marks &= {row.key for row in proposals.place.rows}
        self.named("archive").show(decayed_listing(self._loader.value, context))
        self._show_one()

    def on_descendant_focus(self) -> None:
        """Show what the list is about that has the keys now."""
        super().on_descendant_focus()
        self._show_one()

    @on(Pane.Moved, "#proposals")
    @on(Pane.Moved, "#archive")
    @on(Pane.Resized, "#one")
    def _show_one(self) -> None:
        if not self.is_open:
            return
        if self.pane is not None and self.pane.id in ("proposals", "archive"):
            self._chosen = self.pane.id
        pane, row = self.named("one"), self.named(self._chosen).row
        key = "" if row is None else row.key
        pane.show(one_listing(self._loader.value, key, self.context(), pane.room[0]))
        self.show_keys()

    # ---- keys ----------------------------------------------------------------------------

    def action_open(self) -> None:
        """Go on to the one under the cursor in full."""
        self.focus_pane(self.named("one"))

    def action_command(self, name: str) -> None:
        """Begin a command; what is archived is what was shown, or nothing."""
        if name != CONSOLIDATE.name or self._loader.value is None:
            super().action_command(name)
            return
        spec = replace(CONSOLIDATE, given={"shown": self._loader.value.shown})
        self.desk.begin(spec, self.targets(spec.subject))

    def why_not(self, action: str, parameters: tuple[object, ...]) -> str | None:
        """Add what only this screen knows."""
        reason = super().why_not(action, parameters)
        has_proposal = self.pane is self.named("proposals") and self.pane.row is not None
        is_of_proposal = action == "command" and parameters[0] in _OF_PROPOSALS
        if reason is None and (is_of_proposal or action == "mark") and not has_proposal:
            return "select a proposal first: 1 leads to them"
        is_empty = self._loader.value is not None and not self._loader.value.archived
        is_archiving = action == "command" and parameters == (CONSOLIDATE.name,)
        if reason is None and is_archiving and is_empty:
            return "no observation has decayed far enough to be archived"
        return reason

    def targets(self, subject: Subject) -> tuple[Target, ...]:
        """Return the agent, or the proposals that are marked, else the one under the cursor."""
        snapshot, pane = self.desk.snapshot, self.named("proposals")
        if snapshot is None or subject is not Subject.ENTRY:
            return super().targets(subject)
        marks = pane.place.marks or {"" if pane.row is None else pane.row.key}
        ids = tuple(row.key for row in pane.place.rows if row.key in marks)
        return for_entries(snapshot, self._agent_id, ids)
