"""Why an agent does not see a note: our search and its own beside each other."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, cast

from textual import on

from memconsole.ui.actions.targets import for_agents
from memconsole.ui.drawing.listing import Listing
from memconsole.ui.drawing.literal import literal
from memconsole.ui.drawing.spans import Role
from memconsole.ui.keys import Verb, bind
from memconsole.ui.screens.base import ConsoleScreen
from memconsole.ui.screens.search.rows import hit_key
from memconsole.ui.screens.search.why_rows import reason_listing, why_listing
from memconsole.ui.widgets.pane import Pane
from memconsole.ui.workers.loading import Loaded, Loader

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from memconsole.domain.commands.command import Subject
    from memconsole.domain.search.values import SearchHit, SearchRequest, SearchResult
    from memconsole.ui.actions.targets import Target


class WhyScreen(ConsoleScreen):
    """The notes that one search found, and the reason of the one under the cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("1", "panel(1)", "notes", "Panel 1: notes", name="panel-1"),
        bind("2", "panel(2)", "reason", "Panel 2: reason", name="panel-2"),
    ]
    ACTIONS: ClassVar[tuple[Verb, ...]] = (
        Verb(
            "a",
            "ask",
            "ask the agent",
            "Ask the agent's own search through the Gateway; its embeddings may cost",
            "ask-agent",
        ),
    )

    def __init__(self, request: SearchRequest) -> None:
        super().__init__("why")
        self._request = replace(request, is_typing=False, is_explained=True)
        self._result: SearchResult | None = None
        self._loader: Loader[SearchResult] = Loader(self, "why")

    @property
    def where(self) -> str:
        """What was searched for."""
        return f"why {self.desk.glyphs.dot} {literal(self._request.text.strip())}"

    def body(self) -> ComposeResult:
        """Yield the notes, and the reason below them."""
        yield Pane("list", glyphs=self.desk.glyphs, classes="-current")
        yield Pane("reason", glyphs=self.desk.glyphs)

    def on_mount(self) -> None:
        """Search, and explain."""
        super().on_mount()
        self._loader.ask(lambda: self.desk.engine.search.find(self._request))

    # ---- drawing -------------------------------------------------------------------------

    def show_snapshot(self) -> None:
        """Show what is known now; a reading changes nothing of it."""
        self._show()
        super().show_snapshot()

    @on(Loaded)
    def show_loaded(self, message: Loaded) -> None:
        """Show what arrived; a failure leaves what is known."""
        self._loader.done()
        if message.value is not None:
            self._result = cast("SearchResult", message.value)
        if message.failure:
            self.say(message.failure, Role.WARNING)
        self._show(message.failure)

    def _show(self, failure: str = "") -> None:
        listed = self.named("list")
        if self._result is None:
            listed.show(Listing("Why", number=1, empty=(failure or "comparing both searches",)))
        else:
            listed.show(why_listing(self._result, self.context()))
        self._show_reason()

    @on(Pane.Moved, "#list")
    @on(Pane.Resized, "#reason")
    def _show_reason(self) -> None:
        pane, hit = self.named("reason"), self._hit
        hits = () if self._result is None else self._result.hits
        place = hits.index(hit) + 1 if hit is not None else 0
        pane.show(reason_listing(hit, place, pane.room[0]))

    @property
    def _hit(self) -> SearchHit | None:
        row = self.named("list").row
        hits = () if self._result is None else self._result.hits
        return next((hit for hit in hits if row is not None and hit_key(hit) == row.key), None)

    # ---- keys ----------------------------------------------------------------------------

    def action_ask(self) -> None:
        """Ask the agent's own search; its answers take the place of what was computed."""
        result = self._result
        if result is None or not result.hits:
            self.say("there is nothing to ask about", Role.WARNING)
            return
        self.say("asking the gateway", Role.MUTED)
        self._loader.ask(lambda: self.desk.engine.platform_search.ask(result))

    def action_open(self) -> None:
        """Open the note at its line."""
        hit, result = self._hit, self._result
        if hit is not None and result is not None:
            self.desk.go.hit(hit, result.query)

    def targets(self, subject: Subject) -> tuple[Target, ...]:
        """Return the agents whose notes these are."""
        snapshot = self.desk.snapshot
        hits = () if self._result is None else self._result.hits
        names = list(dict.fromkeys(hit.agent for hit in hits))
        return () if snapshot is None else for_agents(snapshot, names, subject)
