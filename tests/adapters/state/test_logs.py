"""Our own logs: what is let go, what is left out because it makes no sense, and older ones."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.adapters.sqlite.own import open_own
from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.adapters.state import runs
from memconsole.adapters.state.alerts import StateAlerts
from memconsole.adapters.state.captures import (
    StateCaptures,
    StateFlushes,
    StateObserver,
    StateRecovery,
)
from memconsole.adapters.state.database import StateDatabase
from memconsole.adapters.state.memory import StateConsolidation, StateReflections
from memconsole.adapters.state.rotations import StateRotations
from memconsole.adapters.state.runs import StateRunLog, StateSamples
from memconsole.domain.agents import AgentRef, HomeRef, Origin
from memconsole.domain.alerts import AlertState, ChannelRecord, Mute, OpenAlert
from memconsole.domain.checkpoint.rules import Capture
from memconsole.domain.commands.outcomes import Account, Run, Step
from memconsole.domain.consolidate.note_hits import NoteHit
from memconsole.domain.flush import Cycle, FlushMark
from memconsole.domain.health import CheckStatus
from memconsole.domain.memory.files import PoolDay
from memconsole.domain.observe.rules import Cursor
from memconsole.domain.rotation import Identity, Rotation, RotationState
from memconsole.domain.sessions.tokens import Sample
from memconsole.errors import StateError
from tests.adapters.state.older_state import make_older
from tests.doubles.platform import NOW

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memconsole.adapters.sqlite.choice import Connection


MAIN = AgentRef(HomeRef("/home/operator/.openclaw"), "main")

RUN = Run(
    id=0,
    job=None,
    command="checkpoint",
    command_line="memconsole checkpoint --agent main",
    origin=Origin.CLI,
    agent="main",
    key="agent:main:main",
    started_at=NOW,
    ended_at=NOW + timedelta(seconds=1),
    status="done",
    reason=None,
    message="saved 18 messages of agent:main:main",
    duration_ms=1000,
    home="/home/operator/.openclaw",
)

CAPTURE = Capture(
    agent=MAIN,
    session_id="a0b7",
    session_key="agent:main:main",
    at=NOW,
    content_hash="0" * 64,
    block="# Active Context — main\n",
    is_logged=True,
    day_file="memory/2026-01-26.md",
    workspace="/home/operator/ws",
)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[StateDatabase]:
    with closing(PrivateCopies(tmp_path / "copies")) as copies:
        yield StateDatabase(tmp_path / "state", copies)


def later(**step: float) -> datetime:
    return NOW + timedelta(**step)


def test_old_runs_go(database: StateDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "_RUNS_KEPT", 3)
    log = StateRunLog(database)
    for minute in range(5):
        log.add(replace(RUN, started_at=later(minutes=minute)))
    assert [run.id for run in log.runs(limit=9)] == [5, 4, 3]


def test_text_that_is_none_is_stored_readably(database: StateDatabase) -> None:
    StateRunLog(database).add(replace(RUN, message="of \udcff\ud800 bytes"))
    [run] = StateRunLog(database).runs(limit=1)
    assert run.message == "of \\udcff\\ud800 bytes"


def test_an_account_is_masked_and_of_a_bounded_size(database: StateDatabase) -> None:
    secret = "sk-ant-api03-" + "Ab3" * 31
    steps = [Step("reset", "failed", 1, f"key {secret} " + "x" * 5000)] * 500
    StateRunLog(database).add(replace(RUN, account=Account(tuple(steps))))
    [run] = StateRunLog(database).runs(limit=1)
    assert run.account is not None
    assert secret not in run.account.steps[0].message
    assert len(run.account.steps) * len(run.account.steps[0].message) < 20_000


def test_a_spoiled_account_leaves_its_run(database: StateDatabase) -> None:
    StateRunLog(database).add(replace(RUN, account=Account(())))
    with open_own(database.path) as connection:
        connection.execute("UPDATE run SET account = '[1]'")
    [run] = StateRunLog(database).runs(limit=1)
    assert run.account is None


def test_rows_that_make_no_sense_are_left_out(database: StateDatabase) -> None:
    StateRunLog(database).add(RUN)
    StateSamples(database).add([Sample("main", "a", NOW, 5)])
    StateCaptures(database).add(CAPTURE)
    with open_own(database.path) as connection:
        connection.execute("UPDATE run SET origin = 'nobody'")
        connection.execute("UPDATE sample SET at = '2027 or so'")
        connection.execute("UPDATE capture SET at = 'yesterday'")
    assert StateRunLog(database).runs(limit=9) == ()
    assert StateSamples(database).samples(since=NOW) == ()
    assert StateCaptures(database).last(MAIN) is None
    assert StateCaptures(database).latest_by_agent(MAIN.home.path) == {}


def counted(store: StateSamples) -> list[tuple[float, int]]:
    return [((one.at - NOW) / timedelta(minutes=1), one.tokens) for one in store.samples(since=NOW)]


def test_two_processes_thin_out_each_others_samples(database: StateDatabase) -> None:
    console, scheduler = StateSamples(database), StateSamples(database)
    for minute in range(25):
        console.add([Sample("main", "a", later(minutes=minute), 10)])
        scheduler.add([Sample("main", "a", later(minutes=minute, seconds=1), 10)])
    assert [tokens for _, tokens in counted(console)] == [10, 10]
    assert counted(console)[-1][0] == pytest.approx(20, abs=1)


def test_old_samples_go(database: StateDatabase) -> None:
    store = StateSamples(database)
    store.add([Sample("main", "a", NOW, 10)])
    store.add([Sample("main", "a", later(days=15), 11)])
    assert counted(store) == [(15 * 24 * 60, 11)]


def test_what_is_not_news_opens_no_database(database: StateDatabase, tmp_path: Path) -> None:
    store = StateSamples(database)
    store.add([Sample("main", "a", NOW, 10)])
    database.path.rename(tmp_path / "away")
    store.add([Sample("main", "a", later(minutes=1), 10)])
    store.add([])
    assert not database.path.exists()


def test_days_of_memories_are_kept_for_a_year_and_more(database: StateDatabase) -> None:
    samples, day = StateSamples(database), NOW.date()
    for ago in (500, 300, 0):
        one = PoolDay("main", day - timedelta(days=ago), 1_000 + ago, 250, {})
        samples.add_pools("/home", [one])
    kept = samples.pool_days("/home", since=day - timedelta(days=999))
    assert sorted(one.size_bytes for one in kept) == [1_000, 1_300]


def test_samples_that_could_not_be_stored_are_still_news(database: StateDatabase) -> None:
    store = StateSamples(database)
    database.path.mkdir(parents=True)
    with pytest.raises(StateError):
        store.add([Sample("main", "a", NOW, 10)])
    database.path.rmdir()
    store.add([Sample("main", "a", NOW, 10)])
    assert counted(store) == [(0, 10)]


@given(
    st.lists(
        st.tuples(st.sampled_from("ab"), st.integers(0, 3), st.sampled_from([1, 60, 700])),
        max_size=12,
    )
)
def test_every_change_of_a_count_is_kept(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int, int]]
) -> None:
    folder = tmp_path_factory.mktemp("state")
    with closing(PrivateCopies(folder / "copies")) as copies:
        store = StateSamples(StateDatabase(folder, copies))
        at = NOW
        expected: dict[str, list[int]] = {"a": [], "b": []}
        for session, tokens, seconds in steps:
            at += timedelta(seconds=seconds)
            store.add([Sample("main", session, at, tokens)])
            if expected[session][-1:] != [tokens]:
                expected[session].append(tokens)
        for session, counts in expected.items():
            found = [one.tokens for one in store.samples(since=NOW) if one.session_id == session]
            changes = [n for i, n in enumerate(found) if i == 0 or found[i - 1] != n]
            assert changes == counts


def test_sessions_that_ended_long_ago_are_not_kept_in_mind(database: StateDatabase) -> None:
    store = StateSamples(database)
    for day in range(40):
        store.add([Sample("main", f"s-{day}", NOW + timedelta(days=day), day)])
    assert len(store._seen) == 15


HERE = Cursor("0a", 4711, NOW)

OLDER = 5

"""The version before there was an observer."""


@pytest.fixture
def observer(database: StateDatabase) -> StateObserver:
    return StateObserver(database)


def test_old_captures_go_but_an_agents_last_one_stays(database: StateDatabase) -> None:
    log = StateCaptures(database)
    quiet = replace(CAPTURE, agent=AgentRef(MAIN.home, "quiet"))
    log.add(quiet)
    log.add(CAPTURE)
    log.add(replace(CAPTURE, session_id="new", at=later(days=91)))
    assert log.last(MAIN, CAPTURE.session_id) is None
    assert log.latest_by_agent(MAIN.home.path)["quiet"] == quiet


def test_places_of_long_ago_are_forgotten(observer: StateObserver) -> None:
    observer.advance(MAIN, "h1", {"s1": HERE}, NOW)
    observer.advance(MAIN, "h2", {"s2": HERE}, NOW + timedelta(days=400))
    assert set(observer.cursors(MAIN)) == {"s2"}


def test_an_older_database_is_copied_and_brought_along(tmp_path: Path) -> None:
    database = StateDatabase(tmp_path / "state", PrivateCopies())
    make_older(database.path, OLDER)
    observer = StateObserver(database)
    assert (observer.last(MAIN), observer.cursors(MAIN)) == (None, {})
    observer.advance(MAIN, "h2", {"s1": HERE}, NOW)
    assert observer.last(MAIN) == ("h2", NOW)
    assert database.path.with_name(f"state.db.v{OLDER}").exists()


def test_old_fingerprints_are_let_go(database: StateDatabase) -> None:
    recovery = StateRecovery(database)
    recovery.remember(MAIN, "s-1", "a", NOW - timedelta(days=91))
    recovery.remember(MAIN, "s-2", "b", NOW)
    assert recovery.fingerprints(MAIN, "s-1") == frozenset()


def test_a_session_is_saved_up_to_what_any_capture_reached(database: StateDatabase) -> None:
    captures = StateCaptures(database)
    captures.add(CAPTURE)
    captures.add(replace(CAPTURE, agent=AgentRef(HomeRef("/elsewhere"), "main"), at=later(hours=9)))
    assert captures.latest_by_session(MAIN.home.path) == {("main", "a0b7"): NOW}

    StateObserver(database).advance(
        MAIN,
        "h1",
        {"a0b7": Cursor("0b", 1, later(minutes=5)), "b1": HERE, "c2": Cursor(None, 0, None)},
        NOW,
    )
    cycle = Cycle("d3", 0, NOW)
    mark = FlushMark(cycle, frozenset(), later(minutes=7))
    StateFlushes(database).store(MAIN, "agent:main:d", mark)
    StateRecovery(database).remember(MAIN, "e4", "f00d", later(minutes=9))

    assert captures.latest_by_session(MAIN.home.path) == {
        ("main", "a0b7"): later(minutes=5),
        ("main", "b1"): NOW,
        ("main", "d3"): later(minutes=7),
        ("main", "e4"): later(minutes=9),
    }


ALERTS = AlertState(
    {
        "gateway": OpenAlert(
            "gateway",
            CheckStatus.CRITICAL,
            "down \ud800",
            "start it",
            NOW,
            NOW + timedelta(hours=1),
        )
    },
    {
        ("log", "gateway"): ChannelRecord(CheckStatus.CRITICAL, NOW, NOW),
        ("hook", "disk"): ChannelRecord(CheckStatus.WARNING, NOW, NOW),
    },
)


def test_spoiled_alerts_are_left_out(database: StateDatabase) -> None:
    store = StateAlerts(database)
    store.save("/one", ALERTS, NOW)

    def spoil(connection: Connection) -> None:
        connection.execute("UPDATE alert SET since = 'yesterday'")
        connection.execute("UPDATE alert_told SET status = 'awful' WHERE channel = 'log'")
        connection.execute("UPDATE alert_told SET at = '' WHERE channel = 'hook'")

    database.write(spoil)
    assert store.load("/one") == AlertState()


def test_a_mute_that_somebody_spoiled_mutes_nothing(database: StateDatabase) -> None:
    store = StateAlerts(database)
    store.mute("/one", Mute("gateway", CheckStatus.CRITICAL, NOW, NOW))

    def spoil(connection: Connection) -> None:
        connection.execute("UPDATE alert_mute SET until = 'never'")

    database.write(spoil)
    assert store.load("/one").mutes == {}


FIND = NoteHit("d-1a2b3c4d", "memory/2026-01-20.md", "0123456789abcdef", NOW.date(), 0.5, NOW)

LONG_AGO = NOW - timedelta(days=60)


def test_spoiled_hits_are_left_out(database: StateDatabase) -> None:
    log = StateConsolidation(database)
    log.add("/ws", [FIND], keep_since=LONG_AGO)
    log.reported("/ws", "one", NOW)

    def spoil(connection: object) -> None:
        execute = connection.execute  # type: ignore[attr-defined]
        for day, at in (("yesterday", NOW.isoformat()), ("2026-01-26", "soon")):
            row = ("/ws", day, "q", day, "memory/x.md", 0.5, at)
            execute("INSERT INTO found_note VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        execute("UPDATE proposed SET at = 'soon'")

    database.write(spoil)
    assert log.hits("/ws") == (FIND,)
    assert log.last("/ws") is None


BEFORE_EDITS = 15

"""The version before a consolidation told how it is taken back."""


def test_a_reflection_of_an_earlier_release_is_found_before_anything_is_written(
    database: StateDatabase,
) -> None:
    make_older(database.path, BEFORE_EDITS)
    with open_own(database.path) as connection:
        connection.execute("UPDATE reflection SET at = ?, undone_at = NULL", (NOW.isoformat(),))
    found = StateReflections(database).last("kept")
    assert found is not None
    assert (found.at, found.backup, found.edits) == (NOW, "kept", ())


KEY = "agent:main:main"

BEFORE = Identity("s-1", "r-1", NOW - timedelta(days=1), 160_000)

SENT = Rotation(0, MAIN, KEY, RotationState.SENT, NOW, BEFORE, 150_000)


def test_a_journal_of_before_is_read_as_well(database: StateDatabase) -> None:
    StateRotations(database).begin(SENT)
    with open_own(database.path) as connection:
        connection.execute("ALTER TABLE rotation DROP COLUMN captured")
        connection.execute("PRAGMA user_version = 8")
    [found] = StateRotations(StateDatabase(database.path.parent, PrivateCopies())).recent(
        MAIN, KEY, limit=5
    )
    assert (found.state, found.before, found.captured) == (RotationState.SENT, BEFORE, ())
