"""The panel of agents: whose conversation is fullest, and how much memory each has."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole.domain.sessions.activity import told
from memconsole.domain.snapshot.danger import agent_danger
from memconsole.lazy_dataclass import dataclass
from memconsole.text import cells, figures
from memconsole.text.figures import at_least
from memconsole.ui.actions.targets import ALL
from memconsole.ui.drawing.context import source_word
from memconsole.ui.drawing.gauges import Course, MarkedGauge, days_course, short_age
from memconsole.ui.drawing.listing import Listing, Sort
from memconsole.ui.drawing.literal import literal
from memconsole.ui.drawing.names import agent_name, doing_role
from memconsole.ui.drawing.spans import Cell, Column, Role, Row, Span, fill_line
from memconsole.ui.drawing.table import measured
from memconsole.ui.screens.overview.crowd import Crowd

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memconsole.domain.snapshot.homes import HomeReading
    from memconsole.domain.snapshot.snapshot import AgentView, ConsoleSnapshot
    from memconsole.ui.drawing.context import Context
    from memconsole.ui.drawing.glyphs import Glyphs
    from memconsole.ui.drawing.spans import Line


SORTS = ("danger", "home", "full", "agent", "pool")
"""Orders of this panel; `home` is the platform's own."""

USUAL = Sort("danger")

_SCALE = 1_000
"""Parts of a gauge whose end is the threshold."""

_LEAST_NAME, _MOST_ID, _MOST_NAME = 8, 22, 28
_MOST_HOME = 10
_LEAST_DAYS, _MOST_DAYS = 5, 14


def _columns(names: Sequence[str], homes: Sequence[str], *, has_trend: bool) -> tuple[Column, ...]:
    """Return the columns; ids get what they need, then names, and gauges what is left."""
    longest = max(map(cells.width, names), default=0)
    ids = max((cells.width(name.partition(" (")[0]) for name in names), default=0)
    host = min(max(map(cells.width, homes), default=0), _MOST_HOME)
    return (
        *((Column("home", host, gap=1, sort="agent"),) if homes else ()),
        Column(
            "agent",
            min(max(ids, _LEAST_NAME), _MOST_ID),
            flex=12,
            most=min(max(longest, ids, _LEAST_NAME + 2), _MOST_NAME),
            sort="agent",
        ),
        Column("live", 4, right=True, drop=5, gap=1, is_measured=True),
        Column("full", 6, flex=1, most=12, drop=2, sort="full"),
        Column("", 4, right=True, gap=1, is_measured=True, name="state"),
        Column("saved", 5, right=True, drop=3, is_measured=True),
        Column("does", 4, drop=4, gap=1, is_measured=True),
        Column("pool", 4, right=True, drop=6, sort="pool", gap=1, is_measured=True),
        *((Column("days", _LEAST_DAYS, flex=1, most=_MOST_DAYS, drop=7, gap=1),) * has_trend),
    )


@dataclass(frozen=True, slots=True)
class _Name:
    """An agent's id with its display name, as long as all of it fits; else the id alone."""

    id: str
    text: str
    role: Role

    def draw(self, width: int, glyphs: Glyphs, *, right: bool) -> Line:
        """Return the name in exactly `width` cells."""
        if cells.width(self.text) > width:
            return Cell(self.id, self.role, is_id=True).draw(width, glyphs, right=right)
        rest = self.text.removeprefix(self.id)
        return fill_line((Span(self.id, self.role), Span(rest, Role.MUTED)), width)


def agents_listing(
    snapshot: ConsoleSnapshot,
    context: Context,
    *,
    sort: Sort = USUAL,
    crowd: Crowd | None = None,
) -> Listing:
    """Return one row an agent, and one for all of them when there are several."""
    crowd = crowd or Crowd().take(snapshot)
    fills = crowd.fills
    agents = list(snapshot.agents)
    if sort.name == USUAL.name:
        agents.sort(key=lambda agent: agent_danger(agent, crowd.worst), reverse=sort.falling)
    elif sort.name != "home":
        agents.sort(key=_order(sort.name, fills), reverse=sort.falling)
    has_trend = any(agent.pool is not None and agent.pool.trend for agent in agents)
    rows = [
        _row(
            agent,
            fills.get(agent.ref.id),
            context,
            has_trend=has_trend,
            home=snapshot.home_of(agent.ref.id),
        )
        for agent in agents
    ]
    rows += [_unread_row(one, has_trend=has_trend) for one in snapshot.unread_homes]
    if len(agents) > 1:
        rows.append(_all_row(snapshot, fills, has_trend=has_trend))
    return Listing(
        title="Agents",
        about=_about(snapshot, context),
        source=source_word(snapshot.era.sessions),
        age=context.age(snapshot.taken_at),
        number=1,
        columns=measured(
            _columns(
                [own_name(agent_name(agent.agent)) for agent in agents],
                [one.label for one in snapshot.homes],
                has_trend=has_trend,
            ),
            rows,
            sort.name,
        ),
        rows=tuple(rows),
        pinned=sum(agent.due > 0 for agent in agents) if sort == USUAL else 0,
        sort=sort,
        empty=("no agents in this home yet",),
        is_stale=context.is_stale(snapshot.taken_at),
    )


def _about(snapshot: ConsoleSnapshot, context: Context) -> str:
    count = len(snapshot.agents)
    if snapshot.unread:
        return f"{context.glyphs.dot} {count} of {count + snapshot.unread} read"
    return f"{context.glyphs.dot} {count}" if count > 1 else ""


def own_name(name: str) -> str:
    """Return an agent's name without its home, which stands in a column of its own."""
    agent, bracket, display = name.partition(" (")
    return f"{agent.rpartition('/')[2]}{bracket}{display}"


def _unread_row(home: HomeReading, *, has_trend: bool) -> Row:
    """Return the row of a home of which nothing was read: it may have any agent."""
    word = "away" if home.failure else "asked"
    return Row(
        key=f"home:{home.label}",
        cells=(
            Cell(home.label, Role.MUTED, is_id=True),
            *(unknown := (Cell(figures.UNKNOWN, Role.MUTED),) * 3),
            Cell(word, Role.WARNING if home.failure else Role.MUTED),
            *unknown,
            *((Cell(),) * has_trend),
        ),
        value=literal(home.failure),
        is_heading=True,
        search=f"{home.label}/",
        reason=literal(home.failure),
    )


def _aged(row: Row, home: HomeReading, fill: float | None, context: Context) -> Row:
    """Return a row of a home that is away: grey, with the age of what it says."""
    grey = [
        Cell(one.text, Role.MUTED, is_id=True) if isinstance(one, Cell | _Name) else one
        for one in row.cells
    ]
    grey[3] = Cell(figures.UNKNOWN if fill is None else figures.percent(fill * 100), Role.MUTED)
    since = None if home.as_of is None else context.since(home.as_of)
    grey[4] = Cell(f"away {short_age(since)}", Role.WARNING)
    return replace(row, cells=tuple(grey))


def _row(
    agent: AgentView,
    fill: float | None,
    context: Context,
    *,
    has_trend: bool,
    home: HomeReading | None = None,
) -> Row:
    is_unreadable = agent.sessions is None
    name = agent_name(agent.agent)
    pool = figures.UNKNOWN
    if agent.pool is not None and agent.pool.is_known:
        pool = figures.short_size(agent.pool.size_bytes)
    row = Row(
        key=agent.ref.id,
        cells=(
            *((Cell(home.label, Role.MUTED, is_id=True),) if home else ()),
            _Name(
                own_name(agent.ref.id),
                own_name(name),
                Role.WARNING if agent.problems else Role.PLAIN,
            ),
            Cell("?" if agent.sessions is None else str(agent.sessions), Role.MUTED),
            MarkedGauge(None if fill is None else round(fill * _SCALE), _SCALE),
            _state(fill, is_due=agent.due > 0, is_unreadable=is_unreadable),
            Cell(_saved(agent, context), Role.MUTED),
            _does(agent, context),
            Cell(pool, Role.MUTED),
            *((_days(agent, context),) * has_trend),
        ),
        value=agent.ref.id,
        search=name,
    )
    if home is None or home.freshness != "away":
        return row
    return _aged(row, home, fill, context)


def _days(agent: AgentView, context: Context) -> Course:
    days = () if agent.pool is None else agent.pool.trend
    return days_course(days, context.now, _MOST_DAYS)


def _saved(agent: AgentView, context: Context) -> str:
    at = agent.checkpoint_at
    return "never" if at is None else short_age(context.since(at))


def _does(agent: AgentView, context: Context) -> Cell:
    """Return what matters most of what its sessions do; there is no room for all of it."""
    doing, words = next(iter(told(agent.activity, agent.sessions)), (None, context.glyphs.none))
    return Cell(words.removeprefix("1 "), doing_role(doing))


def _state(fill: float | None, *, is_due: bool, is_unreadable: bool) -> Cell:
    if is_unreadable:
        return Cell("?", Role.WARNING)
    if is_due:
        return Cell("DUE", Role.DUE)
    if fill is None:
        return Cell("–", Role.MUTED)
    return Cell(figures.percent(fill * 100))


def _all_row(snapshot: ConsoleSnapshot, fills: dict[str, float], *, has_trend: bool) -> Row:
    pools = {agent.pool.root: agent.pool for agent in snapshot.agents if agent.pool is not None}
    fill = max(fills.values(), default=None)
    return Row(
        key=ALL,
        cells=(
            *((Cell("all", Role.MUTED),) if snapshot.homes else ()),
            _Name("all", "all agents", Role.MUTED),
            Cell(_all_sessions(snapshot), Role.MUTED),
            Cell(f"{_due_count(snapshot)} due" if _due_count(snapshot) else "", Role.DUE),
            Cell(),
            Cell(),
            Cell(),
            Cell(figures.short_size(sum(pool.size_bytes for pool in pools.values())), Role.MUTED),
            *((Cell(),) * has_trend),
        ),
        value="" if fill is None else figures.percent(fill * 100),
        search="all agents",
    )


def _all_sessions(snapshot: ConsoleSnapshot) -> str:
    known = sum(agent.sessions or 0 for agent in snapshot.agents)
    return at_least(known, is_all=snapshot.is_whole)


def _due_count(snapshot: ConsoleSnapshot) -> int:
    return sum(agent.due for agent in snapshot.agents)


def _order(name: str, fills: dict[str, float]) -> Callable[[AgentView], float | str]:
    match name:
        case "full":
            return lambda agent: fills.get(agent.ref.id, -1.0)
        case "pool":
            return lambda agent: -1 if agent.pool is None else agent.pool.size_bytes
        case _:
            return lambda agent: agent.ref.id
