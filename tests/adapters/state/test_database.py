"""Our own database: never written by readers, whole after a kill, careful with what is newer."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.sqlite import choice, own, ways
from memconsole.adapters.sqlite.own import open_own, transaction
from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.adapters.state import migrations
from memconsole.adapters.state.database import StateDatabase
from memconsole.adapters.state.migrations import MIGRATIONS
from memconsole.errors import StateError, StateNewerError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memconsole.adapters.sqlite.choice import Connection
    from memconsole.adapters.sqlite.read_only import ReadOnlyDatabase


@pytest.fixture
def copies(tmp_path: Path) -> Iterator[PrivateCopies]:
    with closing(PrivateCopies(tmp_path / "copies")) as made:
        yield made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "local" / "state" / "memconsole"


@pytest.fixture
def state(folder: Path, copies: PrivateCopies) -> StateDatabase:
    return StateDatabase(folder, copies)


def insert(connection: Connection) -> None:
    connection.execute(
        "INSERT INTO sample (agent, session_id, at, tokens) VALUES ('main', 's', 'now', 1)"
    )


def count(database: ReadOnlyDatabase) -> int:
    row = database.first("SELECT count(*) FROM sample")
    assert row is not None
    assert isinstance(row[0], int)
    return row[0]


def seen(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {one.name: (one.stat().st_mtime_ns, one.read_bytes()) for one in folder.iterdir()}


def test_reading_makes_nothing(state: StateDatabase, folder: Path) -> None:
    assert state.read(count, -1) == -1
    assert state.problem() is None
    state.require_known()
    assert not folder.parent.exists()


def test_the_first_write_makes_folder_and_database_private(
    state: StateDatabase, folder: Path
) -> None:
    old = os.umask(0)
    try:
        state.write(insert)
    finally:
        os.umask(old)
    assert state.read(count, -1) == 1
    assert [path.name for path in folder.iterdir()] == ["state.db"]
    assert stat.S_IMODE(state.path.stat().st_mode) == 0o600
    assert {stat.S_IMODE(one.stat().st_mode) for one in (folder, folder.parent)} == {0o700}


def test_reading_leaves_no_trace(state: StateDatabase, folder: Path) -> None:
    state.write(insert)
    before = seen(folder)
    assert state.read(count, -1) == 1
    assert seen(folder) == before


def test_a_change_that_fails_changes_nothing(state: StateDatabase) -> None:
    def half(connection: Connection) -> None:
        insert(connection)
        connection.execute("INSERT INTO nowhere VALUES (1)")

    with pytest.raises(StateError, match="no such table"):
        state.write(half)
    assert state.read(count, -1) == 0


def test_the_schema_is_strict(state: StateDatabase) -> None:
    def lie(connection: Connection) -> None:
        connection.execute(
            "INSERT INTO sample (agent, session_id, at, tokens) VALUES ('a', 's', 'now', 'many')"
        )

    with pytest.raises(StateError, match="cannot store TEXT value"):
        state.write(lie)


def pretend_version(state: StateDatabase, version: int) -> None:
    state.write(insert)
    with open_own(state.path) as connection:
        connection.execute(f"PRAGMA user_version = {version}")


def test_what_is_newer_is_read_and_not_written(state: StateDatabase, folder: Path) -> None:
    pretend_version(state, 99)
    before = state.path.read_bytes()
    assert state.read(count, -1) == 1
    with pytest.raises(StateNewerError, match="made by a newer memconsole"):
        state.require_known()
    with pytest.raises(StateNewerError, match="made by a newer memconsole") as caught:
        state.write(insert)
    assert "Update memconsole" in caught.value.hint
    problem = state.problem()
    assert problem is not None
    assert (problem.code, problem.path) == ("state-newer", str(state.path))
    assert "version 99" in problem.message
    assert state.path.read_bytes() == before
    assert [path.name for path in folder.iterdir()] == ["state.db"]


def test_an_older_one_is_copied_and_migrated(
    state: StateDatabase, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state.write(insert)
    steps = (*MIGRATIONS, "CREATE TABLE extra (a INTEGER) STRICT")
    old = migrations.KNOWN_VERSION
    monkeypatch.setattr(migrations, "MIGRATIONS", steps)
    monkeypatch.setattr(migrations, "KNOWN_VERSION", old + 1)
    (folder / f"state.db.v{old}").write_text("left by a migration that was cut off")
    state.write(insert)
    assert state.read(count, -1) == 2
    assert state.read(lambda one: one.user_version, -1) == old + 1
    copy = folder / f"state.db.v{old}"
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    with open_own(copy) as connection:
        assert connection.execute("SELECT count(*) FROM sample").fetchone() == (1,)
        assert migrations.version_of(connection) == old


def test_a_migration_that_fails_leaves_the_old_version(
    state: StateDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = "CREATE TABLE extra (a INTEGER); INSERT INTO nowhere VALUES (1)"
    state.write(insert)
    old = migrations.KNOWN_VERSION
    monkeypatch.setattr(migrations, "MIGRATIONS", (*MIGRATIONS, step))
    monkeypatch.setattr(migrations, "KNOWN_VERSION", old + 1)
    with pytest.raises(StateError, match="no such table: nowhere"):
        state.write(insert)
    assert state.read(lambda one: one.columns("extra")["extra"], frozenset("a")) == frozenset()
    assert state.read(count, -1) == 1
    assert state.read(lambda one: one.user_version, -1) == old


def test_a_step_that_another_process_took_is_not_taken_again(state: StateDatabase) -> None:
    state.write(insert)
    with open_own(state.path) as connection:
        migrations._apply(connection, migrations.KNOWN_VERSION)
    assert state.read(count, -1) == 1


def test_a_broken_database_is_empty_and_says_so(state: StateDatabase, folder: Path) -> None:
    folder.mkdir(parents=True)
    state.path.write_text("no database at all\n" * 100)
    with pytest.raises(StateError, match="file is not a database"):
        state.write(insert)
    assert state.read(count, -1) == -1
    problem = state.problem()
    assert problem is not None
    assert problem.code == "state-unwritable"
    assert str(state.path) in problem.message


def test_an_empty_file_becomes_a_database(state: StateDatabase, folder: Path) -> None:
    """A process may be killed between making the file and filling it."""
    folder.mkdir(parents=True)
    state.path.write_bytes(b"")
    assert state.read(count, -1) == -1
    assert state.problem() is None
    state.write(insert)
    assert state.read(count, -1) == 1
    assert state.problem() is None


def test_a_folder_that_cannot_be_written(tmp_path: Path, copies: PrivateCopies) -> None:
    (tmp_path / "file").write_text("")
    state = StateDatabase(tmp_path / "file" / "memconsole", copies)
    assert state.read(count, -1) == -1
    with pytest.raises(StateError, match="cannot be written: Not a directory") as caught:
        state.write(insert)
    assert "reading commands work on" in caught.value.hint
    problem = state.problem()
    assert problem is not None
    assert problem.code == "state-unwritable"
    assert "the state folder" in problem.message


def test_something_else_in_its_place(state: StateDatabase) -> None:
    state.path.mkdir(parents=True)
    assert state.read(count, -1) == -1
    with pytest.raises(StateError, match="cannot be written"):
        state.write(insert)
    assert state.problem() is not None


WRITE = """
import sys
from pathlib import Path
from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.adapters.state.database import StateDatabase
state = StateDatabase(Path(sys.argv[1]), PrivateCopies(Path(sys.argv[2])))
sql = "INSERT INTO sample (agent, session_id, at, tokens) VALUES ('main', ?, 'now', ?)"
print("ready", flush=True)
for number in range(int(sys.argv[3])):
    def change(connection):
        for half in (0, 1):
            connection.execute(sql, (sys.argv[4], 2 * number + half))
    state.write(change)
    print(number, flush=True)
"""


def start_writer(folder: Path, tmp_path: Path, rounds: int, name: str) -> subprocess.Popen[str]:
    arguments = [str(folder), str(tmp_path / "copies"), str(rounds), name]
    return subprocess.Popen(
        [sys.executable, "-c", WRITE, *arguments], stdout=subprocess.PIPE, text=True
    )


def test_two_processes_create_and_write_it_at_once(
    state: StateDatabase, folder: Path, tmp_path: Path
) -> None:
    writers = [start_writer(folder, tmp_path, 20, name) for name in "ab"]
    for writer in writers:
        writer.communicate()
    assert [writer.returncode for writer in writers] == [0, 0]
    assert state.read(count, -1) == 80


def test_a_killed_writer_loses_nothing_that_it_finished(
    state: StateDatabase, folder: Path, tmp_path: Path
) -> None:
    done = 0
    for attempt in range(5):
        with start_writer(folder, tmp_path, 10_000, f"w{attempt}") as writer:
            assert writer.stdout is not None
            for _ in range(2 + 5 * attempt):
                writer.stdout.readline()
            writer.send_signal(signal.SIGKILL)
            out, _ = writer.communicate()
            done += 1 + 5 * attempt + len(out.splitlines())
        found = state.read(count, -1)
        assert found % 2 == 0, "a transaction is whole or not at all"
        assert 2 * done <= found <= 2 * (done + attempt + 1)
        state.write(lambda _: None)
    assert state.problem() is None


def test_threads_write_and_read_at_once(state: StateDatabase) -> None:
    seen: list[int] = []

    def work() -> None:
        for _ in range(5):
            state.write(insert)
            seen.append(state.read(count, -1))

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert state.read(count, -1) == 30
    assert min(seen) >= 1


def test_kept_open_it_is_written_by_everybody_and_put_away_at_the_end(
    state: StateDatabase, folder: Path, tmp_path: Path
) -> None:
    with state.keep_open():
        state.write(insert)
        names = sorted(path.name for path in folder.iterdir())
        assert names == ["state.db", "state.db-shm", "state.db-wal"]
        before = state.path.stat().st_mtime_ns
        other = StateDatabase(folder, PrivateCopies(tmp_path / "other"))
        other.write(insert)
        assert (state.read(count, -1), other.read(count, -1)) == (2, 2)
        assert state.path.stat().st_mtime_ns == before, "nobody had to put the log away"
    assert [path.name for path in folder.iterdir()] == ["state.db"]
    assert state.read(count, -1) == 2


def test_kept_open_it_is_opened_once_by_each_thread(
    state: StateDatabase, copies: PrivateCopies, monkeypatch: pytest.MonkeyPatch
) -> None:
    state.write(insert)
    opened: list[int] = []

    def spy(path: Path, options: str) -> Connection:
        opened.append(threading.get_ident())
        return choice.connect(path, options)

    for module in (own, ways):
        monkeypatch.setattr(module, "connect", spy)
    same = StateDatabase(state.path.parent, copies)

    def work() -> None:
        with state.keep_open(), same.keep_open():
            for _ in range(5):
                state.write(insert)
                same.write(insert)
                assert same.read(count, -1) >= 2

    other = threading.Thread(target=work)
    other.start()
    work()
    other.join()
    assert sorted(Counter(opened).values()) == [2, 2]
    assert state.read(count, -1) == 21


def test_one_that_is_in_use_is_opened_once_more(state: StateDatabase) -> None:
    with state.keep_open(), open_own(state.path) as kept:
        with transaction(kept), open_own(state.path) as other:
            assert other is not kept
        with open_own(state.path) as again:
            assert again is kept


def test_one_that_is_replaced_while_it_is_kept_open_is_the_one_that_counts(
    state: StateDatabase, folder: Path
) -> None:
    with state.keep_open():
        state.write(insert)
        for path in folder.iterdir():
            path.unlink()
        state.write(insert)
        assert state.read(count, -1) == 1
    assert state.read(count, -1) == 1


def test_what_cannot_be_kept_open_is_no_reason_to_stop(state: StateDatabase, folder: Path) -> None:
    folder.mkdir(parents=True)
    state.path.write_text("no database at all\n" * 100)
    with state.keep_open():
        assert state.read(count, -1) == -1
