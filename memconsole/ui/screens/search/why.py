"""Why an agent does not see a note: our place of each beside its own, and what it lacks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, cast

from textual import on

from memconsole.domain.search.agent_view import Reason, Vectors
from memconsole.text import figures
from memconsole.ui.actions.targets import for_agents
from memconsole.ui.drawing.listing import Listing, fact_rows, note
from memconsole.ui.drawing.literal import literal
from memconsole.ui.drawing.spans import Cell, Column, Role, Row, Span
from memconsole.ui.keys import Verb, bind
from memconsole.ui.screens.base import ConsoleScreen
from memconsole.ui.screens.search.rows import hit_key, place_of
from memconsole.ui.widgets.pane import Pane
from memconsole.ui.workers.loading import Loaded, Loader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from memconsole.domain.commands.command import Subject
    from memconsole.domain.platform_search.index import PlatformIndexHealth
    from memconsole.domain.search.agent_view import AgentFacts, AgentSearch, AgentView
    from memconsole.domain.search.values import SearchHit, SearchRequest, SearchResult
    from memconsole.ui.actions.targets import Target
    from memconsole.ui.drawing.context import Context
    from memconsole.ui.drawing.spans import Line


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

    def opened(self) -> None:
        """Search, and explain."""
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


_WORDS = {
    Reason.FOUND: "it finds it",
    Reason.FAR_DOWN: "too far down",
    Reason.NOT_INDEXED: "not indexed",
    Reason.IN_COMMENT: "in a comment",
    Reason.STALE: "changed since it was indexed",
    Reason.OTHER_MODEL: "chunk of another model",
    Reason.NO_VECTOR: "chunk without a vector",
    Reason.TOO_OLD: "too old",
    Reason.WORDS: "words not heard",
    Reason.BELOW: "below its least score",
    Reason.VECTOR_UNKNOWN: "its vectors are not ours to ask",
    Reason.OFF: "its search is switched off",
    Reason.NO_INDEX: "it has no index",
    Reason.UNREADABLE: "its index cannot be read",
    Reason.NOT_COMPARED: "sessions are not compared",
}
_SOURCES = {Vectors.ASKED: "gateway"}


def why_listing(result: SearchResult, context: Context) -> Listing:
    """Return the notes in our order, each with the agent's place of it."""
    hits, dot = result.hits, context.glyphs.dot
    found = sum(_view_role(hit.agent_view) is Role.OK for hit in hits)
    has_agents = len({hit.agent for hit in hits}) > 1
    asked = {_SOURCES.get(one.vectors, "disk") for one in result.agent_searches}
    return Listing(
        title="Why",
        about=f"{dot} the agent finds {found} of {len(hits)}" if hits else "",
        source="gateway" if asked == {"gateway"} else "disk",
        number=1,
        columns=_columns(has_agents=has_agents),
        rows=tuple(_row(place, hit, has_agents=has_agents) for place, hit in enumerate(hits, 1)),
        empty=("nothing was found, so there is nothing to explain",),
        fixed=tuple(note(f"  {_rules(one, dot)}") for one in result.agent_searches),
    )


def _columns(*, has_agents: bool) -> tuple[Column, ...]:
    columns = [
        Column("ours", 4, right=True),
        Column("agent's", 7, right=True),
        Column("note", 16, flex=3, most=48),
    ]
    if has_agents:
        columns.append(Column("agent", 6, flex=1, most=12, drop=2))
    return (*columns, Column("why", 14, flex=3, drop=1))


def _row(place: int, hit: SearchHit, *, has_agents: bool) -> Row:
    view = hit.agent_view
    role = _view_role(view)
    drawn = [
        Cell(str(place), Role.STRONG),
        Cell(_rank(view), role),
        Cell(place_of(hit), is_id=True),
    ]
    if has_agents:
        drawn.append(Cell(literal(hit.agent), Role.MUTED, is_id=True))
    drawn.append(Cell("" if view is None else _WORDS[view.reason], role))
    return Row(hit_key(hit), tuple(drawn), value=f"{hit.path}:{hit.start_line}")


def _rank(view: AgentView | None) -> str:
    if view is None or not view.is_known:
        return "?"
    return "none" if view.rank is None else str(view.rank)


def _view_role(view: AgentView | None) -> Role:
    if view is None or not view.is_known:
        return Role.MUTED
    return Role.OK if view.reason is Reason.FOUND else Role.WARNING


def _rules(one: AgentSearch, dot: str) -> str:
    """Return by which rules an agent's search goes."""
    if not one.release:
        return f"{literal(one.agent)}: {literal(one.because)}"
    parts = [
        f"{literal(one.agent)}: rules of {one.release}",
        f"least score {one.min_score:g}",
        f"{one.max_results} results",
        literal(one.provider),
    ]
    return f" {dot} ".join(parts)


def reason_listing(hit: SearchHit | None, place: int, width: int) -> Listing:
    """Return everything about one note in the agent's own search, and what would help."""
    facts = () if hit is None else tuple(_facts(hit, place))
    return Listing(
        title="Reason", number=2, rows=fact_rows(facts, width), empty=("no note is selected",)
    )


def _facts(hit: SearchHit, place: int) -> Iterator[tuple[str, str]]:
    yield "note", f"{hit.path}, lines {hit.start_line} to {hit.end_line}"
    yield "ours", f"rank {place}, score {hit.score:.2f}"
    view = hit.agent_view
    if view is None:
        return
    score = "" if view.score is None else f", score {view.score:.2f}"
    yield "agent's", f"{view.place}{score}"
    yield "because", view.because
    yield "what helps", view.help
    yield from _parts(view.facts)


def _enough(needs: float) -> str:
    return "no likeness is enough" if needs > 1 else f"{max(0.0, needs):.2f} alike is enough"


def _parts(facts: AgentFacts) -> Iterator[tuple[str, str]]:
    if facts.vector_score is not None:
        yield "meaning", f"{facts.vector_score:.2f} alike"
    elif facts.needs is not None:
        yield "meaning", f"not known; {_enough(facts.needs)}"
    if facts.text_score is not None:
        rank = "" if facts.text_rank is None else f", place {facts.text_rank} by words"
        yield "words", f"{facts.text_score:.2f}{rank}"
    if facts.age_days is not None and facts.fade is not None:
        yield "age", f"{facts.age_days:g} days leave {facts.fade:.0%} of its score"


def index_line(health: PlatformIndexHealth, dot: str) -> Line:
    """Return the state of an agent's own index; `dot` stands between two facts."""
    head = Span(" its own index  ", Role.MUTED)
    if health.facts is None:
        return (head, Span(literal(health.because), Role.WARNING))
    size = f"{figures.plural(health.files, 'file')}, {figures.plural(health.chunks, 'chunk')}"
    if health.troubles:
        role = Role.DUE if health.is_deaf else Role.WARNING
        told = f" {dot} ".join(literal(one) for one in health.troubles)
        return (head, Span(f"{size} {dot} ", Role.MUTED), Span(told, role))
    waiting = len(health.recent)
    more = f" {dot} {figures.plural(waiting, 'new change')} to take in" if waiting else ""
    return (head, Span("whole", Role.OK), Span(f" {dot} {size}{more}", Role.MUTED))
