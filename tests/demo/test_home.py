"""The generated home: equal for equal seeds, and read without unwanted complaints."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.sqlite.own import open_own
from memconsole.compose import engine as wiring
from memconsole.compose import process
from memconsole.demo.cast import AGENTS, CRON_RUNS
from memconsole.demo.history import FixedClock, remember
from memconsole.demo.home import DemoHome, write_home
from memconsole.domain.agents import Origin, Storage
from memconsole.domain.memory.files import MARKER_TAGS
from memconsole.domain.sessions.keys import SessionClass
from memconsole.domain.sessions.stored import SessionState
from memconsole.domain.sessions.tokens import TokenState
from memconsole.domain.transcripts.records import EntryKind
from tests.conftest import live_in
from tests.program import tree

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot, SessionView
    from memconsole.engine.engine import Engine
    from memconsole.ports.platform import Clock

NOW = datetime(2026, 4, 14, 14, 20, tzinfo=UTC)


pytestmark = pytest.mark.xdist_group("demo home")
"""The home takes a while to write, and no test changes it: one serves them all."""


@pytest.fixture(scope="module")
def operator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """HOME of whoever looks at the demo."""
    folder = tmp_path_factory.mktemp("operator")
    with pytest.MonkeyPatch.context() as patch:
        live_in(folder, patch)
        yield folder


@pytest.fixture(scope="module")
def demo(operator: Path) -> DemoHome:
    """A home that was just generated."""
    return write_home(operator, NOW, None)


@pytest.fixture(scope="module")
def engine(demo: DemoHome) -> Engine:
    settings = process.load_settings(None, {})

    def engine_at(clock: Clock) -> Engine:
        return wiring.build_engine(settings, Origin.SCHEDULER, clock=clock)

    remember(demo, settings.state_dir, NOW, engine_at)
    return engine_at(FixedClock(NOW))


@pytest.fixture(scope="module")
def snapshot(engine: Engine) -> ConsoleSnapshot:
    return engine.snapshot()


def view_of(snapshot: ConsoleSnapshot, agent: str, rest: str) -> SessionView:
    key = f"agent:{agent}:{rest}"
    [found] = (
        view
        for view in snapshot.sessions
        if view.key_text == key and view.state is SessionState.LIVE
    )
    return found


def test_equal_seeds_write_equal_homes(tmp_path: Path) -> None:
    homes = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        write_home(folder, NOW, None)
        homes.append(
            {
                path.relative_to(folder): path.read_bytes()
                for path in folder.rglob("*")
                if path.is_file()
            }
        )
    assert homes[0] == homes[1]


def test_another_seed_is_another_home(tmp_path: Path) -> None:
    ids = []
    for seed in (1, 2):
        folder = tmp_path / str(seed)
        folder.mkdir()
        played = write_home(folder, NOW, None, seed=seed)
        ids.append({one.id for sessions in played.sessions.values() for one in sessions})
    assert not ids[0] & ids[1]


def test_six_agents_live_in_both_eras(snapshot: ConsoleSnapshot) -> None:
    eras = {view.ref.id: view.agent.era.sessions for view in snapshot.agents}
    assert eras == {
        agent.id: Storage.SQLITE if agent.is_sqlite else Storage.FILES for agent in AGENTS
    }
    assert len(eras) == 6
    assert set(eras.values()) == {Storage.FILES, Storage.SQLITE}


@pytest.mark.parametrize(
    ("agent", "rest", "state"),
    [
        ("main", "main", TokenState.FRESH),
        ("main", "telegram:direct:lena", TokenState.ESTIMATED),
        ("work", "dashboard:5f0c2f3e-8a44-4a1b-9d5d-0c7f6d1f3b90", TokenState.STALE),
        ("work", "slack:direct:u042", TokenState.SUSPECT),
        ("work", "discord:channel:ops", TokenState.UNKNOWN),
        ("finance", "dashboard:new", TokenState.UNKNOWN),
    ],
)
def test_every_state_of_a_count_occurs(
    snapshot: ConsoleSnapshot, agent: str, rest: str, state: TokenState
) -> None:
    assert view_of(snapshot, agent, rest).count.state is state


def test_what_was_lost_comes_first_and_one_session_is_due(snapshot: ConsoleSnapshot) -> None:
    assert [view.key_text for view in snapshot.sessions if view.is_due] == ["agent:work:main"]
    assert snapshot.attention[0].code == "work-lost"
    [due] = [finding for finding in snapshot.attention if finding.code == "session-due"]
    assert "growing" in due.message


def test_every_class_of_session_occurs(snapshot: ConsoleSnapshot) -> None:
    classes = {view.session_class for view in snapshot.sessions}
    assert classes >= {
        SessionClass.MAIN,
        SessionClass.DIRECT,
        SessionClass.GROUP,
        SessionClass.THREAD,
        SessionClass.CRON,
        SessionClass.SUBAGENT,
        SessionClass.HOOK,
    }


def test_a_job_has_forty_runs_behind_it(snapshot: ConsoleSnapshot) -> None:
    agent, job, _, count = CRON_RUNS
    runs = [view for view in snapshot.sessions if view.key is not None and view.key.is_cron_run]
    assert len(runs) == count == 40
    assert {view.key.job_id for view in runs if view.key is not None} == {job}
    newest = max(runs, key=lambda view: view.stored.updated_at or NOW)
    assert view_of(snapshot, agent, f"cron:{job}").session_id == newest.session_id


def test_what_ended_is_archived_by_its_reason(snapshot: ConsoleSnapshot) -> None:
    ended = [view for view in snapshot.sessions if view.state is SessionState.ARCHIVED]
    reasons = {(view.agent.id, view.stored.archive_reason) for view in ended}
    assert reasons == {
        ("main", "reset"),
        ("main", "deleted"),
        ("work", "reset"),
        ("work", "deleted"),
    }
    orphans = [view for view in snapshot.sessions if view.state is SessionState.ORPHAN]
    assert [view.agent.id for view in orphans] == ["main"]


def test_only_what_is_odd_on_purpose_is_complained_about(snapshot: ConsoleSnapshot) -> None:
    assert {notice.code for notice in snapshot.notices} <= {
        "orphan-transcript",
        "twin-memory",
        "not-utf8",
    }


def test_all_markers_occur_and_the_memory_of_main_nearly_fills_its_limit(
    snapshot: ConsoleSnapshot,
) -> None:
    [main] = (view for view in snapshot.agents if view.ref.id == "main")
    assert main.pool is not None
    assert all(main.pool.markers[tag] for tag in MARKER_TAGS)
    [limit] = (one for one in main.pool.limits if one.path == "MEMORY.md")
    assert 0.9 * limit.limit < limit.chars <= limit.limit


def test_the_database_thing_is_written_down_by_several_agents(demo: DemoHome) -> None:
    found = {
        agent.id
        for agent in AGENTS
        for path in demo.workspace(agent.id).rglob("*.md")
        if {b"PostgreSQL", b"SQLite"} <= set(path.read_bytes().replace(b".", b" ").split())
    }
    assert found >= {"main", "work", "homelab"}


def test_no_note_shows_a_placeholder(demo: DemoHome) -> None:
    notes = [path for agent in AGENTS for path in demo.workspace(agent.id).rglob("*.md")]
    assert notes
    assert [path for path in notes if b"{d" in path.read_bytes()] == []


def test_weeks_of_daily_logs(snapshot: ConsoleSnapshot) -> None:
    for view in snapshot.agents:
        assert view.pool is not None
        logs = [item for item in view.pool.items if item.path.startswith("memory/2026-")]
        days = {item.path[len("memory/") :][:10] for item in logs}
        assert len(days) >= 12
        assert max(days) <= "2026-04-14"


def test_transcripts_are_read_whole(engine: Engine, snapshot: ConsoleSnapshot) -> None:
    for view in snapshot.sessions:
        if view.stored.transcript is not None and view.session_id is not None:
            read = engine.sessions.transcript(view.session_id, everything=True)
            assert read.counts.damaged == 0
            assert read.messages


def test_packed_records_pictures_compactions_and_resets_occur(
    engine: Engine, demo: DemoHome
) -> None:
    database = demo.state / "agents" / "work" / "agent" / "openclaw-agent.sqlite"
    with open_own(database) as connection:
        [[packed]] = connection.execute(
            "SELECT count(*) FROM transcript_events WHERE event_zstd IS NOT NULL"
        ).fetchall()
    assert isinstance(packed, int)
    assert packed > 0
    kinds = {
        message.kind
        for key in ("agent:research:main", "agent:writer:main")
        for message in engine.sessions.transcript(key, everything=True).messages
    }
    assert {kind.value for kind in kinds} >= {EntryKind.COMPACTION.value, EntryKind.RESET.value}
    notes = [
        note
        for message in engine.sessions.transcript("agent:homelab:main").messages
        for note in message.attachments
    ]
    assert notes
    assert all(note.startswith("image/png") for note in notes)


def test_the_history_is_that_of_real_checkpoints(
    engine: Engine, snapshot: ConsoleSnapshot, demo: DemoHome
) -> None:
    saved = {view.ref.id: view.checkpoint_at for view in snapshot.agents if view.checkpoint_at}
    assert saved == {agent.id: NOW - agent.saved for agent in AGENTS if agent.saved is not None}
    context = demo.workspace("main") / "memory" / "ACTIVE_CONTEXT.md"
    assert context.read_text("utf-8").startswith("# Active Context — main")
    assert context.stat().st_mtime == (NOW - timedelta(minutes=4)).timestamp()
    assert {run.status for run in engine.runs.newest()} == {"done", "skipped"}


def test_looking_changes_nothing_in_the_home(engine: Engine, demo: DemoHome) -> None:
    before = tree(demo.state)
    engine.snapshot()
    engine.sessions.detail("agent:work:main")
    assert tree(demo.state) == before


def test_everything_is_for_its_owner_alone(demo: DemoHome) -> None:
    assert demo.state.stat().st_mode & 0o077 == 0
    for path in demo.state.rglob("*.json*"):
        assert path.name == "openclaw.json" or path.stat().st_mode & 0o077 == 0
    assert os.access(demo.state, os.W_OK)
