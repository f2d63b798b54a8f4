"""Memory pools and marked lines for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.cli import shape
from memconsole.cli.paper import Cell, Column
from memconsole.domain.sizes import size_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memconsole.cli.paper import Paper
    from memconsole.domain.memory import Marker, Pool, PoolItem


def pools(paper: Paper, found: Sequence[Pool]) -> None:
    """Write each workspace's memory."""
    for one in found:
        _pool(paper, one)
    if not found:
        paper.write("There are no agents, and so no memory folders.")


def _pool(paper: Paper, pool: Pool) -> None:
    names = paper.text(", ".join(pool.agents))
    paper.title(names, paper.text(str(pool.root)))
    if not pool.exists:
        paper.write(Cell("The workspace does not exist; nothing was looked at.", "warn"))
        return
    size = size_words(pool.size_bytes)
    paper.field(
        "pool", f"{size} in {shape.plural(pool.files, 'file')}, ~{shape.count(pool.tokens)} tokens"
    )
    marked = [f"{tag} {number}" for tag, number in pool.markers.items() if number]
    paper.field("markers", paper.text("  ".join(marked)) or "none")
    for kind in pool.by_category:
        text = f"{size_words(kind.size_bytes)} in {shape.plural(kind.files, 'file')}"
        paper.field(f"  {paper.text(kind.name)}", text)
    for limit in pool.limits:
        text = f"{paper.text(limit.path)}: {limit.chars:,} of {limit.limit:,} characters"
        text += ", the rest is cut off" if limit.is_over else ""
        paper.field("limit", Cell(text, "warn" if limit.is_over else ""))
    if pool.items:
        paper.gap()
        paper.table(_ITEM_COLUMNS, [_item_row(paper, item) for item in pool.items])
    for notice in pool.notices:
        paper.write(Cell(f"! {notice.code}: {paper.text(notice.message)}", "warn"))


_ITEM_COLUMNS = (
    Column("file", cut="middle", least=20),
    Column("size", right=True),
    Column("~tokens", right=True),
    Column("age", right=True, rank=2),
    Column("markers", cut="end", least=8, rank=1),
    Column("note", cut="end", least=12),
)


def _item_row(paper: Paper, item: PoolItem) -> list[Cell | str]:
    notes = [item.because] if item.because else []
    if item.is_generated:
        notes.append("generated")
    if not item.is_counted and not item.because:
        notes.append("not counted")
    marked = " ".join(f"{tag} {number}" for tag, number in item.markers.items() if number)
    return [
        Cell(paper.text(item.path), "" if item.is_counted else "dim"),
        size_words(item.size_bytes),
        shape.count(item.tokens),
        shape.age(item.modified_at, paper.now),
        marked,
        Cell(paper.text(", ".join(dict.fromkeys(notes))), "dim"),
    ]


def markers(paper: Paper, found: Sequence[tuple[str, Marker]]) -> None:
    """Write the marked lines."""
    if not found:
        paper.write("No marked lines.")
        return
    columns = (
        Column("tag"),
        Column("agent", cut="middle", least=6, rank=1),
        Column("place", cut="middle", least=16),
        Column("text", cut="end", least=20),
    )
    rows = [
        [one.tag, paper.text(agent), paper.text(f"{one.path}:{one.line}"), _said(paper, one)]
        for agent, one in found
    ]
    paper.table(columns, rows)


def _said(paper: Paper, marker: Marker) -> str:
    """Return the line without the tag that has a column of its own."""
    return paper.text(marker.text).removeprefix(f"[{marker.tag}]").lstrip()
