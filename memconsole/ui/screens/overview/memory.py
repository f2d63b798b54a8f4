"""The panel of memory: how large the pool is, what it holds, what the platform will cut."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.memory.files import MARKER_TAGS, marked_since
from memconsole.domain.search.indexing import IndexState
from memconsole.text import figures
from memconsole.ui.drawing.gauges import days_course
from memconsole.ui.drawing.listing import Listing, text_row
from memconsole.ui.drawing.literal import literal
from memconsole.ui.drawing.spans import Role, Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memconsole.domain.memory.files import Pool
    from memconsole.domain.search.indexing import IndexStatus
    from memconsole.domain.snapshot.snapshot import AgentView, ConsoleSnapshot
    from memconsole.ui.drawing.context import Context
    from memconsole.ui.drawing.spans import Row


_DAYS = 14
"""Days of a trend that has room for as many signs."""


def memory_listing(
    snapshot: ConsoleSnapshot,
    context: Context,
    *,
    agent: AgentView | None,
    tags_a_line: int = 2,
    indexes: Sequence[IndexStatus] = (),
) -> Listing:
    """Return the pool of one agent in a few lines; Enter opens the files themselves.

    Args:
        snapshot: The reading.
        context: Time and glyphs.
        agent: Whose pool; None while several agents are looked at.
        tags_a_line: Markers side by side.
        indexes: Those of the agent, as far as they are known.
    """
    pool = None if agent is None else agent.pool
    name = "" if agent is None else f"{context.glyphs.dot} {agent.ref.id}"
    if pool is not None and len(pool.agents) > 1:
        name += f", shared by {len(pool.agents)}"
    home = None if agent is None else snapshot.home_of(agent.ref.id)
    is_far = home is not None and home.is_far
    return Listing(
        title="Memory",
        about=name,
        source=literal(home.label) if home is not None and is_far else "files",
        age=context.age_of(snapshot, home),
        number=3,
        rows=()
        if pool is None or not pool.exists
        else (
            *_rows(pool, context, tags_a_line, is_far=is_far),
            *_waiting(indexes, context),
        ),
        empty=_empty(agent, pool),
        is_stale=context.is_stale(snapshot.taken_at),
        problem=literal(pool.notices[0].message) if pool is not None and pool.notices else "",
    )


def _rows(pool: Pool, context: Context, tags_a_line: int, *, is_far: bool) -> Iterator[Row]:
    """Yield what is known of a pool; of another host's that is its sums."""
    tokens = "" if is_far else f"  ~{figures.kilo(pool.tokens)} tokens"
    yield text_row(
        "size",
        Span(figures.size(pool.size_bytes), Role.STRONG),
        Span(f"  {figures.plural(pool.files, 'file')}{tokens}"),
        is_heading=True,
    )
    if pool.trend:
        yield text_row("trend", *_trend(pool, context), is_heading=True)
        if marked := marked_since(pool.trend):
            words = (Span("marked ", Role.MUTED), Span(literal(marked)))
            yield text_row("marked", *words, is_heading=True)
    if not is_far:
        yield text_row("context", *_active_context(pool, context), is_heading=True)
    for limit in pool.limits:
        yield text_row(
            f"limit-{limit.path}", *_limit(limit.path, limit.chars, limit.limit), is_heading=True
        )
    for start in range(0, len(MARKER_TAGS), tags_a_line):
        spans: list[Span] = []
        for tag in MARKER_TAGS[start : start + tags_a_line]:
            count = pool.markers.get(tag, 0)
            role = Role.PLAIN if count else Role.MUTED
            gap = "   " if spans else ""
            spans += (Span(f"{gap}{tag:<10}", Role.MUTED), Span(f"{count:>5}", role))
        yield text_row(f"markers-{start}", *spans, is_heading=True)


def has_waiting(indexes: Sequence[IndexStatus]) -> bool:
    """Whether something in these indexes waits, or nobody could look into one that is there."""
    return any(
        one.waiting or _changed(one) or one.state is IndexState.UNAVAILABLE for one in indexes
    )


def _changed(index: IndexStatus) -> int:
    """Return how many documents an index that was built does not hold as they are."""
    return 0 if index.state is IndexState.MISSING else index.changed or 0


def _waiting(indexes: Sequence[IndexStatus], context: Context) -> Iterator[Row]:
    """Yield how many chunks wait for a vector; it is the last line, and pushes no other out."""
    if not has_waiting(indexes):
        return
    is_known = all(one.state is not IndexState.UNAVAILABLE for one in indexes)
    count = f"{sum(one.waiting or 0 for one in indexes):,}" if is_known else figures.UNKNOWN
    ages = [one.updated_at for one in indexes if one.updated_at is not None]
    age = figures.age(context.since(min(ages))) if ages else figures.UNKNOWN
    old = "  index just written" if age == "now" else f"  index {age} old"
    changed = sum(map(_changed, indexes))
    more = (Span(f"  {changed:,} changed", Role.WARNING),) if changed else ()
    yield text_row(
        "waiting",
        Span("vectors due ", Role.MUTED),
        Span(count, Role.WARNING),
        *more,
        Span(old, Role.MUTED),
        is_heading=True,
    )


def _trend(pool: Pool, context: Context) -> tuple[Span, ...]:
    """Return how the pool grew: a sign a day, and by how much since the first that is known."""
    days = pool.trend
    grown = days[-1].size_bytes - days[0].size_bytes
    text = f"{'-' if grown < 0 else '+'}{figures.size(abs(grown))}"
    length = (days[-1].day - days[0].day).days
    shown = min(length + 1, _DAYS)
    return (
        Span("days ", Role.MUTED),
        *days_course(days, context.now, shown).draw(shown, context.glyphs, right=False),
        Span(f"  {text} in {length} d"),
    )


def _limit(path: str, chars: int, limit: int) -> tuple[Span, ...]:
    is_over = chars > limit
    role = Role.DUE if is_over else Role.WARNING if chars > limit * 0.75 else Role.PLAIN
    word = " CUT" if is_over else ""
    return (
        Span(f"{literal(path)} ", Role.MUTED),
        Span(f"{figures.short_kilo(chars)} of {figures.short_kilo(limit)} chars{word}", role),
    )


def _active_context(pool: Pool, context: Context) -> tuple[Span, ...]:
    if pool.active_context_at is None:
        return (Span("ACTIVE_CONTEXT ", Role.MUTED), Span("none yet", Role.WARNING))
    old = figures.age(context.since(pool.active_context_at))
    text = "just written" if old == "now" else f"{old} old"
    return (Span("ACTIVE_CONTEXT ", Role.MUTED), Span(text))


def _empty(agent: AgentView | None, pool: Pool | None) -> tuple[str, ...]:
    if agent is None:
        return ("select one agent to see its memory",)
    if pool is None:
        return ("not read yet",)
    if doubt := agent.agent.workspace_doubt:
        return ("its workspace is not known:", literal(doubt))
    return ("its workspace is missing:", literal(agent.agent.workspace_shown))
