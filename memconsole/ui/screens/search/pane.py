"""The search panel: a query line of its own, and what it found while it is typed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, cast

from textual import on
from textual.binding import Binding
from textual.message import Message

from memconsole.domain.search.indexing import IndexState
from memconsole.domain.search.near_hits import unfolded
from memconsole.ui.drawing.spans import Role, Span
from memconsole.ui.queries import Facets
from memconsole.ui.screens.search.rows import IndexView, Search, hit_key, search_listing
from memconsole.ui.widgets.line_input import LineInput
from memconsole.ui.widgets.pane import Pane
from memconsole.ui.workers.finder import Finder, SearchFinished

if TYPE_CHECKING:
    from textual.binding import BindingType
    from textual.widgets import Input

    from memconsole.domain.search.query import Query
    from memconsole.domain.search.values import SearchHit
    from memconsole.domain.snapshot.snapshot import AgentView
    from memconsole.ui.desk import Desk
    from memconsole.ui.drawing.glyphs import Glyphs
    from memconsole.ui.drawing.spans import Line
    from memconsole.ui.workers.finder import Found

MOST_IN_PANEL, MOST_ON_SCREEN = 20, 50
"""Results that are asked for; their number changes neither the first one nor any score."""

_RECENT = 8


class QueryInput(LineInput, inherit_bindings=True):
    """The query line; earlier queries come back by the key that shells have for it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "open", id="input-open", tooltip="Open what the cursor is on"),
        Binding("tab", "results", "results", id="input-results", tooltip="To what was found"),
        Binding("ctrl+r", "earlier", "earlier", id="input-earlier", tooltip="The query before"),
    ]

    def action_results(self) -> None:
        """Give the results the keys, as they are found so far."""
        assert isinstance(self.parent, SearchPane)
        self.parent.leave_line()

    def action_earlier(self) -> None:
        """Take the query before this one."""
        text = cast("Desk", self.app).queries.before(self.value.strip())
        if text is not None:
            self.value = text
            self.cursor_position = len(text)


class SearchPane(Pane, inherit_bindings=True):
    """Searches what agents wrote; query and results survive every refresh and resize.

    Attributes:
        facets: What narrows the search.
        found: The newest answer; None before the first, and for an empty query.
    """

    class Answered(Message):
        """What is shown of a search is other than it was."""

    def __init__(
        self, name: str, *, glyphs: Glyphs, is_wide: bool = False, classes: str | None = None
    ) -> None:
        super().__init__(name, glyphs=glyphs, classes=classes)
        self._is_wide = is_wide
        self._finder: Finder | None = None
        self.query_text = ""
        self.facets = Facets()
        self.found: Found | None = None

    @property
    def desk(self) -> Desk:
        """The app, with what is ours about it."""
        return cast("Desk", self.app)

    @property
    def finder(self) -> Finder:
        """What asks the engine."""
        if self._finder is None:
            self._finder = Finder(self, self.desk.engine)
        return self._finder

    # ---- what is searched ----------------------------------------------------------------

    def search_in(self, agent_id: str | None) -> None:
        """Search this agent from now on, or all of them."""
        if agent_id != self.facets.agent_id:
            self.narrow(replace(self.facets, agent_id=agent_id))

    def narrow(self, facets: Facets) -> None:
        """Search with other facets; the query stays."""
        if facets != self.facets:
            self.facets = facets
            self.found = None
            self.ask(is_typing=True)

    def agents(self) -> tuple[AgentView, ...]:
        """Return the agents that are searched."""
        snapshot = self.desk.snapshot
        agents = () if snapshot is None else snapshot.agents
        if self.facets.home is not None and snapshot is not None:
            agents = snapshot.of_home(self.facets.home).agents
        return tuple(one for one in agents if self.facets.agent_id in (None, one.ref.id))

    @property
    def _is_far(self) -> bool:
        """Whether only another host is searched, whose index is its own business."""
        snapshot, agent_id = self.desk.snapshot, self.facets.agent_id
        home = None if snapshot is None or agent_id is None else snapshot.home_of(agent_id)
        return home is not None and home.is_far

    def ask(self, *, is_typing: bool = False) -> None:
        """Search for what stands in the line."""
        if not self.query_text.strip():
            self.found = None
            self.finder.forget()
        else:
            most = MOST_ON_SCREEN if self._is_wide else MOST_IN_PANEL
            self.finder.ask(
                self.facets.request(
                    self.query_text,
                    self.desk.clock.now(),
                    is_typing=is_typing or not (self._is_far or _is_ready(self._index())),
                    max_results=most,
                ),
                pause_s=self.desk.typing_pause_s,
            )
        self.show_search()

    @on(SearchFinished)
    def show_found(self, message: SearchFinished) -> None:
        """Take an answer; one to a question that is not asked any more is dropped."""
        message.stop()
        self.finder.done(message.found)
        found = message.found
        if found is None or found.request.text != self.query_text:
            return
        is_new = self.found is None or self.found.request.text != found.request.text
        self.found = found
        self.desk.indexing.open(self.agents())
        self.show_search()
        if is_new:
            self.action_first()
        self.post_message(self.Answered())

    @property
    def hit(self) -> SearchHit | None:
        """The result under the cursor."""
        found = self.found
        hits = () if found is None or found.result is None else found.result.hits
        return next((hit for hit in unfolded(hits) if hit_key(hit) == self.place.cursor), None)

    @property
    def query_found(self) -> Query | None:
        """The query as it was understood, of what is shown."""
        return None if self.found is None or self.found.result is None else self.found.result.query

    # ---- drawing -------------------------------------------------------------------------

    def show_search(self) -> None:
        """Draw what is known now."""
        prompt: Line = ()
        if self.is_typing or self.query_text:
            prompt = (Span("> ", Role.ACCENT), Span(self.query_text, Role.STRONG))
        agent_id = self.facets.agent_id
        search = Search(
            query=self.query_text,
            facets=self.facets,
            found=self.found,
            index=self._index(),
            about=agent_id or (f"all of {self.facets.home}" if self.facets.home else "all agents"),
            prompt=prompt,
            recent=tuple(self.desk.queries)[:_RECENT],
            is_wide=self._is_wide,
        )
        self.show(search_listing(search, self.desk.context()))

    def _index(self) -> IndexView:
        indexing = self.desk.indexing
        agents = tuple(view.ref.id for view in self.agents())
        if self.desk.snapshot is not None and not self.desk.snapshot.unread:
            indexing.look(agents)
        building = indexing.building
        return IndexView(
            indexing.of(agents),
            building if building is not None and building.agent in agents else None,
            next((indexing.failures[one] for one in agents if one in indexing.failures), ""),
            self.desk.settings.ui.read_only,
        )

    def index_moved(self, *, has_changed: bool) -> None:
        """Show the index as it is now; when it has changed, ask again and keep the place."""
        if has_changed and self.query_text.strip():
            self.ask(is_typing=self.is_typing)
        else:
            self.show_search()

    # ---- the line ------------------------------------------------------------------------

    @property
    def is_typing(self) -> bool:
        """Whether the query line has the keys."""
        return bool(self.query("#query"))

    @property
    def is_active(self) -> bool:
        """Whether keys go here: also those of its line."""
        return super().is_active or self.is_typing

    def open_input(self) -> None:
        """Give the query line the keys."""
        if not self.is_typing:
            field = QueryInput("query", value=self.query_text, placeholder="words, or a question")
            self.mount(field)
            self.screen.set_focus(field)  # at once: the next letter is no key any more
            field.focus()  # a screen that is just opening gives its first pane the keys
            self.desk.indexing.open(self.agents())
            self.show_search()

    def search_for(self, text: str) -> None:
        """Search for a text that was not typed."""
        self.query_text = text
        self.ask()

    def clear_query(self) -> None:
        """Forget the query and what it found."""
        self.query_text = ""
        if self.is_typing:
            self.close_input()
        self.ask()

    def close_input(self) -> None:
        """Give the results the keys."""
        self.query("#query").remove()
        self.focus()
        self.call_after_refresh(self.show_search)

    @on(LineInput.Changed, "#query")
    def query_changed(self, event: Input.Changed) -> None:
        """Search while typing."""
        event.stop()
        if event.value != self.query_text:
            self.query_text = event.value
            self.ask(is_typing=True)

    @on(LineInput.Submitted, "#query")
    def query_done(self, event: Input.Submitted) -> None:
        """Open what the cursor is on; without an answer to these words, go on to the results."""
        event.stop()
        is_answered = self.found is not None and self.found.request.text == self.query_text
        self.leave_line()
        if is_answered and self.hit is not None:
            self.screen.set_focus(self)  # `focus` gives the keys later: it is this pane that opens
            self.post_message(self.Opened(self))

    def leave_line(self) -> None:
        """Go on to the results, with the last word as a whole one."""
        self.desk.queries.add(self.query_text)
        self.close_input()
        self.ask()


def _is_ready(index: IndexView) -> bool:
    """Tell whether a search may take changes in first: it would build what is missing as well."""
    states = {one.state for one in index.statuses}
    return index.building is None and bool(states) and states <= {IndexState.FRESH}
