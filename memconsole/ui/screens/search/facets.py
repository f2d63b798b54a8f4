"""What a search can be narrowed by, and the whole of one result."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole.domain.search.agent_view import Reason
from memconsole.domain.search.indexing import Source
from memconsole.text import cells, figures
from memconsole.ui.drawing.excerpt import marked
from memconsole.ui.drawing.listing import Listing, text_row
from memconsole.ui.drawing.literal import literal
from memconsole.ui.drawing.spans import Role, Span
from memconsole.ui.queries import DAYS, SOURCES, TAGS
from memconsole.ui.screens.search.rows import legs, place_of, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memconsole.domain.search.query import Query
    from memconsole.domain.search.values import SearchHit
    from memconsole.ui.drawing.context import Context
    from memconsole.ui.drawing.excerpt import Marks
    from memconsole.ui.drawing.spans import Line, Row
    from memconsole.ui.queries import Facets

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


def choices(facets: Facets, agents: Sequence[str]) -> dict[str, dict[str, Facets]]:
    """Return each group of facets: its choices by their words, and what each would make of them."""
    whose: dict[str, Facets] = {}
    if len(agents) > 1:
        whose["all agents"] = replace(facets, agent_id=None)
    whose |= {literal(agent): replace(facets, agent_id=agent) for agent in agents}
    return {
        "agent": whose,
        "source": {_SOURCE_WORDS[one]: replace(facets, with_sessions=one) for one in SOURCES},
        "marker": {one or "any line": replace(facets, tag=one) for one in TAGS},
        "date": {_DAY_WORDS[one]: replace(facets, days=one) for one in DAYS},
        "order": {
            "best first": replace(facets, by_date=False),
            "newest first": replace(facets, by_date=True),
        },
    }


def chosen(key: str, facets: Facets, agents: Sequence[str]) -> Facets | None:
    """Return the facets that a row stands for; None for a heading."""
    group, _, word = key.partition(":")
    return choices(facets, agents).get(group, {}).get(word)


def next_choice(group: str, facets: Facets, agents: Sequence[str]) -> Facets:
    """Return the facets with the next choice of a group."""
    ways = list(choices(facets, agents)[group].values())
    place = ways.index(facets) if facets in ways else -1
    return ways[(place + 1) % len(ways)]


def facets_listing(facets: Facets, agents: Sequence[str], context: Context) -> Listing:
    """Return all facets, those that apply marked."""
    rows: list[Row] = []
    for group, ways in choices(facets, agents).items():
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
            yield text_row(f"text-{number}-{place}", *spans, value=line)
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
