"""Reading databases of others: every state they are found in, and nothing left behind."""

from __future__ import annotations

import shutil
import threading
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.sqlite.own import open_own
from memconsole.adapters.sqlite.read_only import DatabaseChangedError, open_platform, read_platform
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
    from pathlib import Path

    from memconsole.adapters.sqlite.private_copy import PrivateCopies
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
