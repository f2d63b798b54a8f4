"""Answers `status`: what the first screen of the console shows; nothing here needs Typer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.cli.call.call import Answer
from memconsole.cli.json import encode
from memconsole.cli.output import views, wording
from memconsole.cli.output.printer import Cell, Column
from memconsole.cli.output.views import is_shown
from memconsole.domain.search.indexing import IndexState, Source
from memconsole.domain.settings import usable
from memconsole.domain.snapshot.groups import grouped
from memconsole.text import figures
from memconsole.text.figures import at_least, size_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memconsole.cli.call.call import Call
    from memconsole.cli.output.printer import Printer
    from memconsole.domain.memory.files import Pool
    from memconsole.domain.settings import Settings
    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot


_COMPARED_S = 0.25
"""Time for comparing indexes with files: `status` is asked often, and must not be slow."""

_SHOWN_FINDINGS = 5
_SHOWN_SESSIONS = 20
_SHOWN_POOLS = 10
_SHOWN_RUNS = 5


def show_status(call: Call) -> int:
    """Print `status`."""
    with call.busy("reading the home"):
        snapshot = call.engine.snapshot()
        call.engine.readings.remember()

    def show(printer: Printer) -> None:
        show_first_screen(printer, snapshot, call.settings)

    return call.answer(
        Answer(
            "status",
            data=lambda: {
                **encode.status(snapshot, call.settings),
                "index": _index(call, snapshot),
            },
            show=show,
            at=snapshot.taken_at,
            warnings=snapshot.notices,
            left_out=snapshot.left_out,
            home=snapshot.home,
            said=frozenset(finding.message for finding in snapshot.attention),
        )
    )


def _index(call: Call, snapshot: ConsoleSnapshot) -> encode.Row:
    """Return what the search indexes lack, all together; None where nobody could look in time."""
    try:
        has_one = any((call.settings.state_dir / "index").glob("*.sqlite"))
    except OSError:  # our folder may not be looked into, of which a warning tells
        return {"waiting": None, "changed": None}
    if not has_one:
        # Most homes that are asked often have none yet: what reads an index is not loaded for them.
        pools = {view.agent.workspace: view.pool for view in snapshot.agents}.values()
        missing = [None if one is None or not one.is_known else one.files for one in pools]
        return {"waiting": 0, "changed": _sum(missing)}
    search = call.engine.search
    seen = usable(lambda: search.indexes(compared_within_s=_COMPARED_S), None)
    if seen is None:  # of the wrong section a warning tells, too
        return {"waiting": None, "changed": None}
    states = seen.items()
    waiting = [0 if one.state is IndexState.MISSING else one.waiting for _, one in states]
    changed = [
        one.changed
        for (_, source), one in states
        # an index of sessions that nobody built is not missed
        if source is Source.MEMORY or one.state is not IndexState.MISSING
    ]
    return {"waiting": _sum(waiting), "changed": _sum(changed)}


def _sum(numbers: Sequence[int | None]) -> int | None:
    known = [one for one in numbers if one is not None]
    return sum(known) if len(known) == len(numbers) else None


def show_first_screen(printer: Printer, snapshot: ConsoleSnapshot, settings: Settings) -> None:
    """Write the screen: what to look at first, then whose it is, then the machinery."""
    _header(printer, snapshot, settings)
    printer.gap()
    _attention(printer, snapshot)
    _agents(printer, snapshot)
    _sessions(printer, snapshot)
    _memory(printer, snapshot)
    _activity(printer, snapshot)


def _header(printer: Printer, snapshot: ConsoleSnapshot, settings: Settings) -> None:
    at = wording.clock_time(snapshot.taken_at, printer.zone)
    home = printer.text(str(snapshot.home.path))
    printer.write(Cell("memconsole", "title"), f"  {home}  ", Cell(f"read from disk {at}", "dim"))
    url = printer.text(encode.gateway_url(snapshot.gateway, snapshot, settings))
    answer = snapshot.gateway
    gateway = "not asked" if answer.verdict == "off" else f"{printer.text(answer.word)}, {url}"
    scheduler = snapshot.scheduler
    pid = "" if scheduler.pid is None else f", pid {scheduler.pid} on {scheduler.host}"
    parts = [f"gateway {gateway}", f"scheduler {printer.text(scheduler.state + pid)}"]
    if settings.ui.read_only:
        parts.append("read-only")
    printer.write(Cell("  ".join(parts), "dim"))


def _attention(printer: Printer, snapshot: ConsoleSnapshot) -> None:
    if snapshot.worst is None:
        quiet = snapshot.quiet
        known = ", ".join(quiet.evidence)
        if quiet.unknown:
            missing = f"; not known: {', '.join(quiet.unknown)}"
            printer.sentence(Cell("nothing found  ", "warn"), printer.text(known + missing), "dim")
        else:
            printer.sentence(Cell("quiet  ", "ok"), printer.text(known), "dim")
    groups = grouped(snapshot.attention)
    views.findings(printer, groups[:_SHOWN_FINDINGS])
    if (rest := sum(len(one.findings) for one in groups[_SHOWN_FINDINGS:])) > 0:
        printer.write(Cell(f"  and {figures.plural(rest, 'more finding')}", "dim"))


def _agents(printer: Printer, snapshot: ConsoleSnapshot) -> None:
    printer.title("Agents", f"sessions {snapshot.era.sessions.value}")
    views.agents(printer, snapshot, has_memory=False)


def _sessions(printer: Printer, snapshot: ConsoleSnapshot) -> None:
    listed = [view for view in snapshot.sessions if is_shown(view)]
    rest = views.left_out_words(snapshot.left_out)
    live = at_least(len(listed), is_all=snapshot.is_whole)
    printer.title("Sessions", f"{live} live" + (f"; left out: {rest}" if rest else ""))
    ranked = sorted(listed, key=lambda view: not view.is_due)
    shown = ranked[:_SHOWN_SESSIONS]
    if shown:
        rows = [views.session_row(printer, view) for view in shown]
        printer.table(views.SESSION_COLUMNS, rows)
    if len(listed) > len(shown):
        more = f"and {len(listed) - len(shown):,} more: memconsole sessions"
        printer.write(Cell(more, "dim"))


def _memory(printer: Printer, snapshot: ConsoleSnapshot) -> None:
    pools: dict[object, Pool] = {}
    for view in snapshot.agents:
        if view.pool is not None and view.pool.exists:
            pools.setdefault(view.pool.root, view.pool)
    if not pools:
        return
    printer.title("Memory")
    columns = (
        Column("agent", cut="middle", least=8),
        Column("size", right=True),
        Column("files", right=True),
        Column("~tokens", right=True),
        Column("context", right=True, rank=1),
        Column("markers", cut="end", least=16),
    )
    largest = sorted(pools.values(), key=lambda pool: -pool.size_bytes)
    shown = set(map(id, largest[:_SHOWN_POOLS]))
    printer.table(columns, [_pool_row(printer, one) for one in pools.values() if id(one) in shown])
    if len(pools) > len(shown):
        more = f"and {len(pools) - len(shown):,} smaller ones: memconsole memory pool"
        printer.write(Cell(more, "dim"))


def _pool_row(printer: Printer, pool: Pool) -> list[Cell | str]:
    marked = [f"{tag} {number}" for tag, number in pool.markers.items() if number]
    at = pool.active_context_at
    return [
        printer.text(", ".join(pool.agents)),
        size_words(pool.size_bytes),
        str(pool.files),
        figures.short_kilo(pool.tokens),
        wording.NOTHING if at is None else wording.age(at, printer.now),
        printer.text("  ".join(marked)) or wording.NOTHING,
    ]


def _activity(printer: Printer, snapshot: ConsoleSnapshot) -> None:
    if snapshot.activity:
        printer.title("Activity")
        views.runs(printer, snapshot.activity[:_SHOWN_RUNS], is_folded=True)
