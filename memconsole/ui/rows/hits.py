"""One result: its name, its place, its text with the words marked, and both legs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.query import match_spans
from memconsole.ui.literal import literal, literal_block
from memconsole.ui.rows.file import Spot
from memconsole.ui.spans import Role, Span

if TYPE_CHECKING:
    from memconsole.domain.query import Query
    from memconsole.domain.search import SearchHit
    from memconsole.ui.glyphs import Glyphs
    from memconsole.ui.spans import Line


def hit_key(hit: SearchHit) -> str:
    """Return what names a hit across searches."""
    return f"hit:{hit.agent}:{hit.path}:{hit.start_line}"


def place_of(hit: SearchHit) -> str:
    """Return where a hit stands: `memory/2026-01-20.md:12`, a talk by the beginning of its id."""
    return literal(f"{hit.path}:{hit.start_line}")


def shown(hit: SearchHit, query: Query) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Return the snippet cleaned and masked, with its marks where they stand then."""
    safe = literal_block(hit.snippet)
    return safe, hit.marks if safe == hit.snippet else match_spans(safe, query)


def spot_of(hit: SearchHit, query: Query) -> Spot:
    """Return where in its file the line with most of the words is."""
    text, marks = shown(hit, query)
    best, most, start = "", 0, 0
    for line in text.split("\n"):
        count = sum(start <= begin < start + len(line) for begin, _ in marks)
        if count > most:
            best, most = line, count
        start += len(line) + 1
    return Spot(hit.path, hit.start_line, hit.end_line, best)


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
