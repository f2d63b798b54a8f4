"""The panel of sessions: how full each is, how far that can be trusted, when it is due."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from memconsole.domain.sessions.activity import words_of
from memconsole.domain.sessions.names import LEAST_CELLS
from memconsole.domain.sessions.stored import SessionState
from memconsole.domain.sessions.tokens import TokenState
from memconsole.domain.snapshot.danger import danger
from memconsole.domain.snapshot.outlook import Ahead
from memconsole.domain.snapshot.snapshot import why_suspect
from memconsole.text import figures
from memconsole.text.cells import width as cell_width
from memconsole.text.figures import at_least
from memconsole.ui.drawing.context import source_word
from memconsole.ui.drawing.gauges import Course, GaugedName, MarkedGauge, short, short_age
from memconsole.ui.drawing.listing import LateRows, Listing, Sort
from memconsole.ui.drawing.literal import literal, shorter
from memconsole.ui.drawing.names import doing_role, full_name, row_key, session_name, state_word
from memconsole.ui.drawing.spans import Cell, Column, LateCells, Role, Row, Span
from memconsole.ui.drawing.table import measured
from memconsole.ui.screens.overview.crowd import Crowd

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from memconsole.domain.snapshot.outlook import Limits
    from memconsole.domain.snapshot.snapshot import AgentView, ConsoleSnapshot, SessionView
    from memconsole.ui.drawing.context import Context
    from memconsole.ui.drawing.spans import AnyCell, Line
    from memconsole.ui.screens.overview.crowd import Ordered


SORTS = ("danger", "full", "grows", "due", "session", "updated")
"""Orders of this panel, in the order in which `s` goes through them."""

USUAL = Sort("danger")

_LEAST_GAUGE, _COURSE_CELLS = 6, 10
_COURSE = timedelta(hours=8)
_BY_THE_CLOCK = timedelta(hours=1)
"""A reset that is farther off is told by the clock: it comes at a time of day."""


def sessions_listing(
    snapshot: ConsoleSnapshot,
    context: Context,
    *,
    agent_id: str | None,
    sort: Sort = USUAL,
    everything: bool = False,
    width: int = 0,
    crowd: Crowd | None = None,
) -> Listing:
    """Return the sessions of one agent, or of all of them.

    Args:
        snapshot: The reading.
        context: Time, zone and glyphs.
        agent_id: Whose sessions; None for all agents, whose ids then lead the names.
        sort: Their order.
        everything: Also cron runs, archives and orphans.
        width: Cells of a row; 0 before anybody knows.
        crowd: What is known of the sessions of this reading; None finds it.
    """
    found = (crowd or Crowd().take(snapshot)).ordered(
        snapshot, agent_id, _ORDERS[sort.name], falling=sort.falling, everything=everything
    )
    with_agent, is_narrow = agent_id is None, 0 < width < _NARROW
    cells = partial(_narrow_cells if is_narrow else _cells, context=context, with_agent=with_agent)

    def row(place: int) -> Row:
        view = found.views[place]
        return _row(view, found.keys[place], cells, is_old=snapshot.is_away(view.agent.id))

    rows = LateRows(found.keys, found.places, row)
    home = None if agent_id is None else snapshot.home_of(agent_id)
    return Listing(
        title="Sessions",
        about=_about(snapshot, context, agent_id, found),
        source=source_word(snapshot.era.sessions) if home is None else literal(home.label),
        age=context.age_of(snapshot, home),
        number=2,
        columns=measured(
            _leading(_columns(with_agent=with_agent, is_narrow=is_narrow), sort), rows, sort.name
        ),
        rows=rows,
        pinned=found.due if sort == USUAL else 0,
        sort=sort,
        empty=_empty(snapshot, agent_id, has_any=bool(found.own)),
        is_stale=context.is_stale(snapshot.taken_at) or (home is not None and bool(home.failure)),
        problem=_problem(snapshot, agent_id, found.suspect),
    )


def _about(
    snapshot: ConsoleSnapshot, context: Context, agent_id: str | None, found: Ordered
) -> str:
    """Return whose sessions they are, and how many."""
    many = _folded(found, is_all=snapshot.is_whole or agent_id is not None)
    if agent_id is not None and _unreadable(snapshot, agent_id):
        many = "not readable"
    return f"{context.glyphs.dot} {agent_id or 'all agents'} {context.glyphs.dot} {many}"


def worst(snapshot: ConsoleSnapshot) -> Iterator[str]:
    """Yield the rows of sessions that want attention, what wants it most first."""
    for finding in snapshot.attention:
        for view in snapshot.of_agent(finding.agent) if finding.agent and finding.key else ():
            if view.key_text == finding.key:
                yield row_key(view)


def _folded(found: Ordered, *, is_all: bool) -> str:
    hidden = [one.view for one in found.own if not one.is_usual]
    live = len(found.own) - len(hidden)
    parts = [f"{at_least(live, is_all=is_all)} live"]
    if len(found.own) == len(found.views):
        hidden = []
    runs = sum(view.state is SessionState.LIVE for view in hidden)
    ended = len(hidden) - runs
    if runs:
        parts.append(f"{figures.thousands(runs)} cron runs folded")
    if ended:
        parts.append(f"{figures.thousands(ended)} ended")
    return ", ".join(parts)


_NARROW = 66
"""Cells of a row below which the gauge is the background of the name."""


def _columns(*, with_agent: bool, is_narrow: bool) -> tuple[Column, ...]:
    """Return the columns, those that are needed most first; they go in the opposite order."""
    lead = (Column("agent", 5, drop=2, sort="agent", is_measured=True),) if with_agent else ()
    name = Column("session", LEAST_CELLS, flex=4, most=48, sort="session")
    # The state word is never left out: a number without it would claim more than is known.
    tokens = (
        Column("tokens", 6, right=True, sort="full", is_measured=True),
        Column("", 3, gap=1, is_measured=True, name="state"),
    )
    ahead = Column("next", 4, drop=4, sort="due", gap=1 if is_narrow else 2, is_measured=True)
    if is_narrow:
        return (name, *tokens, ahead)
    return (
        *lead,
        name,
        Column("fill", _LEAST_GAUGE, flex=2, most=26, drop=3),
        *tokens,
        Column("saved", 5, right=True, drop=5, is_measured=True),
        Column("heard", 5, right=True, drop=6, is_measured=True),
        ahead,
        Column("does", 4, drop=7, is_measured=True),
        Column("grows", 5, right=True, drop=8, sort="grows", is_measured=True),
        Column("window", 6, right=True, drop=9, is_measured=True),
        Column("8 hours", _COURSE_CELLS, drop=10),
    )


def _leading(columns: tuple[Column, ...], sort: Sort) -> tuple[Column, ...]:
    """Keep the column that leads the order: the others go before it."""
    return tuple(
        replace(one, drop=min(one.drop, 1)) if one.sort == sort.name else one for one in columns
    )


def _row(
    view: SessionView, key: str, make: Callable[[SessionView], Sequence[AnyCell]], *, is_old: bool
) -> Row:
    return Row(
        key=key,
        cells=LateCells(partial(_grey, make, view) if is_old else partial(make, view)),
        value=view.key_text or view.session_id or "",
        search=partial(_search, view),
        reason=why_suspect(view) if view.count.state is TokenState.SUSPECT else "",
    )


def _search(view: SessionView) -> str:
    """Return what a filter looks at; masking the names of ten thousand rows takes a while."""
    return f"{full_name(view)} {view.key_text or ''} {view.session_id or ''}"


def _grey(make: Callable[[SessionView], Sequence[AnyCell]], view: SessionView) -> Sequence[AnyCell]:
    """Return cells of a home that is away: nothing in them looks like now."""
    found = make(view)
    return tuple(replace(one, role=Role.MUTED) if isinstance(one, Cell) else one for one in found)


def _narrow_cells(view: SessionView, context: Context, *, with_agent: bool) -> Sequence[AnyCell]:
    """Return name with gauge, tokens with state, and what comes next."""
    basis = view.percent_of_threshold
    name = full_name(view) if with_agent else session_name(view)
    return (
        GaugedName(name, _name_role(view), None if basis is None else basis / 100),
        *_tokens(view),
        _ahead(view, context),
    )


def _cells(view: SessionView, context: Context, *, with_agent: bool) -> Sequence[AnyCell]:
    """Return a cell for each column of a list with room."""
    lead = (Cell(view.agent.id, Role.MUTED, is_id=True),) if with_agent else ()
    return (
        *lead,
        Cell(session_name(view), _name_role(view), is_id=True),
        MarkedGauge(view.count.basis, view.threshold, _limits(view)),
        *_tokens(view),
        Cell(_saved(view, context), Role.MUTED),
        Cell(short_age(context.since(view.heard_at)), Role.MUTED),
        _ahead(view, context),
        Cell(_does(view, context), doing_role(view.doing)),
        Cell(_growth(view), Role.MUTED),
        Cell(figures.percent(view.percent_of_window), Role.MUTED),
        _course(view, context),
    )


def _tokens(view: SessionView) -> tuple[Cell, Cell]:
    tone = _tone(view)
    return Cell(figures.kilo(view.tokens), tone), Cell(state_word(view), tone)


def _ahead(view: SessionView, context: Context) -> Cell:
    return Cell(next_words(view, context), Role.DUE if view.is_due else Role.MUTED)


def _limits(view: SessionView) -> Limits | None:
    return None if view.outlook is None else view.outlook.limits


def _saved(view: SessionView, context: Context) -> str:
    """Return how old the last capture is; `never`, where there is none; nothing where none is."""
    if not view.is_capturable or view.state is not SessionState.LIVE:
        return context.glyphs.none
    if view.outlook is None:
        return figures.UNKNOWN
    at = view.outlook.saved_at
    return "never" if at is None else short_age(context.since(at))


def next_words(view: SessionView, context: Context) -> str:
    """Return what happens next and when, such as `compacts 20m` or `resets 04:00`."""
    if view.state is not SessionState.LIVE:
        return context.glyphs.none
    if view.outlook is None or not view.outlook.is_known:
        return "due now" if view.is_due else figures.UNKNOWN
    event = view.outlook.next
    if event is None:
        return context.glyphs.none
    if event.at is None:
        return "due now" if event.kind is Ahead.DUE else "resets next"
    left = event.at - context.now
    if event.kind is Ahead.RESETS and left > _BY_THE_CLOCK:
        return f"resets {figures.when(event.at, context.now, context.zone)}"
    return f"{event.kind.value} {short(figures.until(left))}"


def _does(view: SessionView, context: Context) -> str:
    if view.state is not SessionState.LIVE:
        return context.glyphs.none
    return short(words_of(view.activity, context.now))


def _growth(view: SessionView) -> str:
    return "?" if view.growth is None else figures.short_rate(view.growth.tokens_per_hour)


def _course(view: SessionView, context: Context) -> Course:
    points = [(one.at, one.tokens) for one in view.samples]
    return Course(points, context.now, _COURSE, top=view.threshold)


def _name_role(view: SessionView) -> Role:
    if view.is_due:
        return Role.STRONG
    return Role.PLAIN if view.session_class.is_conversation else Role.MUTED


def _tone(view: SessionView) -> Role:
    if view.is_due:
        return Role.DUE
    if view.count.state in (TokenState.STALE, TokenState.UNKNOWN):
        return Role.MUTED
    if view.count.state is TokenState.SUSPECT:
        return Role.WARNING
    return Role.PLAIN


def _empty(snapshot: ConsoleSnapshot, agent_id: str | None, *, has_any: bool) -> tuple[str, ...]:
    if not snapshot.agents:
        return ("no agents yet: nothing to watch here", "start the platform once, then press r")
    if broken := _unreadable(snapshot, agent_id):
        whose = "this agent" if agent_id else figures.plural(len(broken), "agent")
        return (
            f"the sessions of {whose} cannot be read:",
            *(
                shorter(literal(one.message), snapshot.home.path)
                for agent in broken
                for one in agent.problems
            ),
            "! shows what to do",
        )
    if has_any:
        return ("no live session; a a shows what has ended",)
    owner = f"agent {agent_id}" if agent_id else "this home"
    return (f"no sessions: {owner} holds no messages yet",)


def _unreadable(snapshot: ConsoleSnapshot, agent_id: str | None) -> list[AgentView]:
    """Keep "has no sessions" and "cannot be read" apart."""
    meant = (one for one in snapshot.agents if agent_id in (None, one.ref.id))
    return [one for one in meant if one.sessions is None]


def _problem(
    snapshot: ConsoleSnapshot, agent_id: str | None, doubted: Iterable[SessionView]
) -> str:
    """Return what is wrong: what cannot be read, then what cannot be true, then the rest."""
    agents = [agent for agent in snapshot.agents if agent_id in (None, agent.ref.id)]
    problems = [
        (agent.sessions is not None, shorter(literal(problem.message), snapshot.home.path))
        for agent in agents
        for problem in agent.problems
    ]
    unreadable = (text for is_read, text in problems if not is_read)
    suspect = (
        f"{why_suspect(view)} ({full_name(view) if agent_id is None else session_name(view)})"
        for view in doubted
    )
    return next(chain(unreadable, suspect, (text for _, text in problems)), "")


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
    "danger": danger,
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


_DETAIL_CELLS = 1_000
"""More than any terminal has."""


def detail_line(
    view: SessionView | None, row: Row | None, context: Context, width: int = _DETAIL_CELLS
) -> Line:
    """Return what is known about a session, or the value of another row.

    No figure is cut: what has no room is left out, and a count goes with its state.
    """
    if view is None:
        return (Span(f" {row.value}" if row is not None else "", Role.MUTED),)
    due_at = None if view.growth is None else view.growth.due_at
    dot, word, tokens = f" {context.glyphs.dot} ", state_word(view), figures.kilo(view.tokens)
    count = f"{tokens} of {figures.short_kilo(view.threshold)}"
    why = why_suspect(view) if view.count.state is TokenState.SUSPECT else word
    wanted = [
        [dot.join(filter(None, (count, why))), dot.join(filter(None, (count, word)))],
        [f"window {figures.percent(view.percent_of_window)}"],
    ]
    if due_at is not None and not view.is_due:
        wanted.append([f"due in {figures.until(due_at - context.now)}"])
    wanted[0].append(f"{tokens} {word}".strip())
    text = f" {full_name(view)}"
    for ways in wanted:
        room = width - cell_width(f"{text}{dot}")
        fitting = next((one for one in ways if cell_width(one) <= room), "")
        if not fitting:
            break
        text = f"{text}{dot}{fitting}"
    return (Span(text, Role.DUE if view.is_due else Role.MUTED),)
