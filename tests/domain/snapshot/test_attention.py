"""The attention line: worst first, with its next step."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memconsole.domain.agents import Agent, AgentRef, Notice, PlatformConfig, Severity, Storage
from memconsole.domain.gateway import GatewayStatus
from memconsole.domain.memory.files import Limit, Pool
from memconsole.domain.sessions.keys import SessionClass, SessionKey
from memconsole.domain.sessions.stored import SessionState, StoredSession, TranscriptState
from memconsole.domain.sessions.tokens import Growth, NotDue, TokenCount, TokenState
from memconsole.domain.snapshot.attention import attention
from memconsole.domain.snapshot.snapshot import AgentView, Attention, SessionView

NOW = datetime(2026, 4, 12, 9, tzinfo=UTC)
AGENT = AgentRef("/home/operator/.openclaw", "main")
ROOT = Path("/home/operator/.openclaw/workspace")


def agent(**changes: object) -> AgentView:
    folder = Path("/home/operator/.openclaw/agents/main")
    known = Agent(
        AGENT,
        None,
        ROOT,
        workspace_exists=True,
        folder=folder,
        sessions_dir=folder / "sessions",
        store_file=folder / "sessions/sessions.json",
        database=folder / "agent/openclaw-agent.sqlite",
        is_configured=True,
    )
    view = AgentView(known, Storage.FILES, 1, 0, None, None, NOW, (), {}, NOW)
    return replace(view, **changes)  # type: ignore[arg-type]


def session(tokens: int | None = 10_000, **changes: object) -> SessionView:
    stored = StoredSession(
        AGENT,
        SessionKey("agent:main:main", "main", "main", SessionClass.MAIN),
        "a1",
        SessionState.LIVE,
        TranscriptState.PRESENT,
        updated_at=NOW - timedelta(minutes=5),
    )
    is_due = tokens is not None and tokens >= 150_000
    state = TokenState.UNKNOWN if tokens is None else TokenState.FRESH
    view = SessionView(
        stored=stored,
        session_class=SessionClass.MAIN,
        label=None,
        count=TokenCount(state, tokens),
        window=200_000,
        threshold=150_000,
        percent_of_threshold=None if tokens is None else tokens / 1500,
        percent_of_window=None,
        is_due=is_due,
        not_due=None if is_due else NotDue.BELOW,
        not_due_because=None,
        growth=None,
        messages=None,
        read_at=NOW,
        name="main",
    )
    return replace(view, **changes)  # type: ignore[arg-type]


def found(
    *sessions: SessionView,
    agents: tuple[AgentView, ...] = (),
    notices: tuple[Notice, ...] = (),
    gateway: GatewayStatus | None = None,
) -> tuple[Attention, ...]:
    return attention(
        agents,
        sessions,
        notices,
        config=PlatformConfig(),
        gateway=gateway or GatewayStatus(),
        now=NOW,
    )


def test_all_quiet() -> None:
    assert found(session(), agents=(agent(),)) == ()


def test_a_due_session_says_how_full_and_what_to_do() -> None:
    growing = Growth(9_000, NOW, "samples")

    [item] = found(session(151_200, growth=growing))

    assert item == Attention(
        Severity.HIGH,
        "session-due",
        "main / main is due: 151.2K of 150K, growing 9K/h",
        hint="memconsole rotate agent:main:main --dry-run shows the plan.",
        agent="main",
        key="agent:main:main",
        command="rotate",
    )


def test_a_session_that_will_be_due_within_two_hours_warns() -> None:
    soon = Growth(50_000, NOW + timedelta(minutes=48), "samples")
    later = Growth(5_000, NOW + timedelta(hours=3), "samples")

    [item] = found(session(110_000, growth=soon))

    assert (item.code, item.message) == (
        "session-due-soon",
        "main / main reaches 150K in about 48 min, growing 50K/h",
    )
    assert found(session(110_000, growth=later)) == ()


def test_a_small_window_compacts_before_its_threshold() -> None:
    small = session(80_000, window=100_000, threshold=96_000, percent_of_threshold=83.3)

    [item] = found(small)

    assert (item.code, item.message) == (
        "compacts-first",
        "main / main is compacted at 80K, before its threshold of 96K",
    )
    assert found(replace(small, percent_of_threshold=10.0)) == ()
    assert found(replace(small, window=None)) == ()


def test_talk_without_a_capture_warns() -> None:
    [never] = found(session(), agents=(agent(checkpoint_at=None),))
    [late] = found(session(), agents=(agent(checkpoint_at=NOW - timedelta(hours=2)),))

    assert never.message == "main talks, and it has no checkpoint yet"
    assert late.message == "main talks, and its last checkpoint is over an hour older"
    assert never.hint == "memconsole checkpoint --agent main"


def test_an_old_talk_needs_no_capture() -> None:
    stored = replace(session().stored, updated_at=NOW - timedelta(hours=5))

    assert found(session(stored=stored), agents=(agent(checkpoint_at=None),)) == ()


def test_a_file_that_the_platform_cuts_is_loud_even_while_nobody_talks() -> None:
    pool = Pool(
        ("main",), ROOT, True, 1, 1, 1, {}, (), (), (Limit("MEMORY.md", 20_001, 20_000),), (),
        None, NOW,
    )  # fmt: skip

    [item] = found(agents=(agent(pool=pool),))

    assert item.code == "bootstrap-truncation"
    assert item.message == "MEMORY.md of main has 20001 characters; the platform loads 20000"
    exact = replace(pool, limits=(Limit("MEMORY.md", 20_000, 20_000),))
    assert found(agents=(agent(pool=exact),)) == ()


def test_the_worst_comes_first() -> None:
    items = found(
        session(151_000),
        agents=(agent(checkpoint_at=None),),
        notices=(
            Notice("store-unreadable", "the store of work cannot be read", agent="work"),
            Notice("other-home-found", "another home"),
        ),
        gateway=GatewayStatus("down", hint="Start it."),
    )

    assert [(item.severity, item.code) for item in items] == [
        (Severity.CRITICAL, "store-unreadable"),
        (Severity.HIGH, "session-due"),
        (Severity.WARNING, "capture-late"),
        (Severity.WARNING, "gateway"),
    ]
    assert items[-1].hint == "Start it."


def test_ended_and_nameless_sessions_are_left_alone() -> None:
    ended = replace(session().stored, state=SessionState.ARCHIVED)
    orphan = replace(session().stored, state=SessionState.ORPHAN, key=None)

    assert found(session(190_000, stored=ended), session(190_000, stored=orphan)) == ()


def test_a_session_is_called_as_everywhere_and_shortened_in_the_middle() -> None:
    [item] = found(session(150_000, name="Inventory migration"))
    [long] = found(session(150_000, name="x" * 45 + "y" * 45))

    assert item.message == "main / Inventory migration is due: 150K of 150K"
    assert long.message == f"main / {'x' * 20}…{'y' * 19} is due: 150K of 150K"


def test_small_numbers_are_written_out() -> None:
    [item] = found(session(999, is_due=True, threshold=500))

    assert item.message == "main / main is due: 999 of 500"
