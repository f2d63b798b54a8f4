"""Hits as rows: scores as small bars, the place, the words where they stand; and one in full."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from memconsole.domain.search.indexing import IndexState
from memconsole.domain.search.near_hits import unfolded
from memconsole.domain.search.query import match_spans
from memconsole.lazy_dataclass import dataclass
from memconsole.text import cells, figures
from memconsole.ui.drawing.excerpt import Excerpt, Location
from memconsole.ui.drawing.listing import Listing, Sort, text_row
from memconsole.ui.drawing.literal import literal, literal_block
from memconsole.ui.drawing.spans import Cell, Column, Rich, Role, Row, Span

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memconsole.domain.search.indexing import IndexStatus
    from memconsole.domain.search.query import Query
    from memconsole.domain.search.values import SearchHit, SearchResult
    from memconsole.ui.drawing.context import Context
    from memconsole.ui.drawing.glyphs import Glyphs
    from memconsole.ui.drawing.spans import Line
    from memconsole.ui.queries import Facets
    from memconsole.ui.workers.finder import Found
    from memconsole.ui.workers.indexing import Building, Statuses


_LOOKED = (IndexState.FRESH, IndexState.STALE)
_PLACE, _LEAST_PLACE = 18, 12
_MINUTE = timedelta(minutes=1)
"""Cells for the path of a result before the words get the rest."""


@dataclass(frozen=True, slots=True)
class IndexView:
    """What is known about the indexes that are searched.

    Attributes:
        statuses: Empty before they were looked at.
        failure: Why one could not be built.
    """

    statuses: Statuses = ()
    building: Building | None = None
    failure: str = ""
    is_read_only: bool = False


@dataclass(frozen=True, slots=True)
class Search:
    """Everything that a search pane draws.

    Attributes:
        query: What stands in its line.
        about: Whom it searches.
        recent: Earlier queries, shown while there is none.
        is_wide: There is room for more than place and words.
    """

    query: str
    facets: Facets
    found: Found | None
    index: IndexView
    about: str
    prompt: Line = ()
    recent: tuple[str, ...] = ()
    is_wide: bool = False


def search_listing(search: Search, context: Context) -> Listing:
    """Return what was found, below the line in which the query stands."""
    result = None if search.found is None else search.found.result
    hits = _listed(search)
    has_agents = search.facets.agent_id is None
    if search.query.strip():
        rows = tuple(_row(hit, result.query, search, context) for hit in hits) if result else ()
    else:
        rows = tuple(_recent(number, text) for number, text in enumerate(search.recent))
    longest = max((cells.width(place_of(hit)) for hit in hits), default=0)
    columns = _columns(longest, has_agents=has_agents, is_wide=search.is_wide) if hits else ()
    source, age = index_words(search.index, result, context)
    by_date = search.facets.by_date
    return Listing(
        title="Search",
        about=f"{context.glyphs.dot} {search.about}{_fold_words(hits, search, context)}",
        source=source,
        age=age,
        number=1 if search.is_wide else 4,
        columns=columns,
        rows=rows,
        sort=Sort("date" if by_date else "score"),
        fixed=(search.prompt,) if search.prompt else (),
        empty=_empty(search),
        problem=_problem(search),
    )


def index_words(index: IndexView, result: SearchResult | None, context: Context) -> tuple[str, str]:
    """Return how large the index is, and what it is worth: `1,204 chunks`, `fresh · 12 min`."""
    dot = context.glyphs.dot
    if index.building is not None:
        return "", _building(index.building)
    statuses = index.statuses or (() if result is None else tuple(result.indexes.values()))
    if not statuses:
        return "", ""
    known = [one for one in statuses if one.state in _LOOKED]
    if any(one.state is IndexState.UNAVAILABLE for one in statuses) and not known:
        return "", "could not look"
    if not known:
        return "", "no index, read-only" if index.is_read_only else "no index yet"
    chunks = figures.plural(sum(one.chunks for one in known), "chunk")
    times = [one.updated_at for one in known if one.updated_at is not None]
    since = context.since(min(times)) if times else None
    # The seconds of an index that was just built would be written again and again.
    age = f" {dot} {figures.age(since)}" if since is not None and since >= _MINUTE else ""
    return chunks, f"{_state(statuses)}{_words_only(known)}{age}"


def _state(statuses: Iterable[IndexStatus]) -> str:
    states = {one.state for one in statuses}
    if IndexState.STALE in states:
        return "stale"
    return "partly" if states - {IndexState.FRESH} else "fresh"


def _words_only(statuses: Iterable[IndexStatus]) -> str:
    return "" if any(one.has_vectors for one in statuses) else ", words only"


def _building(building: Building) -> str:
    if building.done is None:
        return "building"
    return f"building {building.done:,} of {building.total:,}"


def could_look(result: SearchResult) -> bool:
    """Tell whether any index could be looked into: "nothing found" and this never look alike."""
    return any(one.state in _LOOKED for one in result.indexes.values())


def _empty(search: Search) -> tuple[str, ...]:
    if not search.query.strip():
        # Sixty columns have room for it.
        return (f"/ searches what {search.about} wrote down; i renews its index",)
    found = search.found
    if found is None:
        return ("searching",)
    if found.result is None:
        return (f"could not look: {found.failure}",)
    if found.from_files:
        return _nothing_in_files(search.index)
    if could_look(found.result):
        return _nothing(search, found.result)
    because = literal(found.result.index.because) or "the index cannot be read"
    return (f"could not look: {because}", "i builds the index anew")


def _nothing_in_files(index: IndexView) -> tuple[str, ...]:
    if index.building is not None:
        return ("none of these words stands in the files; their meaning is being indexed",)
    if index.failure:
        return (f"could not look: {index.failure}", "none of these words stands in the files")
    return ("none of these words stands in the files, and there is no index of their meaning",)


def _nothing(search: Search, result: SearchResult) -> tuple[str, ...]:
    lines = ["nothing found"]
    if search.facets.is_narrow:
        lines.append("marker and date narrow it: x takes them away")
    if result.coverage == 0:
        lines.append("none of these words occurs in the index")
    elif result.coverage is not None and result.coverage < 1:
        lines.append(_coverage(result))
    return (*lines, *filter(None, (_of_hosts(result), _of_language(result))))


def _coverage(result: SearchResult) -> str:
    words = len(result.query.words)
    return f"{round((result.coverage or 0) * words)} of {words} words occur in the index"


def _problem(search: Search) -> str:
    """Return what makes the answer worth less than it looks."""
    found, index = search.found, search.index
    if not search.query.strip():
        return index.failure
    if found is None or found.result is None or not found.result.hits:
        return ""
    if found.from_files:
        meanwhile = "while the index is built" if index.building is not None else "without an index"
        return f"words only, from the files, {meanwhile}"
    return _doubts(found.result)


def _of_hosts(result: SearchResult) -> str:
    """Return which of several hosts were searched, and which did not answer."""
    told = dict.fromkeys(one.message for one in result.notices if one.code == "home-away")
    return literal("; ".join(told))


def _doubts(result: SearchResult) -> str:
    failed = [one.message for one in result.notices if one.code == "embedding-failed"]
    if failed:
        return f"words only: {literal(failed[0])}"
    if told := _of_hosts(result):
        return told
    lacking = sorted({a for (a, _), one in result.indexes.items() if one.state not in _LOOKED})
    if lacking:
        return f"not looked into: {literal(', '.join(lacking))}"
    if told := _of_language(result):
        return told
    return _coverage(result) if result.coverage is not None and 0 < result.coverage < 1 else ""


def _of_language(result: SearchResult) -> str:
    """Return that the vectors cannot compare the question, shorter than the notice."""
    codes = {one.code for one in result.notices}
    told = "not in English: built-in vectors cannot compare it, a right note may be missing or weak"
    return told if "other-language" in codes else ""


def _columns(longest: int, *, has_agents: bool, is_wide: bool) -> tuple[Column, ...]:
    titles = ("score", "vw", "where", "agent", "when", "what") if is_wide else ("",) * 6
    columns = [
        Column(titles[0], 6 if is_wide else 3, right=True, sort="score"),
        Column(titles[1], 2, gap=1),
        Column(titles[2], min(longest, _PLACE), flex=2, most=max(longest, _LEAST_PLACE)),
    ]
    if has_agents:
        columns.append(Column(titles[3], 6, flex=1, most=12, drop=2))
    if is_wide:
        columns.append(Column(titles[4], 6, drop=3, sort="date"))
    columns.append(Column(titles[5], 12, flex=3, drop=1))
    return tuple(columns)


def _listed(search: Search) -> tuple[SearchHit, ...]:
    """Return what is listed: on its own screen everything, in a panel nothing twice."""
    found = search.found
    if found is None or found.result is None or not search.query.strip():
        return ()
    return unfolded(found.result.hits) if search.is_wide else found.result.hits


def _fold_words(hits: tuple[SearchHit, ...], search: Search, context: Context) -> str:
    count = 0 if search.is_wide else sum(len(hit.same) for hit in hits)
    return f" {context.glyphs.dot} {count} folded" if count else ""


def _row(hit: SearchHit, query: Query, search: Search, context: Context) -> Row:
    glyphs = context.glyphs
    text, marks = shown(hit, query)
    tone = Role.MUTED if hit.is_weak else Role.PLAIN
    lead: tuple[Span, ...] = ()
    if hit.is_weak:
        lead = (Span(f"weak match {glyphs.dot} ", Role.WARNING),)
    if hit.same and not search.is_wide:
        lead += (Span(f"+{len(hit.same)} alike {glyphs.dot} ", Role.MUTED),)
    drawn: list[Cell | Rich | Excerpt] = [
        Cell(score_word(hit.score), Role.MUTED if hit.is_weak else Role.STRONG),
        Rich((leg_bar(hit.vector_score, glyphs), leg_bar(hit.text_score, glyphs))),
        Cell(place_of(hit), tone, is_id=True),
    ]
    if search.facets.agent_id is None:
        drawn.append(Cell(literal(hit.agent), Role.MUTED, is_id=True))
    if search.is_wide:
        when = figures.when(hit.modified_at, context.now, context.zone)
        drawn.append(Cell("" if hit.modified_at is None else when, Role.MUTED))
    drawn.append(Excerpt(text, marks, lead, tone))
    return Row(
        key=hit_key(hit), cells=tuple(drawn), value=f"{hit.path}:{hit.start_line}", search=text
    )


def _recent(number: int, text: str) -> Row:
    return text_row(
        f"recent:{number}", Span("again  ", Role.MUTED), Span(literal(text)), value=text
    )


def hit_key(hit: SearchHit) -> str:
    """Return what names a hit across searches."""
    return f"hit:{hit.agent}:{hit.path}:{hit.start_line}"


def place_of(hit: SearchHit) -> str:
    """Return where a hit stands: `memory/2026-01-20.md:12`, or the beginning of a session id."""
    return literal(f"{hit.path}:{hit.start_line}")


def shown(hit: SearchHit, query: Query) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Return the snippet cleaned and masked, with its marks where they stand then."""
    safe = literal_block(hit.snippet)
    return safe, hit.marks if safe == hit.snippet else match_spans(safe, query)


def location_of(hit: SearchHit, query: Query) -> Location:
    """Return where in its file the line with most of the words is."""
    text, marks = shown(hit, query)
    best, most, start = "", 0, 0
    for line in text.split("\n"):
        count = sum(start <= begin < start + len(line) for begin, _ in marks)
        if count > most:
            best, most = line, count
        start += len(line) + 1
    return Location(hit.path, hit.start_line, hit.end_line, best)


def first_word(hit: SearchHit, query: Query) -> str:
    """Return the first matched word of a hit as it is written; empty without one."""
    text, marks = shown(hit, query)
    return text[slice(*marks[0])] if marks else ""


def legs(hit: SearchHit, glyphs: Glyphs) -> Line:
    """Return both legs in words and bars, for the preview."""
    spans: list[Span] = []
    for name, value in (("meaning", hit.vector_score), ("words", hit.text_score)):
        number = "not asked" if value is None and name == "meaning" else "none"
        number = number if value is None else score_word(value)
        spans += (Span(f"{name} ", Role.MUTED), leg_bar(value, glyphs), Span(f" {number}   "))
    return tuple(spans)


def leg_bar(value: float | None, glyphs: Glyphs) -> Span:
    """Return a score as one small bar; blank for a leg that took no part."""
    if value is None:
        return Span(" ")
    steps = len(glyphs.sparks) - 1  # a full block would run into the one above it
    step = min(steps - 1, max(0, round(value * steps) - 1))
    return Span(glyphs.sparks[step], Role.ACCENT)


def score_word(value: float) -> str:
    """Return `.91`; the column has no room for a nought that says nothing."""
    return "1.0" if value >= 0.995 else f"{value:.2f}".removeprefix("0")
