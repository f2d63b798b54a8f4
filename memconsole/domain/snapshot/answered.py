"""A reading of another host's home, out of what its command line answered.

What is not said there is unknown here; nothing is guessed. The answers have their closed types
already (`domain/fleet/shapes.py`); a word that this release does not know counts as something else.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from memconsole.domain.agents import (
    Agent,
    AgentRef,
    Era,
    Home,
    Notice,
    PlatformConfig,
    Severity,
    Storage,
)
from memconsole.domain.commands.outcomes import (
    Failed,
    Outcome,
    Planned,
    Reported,
    Skipped,
    SkipReason,
    Written,
)
from memconsole.domain.fleet.shapes import count_of, text_of
from memconsole.domain.gateway import GatewayStatus
from memconsole.domain.memory.files import Pool
from memconsole.domain.search.indexing import IndexState, IndexStatus, Source
from memconsole.domain.search.query import parse
from memconsole.domain.search.values import SearchHit, SearchResult
from memconsole.domain.sessions.activity import Activity, Doing
from memconsole.domain.sessions.keys import SessionClass, parse_key
from memconsole.domain.sessions.names import names_of
from memconsole.domain.sessions.stored import SessionState, StoredSession, TranscriptState
from memconsole.domain.sessions.tokens import Growth, NotDue, TokenCount, TokenState
from memconsole.domain.snapshot.snapshot import (
    AgentView,
    Attention,
    ConsoleSnapshot,
    Quiet,
    SchedulerStatus,
    SessionView,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memconsole.domain.agents import HomeRef
    from memconsole.domain.commands.command import Command
    from memconsole.domain.commands.outcomes import Detail
    from memconsole.domain.fleet.shapes import Json, Row
    from memconsole.domain.fleet.wire import Reply

_NOWHERE = Path("/")
_OF_ANOTHER_HOST = "it is of another host"

T = TypeVar("T")


def snapshot_of(home: HomeRef, status: Reply, sessions: Reply, now: datetime) -> ConsoleSnapshot:
    """Return the reading that two answers of one home make.

    Args:
        home: Whose it is.
        status: What it answered to `status`.
        sessions: What it answered to `sessions`.
        now: When the answers were there, by our clock: ages are told by it.

    Raises:
        ValueError: An answer says what this release does not know.
    """
    row = _table(status.data)
    views = _views(home, _rows(sessions.data), now)
    agents = tuple(_agent(home, one, now) for one in _rows(row["agents"]))
    return ConsoleSnapshot(
        home=Home(
            Path(text_of(row, "home") or "/"),
            PlatformConfig(),
            tuple(one.agent for one in agents),
            _era(row),
            (),
            now,
        ),
        era=_era(row),
        agents=agents,
        sessions=views,
        left_out=dict(sessions.left_out),
        notices=(*status.warnings, *sessions.warnings),
        attention=tuple(_finding(one) for one in _rows(row["attention"])),
        activity=(),
        gateway=_gateway(_table(row["gateway"])),
        scheduler=_scheduler(_table(row["scheduler"])),
        taken_at=now,
        quiet=_quiet(row.get("quiet")),
    )


def result_of(text: str, reply: Reply) -> SearchResult:
    """Return what another host found; its index is what it says of it."""
    data = _table(reply.data)
    index = data.get("index")
    said = index if isinstance(index, Mapping) else {}
    return SearchResult(
        parse(text),
        tuple(map(_hit, _rows(data["hits"]))),
        IndexStatus(
            _word(IndexState, said, "state", IndexState.UNAVAILABLE),
            count_of(said, "chunks") or 0,
            text_of(said, "provider") or "none",
            updated_at=_time(said, "updated_at"),
            because=text_of(said, "because"),
        ),
        notices=reply.warnings,
    )


def _hit(row: Row) -> SearchHit:
    return SearchHit(
        text_of(row, "agent"),
        _word(Source, row, "source", Source.MEMORY),
        text_of(row, "path"),
        count_of(row, "start_line") or 1,
        count_of(row, "end_line") or 1,
        _number(row, "score") or 0.0,
        _number(row, "vector_score"),
        _number(row, "text_score"),
        row["weak"] is True,
        text_of(row, "snippet"),
        heading=text_of(row, "heading"),
        is_archived=row["archived"] is True,
        on_path=row["on_path"] is not False,
        modified_at=_time(row, "modified_at"),
        tags=tuple(one for one in _list(row["tags"]) if isinstance(one, str)),
    )


def outcome_of(command: Command, reply: Reply) -> Outcome:
    """Return what came of a command on the host that owns its agent."""
    rows = _rows(reply.data) if isinstance(reply.data, list) else []
    if reply.failure or len(rows) != 1:
        why = reply.failure or f"it answered with {len(rows)} outcomes"
        return Failed(command, reply.reason or f"home-{reply.freshness.value}", why, reply.hint)
    row = rows[0]
    message, hint = text_of(row, "message"), text_of(row, "hint")
    details = _details(row.get("details"))
    took = count_of(row, "duration_ms")
    match text_of(row, "status"):
        case "skipped":
            reason = _word(SkipReason, row, "reason", SkipReason.NOTHING_NEW)
            return Skipped(command, reason, message, hint, details, duration_ms=took)
        case "failed":
            return Failed(command, text_of(row, "reason") or "failed", message, hint, details, took)
        case "planned":
            return Planned(command, message, _wrote(row), details, duration_ms=took)
        case "done":
            return Reported(command, message, _wrote(row), details, duration_ms=took)
        case other:
            return Failed(command, "home-failed", f"it answered with the status {other!r}")


def _wrote(row: Row) -> tuple[Written, ...]:
    return tuple(
        Written(text_of(one, "path"), count_of(one, "bytes") or 0, text_of(one, "mode"))
        for one in _rows(row["wrote"])
    )


def _details(value: Json) -> Mapping[str, Detail]:
    rows = value.items() if isinstance(value, Mapping) else ()
    return {name: one for name, one in rows if isinstance(one, str | int | float | bool)}


def _agent(home: HomeRef, row: Row, now: datetime) -> AgentView:
    ref = AgentRef(home, text_of(row, "id"))
    workspace = row["workspace"]
    agent = Agent(
        ref=ref,
        name=text_of(row, "name") or None,
        workspace=Path(workspace) if isinstance(workspace, str) else _NOWHERE,
        workspace_exists=row["workspace_exists"] is True,
        folder=_NOWHERE,
        sessions_dir=_NOWHERE,
        store_file=_NOWHERE,
        database=_NOWHERE,
        is_configured=_flag(row, "configured"),
        era=_era(row),
        problems=_notices(row["problems"], ref.id),
        workspace_doubt="" if isinstance(workspace, str) else _OF_ANOTHER_HOST,
    )
    activity = row["activity"]
    return AgentView(
        agent=agent,
        store=_word(Storage, row, "store", Storage.NONE),
        sessions=count_of(row, "sessions"),
        due=count_of(row, "due") or 0,
        tokens_max=count_of(row, "tokens_max"),
        pool=_pool(row, agent, now),
        checkpoint_at=_time(row, "checkpoint_at"),
        problems=agent.problems,
        left_out={},
        read_at=now,
        activity={
            one: count_of(activity, one.value) or 0
            for one in Doing
            if isinstance(activity, Mapping)
        }
        or None,
    )


def _pool(row: Row, agent: Agent, now: datetime) -> Pool | None:
    """Return the sums of a memory; None where that host does not know them."""
    size, files, markers = (
        count_of(row, "memory_bytes"),
        count_of(row, "memory_files"),
        row["markers"],
    )
    if size is None or files is None:
        return None
    counts = {
        name: count
        for name, count in (markers.items() if isinstance(markers, Mapping) else ())
        if type(count) is int
    }
    return Pool(
        (agent.id,),
        agent.workspace,
        agent.workspace_exists,
        files,
        size,
        0,
        counts,
        (),
        (),
        (),
        (),
        None,
        now,
    )


def _views(home: HomeRef, rows: Sequence[Row], now: datetime) -> tuple[SessionView, ...]:
    """Return sessions in their order, each named as it is named there."""
    stored = [_stored(home, row) for row in rows]
    own: defaultdict[AgentRef, list[int]] = defaultdict(list)
    for place, one in enumerate(stored):
        own[one.agent].append(place)
    names = [""] * len(stored)
    for places in own.values():
        for place, name in zip(places, names_of([stored[one] for one in places]), strict=True):
            names[place] = name
    return tuple(
        _view(one, row, name, now) for one, row, name in zip(stored, rows, names, strict=True)
    )


def _stored(home: HomeRef, row: Row) -> StoredSession:
    agent, key = text_of(row, "agent"), text_of(row, "key")
    activity = row["activity"]
    return StoredSession(
        AgentRef(home, agent),
        parse_key(key, owner=agent) if key else None,
        text_of(row, "session_id") or None,
        SessionState(text_of(row, "state")),
        _word(TranscriptState, row, "transcript", TranscriptState.NONE),
        label=text_of(row, "label") or None,
        tokens_reported=count_of(row, "tokens_reported"),
        window=count_of(row, "window"),
        compactions=count_of(row, "compactions"),
        is_active=_flag(row, "active"),
        started_at=_time(row, "started_at"),
        updated_at=_time(row, "updated_at"),
        source=_word(Storage, row, "source", Storage.NONE),
        spoke_at=_time(activity, "heard_at") if isinstance(activity, Mapping) else None,
    )


def _view(stored: StoredSession, row: Row, name: str, now: datetime) -> SessionView:
    activity, due_at = row["activity"], _time(row, "due_at")
    is_due = row["due"] is True
    because = text_of(row, "not_due_because") or None
    doing = _word(Doing, activity, "doing", None) if isinstance(activity, Mapping) else None
    return SessionView(
        stored=stored,
        session_class=_word(SessionClass, row, "class", SessionClass.OTHER),
        label=stored.label,
        count=TokenCount(
            _word(TokenState, row, "token_state", TokenState.UNKNOWN),
            count_of(row, "tokens_reported"),
            count_of(row, "tokens_estimated"),
        ),
        window=stored.window,
        threshold=count_of(row, "threshold") or 1,
        percent_of_threshold=_number(row, "percent_of_threshold"),
        percent_of_window=_number(row, "percent_of_window"),
        is_due=is_due,
        not_due=None if is_due else NotDue.UNKNOWN,
        not_due_because=because,
        growth=None if due_at is None else Growth(None, due_at, "samples"),
        messages=count_of(row, "messages"),
        read_at=now,
        name=name,
        activity=None
        if doing is None or not isinstance(activity, Mapping)
        else Activity(doing, _time(activity, "since"), _time(activity, "heard_at")),
    )


def _finding(row: Row) -> Attention:
    return Attention(
        Severity(text_of(row, "severity")),
        text_of(row, "code"),
        text_of(row, "message"),
        text_of(row, "hint"),
        text_of(row, "agent") or None,
        text_of(row, "key") or None,
        text_of(row, "command"),
        seen_at=_time(row, "seen_at"),
    )


def _gateway(row: Row) -> GatewayStatus:
    return GatewayStatus(
        text_of(row, "verdict"),
        text_of(row, "url") or None,
        text_of(row, "version") or None,
        tuple(one for one in _list(row["scopes"]) if isinstance(one, str)),
        text_of(row, "reason") or None,
        text_of(row, "hint") or None,
        _time(row, "checked_at"),
    )


def _scheduler(row: Row) -> SchedulerStatus:
    return SchedulerStatus(
        text_of(row, "state"),
        count_of(row, "pid"),
        text_of(row, "host") or None,
        _time(row, "since"),
        text_of(row, "next_job") or None,
        _time(row, "next_at"),
    )


def _quiet(value: Json) -> Quiet:
    if not isinstance(value, Mapping):
        return Quiet(unknown=("what proves it",))
    evidence, unknown = (
        tuple(one for one in _list(value[name]) if isinstance(one, str))
        for name in ("evidence", "unknown")
    )
    return Quiet(evidence, unknown)


def _era(row: Row) -> Era:
    era = _table(row["era"])
    return Era(*(_word(Storage, era, one, Storage.NONE) for one in era))


def _notices(value: Json, agent: str) -> tuple[Notice, ...]:
    return tuple(
        Notice(text_of(one, "code"), text_of(one, "message"), text_of(one, "path") or None, agent)
        for one in _rows(value)
    )


def _word(kind: Callable[[str], T], row: Row, name: str, otherwise: T) -> T:
    """Return a word of ours; a newer one that we do not know counts as something else."""
    try:
        return kind(text_of(row, name))
    except ValueError:
        return otherwise


def _table(value: Json) -> Row:
    if isinstance(value, Mapping):
        return value
    raise ValueError("its answer is no table")


def _list(value: Json) -> Sequence[Json]:
    return value if isinstance(value, list) else ()


def _rows(value: Json) -> list[Row]:
    return [one for one in _list(value) if isinstance(one, Mapping)]


def _number(row: Row, name: str) -> float | None:
    found = row.get(name)
    return float(found) if isinstance(found, int | float) and type(found) is not bool else None


def _flag(row: Row, name: str) -> bool | None:
    found = row.get(name)
    return found if isinstance(found, bool) else None


def _time(row: Row, name: str) -> datetime | None:
    found = text_of(row, name)
    return datetime.fromisoformat(found) if found else None
