"""Readings in a row that share a connection, and readings that begin anew."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.sqlite import choice, ways
from memconsole.adapters.sqlite.own import open_own
from memconsole.adapters.sqlite.read_only import keep_open, open_platform, read_platform
from memconsole.errors import StoreError
from tests.adapters.sqlite.databases import (
    LEAVE_A_LOG,
    count,
    everything,
    make_database,
    run_elsewhere,
    writer,
)

if TYPE_CHECKING:
    from pathlib import Path

    from memconsole.adapters.sqlite.choice import Connection, Row
    from memconsole.adapters.sqlite.private_copy import PrivateCopies
    from memconsole.adapters.sqlite.read_only import ReadOnlyDatabase


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return make_database(tmp_path / "theirs")


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
