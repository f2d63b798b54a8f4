"""Reading databases of others: a long list of states, refusals and readings kept open."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.sqlite import choice, ways
from memconsole.adapters.sqlite.choice import library
from memconsole.adapters.sqlite.own import open_own
from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.adapters.sqlite.read_only import (
    DatabaseChangedError,
    keep_open,
    open_platform,
    read_platform,
)
from memconsole.errors import StoreError
from tests.adapters.sqlite.databases import (
    LEAVE_A_LOG,
    count,
    everything,
    make_database,
    run_elsewhere,
    writer,
)
from tests.homes import lay_log_over

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from memconsole.adapters.sqlite.choice import Connection, Row
    from memconsole.adapters.sqlite.read_only import ReadOnlyDatabase
    from tests.conftest import FixtureHome


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return make_database(tmp_path / "theirs")


def test_a_cleanly_closed_database(database: Path, copies: PrivateCopies) -> None:
    before = everything(database.parent)
    assert read_platform(database, count, copies) == 1
    assert everything(database.parent) == before
    assert len(before) == 1


def test_a_database_that_a_gateway_has_open(database: Path, copies: PrivateCopies) -> None:
    with writer(database) as connection:
        connection.execute("INSERT INTO t VALUES (2)")
        before = everything(database.parent)
        assert read_platform(database, count, copies) == 2
        assert everything(database.parent) == before
        connection.execute("INSERT INTO t VALUES (3)")
        assert read_platform(database, count, copies) == 3
    assert read_platform(database, count, copies) == 3


def test_a_gateway_that_was_killed(database: Path, copies: PrivateCopies) -> None:
    run_elsewhere(LEAVE_A_LOG, str(database))
    before = everything(database.parent)
    assert {path.rpartition("-")[2] for path in before if "-" in path} >= {"wal", "shm"}
    assert read_platform(database, count, copies) == 2
    assert everything(database.parent) == before


@pytest.mark.parametrize("suffix", ["", "-wal"])
def test_leftovers_without_content(
    database: Path, copies: PrivateCopies, suffix: str, tmp_path: Path
) -> None:
    """An empty log after a clean stop; a `-shm` without a log, to which none may be added."""
    (database.parent / "agent.sqlite-shm").write_bytes(b"")
    if suffix:
        (database.parent / f"agent.sqlite{suffix}").write_bytes(b"")
    before = everything(database.parent)
    assert read_platform(database, count, copies) == 1
    assert everything(database.parent) == before
    assert not (tmp_path / "copies").exists()


def test_an_empty_log_alone(database: Path, copies: PrivateCopies) -> None:
    (database.parent / "agent.sqlite-wal").write_bytes(b"")
    before = everything(database.parent)
    assert read_platform(database, count, copies) == 1
    assert everything(database.parent) == before


def test_a_log_without_shared_memory_is_read_from_a_copy(
    database: Path, copies: PrivateCopies, tmp_path: Path
) -> None:
    run_elsewhere(LEAVE_A_LOG, str(database))
    (database.parent / "agent.sqlite-shm").unlink()
    before = everything(database.parent)
    assert read_platform(database, count, copies) == 2
    assert everything(database.parent) == before
    [private] = (tmp_path / "copies").iterdir()
    assert private.stat().st_mode & 0o777 == 0o700
    copies.close()
    assert not (tmp_path / "copies").exists()


def test_shared_memory_that_cannot_be_used_leads_to_a_copy(
    database: Path, copies: PrivateCopies
) -> None:
    """As in a folder that the reader may not write; a folder in its place works for root too."""
    run_elsewhere(LEAVE_A_LOG, str(database))
    (database.parent / "agent.sqlite-shm").unlink()
    (database.parent / "agent.sqlite-shm").mkdir()
    before = everything(database.parent)
    assert read_platform(database, count, copies) == 2
    assert everything(database.parent) == before


def test_unusable_shared_memory_and_an_empty_log_need_no_copy(
    database: Path, copies: PrivateCopies, tmp_path: Path
) -> None:
    (database.parent / "agent.sqlite-wal").write_bytes(b"")
    (database.parent / "agent.sqlite-shm").mkdir()
    before = everything(database.parent)
    assert read_platform(database, count, copies) == 1
    assert everything(database.parent) == before
    assert not (tmp_path / "copies").exists()


HOT_JOURNAL = """
import os, signal, sys
from pathlib import Path
from memconsole.adapters.sqlite.choice import connect
connection = connect(Path(sys.argv[1]), "mode=rw")
connection.execute("PRAGMA journal_mode = DELETE")
connection.execute("CREATE TABLE big (a)")
connection.execute("INSERT INTO big VALUES (zeroblob(200000))")
connection.execute("PRAGMA cache_size = 1")
connection.execute("BEGIN")
connection.execute("DELETE FROM t")
connection.execute("UPDATE big SET a = randomblob(200000)")
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_transaction_cut_off_in_rollback_mode_is_undone_in_a_copy(
    database: Path, copies: PrivateCopies
) -> None:
    run_elsewhere(HOT_JOURNAL, str(database))
    assert (database.parent / "agent.sqlite-journal").stat().st_size > 0
    before = everything(database.parent)
    assert read_platform(database, count, copies) == 1
    assert everything(database.parent) == before


@pytest.mark.shared
def test_the_overlay_tells_what_the_main_file_does_not(
    fixture_home: FixtureHome, shared: Path, copies: PrivateCopies
) -> None:
    home = fixture_home("openclaw-2026.9")
    lay_log_over(home, shared)
    path = home / "agents/work/agent/openclaw-agent.sqlite"
    assert (path.parent / f"{path.name}-wal").stat().st_size > 0
    before = everything(home)

    def facts(database: ReadOnlyDatabase) -> tuple[object, object]:
        [[events]] = database.rows("SELECT count(*) FROM transcript_events")
        [[tokens]] = database.rows(
            "SELECT json_extract(entry_json, '$.totalTokens') FROM session_nodes "
            "WHERE session_key = 'agent:work:dashboard:helpers'"
        )
        return events, tokens

    assert read_platform(path, facts, copies) == (46, 0)
    assert everything(home) == before
    alone = home / "alone.sqlite"
    shutil.copyfile(path, alone)
    assert read_platform(alone, facts, copies) == (42, 33_000)


def test_what_changes_while_it_is_read_is_read_again(database: Path, copies: PrivateCopies) -> None:
    seen = []

    def meddle(opened: ReadOnlyDatabase) -> int:
        seen.append(count(opened))
        if len(seen) == 1:
            with open_own(database) as connection:
                connection.execute("INSERT INTO t VALUES (2)")
        return seen[-1]

    assert read_platform(database, meddle, copies) == 2
    assert seen == [1, 2]


def test_one_reading_alone_is_void_when_the_file_changed(
    database: Path, copies: PrivateCopies
) -> None:
    def read_once() -> None:
        with open_platform(database, copies) as opened:
            count(opened)
            with open_own(database) as connection:
                connection.execute("INSERT INTO t VALUES (2)")

    with pytest.raises(DatabaseChangedError, match="changed while it was read"):
        read_once()


def test_an_error_in_a_changing_file_is_a_reason_to_start_over(
    database: Path, copies: PrivateCopies
) -> None:
    def read_once() -> None:
        with open_platform(database, copies) as opened:
            database.unlink()
            list(opened.rows("SELECT * FROM no_such_table"))

    with pytest.raises(DatabaseChangedError):
        read_once()


def test_a_restless_file_is_read_from_a_copy(database: Path, copies: PrivateCopies) -> None:
    seen = []

    def meddle(opened: ReadOnlyDatabase) -> int:
        seen.append(count(opened))
        with open_own(database) as connection:
            connection.execute("INSERT INTO t VALUES (2)")
        return seen[-1]

    assert read_platform(database, meddle, copies) == 4
    assert seen == [1, 2, 3, 4]


def test_links_are_followed_to_where_the_log_is(database: Path, copies: PrivateCopies) -> None:
    link = database.parent / "link.sqlite"
    link.symlink_to(database)
    with writer(database) as connection:
        connection.execute("INSERT INTO t VALUES (2)")
        assert read_platform(link, count, copies) == 2


def test_threads_read_at_once(database: Path, copies: PrivateCopies) -> None:
    run_elsewhere(LEAVE_A_LOG, str(database))
    shm = database.parent / "agent.sqlite-shm"
    kept = shm.read_bytes()
    shm.unlink()
    results: list[int] = []

    def read(_: int) -> None:
        results.append(read_platform(database, count, copies))

    threads = [threading.Thread(target=read, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    shm.write_bytes(kept)  # now it can be read in place
    for thread in threads:
        thread.join()
    assert results == [2] * 8


def test_reading_is_query_only_and_in_one_transaction(
    database: Path, copies: PrivateCopies
) -> None:
    with writer(database) as connection:
        connection.execute("INSERT INTO t VALUES (2)")
        with open_platform(database, copies) as opened:
            assert opened.first("PRAGMA query_only") == (1,)
            assert count(opened) == 2
            connection.execute("INSERT INTO t VALUES (3)")
            assert count(opened) == 2


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The options of every connection that is made."""
    options: list[str] = []

    def spy(path: Path, chosen: str) -> Connection:
        options.append(chosen)
        return choice.connect(path, chosen)

    monkeypatch.setattr(ways, "connect", spy)
    return options


def test_an_unchanged_file_is_opened_once(
    database: Path, copies: PrivateCopies, opened: list[str]
) -> None:
    with keep_open():
        for _ in range(3):
            assert read_platform(database, count, copies) == 1
    assert opened == ["mode=ro&immutable=1"]
    assert read_platform(database, count, copies) == 1
    assert len(opened) == 2


def test_a_changed_file_is_opened_anew(
    database: Path, copies: PrivateCopies, opened: list[str]
) -> None:
    with keep_open():
        assert read_platform(database, count, copies) == 1
        with open_own(database) as connection:
            connection.execute("INSERT INTO t VALUES (2)")
        assert read_platform(database, count, copies) == 2
    assert len(opened) == 2


def test_each_reading_of_a_live_database_sees_its_newest_state(
    database: Path, copies: PrivateCopies, opened: list[str]
) -> None:
    with writer(database) as connection:
        connection.execute("INSERT INTO t VALUES (2)")
        with keep_open():
            assert read_platform(database, count, copies) == 2
            connection.execute("INSERT INTO t VALUES (3)")
            assert read_platform(database, count, copies) == 3
    assert opened == ["mode=ro"]


def test_another_file_in_its_place_is_opened_anew(
    database: Path, copies: PrivateCopies, tmp_path: Path, opened: list[str]
) -> None:
    other = make_database(tmp_path / "other")
    with writer(other) as newer:
        newer.execute("INSERT INTO t VALUES (2)")
        with keep_open(), writer(database) as connection:
            connection.execute("DELETE FROM t")
            assert read_platform(database, count, copies) == 0
            for suffix in ("", "-wal", "-shm"):
                other.with_name(f"{other.name}{suffix}").replace(f"{database}{suffix}")
            assert read_platform(database, count, copies) == 2
    assert opened == ["mode=ro", "mode=ro"]


def test_a_copy_serves_as_long_as_the_original_stays(
    database: Path, copies: PrivateCopies, opened: list[str]
) -> None:
    run_elsewhere(LEAVE_A_LOG, str(database))
    database.with_name(f"{database.name}-shm").unlink()
    before = everything(database.parent)
    with keep_open():
        for _ in range(3):
            assert read_platform(database, count, copies) == 2
    assert opened == ["mode=rw"]
    assert everything(database.parent) == before


def test_a_reading_that_fails_does_not_spoil_the_next(
    database: Path, copies: PrivateCopies
) -> None:
    def fail(one: ReadOnlyDatabase) -> list[Row]:
        return list(one.rows("SELECT * FROM nowhere"))

    with keep_open():
        with pytest.raises(StoreError, match="no such table"):
            read_platform(database, fail, copies)
        assert read_platform(database, count, copies) == 1


def test_links_are_followed_once_in_a_block(
    database: Path, copies: PrivateCopies, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []
    real = os.path.realpath

    def spy(path: Path) -> str:
        asked.append(path)
        return real(path)

    monkeypatch.setattr(os.path, "realpath", spy)
    with keep_open():
        for _ in range(3):
            read_platform(database, count, copies)
    assert asked == [database]


@pytest.mark.parametrize("place", ["opening", "reading"])
def test_damage_that_was_a_write_seen_half_is_read_again(
    database: Path, copies: PrivateCopies, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    whole = database.read_bytes()
    half = whole[:4096] + b"\xff" * (len(whole) - 4096) if place == "reading" else whole[:2000]
    states = [whole, half]

    def spy(path: Path, options: str) -> Connection:
        if states:
            database.write_bytes(states.pop())
        return choice.connect(path, options)

    monkeypatch.setattr(ways, "connect", spy)
    assert read_platform(database, count, copies) == 1
    assert states == []


def test_a_value_that_is_not_there_has_no_pieces(database: Path, copies: PrivateCopies) -> None:
    with (
        pytest.raises(StoreError, match="cannot be read"),
        open_platform(database, copies) as one,
    ):
        list(one.pieces("t", "a", 99))


def test_one_database_alone_is_kept_and_shorter_blocks_keep_the_others(
    database: Path, tmp_path: Path, copies: PrivateCopies, opened: list[str]
) -> None:
    other = make_database(tmp_path / "others")

    def openings(*paths: Path) -> int:
        before = len(opened)
        for path in paths:
            assert read_platform(path, count, copies) == 1
        return len(opened) - before

    with keep_open(database):
        assert openings(database, other, database, other) == 3
        with keep_open(), keep_open(database):
            assert openings(database, other, database, other) == 1
        assert openings(database, other) == 1
    assert openings(database) == 1


def no_file(path: Path) -> None:
    path.unlink()


def folder_instead(path: Path) -> None:
    path.unlink()
    path.mkdir()


def pipe_instead(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def content(change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    def spoil(path: Path) -> None:
        path.write_bytes(change(path.read_bytes()))

    return spoil


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (content(lambda _: b""), "is empty (0 bytes)"),
        (content(lambda _: b"long enough to look like one\n" * 200), "is not an SQLite database"),
        (content(lambda data: data[: len(data) // 2]), "is damaged"),
        (content(lambda data: data[:100] + b"\xff" * (len(data) - 100)), "is damaged"),
        (no_file, "cannot be read: No such file or directory"),
        (folder_instead, "is not a regular file"),
        (pipe_instead, "is not a regular file"),
    ],
    ids=["empty", "text", "cut", "overwritten", "missing", "folder", "pipe"],
)
def test_what_is_no_readable_database_says_so(
    database: Path, copies: PrivateCopies, spoil: Callable[[Path], None], sentence: str
) -> None:
    spoil(database)
    before = sorted(path.name for path in database.parent.iterdir())
    with pytest.raises(StoreError) as caught:
        read_platform(database, count, copies)
    assert str(caught.value) == f"{database} {sentence}"
    assert sorted(path.name for path in database.parent.iterdir()) == before


LOCK = """
import sys
from pathlib import Path
from memconsole.adapters.sqlite.choice import connect
connection = connect(Path(sys.argv[1]), "mode=rw")
connection.execute("PRAGMA locking_mode = EXCLUSIVE")
connection.execute("PRAGMA journal_mode = PERSIST")
connection.execute("BEGIN EXCLUSIVE")
connection.execute("INSERT INTO t VALUES (2)")
print("locked", flush=True)
sys.stdin.read()
"""


def test_a_locked_database_says_so(
    database: Path, copies: PrivateCopies, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choice, "BUSY_TIMEOUT_S", 0.05)
    with subprocess.Popen(
        [sys.executable, "-c", LOCK, str(database)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "locked\n"
        with pytest.raises(StoreError, match="is locked by another program"):
            read_platform(database, count, copies)
        process.communicate("")


def test_a_big_database_is_not_copied(database: Path, tmp_path: Path) -> None:
    run_elsewhere(LEAVE_A_LOG, str(database))
    (database.parent / "agent.sqlite-shm").unlink()
    with (
        closing(PrivateCopies(tmp_path / "copies", limit_bytes=5000)) as copies,
        pytest.raises(StoreError, match="over the limit") as caught,
    ):
        read_platform(database, count, copies)
    assert "Gateway" in caught.value.hint


@pytest.mark.parametrize("name", ["a?b", "a#b", "a%20b", "a b", "ä;β", "a?mode=rwc&x=%41"])
def test_any_path_can_be_read(database: Path, copies: PrivateCopies, name: str) -> None:
    folder = database.parent / name
    folder.mkdir()
    path = database.rename(folder / name)
    assert read_platform(path, count, copies) == 1
    assert [file.name for file in folder.iterdir()] == [name]


def test_nothing_can_be_written(database: Path, copies: PrivateCopies) -> None:
    with pytest.raises(StoreError), open_platform(database, copies) as opened:
        list(opened.rows("INSERT INTO t VALUES (2)"))


def test_credentials_are_never_read(database: Path, copies: PrivateCopies) -> None:
    with open_own(database) as connection:
        connection.execute("CREATE TABLE auth_profile_store (store_json)")
        connection.execute("CREATE VIEW innocent AS SELECT store_json FROM auth_profile_store")
    for table in ("auth_profile_store", "innocent"):
        with pytest.raises(StoreError, match="may not be read"):
            read_platform(
                database,
                lambda opened, table=table: list(opened.rows(f"SELECT * FROM {table}")),  # type: ignore[misc]
                copies,
            )


def test_columns_are_those_of_ordinary_tables(database: Path, copies: PrivateCopies) -> None:
    with open_own(database) as connection:
        connection.execute("CREATE VIEW v AS SELECT 1 AS a")
        connection.execute("CREATE VIRTUAL TABLE f USING fts5(a)")
        connection.execute("PRAGMA user_version = 17")
    with open_platform(database, copies) as opened:
        assert opened.columns("t", "v", "f", "gone") == {
            "t": {"a"},
            "v": set(),
            "f": set(),
            "gone": set(),
        }
        assert opened.user_version == 17


def test_broken_text_is_read_with_replacements(database: Path, copies: PrivateCopies) -> None:
    with open_own(database) as connection:
        connection.execute("UPDATE t SET a = CAST(x'61ff62' AS TEXT)")
    with open_platform(database, copies) as opened:
        assert opened.first("SELECT a FROM t") == ("a�b",)


def test_a_message_steers_no_terminal(tmp_path: Path, copies: PrivateCopies) -> None:
    path = tmp_path / "evil\x1b[31m\n.sqlite"
    path.write_text("no database" * 100)
    with pytest.raises(StoreError) as caught:
        read_platform(path, count, copies)
    assert str(caught.value).isprintable()


def test_the_connection_error_of_the_library_is_told(
    database: Path, copies: PrivateCopies, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, options: str) -> Connection:
        raise library().error("out of\x1b[1m memory")

    monkeypatch.setattr(ways, "connect", refuse)
    with pytest.raises(StoreError, match="cannot be read: out of memory"):
        read_platform(database, count, copies)
