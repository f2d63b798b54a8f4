"""The panel of search: names of sessions and files until there is an index of their text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memconsole.ui.listing import Listing
from memconsole.ui.literal import literal
from memconsole.ui.rows.names import row_key, session_name
from memconsole.ui.spans import Cell, Column, Role, Row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memconsole.domain.snapshot import ConsoleSnapshot
    from memconsole.ui.rows.context import Context
    from memconsole.ui.spans import Line

_MOST = 50
_LEAST_SCORE = 60.0
"""Of 100; below it a name has only letters in common with the query."""

_COLUMNS = (
    Column("", 3, right=True),
    Column("", 7, drop=2),
    Column("", 12, flex=3),
    Column("", 8, flex=1, most=16),
)


@dataclass(frozen=True, slots=True)
class Target:
    """Something that can be found by its name.

    Attributes:
        key: `session:<row key>` or `file:<agent>:<path>`; also the row's key.
        name: What is searched and shown.
    """

    key: str
    kind: str
    name: str
    agent: str
    value: str


def targets(snapshot: ConsoleSnapshot, context: Context) -> tuple[Target, ...]:
    """Return everything with a name: sessions without cron runs, and files of every pool."""
    sessions = [
        Target(
            f"session:{row_key(view)}",
            "session",
            session_name(view, context.glyphs),
            view.agent.id,
            view.key_text or view.session_id or "",
        )
        for view in snapshot.sessions
        if not view.is_cron_run
    ]
    files = [
        Target(
            f"file:{agent.ref.id}:{item.path}", "file", literal(item.path), agent.ref.id, item.path
        )
        for agent in snapshot.agents
        if agent.pool is not None and agent.pool.agents[:1] in ((agent.ref.id,), ())
        for item in agent.pool.items
    ]
    return (*sessions, *files)


def find(query: str, known: Sequence[Target]) -> tuple[tuple[float, Target], ...]:
    """Return what is called that, then what is called something like it; no text is an error."""
    wanted = query.strip().casefold()
    exact = (
        [one for one in known if wanted in f"{one.name} {one.value}".casefold()] if wanted else []
    )
    exact.sort(key=lambda one: len(one.name))
    found = [(100.0, one) for one in exact[:_MOST]]
    if wanted and len(found) < _MOST:
        chosen = {one.key for one in exact}
        found += _like(wanted, [one for one in known if one.key not in chosen])
    return tuple(found[:_MOST])


def _like(wanted: str, known: Sequence[Target]) -> list[tuple[float, Target]]:
    from rapidfuzz import fuzz, process, utils  # noqa: PLC0415 - 37 ms, only for who searches

    # A query of signs alone has no letters to compare.
    if len(utils.default_process(wanted)) < 2:
        return []
    hits = process.extract(
        wanted,
        [f"{one.name} {one.value}" for one in known],
        scorer=fuzz.WRatio,
        processor=utils.default_process,
        limit=_MOST,
        score_cutoff=_LEAST_SCORE,
    )
    return [(score, known[place]) for _, score, place in hits]


def search_listing(
    snapshot: ConsoleSnapshot,
    context: Context,
    *,
    query: str,
    hits: tuple[tuple[float, Target], ...],
    count: int,
    prompt: Line = (),
) -> Listing:
    """Return what was found, below the line in which the query stands."""
    return Listing(
        title="Search",
        about=f"{context.glyphs.dot} names only, no index yet",
        source=f"{count:,} names",
        age=context.age(snapshot.taken_at),
        number=4,
        columns=_COLUMNS,
        rows=tuple(_row(score, target) for score, target in hits),
        fixed=(prompt,) if prompt else (),
        empty=_empty(query),
        is_stale=context.is_stale(snapshot.taken_at),
    )


def _row(score: float, target: Target) -> Row:
    return Row(
        key=target.key,
        cells=(
            Cell(f"{score:.0f}", Role.MUTED),
            Cell(target.kind, Role.MUTED),
            Cell(target.name, is_id=True),
            Cell(target.agent, Role.MUTED),
        ),
        value=target.value,
        search=target.name,
    )


def _empty(query: str) -> tuple[str, ...]:
    if query.strip():
        return ("no session or file has a name like that",)
    return ("/ finds a session or a memory file by its name",)
