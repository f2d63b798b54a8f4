"""Databases that cannot or must not be read: one sentence each."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.sqlite import choice, ways
from memconsole.adapters.sqlite.choice import library
from memconsole.adapters.sqlite.own import open_own
from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.adapters.sqlite.read_only import open_platform, read_platform
from memconsole.errors import StoreError
from tests.adapters.sqlite.databases import (
    LEAVE_A_LOG,
    count,
    make_database,
    run_elsewhere,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from memconsole.adapters.sqlite.choice import Connection


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return make_database(tmp_path / "theirs")


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
