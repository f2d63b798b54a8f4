"""Locks that die with their holder."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
import threading
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.adapters.locks import SCHEDULER, FileLocks, SchedulerWatch, hold
from memconsole.domain.snapshot.snapshot import SchedulerStatus
from memconsole.errors import LockedError, StateError
from tests.doubles.jobs import FakeJobs
from tests.rights import powerless, reachable_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

AT = datetime(2026, 4, 12, 8, 10, tzinfo=UTC)

HOLDER = """
import sys
from pathlib import Path
from memconsole.adapters.locks import FileLocks, hold
kind, folder, root = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
holding = FileLocks(folder).workspace(root) if kind == "workspace" else hold(folder / kind, kind)
with holding:
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def another_process(kind: str, folder: Path, root: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that holds a lock until it is killed or its input ends."""
    command = [sys.executable, "-c", HOLDER, kind, str(folder), str(root)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state" / "locks"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "workspace").mkdir()
    return tmp_path / "workspace"


def test_a_workspace_is_held_once(folder: Path, root: Path) -> None:
    locks = FileLocks(folder, lambda: AT)
    with locks.workspace(root):
        with pytest.raises(LockedError) as caught, FileLocks(folder).workspace(root):
            pytest.fail("two held it")
        owner = f"process {os.getpid()} since 2026-04-12 08:10:00+0000"
        assert caught.value.owner == owner
        assert str(caught.value) == f"the workspace {root} is in use by {owner}"
    with locks.workspace(root):
        pass


def test_threads_exclude_each_other_too(folder: Path, root: Path) -> None:
    refusals: list[str] = []

    def work() -> None:
        try:
            with FileLocks(folder).workspace(root):
                pytest.fail("two held it")
        except LockedError as error:
            refusals.append(error.owner)

    with FileLocks(folder).workspace(root):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert len(refusals) == 1


def test_one_workspace_under_two_names_is_one(folder: Path, root: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(root)
    locks = FileLocks(folder)
    with locks.workspace(tmp_path / "link"), pytest.raises(LockedError), locks.workspace(root):
        pytest.fail("two held it")


@pytest.mark.parametrize("is_killed", [True, False])
def test_it_dies_with_its_holder(folder: Path, root: Path, is_killed: bool) -> None:
    locks = FileLocks(folder)
    with another_process("workspace", folder, root) as process:
        with (
            pytest.raises(LockedError, match=f"process {process.pid} since"),
            locks.workspace(root),
        ):
            pytest.fail("two held it")
        if is_killed:
            process.kill()
        elif process.stdin is not None:
            process.stdin.close()
        process.wait()
        with locks.workspace(root):
            pass


def test_files_are_private_and_outside_the_workspace(folder: Path, root: Path) -> None:
    before = os.umask(0)
    try:
        with FileLocks(folder).workspace(root):
            [path] = folder.iterdir()
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    finally:
        os.umask(before)
    assert list(root.iterdir()) == []


def test_a_state_folder_that_cannot_be_written(root: Path) -> None:
    with reachable_folder() as state:
        state.chmod(0o555)
        with (
            powerless(),
            pytest.raises(StateError, match=r"cannot be locked: Permission denied"),
            FileLocks(state / "locks").workspace(root),
        ):
            pytest.fail("no lock was possible")


def status_of(folder: Path) -> SchedulerStatus:
    return SchedulerWatch(folder, FakeJobs()).status()


def test_nobody_runs_jobs_and_nothing_is_made(folder: Path) -> None:
    assert status_of(folder) == SchedulerStatus()
    assert not folder.exists()


def test_a_free_scheduler_lock_is_stopped(folder: Path) -> None:
    with hold(folder / SCHEDULER, "the scheduler"):
        pass
    assert status_of(folder) == SchedulerStatus("stopped")


def test_the_holder_of_the_scheduler_lock_is_named(folder: Path) -> None:
    with hold(folder / SCHEDULER, "the scheduler", lambda: AT):
        status = status_of(folder)
        assert status_of(folder) == status
    expected = SchedulerStatus("running", os.getpid(), socket.gethostname(), AT)
    assert replace(status, layers=()) == expected


def test_a_scheduler_that_was_killed_is_stopped(folder: Path, root: Path) -> None:
    with another_process(SCHEDULER, folder, root) as process:
        assert status_of(folder).pid == process.pid
        process.kill()
        process.wait()
        assert status_of(folder).state == "stopped"


@given(
    note=st.one_of(
        st.binary(max_size=60),
        st.sampled_from(
            [
                b'{"pid": true, "host": 5, "started_at": 7}',
                b'{"pid": "12", "host": "a\\u001b[31mb", "started_at": "2026-04-12T08:10:00"}',
                b'{"pid": 12, "started_at": "yesterday"}',
                b"[1, 2]",
            ]
        ),
    )
)
def test_any_note_of_a_holder_is_survived(
    note: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("locks")
    with hold(folder / SCHEDULER, "the scheduler"):
        (folder / SCHEDULER).write_bytes(note)
        status = status_of(folder)
        with pytest.raises(LockedError) as caught, hold(folder / SCHEDULER, "it"):
            pytest.fail("two held it")
    assert status.state == "running"
    assert status.since is None
    assert status.host in (None, "ab")
    assert caught.value.owner in ("another run", "process 12")


def test_a_holder_elsewhere_is_named_with_its_host(folder: Path) -> None:
    with hold(folder / SCHEDULER, "the scheduler"):
        (folder / SCHEDULER).write_text('{"pid": 12, "host": "far-away"}')
        with (
            pytest.raises(LockedError, match="process 12 on far-away"),
            hold(folder / SCHEDULER, "the scheduler"),
        ):
            pytest.fail("two held it")


def test_who_has_patience_gets_a_workspace_when_its_holder_ends(folder: Path, root: Path) -> None:
    with another_process("workspace", folder, root) as holder:
        end = threading.Timer(0, holder.kill)
        end.start()
        with FileLocks(folder).workspace(root, patience=30):
            assert holder.wait() != 0
        end.join()
