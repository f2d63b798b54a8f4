"""What consolidation would do to one memory, as rows: what has decayed, what could stay for good.

Proposals come from notes that searches found again; nothing is written before an operator says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memconsole.domain.memory.observations import Priority
from memconsole.text import figures
from memconsole.ui.drawing.listing import Listing, fact_rows, text_row
from memconsole.ui.drawing.literal import literal
from memconsole.ui.drawing.spans import Cell, Column, Gauge, Role, Row, Span
from memconsole.ui.screens.observations.rows import PRIORITIES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memconsole.domain.consolidate.decay import Decayed
    from memconsole.domain.consolidate.promotion import Parts, Proposal
    from memconsole.domain.consolidate.text import ConsolidationPreview
    from memconsole.ui.drawing.context import Context
    from memconsole.ui.drawing.spans import Line

_GAUGE: Final = 24
_LABEL: Final = 12

_PROPOSALS = (
    Column("id", 10),
    Column("score", 5, right=True),
    Column("", 6, flex=1, most=12, drop=2, name="score in parts"),
    Column("found", 5, right=True, drop=3),
    Column("line for MEMORY.md", 24, flex=5),
)


def proposals_listing(
    preview: ConsolidationPreview | None, failure: str, context: Context
) -> Listing:
    """Return the notes that could go into MEMORY.md, the best first."""
    title = "Proposals for MEMORY.md"
    if preview is None:
        return Listing(title, number=1, empty=(failure or "looking at what was found again",))
    notes = tuple(literal(note) for note in preview.notes)
    return Listing(
        title=title,
        about=f"{context.glyphs.dot} {len(preview.proposals)}" if preview.proposals else "",
        source="searches",
        number=1,
        columns=_PROPOSALS,
        rows=tuple(_proposal(one) for one in preview.proposals),
        empty=("no note was found again often enough to be proposed", *notes),
        problem=failure
        or (literal(preview.notes[0]) if preview.notes and preview.proposals else ""),
    )


def _proposal(one: Proposal) -> Row:
    text = literal(one.text)
    return Row(
        key=one.id,
        cells=(
            Cell(one.id, Role.ACCENT),
            Cell(f"{one.score:.2f}"),
            Gauge(one.score, is_share=True),
            Cell(str(one.hits), Role.MUTED),
            Cell(text),
        ),
        value=text,
        search=f"{one.id} {text}",
    )


_DECAYED = (
    Column("weight", 6),
    Column("left", 4, right=True),
    Column("days", 4, right=True, drop=2),
    Column("type", 10, drop=3),
    Column("observation", 24, flex=1),
)


def decayed_listing(preview: ConsolidationPreview | None, context: Context) -> Listing:
    """Return the observations that have decayed; those of high weight stay unless they are told."""
    rows: list[Row] = []
    if preview is not None:
        rows = [_decayed(one, stays=False) for one in preview.archived]
        rows += [_decayed(one, stays=True) for one in preview.high]
    count = len(preview.archived) if preview is not None else 0
    return Listing(
        title="To be archived",
        about=f"{context.glyphs.dot} {count}" if count else "",
        source="files",
        number=2,
        columns=_DECAYED,
        rows=tuple(rows),
        empty=("reading" if preview is None else "no observation has decayed far enough",),
        fixed=() if preview is None else (_tokens(preview, context),),
    )


def _decayed(one: Decayed, *, stays: bool) -> Row:
    word, role = PRIORITIES[one.observation.priority]
    text = literal(one.text)
    note = "stays, high weight: " if stays else ""
    return Row(
        key=f"{one.id} {one.line}",
        cells=(
            Cell(word, role),
            Cell(f"{one.score:.1f}"),
            Cell("?" if one.age_days is None else str(one.age_days), Role.MUTED),
            Cell(one.observation.kind.value, Role.MUTED),
            Cell(f"{note}{text}", Role.MUTED if stays else Role.PLAIN),
        ),
        value=text,
    )


def _tokens(preview: ConsolidationPreview, context: Context) -> Line:
    before, after, most = preview.tokens_before, preview.tokens_after, preview.token_target
    return (
        Span("  tokens  ", Role.STRONG),
        *Gauge(before / most if most else None).draw(_GAUGE, context.glyphs, right=False),
        Span(
            f"  {figures.kilo(before)} {context.glyphs.arrow} {figures.kilo(after)} "
            f"of {figures.short_kilo(most)}"
        ),
    )


def one_listing(
    preview: ConsolidationPreview | None, key: str, context: Context, width: int
) -> Listing:
    """Return one proposal or one decayed observation in full."""
    proposal = next((one for one in (preview.proposals if preview else ()) if one.id == key), None)
    lines = (*preview.archived, *preview.high) if preview else ()
    decayed = next((one for one in lines if f"{one.id} {one.line}" == key), None)
    rows: tuple[Row, ...] = ()
    if proposal is not None:
        rows = (*fact_rows(_proposal_facts(proposal, context), width), *_bars(proposal, context))
    elif decayed is not None:
        rows = fact_rows(_decayed_facts(decayed), width)
    return Listing("In full", number=3, rows=rows, empty=("nothing is selected",))


def _proposal_facts(one: Proposal, context: Context) -> Iterator[tuple[str, str]]:
    yield "would add", one.text
    yield "stands in", f"{one.path}:{one.line}"
    last = figures.ago(context.since(one.last_at))
    yield (
        "found",
        f"{figures.plural(one.hits, 'time')} by {figures.plural(one.queries, 'question')} on "
        f"{figures.plural(one.days, 'day')}, last {last}",
    )


def _bars(one: Proposal, context: Context) -> Iterator[Row]:
    for name, share in _parts(one.parts):
        gauge = Gauge(share, is_share=True).draw(_GAUGE, context.glyphs, right=False)
        line = (Span(f"{name:<{_LABEL}}", Role.MUTED), *gauge, Span(f"  {share:.2f}"))
        yield text_row(f"part-{name}", *line, value=f"{name} {share:.2f}")


def _parts(parts: Parts) -> tuple[tuple[str, float], ...]:
    return (
        ("relevance", parts.relevance),
        ("frequency", parts.frequency),
        ("diversity", parts.diversity),
        ("recency", parts.recency),
        ("recurrence", parts.recurrence),
        ("richness", parts.richness),
    )


def _decayed_facts(one: Decayed) -> tuple[tuple[str, str], ...]:
    seen = one.observation
    high = "only `consolidate --apply-high` takes it" if seen.priority is Priority.HIGH else ""
    return (
        ("text", one.text),
        ("importance", f"{seen.importance:g} of 10, {one.score:.1f} left"),
        ("age", "" if one.age_days is None else figures.plural(one.age_days, "day")),
        ("type", seen.kind.value),
        ("weight", high),
        ("id", one.id),
    )
