"""A home for pictures: built from domain values, so that no picture depends on a disk.

The values never change, so whole homes are built once and shared by all tests.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

from memconsole.domain.agents import (
    Agent,
    AgentRef,
    Era,
    Home,
    HomeRef,
    Notice,
    Origin,
    PlatformConfig,
    Storage,
)
from memconsole.domain.commands.outcomes import Run
from memconsole.domain.gateway import GatewayStatus
from memconsole.domain.memory.files import MARKER_TAGS, Category, Limit, Pool, PoolItem
from memconsole.domain.sessions.activity import counted
from memconsole.domain.sessions.keys import SessionClass, classify, parse_key
from memconsole.domain.sessions.names import names_of
from memconsole.domain.sessions.stored import (
    SessionState,
    StoredSession,
    TranscriptKind,
    TranscriptRef,
    TranscriptState,
)
from memconsole.domain.sessions.tokens import Growth, NotDue, TokenCount, TokenState
from memconsole.domain.snapshot.attention import attention
from memconsole.domain.snapshot.outlook import Limits, Outlook, next_event
from memconsole.domain.snapshot.snapshot import (
    AgentView,
    ConsoleSnapshot,
    Quiet,
    SchedulerStatus,
    SessionView,
)

NOW = datetime(2026, 1, 26, 13, 20, tzinfo=UTC)
HOME = Path("/home/operator/.openclaw")
CONFIG = PlatformConfig(user_timezone="Europe/Berlin")
WINDOW = 200_000
THRESHOLD = 150_000


def ago(**span: float) -> datetime:
    """Return a moment before now."""
    return NOW - timedelta(**span)


def ref(agent_id: str) -> AgentRef:
    """Name an agent of the sample home."""
    return AgentRef(HomeRef(str(HOME)), agent_id)


def agent(agent_id: str, **changes: object) -> Agent:
    """Make a configured agent."""
    folder = HOME / "agents" / agent_id
    values: dict[str, object] = {
        "ref": ref(agent_id),
        "name": None,
        "workspace": HOME / f"workspace-{agent_id}",
        "workspace_exists": True,
        "folder": folder,
        "sessions_dir": folder / "sessions",
        "store_file": folder / "sessions" / "sessions.json",
        "database": folder / "agent" / "openclaw-agent.sqlite",
        "is_configured": True,
        **changes,
    }
    return Agent(**values)  # type: ignore[arg-type]  # names are checked by the dataclass itself


def stored(agent_id: str, rest: str | None, number: int = 1, **changes: object) -> StoredSession:
    """Make a live session of the file era; `rest` None makes an orphan."""
    session_id = f"{number:08x}-7c1f-4b5a-9d2e-0f3a6b8c{number:04x}"
    path = HOME / "agents" / agent_id / "sessions" / f"{session_id}.jsonl"
    values: dict[str, object] = {
        "agent": ref(agent_id),
        "key": None if rest is None else parse_key(f"agent:{agent_id}:{rest}", owner=agent_id),
        "session_id": session_id,
        "state": SessionState.ORPHAN if rest is None else SessionState.LIVE,
        "transcript_state": TranscriptState.PRESENT,
        "transcript": TranscriptRef(
            ref(agent_id), session_id, TranscriptKind.FILE, path, 1_200_000, ago(minutes=3)
        ),
        "model": "claude-opus-4-5",
        "window": WINDOW,
        "compactions": 2,
        "started_at": ago(days=3),
        "updated_at": ago(minutes=3),
        "source": Storage.FILES,
        **changes,
    }
    return StoredSession(**values)  # type: ignore[arg-type]  # as above


def view(
    session: StoredSession, count: TokenCount, growth: float | None = None, **changes: object
) -> SessionView:
    """Judge a session the short way."""
    basis = count.basis
    fill = None if basis is None else round(100 * basis / THRESHOLD, 1)
    is_due = basis is not None and basis >= THRESHOLD and count.state is TokenState.FRESH
    grows = None
    if growth is not None:
        hours = max(0, THRESHOLD - (basis or 0)) / growth
        grows = Growth(growth, NOW + timedelta(hours=hours), "samples")
    session_class = (
        SessionClass.OTHER if session.key is None else classify(session.key, session.chat_type)
    )
    values: dict[str, object] = {
        "stored": session,
        "session_class": session_class,
        "label": session.label,
        "count": count,
        "window": session.window,
        "threshold": THRESHOLD,
        "percent_of_threshold": fill,
        "percent_of_window": None if basis is None else round(100 * basis / WINDOW, 1),
        "is_due": is_due,
        "not_due": None if is_due else NotDue.BELOW,
        "not_due_because": None if is_due else "below its threshold of 150K",
        "growth": grows,
        "messages": None,
        "read_at": NOW,
        "name": names_of([session])[0],
        "outlook": outlook(session, basis, grows, is_due=is_due),
        **changes,
    }
    return SessionView(**values)  # type: ignore[arg-type]  # as above


def outlook(
    session: StoredSession, basis: int | None, growth: Growth | None, *, is_due: bool
) -> Outlook | None:
    """Tell what lies ahead of a live session that was saved 26 minutes ago."""
    if session.state is not SessionState.LIVE:
        return None
    limits = Limits(140_000, THRESHOLD, 180_000)
    event = next_event(basis, limits, growth, None, is_due=is_due, now=NOW)
    return Outlook(limits, ago(minutes=26), event, event is not None or growth is not None)


def fresh(tokens: int) -> TokenCount:
    """A count that the platform vouches for."""
    return TokenCount(TokenState.FRESH, tokens)


def pool(agent_id: str, size_bytes: int = 847 * 1024, files: int = 47) -> Pool:
    """Make a memory pool with all kinds of markers."""
    counts = (23, 11, 18, 9, 3, 30, 6, 12)
    items = (
        PoolItem("MEMORY.md", 18_637, 4_659, False, True, markers={"FACT": 12, "DECISION": 4}),
        PoolItem("memory/2026-01-20.md", 41_233, 10_308, False, True, markers={"DECISION": 9}),
        PoolItem("memory/2026-01-25.md", 22_010, 5_502, False, True, markers={"GOTCHA": 3}),
        PoolItem("memory/notes-latin1.md", 900, 225, False, True, "not UTF-8", encoding="unknown"),
        PoolItem(
            "ACTIVE_CONTEXT.md", 2_150, 537, True, False, "written by memconsole", modified_at=NOW
        ),
    )
    return Pool(
        agents=(agent_id,),
        root=HOME / f"workspace-{agent_id}",
        exists=True,
        files=files,
        size_bytes=size_bytes,
        tokens=size_bytes // 4,
        markers=dict(zip(MARKER_TAGS, counts, strict=True)),
        items=items,
        by_category=(Category("daily", 31, 600_000), Category("core", 3, 40_000)),
        limits=(Limit("MEMORY.md", 17_200, 20_000), Limit("AGENTS.md", 6_100, 20_000)),
        notices=(),
        active_context_at=ago(minutes=4),
        read_at=NOW,
    )


def agent_view(one: Agent, sessions: tuple[SessionView, ...], **changes: object) -> AgentView:
    """Count an agent's row together."""
    own = [session for session in sessions if session.agent == one.ref]
    live = [
        session for session in own if session.state is SessionState.LIVE and not session.is_cron_run
    ]
    is_unread = changes.get("store") is Storage.UNREADABLE
    values: dict[str, object] = {
        "agent": one,
        "store": Storage.FILES,
        "sessions": None if is_unread else len(live),
        "activity": None if is_unread else counted(session.activity for session in live),
        "due": sum(session.is_due for session in live),
        "tokens_max": max((s.count.basis for s in live if s.count.basis is not None), default=None),
        "pool": pool(one.id),
        "checkpoint_at": ago(minutes=4),
        "problems": (),
        "left_out": {},
        "read_at": NOW,
        **changes,
    }
    return AgentView(**values)  # type: ignore[arg-type]  # as above


@cache
def main_sessions() -> tuple[SessionView, ...]:
    """Conversations of the main agent in every state of a count."""
    suspect = TokenCount(TokenState.SUSPECT, 312_000, 41_000)
    estimated = TokenCount(TokenState.ESTIMATED, None, 64_200)
    return (
        view(stored("main", "main", 1), fresh(151_200), 9_000),
        view(stored("main", "telegram:direct:1001", 2, label="Ada (phone)"), fresh(131_400), 2_100),
        view(stored("main", "whatsapp:direct:+491701", 3), estimated, 1_000),
        view(
            stored("main", "discord:channel:4411", 4, label="#ops"),
            TokenCount(TokenState.STALE, 128_400),
        ),
        view(stored("main", "dashboard:7d1e", 5, label="仕入れの相談 2026年"), suspect),
        view(
            stored("main", "slack:channel:c0ffee", 6, transcript_state=TranscriptState.NONE),
            TokenCount(TokenState.UNKNOWN),
        ),
        view(stored("main", "cron:nightly-digest", 7), fresh(12_300)),
    )


@cache
def other_sessions() -> tuple[SessionView, ...]:
    """Conversations of the other agents, and what is folded away."""
    runs = tuple(
        view(stored("main", f"cron:nightly-digest:run:{n:04d}", 100 + n), fresh(8_000))
        for n in range(310)
    )
    return (
        view(stored("work", "main", 20), fresh(61_900), 3_000),
        view(stored("work", "slack:channel:c77", 21, label="#inventory"), fresh(20_400)),
        view(stored("work", "main:thread:17", 22), fresh(4_000)),
        *runs,
        view(stored("work", None, 90), TokenCount(TokenState.ESTIMATED, None, 33_000)),
    )


def runs() -> tuple[Run, ...]:
    """A few lines of history, newest first."""
    rows = (
        ("checkpoint", "main", "done", None, "wrote ACTIVE_CONTEXT.md, 2.1 KB", 31, "scheduler", 4),
        ("checkpoint", "work", "skipped", "nothing-new", "nothing new since 14:05", 4, "cli", 9),
        (
            "rotate",
            "main",
            "failed",
            "gateway-unavailable",
            "only the Gateway can reset a session",
            2,
            "console",
            31,
        ),
        (
            "checkpoint",
            "main",
            "done",
            None,
            "wrote ACTIVE_CONTEXT.md, 2.0 KB",
            28,
            "scheduler",
            44,
        ),
    )
    return tuple(
        Run(
            id=len(rows) - place,
            job=None,
            command=command,
            command_line=f"memconsole {command} --agent {owner}",
            origin=Origin(origin),
            agent=owner,
            key=None,
            started_at=ago(minutes=minutes),
            ended_at=ago(minutes=minutes),
            status=status,
            reason=reason,
            message=message,
            duration_ms=took,
        )
        for place, (command, owner, status, reason, message, took, origin, minutes) in enumerate(
            rows
        )
    )


def snapshot(
    agents: tuple[AgentView, ...],
    sessions: tuple[SessionView, ...],
    *,
    activity: tuple[Run, ...] = (),
    notices: tuple[Notice, ...] = (),
    taken_at: datetime = NOW,
    era: Storage = Storage.FILES,
) -> ConsoleSnapshot:
    """Put a reading together."""
    home = Home(
        HOME, CONFIG, tuple(one.agent for one in agents), Era(sessions=era), notices, taken_at
    )
    gateway = GatewayStatus()
    return ConsoleSnapshot(
        home=home,
        era=home.era,
        agents=agents,
        sessions=sessions,
        left_out={
            "cron_run": sum(one.is_cron_run for one in sessions),
            "archived": sum(one.state is SessionState.ARCHIVED for one in sessions),
            "orphan": sum(one.state is SessionState.ORPHAN for one in sessions),
        },
        notices=notices,
        attention=attention(
            agents, sessions, notices, config=CONFIG, gateway=gateway, now=taken_at
        ),
        activity=activity,
        gateway=gateway,
        scheduler=SchedulerStatus(
            "running", 812, "kaveri", ago(hours=5), "checkpoint", NOW + timedelta(minutes=12)
        ),
        taken_at=taken_at,
        quiet=Quiet(
            ("fullest 14 % main", "oldest save 4 min", "scheduler next 14:32", "gateway 4 ms")
        ),
    )


@cache
def usual() -> ConsoleSnapshot:
    """Three agents, one of them due."""
    sessions = main_sessions() + other_sessions()
    agents = (
        agent_view(agent("main"), sessions),
        agent_view(agent("work"), sessions, pool=pool("work", 150 * 1024, 12)),
        agent_view(agent("research"), sessions, pool=pool("research", 12 * 1024, 3)),
    )
    return snapshot(agents, sessions, activity=runs())


@cache
def empty() -> ConsoleSnapshot:
    """A sound home that has no agents yet."""
    return snapshot((), (), era=Storage.NONE)


@cache
def lone() -> ConsoleSnapshot:
    """One agent with one quiet conversation."""
    sessions = (view(stored("main", "main", 1), fresh(21_000)),)
    return snapshot((agent_view(agent("main"), sessions),), sessions, activity=runs()[:1])


@cache
def crowd(count: int = 50) -> ConsoleSnapshot:
    """Fifty agents with four conversations each."""
    sessions = tuple(
        view(
            stored(f"agent-{n:02d}", rest, n * 10 + place),
            fresh((n * 3571 + place * 17_011) % 149_000),
            900.0 + n if place == 0 else None,
        )
        for n in range(count)
        for place, rest in enumerate(
            ("main", "telegram:direct:7", "slack:channel:c1", "dashboard:x")
        )
    )
    agents = tuple(agent_view(agent(f"agent-{n:02d}"), sessions) for n in range(count))
    return snapshot(agents, sessions, activity=runs())


@cache
def unreadable() -> ConsoleSnapshot:
    """Two agents, one of whose stores cannot be read."""
    path = str(HOME / "agents" / "work" / "sessions" / "sessions.json")
    problem = Notice("store-unreadable", f"{path} cannot be read: permission denied", path, "work")
    sessions = main_sessions()
    agents = (
        agent_view(agent("main"), sessions),
        agent_view(
            agent("work"), (), store=Storage.UNREADABLE, problems=(problem,), tokens_max=None
        ),
    )
    return snapshot(agents, sessions, activity=runs(), notices=(problem,))
