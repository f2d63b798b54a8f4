"""The choice of the SQLite library, and databases of our own."""

from __future__ import annotations

import importlib
import stat
import subprocess
import sys
import types
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.sqlite import choice
from memconsole.adapters.sqlite.choice import Connection, library
from memconsole.adapters.sqlite.own import open_own, transaction

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

REAL_IMPORT = importlib.import_module


@pytest.fixture(autouse=True)
def _choose_anew() -> Iterator[None]:
    choice.library.cache_clear()
    yield
    choice.library.cache_clear()


def fake_library(*, version: tuple[int, int, int], has_extensions: bool) -> types.SimpleNamespace:
    members = {"enable_load_extension": None} if has_extensions else {}
    return types.SimpleNamespace(
        sqlite_version=".".join(map(str, version)),
        sqlite_version_info=version,
        Connection=type("Connection", (), members),
        Error=Exception,
    )


@pytest.fixture
def installed(
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[[dict[str, types.SimpleNamespace]], None]:
    """Say which SQLite libraries can be imported."""

    def install(libraries: dict[str, types.SimpleNamespace]) -> None:
        def import_module(name: str) -> object:
            if name.partition(".")[0] not in {"pysqlite3", "sqlite3", "sqlean"}:
                return REAL_IMPORT(name)
            if name not in libraries:
                raise ImportError(name)
            return libraries[name]

        monkeypatch.setattr(importlib, "import_module", import_module)

    return install


GOOD = fake_library(version=(3, 50, 1), has_extensions=True)
PLAIN = fake_library(version=(3, 50, 1), has_extensions=False)
OLD = fake_library(version=(3, 34, 0), has_extensions=True)


@pytest.mark.parametrize(
    ("libraries", "name", "can_load"),
    [
        ({"pysqlite3.dbapi2": GOOD, "sqlite3": GOOD, "sqlean.dbapi2": GOOD}, "pysqlite3", True),
        ({"sqlite3": GOOD, "sqlean.dbapi2": GOOD}, "sqlite3", True),
        ({"sqlite3": PLAIN, "sqlean.dbapi2": GOOD}, "sqlean", True),
        ({"sqlite3": OLD, "sqlean.dbapi2": GOOD}, "sqlean", True),
        ({"sqlite3": PLAIN}, "sqlite3", False),
    ],
    ids=["pysqlite3", "standard", "sqlean", "standard-too-old", "plain"],
)
def test_one_library_is_chosen(
    installed: Callable[[dict[str, types.SimpleNamespace]], None],
    libraries: dict[str, types.SimpleNamespace],
    name: str,
    can_load: bool,
) -> None:
    installed(libraries)
    chosen = library()
    assert (chosen.name, chosen.can_load_extensions) == (name, can_load)


def test_the_reason_names_what_was_passed_over(
    installed: Callable[[dict[str, types.SimpleNamespace]], None],
) -> None:
    installed({"sqlite3": PLAIN})
    reason = library().reason
    assert "pysqlite3.dbapi2 is not installed" in reason
    assert "sqlite3 3.50.1 is too old or cannot load extensions" in reason
    assert "sqlean.dbapi2 is not installed" in reason


def test_nothing_is_imported_before_the_first_use() -> None:
    code = (
        "import sys, memconsole.adapters.sqlite, memconsole.adapters.sqlite.private_copy\n"
        "found = {n for n in sys.modules if n.partition('.')[0] in "
        "('sqlite3', 'pysqlite3', 'sqlean', 'filelock', 'sqlite_utils')}\n"
        "print(sorted(found))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_own_databases_are_private_and_logged_ahead(tmp_path: Path) -> None:
    path = tmp_path / "own.db"
    with open_own(path) as connection:
        connection.execute("CREATE TABLE t (a)")
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA foreign_keys").fetchone() == (1,)
        assert connection.execute("PRAGMA busy_timeout").fetchone() == (2000,)
        modes = {stat.S_IMODE(file.stat().st_mode) for file in tmp_path.glob("own.db*")}
    assert modes == {0o600}


def test_a_second_opening_leaves_the_first_ones_lock_alone(tmp_path: Path) -> None:
    """A descriptor opened and closed beside SQLite would drop its locks."""
    path = tmp_path / "own.db"
    with open_own(path) as first:
        first.execute("CREATE TABLE t (a)")
        with transaction(first), open_own(path):
            code = (
                "import sqlite3, sys\n"
                "c = sqlite3.connect(sys.argv[1], timeout=0)\n"
                "try:\n    c.execute('BEGIN IMMEDIATE')\n    print('taken')\n"
                "except sqlite3.OperationalError as error:\n    print(error)\n"
            )
            done = subprocess.run(
                [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
            )
    assert done.stdout == "database is locked\n"


def insert_and_fail(connection: Connection) -> None:
    with transaction(connection):
        connection.execute("INSERT INTO t VALUES (1)")
        raise ValueError("half way")


def test_a_transaction_that_fails_changes_nothing(tmp_path: Path) -> None:
    with open_own(tmp_path / "own.db") as connection:
        connection.execute("CREATE TABLE t (a)")
        with pytest.raises(ValueError, match="half way"):
            insert_and_fail(connection)
        assert connection.execute("SELECT count(*) FROM t").fetchone() == (0,)
        with transaction(connection):
            connection.execute("INSERT INTO t VALUES (1)")
        assert connection.execute("SELECT count(*) FROM t").fetchone() == (1,)


@pytest.mark.parametrize("name", ["a?b", "a#b", "a%20b", "a b", "ä;β", "a?mode=memory&x=%41"])
def test_any_path_can_be_opened(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    path = folder / f"{name}.db"
    with open_own(path) as connection:
        connection.execute("CREATE TABLE t (a)")
    assert [file.name for file in folder.iterdir()] == [f"{name}.db"]


OPEN_AND_CLOSE = """
import sys, threading
from contextlib import closing
from pathlib import Path
from memconsole.adapters.sqlite.choice import connect
from memconsole.adapters.sqlite.own import open_own

path = Path(sys.argv[1])

def write():
    for _ in range(800):
        with open_own(path) as one:
            one.execute("CREATE TABLE IF NOT EXISTS t (x)")

def read():
    for _ in range(800):
        with closing(connect(path, "mode=ro")) as one:
            one.execute("SELECT count(*) FROM sqlite_master").fetchall()

with open_own(path) as one:
    one.execute("CREATE TABLE t (x)")
threads = [threading.Thread(target=each) for each in (write, read, read)]
for each in threads:
    each.start()
for each in threads:
    each.join()
"""


def test_opening_beside_closing_never_locks_up(tmp_path: Path) -> None:
    """SQLite 3.51.1 does, for good; a child is ended where this one could not be."""
    command = [sys.executable, "-c", OPEN_AND_CLOSE, str(tmp_path / "own.db")]
    subprocess.run(command, check=True, timeout=120)
