"""The panel of sessions: how full each is, how far that can be trusted, when it is due."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from memconsole.domain.agents import Storage
from memconsole.domain.sessions.stored import SessionState
from memconsole.domain.sessions.tokens import TokenState
from memconsole.text import figures
from memconsole.text.figures import at_least
from memconsole.ui.drawing.context import source_word
from memconsole.ui.drawing.listing import Listing, Sort
from memconsole.ui.drawing.literal import literal, shorter
from memconsole.ui.drawing.names import row_key, session_name, state_word
from memconsole.ui.drawing.spans import Cell, Column, Gauge, Role, Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from memconsole.domain.snapshot.snapshot import AgentView, ConsoleSnapshot, SessionView
    from memconsole.ui.drawing.context import Context

SORTS = ("full", "grows", "due", "session", "updated")
"""Orders of this panel, in the order in which `s` goes through them."""

USUAL = Sort("full")

_FEW = 11
"""Fewer agents, and sessions of any agent, are a short list."""


def sessions_listing(
    snapshot: ConsoleSnapshot,
    context: Context,
    *,
    agent_id: str | None,
    sort: Sort = USUAL,
    everything: bool = False,
) -> Listing:
    """Return the sessions of one agent, or of all of them.

    Args:
        snapshot: The reading.
        context: Time, zone and glyphs.
        agent_id: Whose sessions; None for all agents, whose ids then lead the names.
        sort: Their order.
        everything: Also cron runs, archives and orphans.
    """
    own = [view for view in snapshot.sessions if agent_id in (None, view.agent.id)]
    shown = [view for view in own if everything or is_usual(view)]
    if sort != USUAL:
        shown.sort(key=_ORDERS[sort.name], reverse=sort.falling)
    limits = {view.threshold for view in shown if view.state is SessionState.LIVE}
    return Listing(
        title="Sessions",
        about=f"{context.glyphs.dot} {agent_id or 'all agents'} {context.glyphs.dot} "
        + (
            "not readable"
            if _unreadable(snapshot, agent_id)
            else _folded(own, shown, is_all=snapshot.is_whole or agent_id is not None)
        ),
        source=source_word(snapshot.era.sessions),
        age=context.age(snapshot.taken_at),
        number=2,
        columns=_columns(limits, with_agent=agent_id is None),
        rows=tuple(_row(view, context, with_agent=agent_id is None) for view in shown),
        sort=sort,
        empty=_empty(snapshot, own, agent_id),
        is_stale=context.is_stale(snapshot.taken_at),
        problem=_problem(snapshot, agent_id),
    )


def are_few(snapshot: ConsoleSnapshot) -> bool:
    """Whether the agents, and the sessions of each, leave room below them on a usual screen.

    Not of what is selected: panels do not change their size while somebody moves through them.
    """
    sessions = Counter(view.agent.id for view in snapshot.sessions if is_usual(view))
    return max(len(snapshot.agents), *sessions.values(), 0) < _FEW


def is_usual(view: SessionView) -> bool:
    """Whether a session is shown unless all are asked for."""
    return view.state is SessionState.LIVE and not view.is_cron_run


def worst(snapshot: ConsoleSnapshot, rows: tuple[Row, ...]) -> str | None:
    """Return the row of the session that wants attention most, else the first one."""
    by_key = {row.value: row.key for row in reversed(rows) if not row.is_heading}
    for finding in snapshot.attention:
        if finding.key in by_key:
            return by_key[finding.key]
    return next((row.key for row in rows if not row.is_heading), None)


def _folded(own: list[SessionView], shown: list[SessionView], *, is_all: bool) -> str:
    live = sum(is_usual(view) for view in own)
    parts = [f"{at_least(live, is_all=is_all)} live"]
    hidden = [] if len(own) == len(shown) else [view for view in own if not is_usual(view)]
    runs = sum(view.state is SessionState.LIVE for view in hidden)
    ended = len(hidden) - runs
    if runs:
        parts.append(f"{figures.thousands(runs)} cron runs folded")
    if ended:
        parts.append(f"{figures.thousands(ended)} ended")
    return ", ".join(parts)


def _columns(limits: set[int], *, with_agent: bool) -> tuple[Column, ...]:
    limit = f"of {figures.short_kilo(limits.pop())}" if len(limits) == 1 else "of its limit"
    lead = (Column("agent", 7, flex=1, most=14, drop=1, sort="agent"),) if with_agent else ()
    # The state word is never left out: a number without it would claim more than is known.
    return (
        *lead,
        Column("session", 12, flex=4, most=40, sort="session"),
        Column(limit, 7, flex=1, most=24, drop=3),
        Column("tokens", 7, right=True, sort="full", gap=1),
        Column("", 7, gap=1),
        Column("window", 6, right=True, drop=5, gap=1),
        Column("grows", 6, right=True, drop=4, sort="grows"),
        Column("due", 6, right=True, drop=2, sort="due", gap=1),
    )


def _row(view: SessionView, context: Context, *, with_agent: bool) -> Row:
    basis = view.percent_of_threshold
    due_at = None if view.growth is None else view.growth.due_at
    left = None if due_at is None else due_at - context.now
    tone = _tone(view)
    name = session_name(view)
    lead = (Cell(view.agent.id, Role.MUTED, is_id=True),) if with_agent else ()
    return Row(
        key=row_key(view),
        cells=(
            *lead,
            Cell(name, Role.STRONG if view.is_due else _name_role(view), is_id=True),
            Gauge(None if basis is None else basis / 100),
            Cell(figures.kilo(view.tokens), tone),
            Cell(state_word(view), tone),
            Cell(figures.percent(view.percent_of_window), Role.MUTED),
            Cell(
                "?" if view.growth is None else figures.short_rate(view.growth.tokens_per_hour),
                Role.MUTED,
            ),
            Cell("now" if view.is_due else figures.until(left), _due_role(view)),
        ),
        value=view.key_text or view.session_id or "",
        search=f"{view.agent.id} {name} {view.key_text or ''} {view.session_id or ''}",
    )


def _name_role(view: SessionView) -> Role:
    return Role.PLAIN if view.session_class.is_conversation else Role.MUTED


def _tone(view: SessionView) -> Role:
    if view.is_due:
        return Role.DUE
    if view.count.state in (TokenState.STALE, TokenState.UNKNOWN):
        return Role.MUTED
    if view.count.state is TokenState.SUSPECT:
        return Role.WARNING
    return Role.PLAIN


def _due_role(view: SessionView) -> Role:
    return Role.DUE if view.is_due else Role.MUTED


def _empty(
    snapshot: ConsoleSnapshot, own: list[SessionView], agent_id: str | None
) -> tuple[str, ...]:
    if not snapshot.agents:
        return ("no agents yet: nothing to watch here", "start the platform once, then press r")
    if own:
        return ("no live session; a shows what has ended",)
    if broken := _unreadable(snapshot, agent_id):
        home = snapshot.home.path
        reasons = tuple(shorter(literal(one.message), home) for one in broken.problems)
        return ("the sessions of this agent cannot be read:", *reasons, "! shows what to do")
    owner = f"agent {agent_id}" if agent_id else "this home"
    return (f"no sessions: {owner} has not talked yet",)


def _unreadable(snapshot: ConsoleSnapshot, agent_id: str | None) -> AgentView | None:
    """Keep "has no sessions" and "cannot be read" apart."""
    for agent in snapshot.agents:
        if agent.ref.id == agent_id and agent.store is Storage.UNREADABLE:
            return agent
    return None


def _problem(snapshot: ConsoleSnapshot, agent_id: str | None) -> str:
    problems = [
        shorter(literal(problem.message), snapshot.home.path)
        for agent in snapshot.agents
        if agent_id in (None, agent.ref.id)
        for problem in agent.problems
    ]
    return problems[0] if problems else ""


def _growth_of(view: SessionView) -> float:
    rate = None if view.growth is None else view.growth.tokens_per_hour
    return -1.0 if rate is None else rate


def _nearness(view: SessionView) -> float:
    if view.is_due:
        return float("inf")
    due_at = None if view.growth is None else view.growth.due_at
    return -float("inf") if due_at is None else -due_at.timestamp()


def _updated(view: SessionView) -> float:
    at = view.stored.updated_at
    return 0.0 if at is None else at.timestamp()


def _fullness(view: SessionView) -> float:
    return -1.0 if view.percent_of_threshold is None else view.percent_of_threshold


_ORDERS: dict[str, Callable[[SessionView], float | str]] = {
    "full": _fullness,
    "grows": _growth_of,
    "due": _nearness,
    "session": lambda view: (view.key_text or view.session_id or "").casefold(),
    "updated": _updated,
}


def next_sort(current: Sort, names: Iterable[str]) -> Sort:
    """Return the order after this one: each name falling first, then the next name."""
    listed = list(names)
    place = listed.index(current.name) if current.name in listed else -1
    name = listed[(place + 1) % len(listed)]
    return Sort(name, falling=name not in ("session", "agent"))
