"""The panels of the memory screen: files as a tree, marked lines, and advice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.memory.advice import AdviceKind
from memconsole.text import cells, figures
from memconsole.ui.drawing.listing import Listing, text_row
from memconsole.ui.drawing.literal import literal
from memconsole.ui.drawing.spans import Cell, Column, Role, Row, Span
from memconsole.ui.screens.memory.file import entry_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memconsole.domain.memory.advice import Advice, MemoryAdvice
    from memconsole.domain.memory.entries import MemoryEntry
    from memconsole.domain.memory.files import Limit, Marker, Pool, PoolItem
    from memconsole.ui.drawing.context import Context


_FILE_COLUMNS = (
    Column("file", 14, flex=1),
    Column("size", 7, right=True),
    Column("marks", 5, right=True, drop=2),
)


def files_listing(pool: Pool | None, context: Context) -> Listing:
    """Return the files of a pool as a tree; folders are headings."""
    items = () if pool is None else pool.items
    about = "" if pool is None else f"{len(items)}, {figures.size(pool.size_bytes)}"
    return Listing(
        title="Files",
        about=f"{context.glyphs.dot} {about}" if about else "",
        number=1,
        columns=_FILE_COLUMNS,
        rows=tuple(_tree(items, context)),
        empty=("no memory files yet",) if pool is not None and pool.exists else ("no workspace",),
    )


def _tree(items: Sequence[PoolItem], context: Context) -> Iterator[Row]:
    ordered = sorted(items, key=lambda item: ("/" in item.path, item.path.casefold()))
    seen: set[tuple[str, ...]] = set()
    folders = [tuple(item.path.split("/")[:-1]) for item in ordered]
    for place, item in enumerate(ordered):
        parts = folders[place]
        for depth in range(1, len(parts) + 1):
            if parts[:depth] not in seen:
                seen.add(parts[:depth])
                name = f"{context.glyphs.trunk * (depth - 1)}{literal(parts[depth - 1])}/"
                yield Row(
                    f"folder:{'/'.join(parts[:depth])}",
                    (Cell(name, Role.MUTED), Cell(), Cell()),
                    is_heading=True,
                )
        is_last = place + 1 == len(ordered) or folders[place + 1][: len(parts)] != parts
        yield _file(item, len(parts), context, is_last=is_last)


def _file(item: PoolItem, depth: int, context: Context, *, is_last: bool) -> Row:
    glyphs = context.glyphs
    branch = glyphs.last_branch if is_last else glyphs.branch
    indent = "" if depth == 0 else glyphs.trunk * (depth - 1) + branch
    role = Role.WARNING if item.encoding == "unknown" else Role.PLAIN
    marks = sum(item.markers.values())
    name = literal(item.path.split("/")[-1])
    return Row(
        key=f"file:{item.path}",
        cells=(
            Cell(f"{indent}{name}", role if item.is_counted else Role.MUTED),
            Cell(figures.size(item.size_bytes), Role.MUTED),
            Cell(str(marks) if marks else "", Role.MUTED),
        ),
        value=item.path,
        search=item.path,
    )


_MARKER_COLUMNS = (
    Column("", 10, name="marker"),
    Column("line", 12, flex=1, most=28, drop=1),
    Column("text", 20, flex=4),
)


def markers_listing(markers: Iterable[Marker] | None, context: Context) -> Listing:
    """Return every marked line; Enter shows it in its file."""
    rows = [
        Row(
            key=f"{marker.path}:{marker.line}:{place}",
            cells=(
                Cell(literal(marker.tag), Role.ACCENT),
                Cell(literal(f"{marker.path}:{marker.line}"), Role.MUTED, is_id=True),
                Cell(literal(marker.text)),
            ),
            value=marker.text,
        )
        for place, marker in enumerate(markers or ())
    ]
    return Listing(
        title="Markers",
        about=f"{context.glyphs.dot} {len(rows):,}" if rows else "",
        number=3,
        columns=_MARKER_COLUMNS,
        rows=tuple(rows),
        empty=("reading",) if markers is None else ("no line is marked",),
    )


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
