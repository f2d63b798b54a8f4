"""The panel of hosts, which stands where agents do from six hosts on: which of them wants a look.

A host with several homes has a row for each, called by the host and what tells the home apart.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Final

from memconsole.domain.snapshot.danger import host_danger
from memconsole.domain.snapshot.homes import hosts
from memconsole.text import cells, figures
from memconsole.ui.drawing.gauges import MarkedGauge, short_age
from memconsole.ui.drawing.listing import Listing, Sort
from memconsole.ui.drawing.literal import literal
from memconsole.ui.drawing.spans import Cell, Column, LateCells, Role, Row, Span
from memconsole.ui.drawing.table import measured
from memconsole.ui.widgets.title import severity_role

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import timedelta

    from memconsole.domain.snapshot.homes import HomeReading
    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot
    from memconsole.ui.drawing.context import Context
    from memconsole.ui.drawing.glyphs import Glyphs
    from memconsole.ui.drawing.spans import AnyCell, Line

SORTS: Final = ("danger", "full", "host", "agents", "age")
"""Orders of this panel, in the order in which `s` goes through them."""

USUAL = Sort("danger")
STATES: Final = ("live", "late", "away", "asked")

_START = "home:"
_SCALE = 1_000
_MOST_HOST, _BY_LABEL = 30, 100
"""From so many hosts on a line above them tells how each label is."""


def label_of(key: str | None) -> str | None:
    """Return the home that a row stands for."""
    return key.removeprefix(_START) if key is not None and key.startswith(_START) else None


def row_of(label: str) -> str:
    """Return the key of the row of a home."""
    return f"{_START}{label}"


def state_of(home: HomeReading) -> str:
    """Return how a home is: that nothing was heard of it yet is not that it is away."""
    return "asked" if home.as_of is None and not home.failure else home.freshness


def hosts_listing(
    snapshot: ConsoleSnapshot, context: Context, *, group: str = "", sort: Sort = USUAL
) -> Listing:
    """Return one row a home, the worst first.

    Args:
        snapshot: The reading.
        context: Time and glyphs.
        group: Only hosts with this label; empty for all of them.
        sort: Their order.
    """
    homes = [one for one in snapshot.homes if not group or group in one.labels]
    shown = sorted(homes, key=_ORDERS[sort.name], reverse=sort.falling)
    has_chunks = any(one.chunks is not None for one in homes)
    rows = tuple(_row(one, context, has_chunks=has_chunks) for one in shown)
    counts = Counter(map(state_of, homes))
    states = ", ".join(f"{counts[one]} {one}" for one in STATES if counts[one])
    count = len(hosts(snapshot.homes if not group else tuple(homes)))
    dot = context.glyphs.dot
    of_group = f" {dot} label:{group}" if group else ""
    server = snapshot.server
    return Listing(
        title="Hosts",
        about=literal(f"{dot} {figures.thousands(count)}, {states}{of_group}"),
        source="" if server is None else "fleet",
        age=context.age(snapshot.taken_at)
        if server is None
        else figures.ago(context.since(server.as_of)),
        number=1,
        columns=measured(_columns(shown, has_chunks=has_chunks), rows, sort.name),
        rows=rows,
        pinned=sum(_due(one) > 0 for one in shown) if sort == USUAL else 0,
        sort=sort,
        empty=(f"no host has the label {group}: 0 shows all" if group else "no host yet",),
        is_stale=context.is_stale(snapshot.taken_at) or (server is not None and not server.is_up),
        fixed=tuple(_by_label(homes, context.glyphs)) if len(homes) >= _BY_LABEL else (),
    )


def _columns(homes: Sequence[HomeReading], *, has_chunks: bool) -> tuple[Column, ...]:
    """Return the columns, those that are needed most first; the others go in their order."""
    longest = max((cells.width(one.label) for one in homes[:_BY_LABEL]), default=0)
    return (
        Column("host", min(max(longest, 8), _MOST_HOST), sort="host"),
        Column("state", 6, gap=2, is_measured=True),
        Column("agents", 6, right=True, drop=6, sort="agents"),
        Column("due", 3, right=True, gap=2),
        Column("fullest", 6, gap=2, flex=1, most=14, drop=3, sort="full"),
        Column("", 4, right=True, gap=1, is_measured=True, name="tokens"),
        Column("findings", 12, gap=2, flex=4, drop=2),
        *(
            (Column("chunks", 6, right=True, gap=2, drop=5, is_measured=True),)
            if has_chunks
            else ()
        ),
        Column("published", 9, right=True, gap=2, drop=4, sort="age"),
        Column("version", 7, gap=2, drop=7, is_measured=True),
    )


def _row(home: HomeReading, context: Context, *, has_chunks: bool) -> Row:
    make = partial(_cells, home, context, has_chunks=has_chunks)
    known = home.figures
    return Row(
        key=row_of(home.label),
        cells=LateCells(make),
        value=home.label,
        search=f"{home.label} {' '.join(home.labels)} {state_of(home)}"
        + ("" if known is None else f" {known.worst}"),
        reason=literal(home.failure),
    )


def _cells(home: HomeReading, context: Context, *, has_chunks: bool) -> Sequence[AnyCell]:
    known, since = home.figures, context.since(home.as_of)
    is_old = home.freshness == "away"
    role = Role.MUTED if is_old else Role.PLAIN
    none, unknown = Cell(context.glyphs.none, Role.MUTED), Cell(figures.UNKNOWN, Role.MUTED)
    due = unknown
    if known is not None and not is_old:
        due = Cell(str(known.due), Role.DUE) if known.due else none
    if known is None:
        full: tuple[AnyCell, AnyCell] = (Cell(), unknown)
    elif is_old:
        at = figures.when(home.as_of, context.now, context.zone)
        full = (Cell(f"as of {at}", Role.MUTED), Cell(figures.kilo(known.tokens), Role.MUTED))
    else:
        fill = None if known.fill is None else round(known.fill * _SCALE)
        tone = Role.DUE if known.due else Role.MUTED
        full = (MarkedGauge(fill, _SCALE), Cell(figures.kilo(known.tokens), tone))
    return (
        Cell(home.label, role, is_id=True),
        _state(home, since, context.glyphs),
        unknown if known is None else Cell(str(known.agents), Role.MUTED),
        due,
        *full,
        _finding(home, context),
        *((Cell(figures.kilo(home.chunks), Role.MUTED),) * has_chunks),
        Cell(short_age(since), Role.MUTED) if home.as_of is not None else unknown,
        Cell(literal(home.version), Role.MUTED),
    )


def _state(home: HomeReading, since: timedelta | None, glyphs: Glyphs) -> Cell:
    """Return how it is in a sign and words; a clock that is wrong stands behind that."""
    word = state_of(home)
    sign = {"live": glyphs.on, "late": glyphs.half}.get(word, glyphs.off)
    role = {"live": Role.OK, "asked": Role.MUTED}.get(word, Role.WARNING)
    age = f" {figures.age(since)}" if word in ("late", "away") and since is not None else ""
    clock = f" {glyphs.dot} clock {skew_words(home.skew)}" if home.skew is not None else ""
    return Cell(f"{sign} {word}{age}{clock}", role if not clock else Role.WARNING)


def skew_words(skew: timedelta) -> str:
    """Return how far a clock is off: `+2 min`, `-40 s`."""
    return f"{'-' if skew.total_seconds() < 0 else '+'}{figures.span(abs(skew))}"


def _finding(home: HomeReading, context: Context) -> Cell:
    """Return what is worst there; of a home that is away what was worst then."""
    known = home.figures
    if home.failure:
        return Cell(literal(home.failure), Role.WARNING)
    if known is None or not known.worst:
        return Cell(context.glyphs.none, Role.MUTED)
    if home.freshness == "away" and known.due:
        return Cell(f"! {known.due} {'was' if known.due == 1 else 'were'} due then", Role.WARNING)
    more = f"  +{known.findings - 1}" if known.findings > 1 else ""
    message = literal(known.worst).removeprefix(f"{home.label}: ")
    return Cell(f"! {message}{more}", severity_role(known.severity))


def _by_label(homes: Sequence[HomeReading], glyphs: Glyphs) -> Iterator[Line]:
    """Yield one line that tells how the hosts of each label are."""
    groups: dict[str, list[HomeReading]] = {}
    for home in homes:
        for label in home.labels or ("no label",):
            groups.setdefault(label, []).append(home)
    spans: list[Span] = []
    for label, own in sorted(groups.items(), key=lambda one: (-len(one[1]), one[0])):
        counts = Counter(map(state_of, own))
        spans.append(Span(f"{'   ' if spans else '  '}{literal(label)} ", Role.STRONG))
        spans.append(Span(f"{counts['live']} {glyphs.on}", Role.OK))
        for words, count, role in (
            (glyphs.half, counts["late"], Role.WARNING),
            (glyphs.off, counts["away"] + counts["asked"], Role.WARNING),
            ("!", sum(_wants(one) for one in own), Role.DUE),
        ):
            if count:
                spans.append(Span(f" {count} {words}", role))
    yield tuple(spans)


def _wants(home: HomeReading) -> bool:
    return home.figures is not None and home.figures.findings > 0


def _due(home: HomeReading) -> int:
    return 0 if home.figures is None or home.freshness == "away" else home.figures.due


def _age(home: HomeReading) -> float:
    return 0.0 if home.as_of is None else -home.as_of.timestamp()


_ORDERS: dict[str, Callable[[HomeReading], tuple[float, ...] | str]] = {
    "danger": host_danger,
    "full": lambda home: (-1.0 if home.figures is None else home.figures.fill or 0.0,),
    "host": lambda home: home.label,
    "agents": lambda home: (-1 if home.figures is None else home.figures.agents,),
    "age": lambda home: (_age(home),),
}
