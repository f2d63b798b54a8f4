"""A database of every release becomes exactly one of today."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import TYPE_CHECKING

import pytest
from sqlite_utils import Database

from memconsole.adapters.sqlite.own import open_own
from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.adapters.state.database import StateDatabase
from memconsole.adapters.state.migrations import KNOWN_VERSION
from memconsole.adapters.state.tables import TABLES
from tests.adapters.state.older_state import VERSIONS, counted, make_older

if TYPE_CHECKING:
    from pathlib import Path

    from memconsole.adapters.state.tables import AnyTable


def described(path: Path) -> dict[str, object]:
    """Return what SQLite knows of each table, whatever the spelling of its statement."""
    with open_own(path) as connection:
        database = Database(connection, recursive_triggers=False)  # type: ignore[arg-type]
        return {
            table.name: (
                table.columns,
                {(one.name, one.unique, tuple(one.columns)) for one in table.indexes},
                table.strict,
                table.pks,
            )
            for table in database.tables
        }


@pytest.fixture(scope="module")
def today(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    state = StateDatabase(tmp_path_factory.mktemp("today"), PrivateCopies())
    state.write(lambda _: None)
    return described(state.path)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_database_of_each_release_becomes_one_of_today(
    version: int, tmp_path: Path, today: dict[str, object]
) -> None:
    state = StateDatabase(tmp_path, PrivateCopies())
    before = make_older(state.path, version)
    state.write(lambda _: None)
    assert described(state.path) == today
    assert state.read(lambda one: one.user_version, -1) == KNOWN_VERSION
    with open_own(state.path) as connection:
        assert counted(connection) == {table: before.get(table, 0) for table in today}


def test_every_version_is_known() -> None:
    assert VERSIONS[-1] == KNOWN_VERSION


def test_every_table_is_declared(today: dict[str, object]) -> None:
    assert {table.name for table in TABLES} == set(today)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_columns_are_the_fields_of_the_value(table: AnyTable) -> None:
    """Nothing that a value holds is forgotten, and it can be made of its row."""
    if table.value is dict:
        return
    kept = {
        (column.field or name).partition(".")[0]
        for name, column in table.columns.items()
        if not column.is_beside
    }
    value = table.value
    if isinstance(value, str):
        module, _, name = value.partition(":")
        value = getattr(import_module(module), name)
    known = {one.name for one in fields(value)} if is_dataclass(value) else set(value._fields)
    assert kept == known
