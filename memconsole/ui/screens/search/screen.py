"""The whole search: results, the one under the cursor in full, and what narrows them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.containers import Horizontal, Vertical

from memconsole.ui.actions.targets import for_agents
from memconsole.ui.drawing.spans import Role
from memconsole.ui.keys import Verb, panel_keys
from memconsole.ui.screens.base import ConsoleScreen
from memconsole.ui.screens.search.facets import chosen, facets_listing, hit_listing, next_choice
from memconsole.ui.screens.search.pane import SearchPane
from memconsole.ui.widgets.pane import Pane

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from memconsole.domain.commands.command import Subject
    from memconsole.ui.actions.targets import Target
    from memconsole.ui.queries import Facets

_PANELS = ("results", "preview", "facets")


class SearchScreen(ConsoleScreen):
    """Everything about one search; keys for facets work wherever the cursor is."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *panel_keys(_PANELS),
    ]
    ACTIONS: ClassVar[tuple[Verb, ...]] = (
        Verb("a", "facet('agent')", "agent", "The next agent, or all", "facet-agent"),
        Verb("t", "facet('source')", "sessions", "Memory alone, or sessions too", "facet-sessions"),
        Verb("m", "facet('marker')", "marker", "Only lines marked so", "facet-marker"),
        Verb("d", "facet('date')", "date", "Only what is not older", "facet-date"),
        Verb("x", "widen", "widen", "Take marker and date away", "widen"),
        Verb("w", "why", "why", "Why its agent does not see a note", "why"),
        Verb("e", "explain", "explain", "Where the agent's own search has it", "explain"),
    )
    SORTED: ClassVar[tuple[str, ...]] = _PANELS
    LOWER: ClassVar[tuple[str, ...]] = _PANELS[1:]

    def __init__(self, facets: Facets, text: str) -> None:
        super().__init__("search")
        self._first = (facets, text)

    @property
    def where(self) -> str:
        """The name of the screen."""
        return "search"

    def body(self) -> ComposeResult:
        """Yield the results, and what belongs to them beside or below."""
        glyphs = self.desk.glyphs
        self._search = SearchPane("results", glyphs=glyphs, is_wide=True, classes="-current")
        with Horizontal(id="main"):
            with Vertical(id="left"):
                yield self._search
                yield Pane("preview", glyphs=glyphs)
            yield Pane("facets", glyphs=glyphs)

    def on_mount(self) -> None:
        """Search for what was searched for, or wait for words."""
        super().on_mount()
        self._search.facets, text = self._first
        if text.strip():
            self._search.search_for(text)
        else:
            self._search.open_input()
        self._show_rest()

    # ---- drawing -------------------------------------------------------------------------

    def show_snapshot(self) -> None:
        """Show what is known now; the search itself does not depend on a reading."""
        self._search.show_search()
        self._show_rest()
        self.show_bars()

    def index_moved(self, *, has_changed: bool) -> None:
        """Show the index in the title of the results; ask again when it has changed."""
        self._search.index_moved(has_changed=has_changed)

    @on(SearchPane.Answered)
    @on(Pane.Moved, "#results")
    @on(Pane.Resized, "#preview")
    def _show_rest(self) -> None:
        if not self.is_open:
            return
        preview, context = self.named("preview"), self.context()
        hit, query = self._search.hit, self._search.query_found
        preview.show(hit_listing(hit, query, context, preview.room[0]))
        self.named("facets").show(facets_listing(self._search.facets, self._agents(), context))
        self.show_keys()

    def _agents(self) -> tuple[str, ...]:
        snapshot = self.desk.snapshot
        return () if snapshot is None else tuple(one.ref.id for one in snapshot.agents)

    # ---- keys ----------------------------------------------------------------------------

    def action_filter(self) -> None:
        """Give the query line the keys."""
        self.focus_pane(self._search)
        self._search.open_input()

    def action_open(self) -> None:
        """Open the result at its line, choose a facet, or search again for what was."""
        pane = self.pane
        row = None if pane is None else pane.row
        if pane is None or row is None:
            return
        hit, query = self._search.hit, self._search.query_found
        if pane.id == "facets":
            self._narrow(chosen(row.key, self._search.facets, self._agents()))
        elif hit is not None and query is not None:
            self.desk.go.hit(hit, query)
        elif pane is self._search:
            self._search.search_for(row.value)

    def action_facet(self, group: str) -> None:
        """Go to the next choice of a facet."""
        self._narrow(next_choice(group, self._search.facets, self._agents()))

    def action_sort(self) -> None:
        """Show the best first, or the newest."""
        self.action_facet("order")

    def action_widen(self) -> None:
        """Take away what may leave results out."""
        self._narrow(self._search.facets.widened())

    def action_explain(self) -> None:
        """Say, or leave out, where the agent's own search has each result."""
        facets = self._search.facets
        self._search.narrow(replace(facets, is_explained=not facets.is_explained))
        self.say(
            "explained in the preview" if not facets.is_explained else "not explained", Role.MUTED
        )

    def action_why(self) -> None:
        """Compare what was found with what the agent's own search finds."""
        found = self._search.found
        if found is None or not found.request.text.strip():
            self.say("search for something first", Role.WARNING)
            return
        self.desk.go.why(found.request)

    def _narrow(self, facets: Facets | None) -> None:
        if facets is not None:
            self._search.narrow(facets)
            self._show_rest()

    def action_back(self) -> None:
        """Go back one step: out of the line first, with what it found."""
        if self._search.is_typing and self._search.query_text.strip():
            self._search.close_input()
            self.show_keys()
        else:
            super().action_back()

    def targets(self, subject: Subject) -> tuple[Target, ...]:
        """Return the agents that are searched."""
        snapshot = self.desk.snapshot
        agents = [view.ref.id for view in self._search.agents()]
        return () if snapshot is None else for_agents(snapshot, agents, subject)
