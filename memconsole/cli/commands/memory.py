"""`memory pool` and `markers`: the files of a memory, and the lines that are marked in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memconsole.cli.call.call import Answer
from memconsole.cli.call.options import AgentOption, call_of, tag_of
from memconsole.cli.json import memory
from memconsole.cli.output import wording
from memconsole.cli.output.printer import Cell, Column
from memconsole.domain.agents import UNREADABLE, Notice
from memconsole.domain.memory.files import marked_since
from memconsole.domain.search.indexing import IndexState
from memconsole.domain.settings import WRONG_SETTINGS
from memconsole.errors import ConfigError
from memconsole.text import figures
from memconsole.text.figures import size_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memconsole.cli.call.call import Call
    from memconsole.cli.output.printer import Printer
    from memconsole.domain.memory.entries import MemoryEntry
    from memconsole.domain.memory.files import Marker, Pool, PoolItem
    from memconsole.domain.search.indexing import Indexes, IndexStatus, Source


_COMPARED_S = 5.0
"""Time for comparing search indexes with files."""


def pool(context: typer.Context, agent: AgentOption = None) -> int:
    """Show each workspace's memory: files, sizes, estimated tokens, markers, warnings."""
    call = call_of(context)
    with call.busy("reading the memory folders"):
        home = call.engine.home.read()
        pools = call.engine.memory.pools(agent, with_trend=True)
        indexes, wrong = _looked_at(call, agent)

    asked = None if agent is None else agent.strip().lower()

    def show(printer: Printer) -> None:
        show_pools(printer, pools, indexes)

    return call.answer(
        Answer(
            "memory pool",
            data=lambda: [memory.pool(one, asked, indexes) for one in pools],
            show=show,
            warnings=(*notices(pools), *wrong),
            home=home,
            said=frozenset(one.message for one in notices(pools)),
        )
    )


def _looked_at(call: Call, agent: str | None) -> tuple[Indexes, tuple[Notice, ...]]:
    """Return the states of the indexes; none, and why, where our section about them is wrong."""
    try:
        return call.engine.search.indexes(agent, compared_within_s=_COMPARED_S), ()
    except ConfigError as error:
        return {}, (Notice(WRONG_SETTINGS, str(error)),)


def markers(
    context: typer.Context,
    tag: Annotated[
        str | None,
        typer.Argument(
            metavar="[TYPE]", help="Only this tag, such as DECISION or todo.", show_default=False
        ),
    ] = None,
    agent: AgentOption = None,
) -> int:
    """List the marked lines of the memory folders: decisions, gotchas, todos and the others."""
    call = call_of(context)
    wanted = None if tag is None else tag_of(tag, call.settings.markers.extra)
    with call.busy("reading the memory folders"):
        found = [
            (owner, one)
            for owner, one in call.engine.memory.markers(agent)
            if wanted is None or one.tag == wanted
        ]
        told = notices(call.engine.memory.pools(agent))
        unread = tuple(one for one in told if one.code in (UNREADABLE, "config-unreadable"))

    def show(printer: Printer) -> None:
        show_markers(printer, found, is_whole=not unread)

    return call.answer(
        Answer(
            "markers",
            data=lambda: [memory.marker(owner, one) for owner, one in found],
            show=show,
            warnings=unread,
        )
    )


def notices(pools: tuple[Pool, ...]) -> tuple[Notice, ...]:
    """Return what is odd about memory folders, each thing once."""
    told = (notice for one in pools for notice in (one.doubt, *one.notices))
    return tuple(dict.fromkeys(notice for notice in told if notice is not None))


def files(printer: Printer, pool: Pool) -> None:
    """Write the files of one memory."""
    if not pool.items:
        printer.write("No memory files." if pool.is_known else "Nothing could be looked at.")
        return
    columns = (
        Column("file", cut="middle", least=20),
        Column("size", right=True),
        Column("~tokens", right=True),
        Column("modified", right=True, rank=1),
    )
    rows: list[list[Cell | str]] = [
        [
            Cell(printer.text(one.path), "" if one.is_counted else "dim"),
            size_words(one.size_bytes),
            figures.short_kilo(one.tokens),
            wording.age(one.modified_at, printer.now),
        ]
        for one in pool.items
    ]
    printer.table(columns, rows)


def entries(printer: Printer, found: Sequence[MemoryEntry]) -> None:
    """Write entries, each with the id that `memory forget` takes."""
    if not found:
        printer.write("No entries.")
        return
    columns = (
        Column("id"),
        Column("place", cut="middle", least=14, rank=1),
        Column("text", cut="end", least=20),
    )
    rows: list[list[Cell | str]] = [
        [one.id, printer.text(f"{one.path}:{one.line}"), printer.text(one.text)] for one in found
    ]
    printer.table(columns, rows)


def show_pools(
    printer: Printer,
    found: Sequence[Pool],
    indexes: Indexes,
) -> None:
    """Write each workspace's memory, with the indexes of its agents."""
    for one in found:
        _pool(printer, one, indexes)
    if not found:
        printer.write("There are no agents, and so no memory folders.")


def _pool(printer: Printer, pool: Pool, indexes: Indexes) -> None:
    names = printer.text(", ".join(pool.agents))
    if pool.doubt is not None:
        printer.title(names)
        printer.write(Cell(printer.text(f"{pool.doubt.message}; nothing was looked at."), "warn"))
        return
    printer.title(names, printer.text(str(pool.root)))
    if not pool.exists:
        printer.write(Cell("The workspace does not exist; nothing was looked at.", "warn"))
        return
    size = size_words(pool.size_bytes)
    files, tokens = figures.plural(pool.files, "file"), figures.short_kilo(pool.tokens)
    printer.field("pool", f"{size} in {files}, ~{tokens} tokens")
    _trend(printer, pool)
    marked = [f"{tag} {number}" for tag, number in pool.markers.items() if number]
    printer.field("markers", printer.text("  ".join(marked)) or "none")
    for kind in pool.by_category:
        text = f"{size_words(kind.size_bytes)} in {figures.plural(kind.files, 'file')}"
        printer.field(f"  {printer.text(kind.name)}", text)
    for limit in pool.limits:
        text = f"{printer.text(limit.path)}: {figures.short_kilo(limit.chars)} of "
        text += f"{figures.short_kilo(limit.limit)} characters"
        text += ", the rest is cut off" if limit.is_over else ""
        printer.field("limit", Cell(text, "warn" if limit.is_over else ""))
    _indexes(printer, pool, indexes)
    if pool.items:
        printer.gap()
        printer.table(_ITEM_COLUMNS, [_item_row(printer, item) for item in pool.items])
    for notice in pool.notices:
        printer.write(Cell(f"! {notice.code}: {printer.text(notice.message)}", "warn"))


def _trend(printer: Printer, pool: Pool) -> None:
    if pool.trend:
        first, last = pool.trend[0], pool.trend[-1]
        text = f"{size_words(first.size_bytes)} on {first.day}, {size_words(last.size_bytes)}"
        printer.field("trend", f"{text} on {last.day}; {len(pool.trend)} days known")
        marked = printer.text(marked_since(pool.trend)) or "as many of each as then"
        printer.field("  marked", f"{marked} since {first.day}")


def _indexes(printer: Printer, pool: Pool, indexes: Indexes) -> None:
    for (agent, source), status in indexes.items():
        if agent in pool.agents:
            printer.field("index", _index(printer, agent, source, status))


def _index(printer: Printer, agent: str, source: Source, status: IndexStatus) -> Cell:
    """Say how old an index is, and what in it waits."""
    name = f"{source.value} of {printer.text(agent)}"
    if status.waiting is None:
        style = "" if status.state is IndexState.MISSING else "warn"
        return Cell(f"{name}: {status.state.value}, {printer.text(status.because)}", style)
    age = wording.age(status.updated_at, printer.now)
    if not status.waiting:
        because = f"; {printer.text(status.because)}" if status.because else ""
        if status.changed and not because:
            because = f"; {figures.plural(status.changed, 'transcript')} changed since"
        style = "warn" if status.changed else ""
        return Cell(f"{name}, {age} old: no chunk waits for its vector{because}", style)
    text = f"{figures.plural(status.waiting, 'chunk')} still without a vector of its model"
    if status.changed:
        text += f"; {figures.plural(status.changed, 'document')} changed since"
    return Cell(f"{name}, {age} old: {text}", "warn")


_ITEM_COLUMNS = (
    Column("file", cut="middle", least=20),
    Column("size", right=True),
    Column("~tokens", right=True),
    Column("age", right=True, rank=2),
    Column("markers", cut="end", least=8, rank=1),
    Column("note", cut="end", least=12),
)


def _item_row(printer: Printer, item: PoolItem) -> list[Cell | str]:
    notes = [item.because] if item.because else []
    if item.is_generated:
        notes.append("generated")
    if not item.is_counted and not item.because:
        notes.append("not counted")
    marked = " ".join(f"{tag} {number}" for tag, number in item.markers.items() if number)
    return [
        Cell(printer.text(item.path), "" if item.is_counted else "dim"),
        size_words(item.size_bytes),
        figures.short_kilo(item.tokens),
        wording.age(item.modified_at, printer.now),
        marked,
        Cell(printer.text(", ".join(dict.fromkeys(notes))), "dim"),
    ]


def show_markers(
    printer: Printer, found: Sequence[tuple[str, Marker]], *, is_whole: bool = True
) -> None:
    """Write the marked lines; `is_whole` says that every file could be read."""
    if not found:
        printer.write("No marked lines." if is_whole else "No marked lines in what could be read.")
        return
    columns = (
        Column("tag"),
        Column("agent", cut="middle", least=6, rank=1),
        Column("place", cut="middle", least=16),
        Column("text", cut="end", least=20),
    )
    rows = [
        [one.tag, printer.text(agent), printer.text(f"{one.path}:{one.line}"), _said(printer, one)]
        for agent, one in found
    ]
    printer.table(columns, rows)


def _said(printer: Printer, marker: Marker) -> str:
    """Return the line without the tag that has a column of its own."""
    return printer.text(marker.text).removeprefix(f"[{marker.tag}]").lstrip()
