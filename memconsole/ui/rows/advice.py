"""What wants a look in one memory: what is cut, said twice, outdated, left open, or odd."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.memory_advice import AdviceKind
from memconsole.ui import cells, figures
from memconsole.ui.listing import Listing, text_row
from memconsole.ui.literal import literal
from memconsole.ui.rows.file import entry_words
from memconsole.ui.spans import Role, Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memconsole.domain.entries import MemoryEntry
    from memconsole.domain.memory import Limit, Pool
    from memconsole.domain.memory_advice import Advice, MemoryAdvice
    from memconsole.ui.rows.context import Context
    from memconsole.ui.spans import Row

_ENTRY = "entry"


def advice_listing(
    pool: Pool | None,
    advice: MemoryAdvice | None,
    context: Context,
    width: int,
    *,
    failure: str = "",
) -> Listing:
    """Return what wants a look, the gravest first; lines about an entry lead to it.

    Args:
        pool: The files; None while nothing was read.
        advice: On single entries; None while they are compared.
        context: Glyphs.
        width: Cells of a line.
        failure: Why there is no advice.
    """
    rows = [] if pool is None else list(_rows(pool, advice, width))
    waiting = "comparing the entries" if advice is None and not failure else ""
    return Listing(
        title="Advice",
        about=f"{context.glyphs.dot} {said}" if (said := waiting or _about(advice)) else "",
        number=4,
        rows=tuple(rows),
        empty=(waiting or "nothing wants a look",),
        problem=failure,
    )


def advised(advice: MemoryAdvice | None, key: str) -> MemoryEntry | None:
    """Return the entry that a row is about; None for one about a file."""
    kind, _, rest = key.partition(":")
    number = rest.partition(":")[0]
    if kind != _ENTRY or advice is None or int(number) >= len(advice.found):
        return None
    return advice.found[int(number)].entry


def _about(advice: MemoryAdvice | None) -> str:
    if advice is None:
        return ""
    counts = {kind: sum(one.kind is kind for one in advice.found) for kind in AdviceKind}
    found = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)
    is_part = advice.looked_at < advice.of
    looked = f"in the newest {advice.looked_at} of {advice.of:,} files" if is_part else ""
    return " ".join(part for part in (found or "no entry" if is_part else found, looked) if part)


def _rows(pool: Pool, advice: MemoryAdvice | None, width: int) -> Iterator[Row]:
    over = [limit for limit in pool.limits if limit.is_over]
    for limit in over:
        yield from _limit(limit, width)
    for number, one in enumerate(() if advice is None else advice.found):
        role = Role.PLAIN if one.kind is AdviceKind.OPEN else Role.WARNING
        yield from _lines(f"{_ENTRY}:{number}", _sentence(one), role, width)
    for place, notice in enumerate(pool.notices):
        yield from _lines(f"notice:{place}", literal(notice.message), Role.WARNING, width)
    for item in pool.items:
        if item.because:
            text = f"{literal(item.path)}: {literal(item.because)}"
            yield from _lines(f"item:{item.path}", text, Role.MUTED, width)
    for limit in pool.limits:
        if not limit.is_over:
            yield from _limit(limit, width)


def _limit(limit: Limit, width: int) -> Iterator[Row]:
    word = "the platform cuts it" if limit.is_over else "fits"
    chars = f"{figures.short_kilo(limit.chars)} of {figures.short_kilo(limit.limit)} characters"
    role = Role.DUE if limit.is_over else Role.PLAIN
    yield from _lines(f"limit:{limit.path}", f"{literal(limit.path)}: {chars}, {word}", role, width)


def _sentence(one: Advice) -> str:
    """Return an advice as a sentence; what is quoted stands last, where it may be long."""
    entry, other = one.entry, one.other
    named = f"{entry.id} ({literal(entry.path)}:{entry.line})"
    if other is None:
        return f"{named} is open since {entry.date}: {entry_words(entry)}"
    against = f"{other.id} ({literal(other.path)}:{other.line})"
    if one.kind is AdviceKind.TWICE:
        return f"{named} repeats {against}: {entry_words(entry)}"
    return f"{named} may be outdated, {against} of {other.date} says: {entry_words(other)}"


def _lines(key: str, text: str, role: Role, width: int) -> Iterator[Row]:
    for place, piece in enumerate(cells.wrap(text, max(width, 8))):
        yield text_row(f"{key}:{place}", Span(piece, role), value=text)
