"""Runs and samples: what is let go, and what makes no sense in them is left out."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memconsole.adapters.sqlite.own import open_own
from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.adapters.state import runs
from memconsole.adapters.state.captures import StateCaptures
from memconsole.adapters.state.database import StateDatabase
from memconsole.adapters.state.runs import StateRunLog, StateSamples
from memconsole.domain.agents import AgentRef, Origin
from memconsole.domain.commands.outcomes import Run
from memconsole.domain.commands.steps import Account, Step
from memconsole.domain.memory.files import PoolDay
from memconsole.domain.memory.records import Capture
from memconsole.domain.sessions.tokens import Sample
from memconsole.errors import StateError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NOW = datetime(2026, 1, 26, 13, 20, tzinfo=UTC)
MAIN = AgentRef("/home/operator/.openclaw", "main")

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
    assert StateCaptures(database).latest_by_agent(MAIN.home) == {}


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


@settings(max_examples=20)
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
