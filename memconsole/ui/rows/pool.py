"""The panels of the memory screen: files as a tree, marked lines, and what is wrong with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.ui import figures
from memconsole.ui.listing import Listing
from memconsole.ui.literal import literal
from memconsole.ui.spans import Cell, Column, Role, Row

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memconsole.domain.memory import Marker, Pool, PoolItem
    from memconsole.ui.rows.context import Context

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
    Column("", 10),
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
