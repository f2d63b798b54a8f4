"""A transcript that a run is writing to, by the platform's lock file beside it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.adapters.sessions.files.run_locks import LONGEST_RUN, held_since
from memconsole.adapters.sessions.files.store import FileSessionStore
from tests.adapters.sessions.files.file_homes import ID_A, KEY, Sessions

if TYPE_CHECKING:
    from memconsole.domain.agents import Agent

NOW = datetime(2026, 4, 12, 8, 20, tzinfo=UTC)


@pytest.fixture
def place(tmp_path: Path) -> Sessions:
    """A sessions folder with one live session."""
    found = Sessions(tmp_path / ".openclaw")
    found.store({KEY: {"sessionId": ID_A, "updatedAt": 1}})
    return found


def lock(
    folder: Path, *, pid: int | None = None, age: timedelta = timedelta(0), **more: object
) -> Path:
    """Write a lock as the platform does."""
    path = folder / f"{ID_A}.jsonl.lock"
    at = (datetime.now(UTC) - age).isoformat().replace("+00:00", "Z")
    path.write_text(json.dumps({"pid": pid or os.getpid(), "createdAt": at, **more}))
    return path


def a_dead_pid() -> int:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
        return process.pid


def own_start() -> int:
    return int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])


def test_a_session_is_active_while_its_run_holds_the_lock(place: Sessions) -> None:
    place.file(f"{ID_A}.jsonl")
    assert place.one().is_active is None

    held = lock(place.folder, age=timedelta(minutes=4))
    assert place.one().is_active is True
    assert place.one().run_started_at == held_since(held)

    held.unlink()
    assert (place.one().is_active, place.one().run_started_at) == (None, None)


def test_the_first_run_holds_a_transcript_that_is_not_there_yet(place: Sessions) -> None:
    lock(place.folder)

    assert place.one().is_active is True


def test_what_the_entry_says_counts_more(place: Sessions) -> None:
    place.store({KEY: {"sessionId": ID_A, "updatedAt": 1, "status": "done"}})
    lock(place.folder)

    assert (place.one().is_active, place.one().run_started_at) == (False, None)


def test_a_run_that_begins_or_ends_changes_the_fingerprint(place: Sessions) -> None:
    place.file(f"{ID_A}.jsonl")
    store, agent = FileSessionStore(), place.agent
    free = store.fingerprint(agent)

    held = lock(place.folder)
    assert store.fingerprint(agent) != free
    assert store.fingerprint(agent) == _listed(store, agent)

    lock(place.folder, pid=a_dead_pid())  # its process died, and nobody took the lock away
    assert store.fingerprint(agent) == free
    held.unlink()
    assert store.fingerprint(agent) == free


def _listed(store: FileSessionStore, agent: Agent) -> object:
    return store.sessions(agent).fingerprint


def test_only_a_living_process_holds_a_lock(tmp_path: Path) -> None:
    assert held_since(lock(tmp_path))
    assert held_since(lock(tmp_path, pid=1))  # of somebody else, perhaps
    assert held_since(lock(tmp_path, pid=a_dead_pid())) is None
    assert held_since(tmp_path / "gone.jsonl.lock") is None


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_a_pid_that_was_given_again_holds_nothing(tmp_path: Path) -> None:
    assert held_since(lock(tmp_path, starttime=own_start()))
    assert held_since(lock(tmp_path, starttime=own_start() - 1)) is None


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_a_run_of_a_process_that_is_known_may_take_hours(tmp_path: Path) -> None:
    hours = 5 * LONGEST_RUN
    assert held_since(lock(tmp_path, age=hours, starttime=own_start()))
    assert held_since(lock(tmp_path, age=hours, starttime=own_start() - 1)) is None
    assert held_since(lock(tmp_path, age=hours, starttime=1, pid=a_dead_pid())) is None


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_a_gateway_that_ran_when_a_lock_without_its_start_was_made_may_hang(tmp_path: Path) -> None:
    later = datetime.now(UTC) + 5 * LONGEST_RUN
    for name, is_known in (("clawdbot-gateway", True), ("/usr/bin/node", True), ("backup", False)):
        with subprocess.Popen([name, "600"], executable="/bin/sleep") as process:
            try:
                began = lock(tmp_path, pid=process.pid, age=timedelta(minutes=-1))
                assert (held_since(began, later) is not None) is is_known, name
                # It began after the lock was made: another had this number then.
                before = lock(tmp_path, pid=process.pid, age=timedelta(minutes=1))
                assert held_since(before, later) is None
            finally:
                process.kill()
        assert held_since(began, later) is None


def test_a_lock_that_was_left_behind_holds_nothing(tmp_path: Path) -> None:
    assert held_since(lock(tmp_path, age=LONGEST_RUN - timedelta(minutes=1)))
    assert held_since(lock(tmp_path, age=LONGEST_RUN)) is None


@pytest.mark.parametrize("content", ["", "{", "null", '{"pid": 0}', '{"pid": "1", "createdAt": 2}'])
def test_a_lock_that_says_nothing_holds_nothing(tmp_path: Path, content: str) -> None:
    path = tmp_path / "a.jsonl.lock"
    path.write_text(content)

    assert held_since(path) is None


@given(
    pid=st.integers(-(2**70), 2**70).filter(lambda one: not 0 < one < 2**31),
    created=st.sampled_from(["2026-04-12T08:19:00Z", "2026-04-12T08:19:00"]),
)
def test_no_pid_of_a_lock_asks_the_kernel_for_what_is_none(
    tmp_path_factory: pytest.TempPathFactory, pid: int, created: str
) -> None:
    path = tmp_path_factory.mktemp("locks") / "a.jsonl.lock"
    path.write_text(json.dumps({"pid": pid, "createdAt": created}))

    assert held_since(path, NOW) is None


def test_a_pipe_in_its_place_belongs_to_nobody_and_stops_nobody(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "talk.jsonl.lock")
    assert held_since(tmp_path / "talk.jsonl.lock") is None
