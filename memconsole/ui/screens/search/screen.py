"""The whole search: results, the one under the cursor in full, and what narrows them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.containers import Horizontal, Vertical

from memconsole.domain.search.agent_view import Reason
from memconsole.domain.search.indexing import Source
from memconsole.text import cells, figures
from memconsole.ui.actions.targets import for_agents
from memconsole.ui.drawing.excerpt import marked
from memconsole.ui.drawing.listing import Listing, text_row
from memconsole.ui.drawing.literal import literal
from memconsole.ui.drawing.spans import Role, Span
from memconsole.ui.keys import Verb, panel_keys
from memconsole.ui.queries import DAYS, SOURCES, TAGS
from memconsole.ui.screens.base import ConsoleScreen
from memconsole.ui.screens.search.pane import SearchPane
from memconsole.ui.screens.search.rows import legs, place_of, shown
from memconsole.ui.widgets.pane import Pane

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from memconsole.domain.commands.command import Subject
    from memconsole.domain.search.query import Query
    from memconsole.domain.search.values import SearchHit
    from memconsole.ui.actions.targets import Target
    from memconsole.ui.drawing.context import Context
    from memconsole.ui.drawing.excerpt import Marks
    from memconsole.ui.drawing.spans import Line, Row
    from memconsole.ui.queries import Facets


_PANELS = ("results", "preview", "facets")


class SearchScreen(ConsoleScreen):
    """Everything about one search; keys for facets work wherever the cursor is."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *panel_keys(_PANELS),
    ]
    ACTIONS: ClassVar[tuple[Verb, ...]] = (
        Verb("a", "facet('agent')", "agent", "The next agent, or all", "facet-agent"),
        Verb("h", "facet('host')", "host", "The next of several hosts, or all", "facet-host"),
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

    def opened(self) -> None:
        """Search for what was searched for, or wait for words."""
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
        self.named("facets").show(
            facets_listing(self._search.facets, self._agents(), context, self._homes())
        )
        self.show_keys()

    def _agents(self) -> tuple[str, ...]:
        snapshot, home = self.desk.snapshot, self._search.facets.home
        if snapshot is None:
            return ()
        part = snapshot if home is None else snapshot.of_home(home)
        return tuple(one.ref.id for one in part.agents)

    def _homes(self) -> tuple[str, ...]:
        snapshot = self.desk.snapshot
        return () if snapshot is None else tuple(one.label for one in snapshot.homes)

    def actions(self) -> tuple[Verb, ...]:
        """Leave out the host where there is one home."""
        return tuple(one for one in super().actions() if self._homes() or one.key != "h")

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
            self._narrow(chosen(row.key, self._search.facets, self._agents(), self._homes()))
        elif hit is not None and query is not None:
            self.desk.go.hit(hit, query)
        elif pane is self._search:
            self._search.search_for(row.value)

    def action_facet(self, group: str) -> None:
        """Go to the next choice of a facet."""
        self._narrow(next_choice(group, self._search.facets, self._agents(), self._homes()))

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


_SOURCE_WORDS = {None: "as configured", False: "memory files", True: "sessions as well"}
_DAY_WORDS = {
    None: "any time",
    1: "last day",
    7: "last 7 days",
    30: "last 30 days",
    90: "last 90 days",
    365: "last year",
}
_LABEL = 10


def choices(
    facets: Facets, agents: Sequence[str], homes: Sequence[str] = ()
) -> dict[str, dict[str, Facets]]:
    """Return each group of facets: its choices by their words, and what each would make of them."""
    hosts = {
        literal(home or "all hosts"): facets
        if home == facets.home
        else replace(facets, home=home, agent_id=None)
        for home in (None, *homes)
    }
    whose: dict[str, Facets] = {}
    if len(agents) > 1:
        whose["all agents"] = replace(facets, agent_id=None)
    whose |= {literal(agent): replace(facets, agent_id=agent) for agent in agents}
    return {
        **({"host": hosts} if homes else {}),
        "agent": whose,
        "source": {_SOURCE_WORDS[one]: replace(facets, with_sessions=one) for one in SOURCES},
        "marker": {one or "any line": replace(facets, tag=one) for one in TAGS},
        "date": {_DAY_WORDS[one]: replace(facets, days=one) for one in DAYS},
        "order": {
            "best first": replace(facets, by_date=False),
            "newest first": replace(facets, by_date=True),
        },
    }


def chosen(
    key: str, facets: Facets, agents: Sequence[str], homes: Sequence[str] = ()
) -> Facets | None:
    """Return the facets that a row stands for; None for a heading."""
    group, _, word = key.partition(":")
    return choices(facets, agents, homes).get(group, {}).get(word)


def next_choice(
    group: str, facets: Facets, agents: Sequence[str], homes: Sequence[str] = ()
) -> Facets:
    """Return the facets with the next choice of a group."""
    ways = list(choices(facets, agents, homes)[group].values())
    place = ways.index(facets) if facets in ways else -1
    return ways[(place + 1) % len(ways)]


def facets_listing(
    facets: Facets, agents: Sequence[str], context: Context, homes: Sequence[str] = ()
) -> Listing:
    """Return all facets, those that apply marked."""
    rows: list[Row] = []
    for group, ways in choices(facets, agents, homes).items():
        rows.append(text_row(f"{group}:", Span(group, Role.HEADER), is_heading=True))
        for word, way in ways.items():
            is_on = way == facets
            sign = context.glyphs.on if is_on else context.glyphs.off
            role = Role.ACCENT if is_on else Role.MUTED
            text = Role.STRONG if is_on else Role.PLAIN
            rows.append(
                text_row(f"{group}:{word}", Span(f"{sign} ", role), Span(word, text), value=word)
            )
    return Listing(title="Facets", number=3, rows=tuple(rows))


def hit_listing(
    hit: SearchHit | None, query: Query | None, context: Context, width: int
) -> Listing:
    """Return one result in full: its place, both legs, how the agent would see it, its text."""
    rows: tuple[Row, ...] = ()
    if hit is not None and query is not None:
        rows = tuple(_hit_rows(hit, query, context, width))
    return Listing(
        title="Preview",
        about="" if hit is None else f"{context.glyphs.dot} {place_of(hit)}",
        number=2,
        rows=rows,
        empty=("no result is selected",),
    )


def _hit_rows(hit: SearchHit, query: Query, context: Context, width: int) -> Iterator[Row]:
    for number, fact in enumerate(_facts(hit, context)):
        yield text_row(f"fact-{number}", *fact, value=place_of(hit))
    text, marks = shown(hit, query)
    start = 0
    for number, line in enumerate(text.split("\n")):
        for place, (begin, piece) in enumerate(_pieces(line, max(width, 8))):
            spans = marked(piece, _within(marks, start + begin, len(piece)))
            yield text_row(f"text-{number}:{place}", *spans, value=line)
        start += len(line) + 1


def _facts(hit: SearchHit, context: Context) -> Iterator[Line]:
    dot = f" {context.glyphs.dot} "
    about = [literal(hit.agent), "session" if hit.source is Source.SESSIONS else "memory"]
    about.append(f"lines {hit.start_line} to {hit.end_line}")
    if hit.modified_at is not None:
        about.append(figures.day_and_time(hit.modified_at, context.zone))
    about += [literal(tag) for tag in hit.tags]
    if hit.is_archived:
        about.append("archived")
    if not hit.on_path:
        about.append("off the active path")
    yield (_label("where"), Span(dot.join(about), Role.MUTED))
    if hit.heading:
        yield (_label("under"), Span(literal(hit.heading), Role.MUTED))
    weak = (Span("weak match", Role.WARNING),) if hit.is_weak else ()
    yield (_label("score"), Span(f"{hit.score:.2f}   "), *legs(hit, context.glyphs), *weak)
    if hit.agent_view is not None:
        why = f"{hit.agent_view.place}, {literal(hit.agent_view.because)}"
        is_found = hit.agent_view.reason is Reason.FOUND
        yield (_label("its agent"), Span(why, Role.OK if is_found else Role.WARNING))
    yield (Span(""),)


def _label(text: str) -> Span:
    return Span(f"{text:<{_LABEL}}", Role.MUTED)


def _pieces(line: str, width: int) -> Iterator[tuple[int, str]]:
    """Yield a line wrapped, each piece with its place in it."""
    start = 0
    for piece in cells.wrap(line.replace("\t", " "), width):
        found = line.replace("\t", " ").find(piece, start)
        start = start if found < 0 else found
        yield start, piece
        start += len(piece)


def _within(marks: Marks, start: int, length: int) -> Marks:
    """Return the marks inside a part of a text, counted from its beginning."""
    return tuple(
        (max(begin, start) - start, min(end, start + length) - start)
        for begin, end in marks
        if begin < start + length and end > start
    )
