"""Private copies: made once, kept private, removed at the end and at the next start."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.sqlite import private_copy
from memconsole.adapters.sqlite.own import open_own
from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The system's folder for temporary files, for this test alone."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def parent(tmp_path: Path) -> Path:
    return tmp_path / "state" / "cache"


@pytest.fixture
def copies(parent: Path) -> Iterator[PrivateCopies]:
    with closing(PrivateCopies(parent)) as made:
        yield made


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "agent.sqlite"
    with open_own(path) as connection:
        connection.execute("CREATE TABLE t (a)")
    return path


def test_one_copy_for_one_state(database: Path, copies: PrivateCopies, parent: Path) -> None:
    with copies.lease(database) as first, copies.lease(database) as second:
        assert first == second
        assert first.name == database.name
        assert first.read_bytes() == database.read_bytes()
        assert parent.stat().st_mode & 0o777 == 0o700
    with copies.lease(database) as third:
        assert third == first


def test_a_new_state_takes_the_place_of_the_old_one(database: Path, copies: PrivateCopies) -> None:
    with copies.lease(database) as first:
        pass
    os.utime(database, ns=(1, 1))
    with copies.lease(database) as second:
        assert second != first
        assert not first.exists()


def test_a_copy_in_use_stays_until_it_is_given_back(database: Path, copies: PrivateCopies) -> None:
    with copies.lease(database) as first:
        os.utime(database, ns=(1, 1))
        with copies.lease(database) as second:
            assert first.exists()
        assert second.exists()
    assert not first.exists()
    assert second.exists()


def test_nothing_is_left_at_the_end(database: Path, copies: PrivateCopies, tmp_path: Path) -> None:
    with copies.lease(database):
        pass
    copies.close()
    copies.close()
    assert not (tmp_path / "state").exists()


def test_folders_that_were_there_before_stay(
    database: Path, copies: PrivateCopies, parent: Path
) -> None:
    parent.mkdir(parents=True)
    with copies.lease(database):
        pass
    copies.close()
    assert list(parent.iterdir()) == []


MAKE_A_COPY = """
import sys
from pathlib import Path
from memconsole.adapters.sqlite.private_copy import PrivateCopies
lease = PrivateCopies(Path(sys.argv[1])).lease(Path(sys.argv[2]))
print(lease.__enter__(), flush=True)
sys.stdin.read()
"""


def test_leftovers_of_the_killed_go_and_those_of_the_living_stay(
    database: Path, copies: PrivateCopies, parent: Path
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", MAKE_A_COPY, str(parent), str(database)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        made = process.stdout.readline()
        assert str(parent) in made
        copies.sweep()
        assert len(list(parent.iterdir())) == 1
        process.kill()
        process.communicate()
    copies.sweep()
    assert list(parent.iterdir()) == []


def test_a_normal_exit_removes_everything(database: Path, parent: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-c", MAKE_A_COPY, str(parent), str(database)]
    subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    assert not (tmp_path / "state").exists()


def test_a_folder_without_a_lock_goes_when_it_is_old(copies: PrivateCopies, parent: Path) -> None:
    parent.mkdir(parents=True)
    for name, at in (("private-new", None), ("private-old", (0, 0))):
        (parent / name).mkdir()
        if at is not None:
            os.utime(parent / name, at)
    (parent / "private-file").write_text("not a folder")
    (parent / "other").mkdir()
    copies.sweep()
    assert sorted(path.name for path in parent.iterdir()) == [
        "other",
        "private-file",
        "private-new",
    ]


def test_without_a_usable_folder_the_temporary_one_serves(
    database: Path, tmp_path: Path, temporary: Path
) -> None:
    for parent in (None, database / "below a file"):
        with closing(PrivateCopies(parent)) as copies, copies.lease(database) as path:
            assert temporary in path.parents
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("how", ["open to others", "a link", "a file"])
def test_a_temporary_folder_of_somebody_else_is_refused(
    database: Path, temporary: Path, how: str
) -> None:
    place = temporary / f"memconsole-{os.geteuid()}"
    if how == "a file":
        place.write_text("")
    elif how == "a link":
        place.symlink_to(temporary)
    else:
        place.mkdir()
        place.chmod(0o777)
    before = list(temporary.rglob("*"))
    copies = PrivateCopies()
    with pytest.raises(StoreError, match="cannot be copied"), copies.lease(database):
        pass
    assert list(temporary.rglob("*")) == before


def test_no_room_says_so(
    database: Path, copies: PrivateCopies, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(source: object, target: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copyfile", full)
    with pytest.raises(StoreError, match="No space left on device"), copies.lease(database):
        pass


class Meddler:
    """Stands in for the copying, and writes the log at the worst moments."""

    def __init__(self, database: Path, changes: list[bytes]) -> None:
        self.log = database.with_name(f"{database.name}-wal")
        self.changes = changes
        self.copied = 0
        self._copy = shutil.copyfile

    def __call__(self, source: object, target: object) -> None:
        self._copy(str(source), str(target))
        if str(source) == str(self.log):
            self.copied += 1
            if self.changes:
                self.log.write_bytes(self.changes.pop(0))


HEADER, OTHER_HEADER = b"a" * 32, b"b" * 32


@pytest.mark.parametrize(
    ("changes", "log"),
    [
        ([], HEADER + b"frame"),
        ([HEADER + b"frame, frame"], HEADER + b"frame"),
        ([OTHER_HEADER + b"new"], OTHER_HEADER + b"new"),
        ([b""], None),
    ],
    ids=["still", "grown", "begun-anew", "emptied"],
)
def test_main_file_and_log_are_of_one_moment(
    database: Path,
    copies: PrivateCopies,
    monkeypatch: pytest.MonkeyPatch,
    changes: list[bytes],
    log: bytes | None,
) -> None:
    meddler = Meddler(database, changes)
    meddler.log.write_bytes(HEADER + b"frame")
    monkeypatch.setattr(shutil, "copyfile", meddler)
    with copies.lease(database) as path:
        found = {file.name: file.read_bytes() for file in path.parent.iterdir()}
    assert found.pop(database.name) == database.read_bytes()
    assert found == ({} if log is None else {meddler.log.name: log})


def test_what_never_holds_still_is_given_up(
    database: Path, copies: PrivateCopies, monkeypatch: pytest.MonkeyPatch
) -> None:
    meddler = Meddler(database, [bytes([number]) * 40 for number in range(9)])
    meddler.log.write_bytes(HEADER)
    monkeypatch.setattr(shutil, "copyfile", meddler)
    with pytest.raises(StoreError, match="written all the time"), copies.lease(database):
        pass
    assert meddler.copied == private_copy._ATTEMPTS
