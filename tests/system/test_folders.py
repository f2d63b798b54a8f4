"""Folders and files outside of workspaces: made for their owner alone, reached by no link."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.alerts.channels import LogChannel
from memconsole.adapters.gateway.errors import RefusedError
from memconsole.adapters.gateway.identity import DeviceFile
from memconsole.adapters.host.status_file import JsonStatusFile
from memconsole.adapters.locks import hold
from memconsole.adapters.platform.config.write import keep_copy
from memconsole.adapters.platform.hooks import HookCalls
from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.adapters.state.database import StateDatabase
from memconsole.errors import MemconsoleError
from memconsole.system.atomic_file import (
    append_to,
    create_file,
    is_temporary,
    replace_file,
    temporary_name,
    write_new,
)
from memconsole.system.folders import make_folder, open_folder, open_state_folder
from memconsole.ui.terminal.files import CrashReport, keep
from tests.doubles.platform import NOW

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

only_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root writes for others")


@pytest.fixture
def no_umask() -> Iterator[None]:
    """A session whose new files are open to everybody."""
    before = os.umask(0)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def take_lock(state: Path) -> None:
    with hold(state / "locks" / "job.lock", "a job"):
        return


def write_crash(state: Path) -> None:
    CrashReport(state).note_crash()


WRITERS: dict[str, Callable[[Path], object]] = {
    "status": lambda state: JsonStatusFile(state / "health" / "last_status.json").write("{}"),
    "alerts": lambda state: LogChannel(state / "health" / "alerts.log").send({}, None),
    "backup": lambda state: keep_copy(state / "backups", b"{}", now=NOW, most=3),
    "device": lambda state: DeviceFile(state / "gateway" / "device.key").load_or_make(),
    "lock": take_lock,
    "call": lambda state: HookCalls(state, state).note("hook", NOW),
    "database": lambda state: StateDatabase(state, PrivateCopies()).write(lambda _: None),
    "clipboard": lambda state: keep("text", state),
    "crash": write_crash,
}
"""Everything that writes into our state folder beside the index, whatever comes first."""

FOLDERS = {"status": "health", "alerts": "health", "backup": "backups", "device": "gateway"}
FOLDERS |= {"lock": "locks"}


@pytest.mark.usefixtures("no_umask")
@pytest.mark.parametrize("writer", WRITERS)
def test_whoever_comes_first_makes_the_state_folder_private(writer: str, tmp_path: Path) -> None:
    state = tmp_path / ".local" / "state" / "memconsole"
    WRITERS[writer](state)
    made = [tmp_path / ".local", *(tmp_path / ".local").rglob("*")]
    assert {one.name: mode(one) for one in made if mode(one) & 0o077} == {}
    assert {mode(one) for one in made if one.is_dir()} == {0o700}
    assert [one for one in made if one.is_file()]


@pytest.mark.parametrize("bits", [0o777, 0o770, 0o702])
@pytest.mark.parametrize("writer", WRITERS)
def test_nothing_is_written_where_others_may_write(writer: str, bits: int, tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir()
    state.chmod(bits)
    if writer in ("call", "clipboard", "crash"):
        WRITERS[writer](state)
    else:
        with pytest.raises((MemconsoleError, RefusedError), match="others may write into it"):
            WRITERS[writer](state)
    assert list(state.iterdir()) == []


def test_a_state_folder_that_others_may_write_is_told(tmp_path: Path) -> None:
    state = StateDatabase(tmp_path / "state", PrivateCopies())
    state.write(lambda _: None)
    assert state.problem() is None
    (tmp_path / "state").chmod(0o775)
    problem = state.problem()
    assert problem is not None
    assert problem.code == "state-unwritable"
    assert "others may write into it (mode 0775)" in problem.message
    (tmp_path / "state").chmod(0o700)
    (tmp_path / "state" / "locks").symlink_to(tmp_path)
    problem = state.problem()
    assert problem is not None
    assert "locks in it is a symbolic link" in problem.message


@pytest.mark.parametrize("writer", FOLDERS)
def test_a_linked_folder_in_the_state_folder_is_not_followed(writer: str, tmp_path: Path) -> None:
    (tmp_path / "victim").mkdir()
    (tmp_path / "state").mkdir(0o700)
    (tmp_path / "state" / FOLDERS[writer]).symlink_to(tmp_path / "victim")
    with pytest.raises((MemconsoleError, RefusedError), match="symbolic link"):
        WRITERS[writer](tmp_path / "state")
    assert list((tmp_path / "victim").iterdir()) == []


def test_a_linked_database_is_not_followed(tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir(0o700)
    (state / "state.db").symlink_to(tmp_path / "victim.db")
    with pytest.raises(MemconsoleError, match="symbolic link"):
        StateDatabase(state, PrivateCopies()).write(lambda _: None)
    assert not (tmp_path / "victim.db").exists()


def test_a_root_may_be_reached_by_a_link_and_steps_may_not(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "root").symlink_to(tmp_path / "real")
    with open_folder(tmp_path / "root", "a", "b", creates=True):
        assert (tmp_path / "real" / "a" / "b").is_dir()
    (tmp_path / "real" / "a" / "c").symlink_to("b")
    with (
        pytest.raises(PermissionError, match="it is a symbolic link"),
        open_folder(tmp_path / "root", "a", "c", creates=True),
    ):
        pass
    with pytest.raises(FileNotFoundError), open_folder(tmp_path / "root", "none"):
        pass


@only_root
def test_nobody_sends_root_into_a_folder_of_somebody_else(tmp_path: Path) -> None:
    for name, owner in (("his", 1234), ("hers", 4321)):
        (tmp_path / name).mkdir(0o700)
        os.chown(tmp_path / name, owner, owner)
        (tmp_path / f"to-{name}").symlink_to(name)
        os.chown(tmp_path / f"to-{name}", 1234, 1234, follow_symlinks=False)
    with open_state_folder(tmp_path / "to-his", "logs"):
        assert (tmp_path / "his" / "logs").stat().st_uid == 1234
    with (
        pytest.raises(PermissionError, match="made by another user"),
        open_state_folder(tmp_path / "to-hers", "logs"),
    ):
        pass
    assert list((tmp_path / "hers").iterdir()) == []


@only_root
def test_what_root_makes_belongs_to_the_owner_of_what_is_around_it(tmp_path: Path) -> None:
    (tmp_path / "his").mkdir()
    os.chown(tmp_path / "his", 1234, 2345)
    place = tmp_path / "his" / "a" / "b"
    make_folder(place)
    with open_folder(place) as folder:
        create_file(folder, "new", b"")
        append_to(folder, "log", b"line\n")
        replace_file(folder, "whole", b"one")
        os.chown(place / "whole", 77, 88)
        replace_file(folder, "whole", b"two")
    owners = {
        one.name: (one.stat().st_uid, one.stat().st_gid) for one in place.parents[1].rglob("*")
    }
    his = (1234, 2345)
    assert owners == {
        "a": his, "b": his, "new": his, "log": his, "whole": (77, 88)
    }  # fmt: skip


@only_root
@pytest.mark.parametrize("writer", WRITERS)
def test_what_root_keeps_in_the_state_of_another_user_is_theirs(
    writer: str, tmp_path: Path
) -> None:
    (tmp_path / "his").mkdir()
    os.chown(tmp_path / "his", 1234, 2345)
    WRITERS[writer](tmp_path / "his" / "state")
    made = {one.name: one.stat().st_uid for one in (tmp_path / "his").rglob("*")}
    assert made == dict.fromkeys(made, 1234)


def test_a_file_is_replaced_whole_and_never_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("theirs")
    (tmp_path / "file").symlink_to(tmp_path / "victim")
    (tmp_path / "log").symlink_to(tmp_path / "victim")
    with open_folder(tmp_path) as folder:
        replace_file(folder, "file", b"ours", mode=0o644)
        with pytest.raises(OSError, match=r"log|symbolic"):
            append_to(folder, "log", b"ours")
        with pytest.raises(FileExistsError):
            create_file(folder, "log", b"ours")
    assert (tmp_path / "victim").read_text() == "theirs"
    assert ((tmp_path / "file").read_text(), mode(tmp_path / "file")) == ("ours", 0o644)


def test_nothing_is_written_by_a_way_that_leads_through_the_agents_own_folder(
    tmp_path: Path,
) -> None:
    """Who made a link in there would choose where it goes."""
    workspace, elsewhere = tmp_path / "workspace", tmp_path / "elsewhere"
    for one in (workspace, elsewhere):
        one.mkdir()
    (workspace / "memory").symlink_to(elsewhere)
    (tmp_path / "way").symlink_to(workspace)
    (tmp_path / "habit").symlink_to("way/memory")
    ways = [
        tmp_path / one for one in ("workspace", "workspace/memory", "way", "way/memory", "habit")
    ]
    (workspace / "notes").mkdir()
    ways += [workspace / one for one in ("notes", "notes/..", "memory/..", "memory/../elsewhere")]
    ways += [workspace / "../way/..", workspace / "notes/../memory/../..", tmp_path / "habit/.."]
    for folder in ways:
        with pytest.raises(OSError, match="agents"):
            write_new(folder / "r.md", b"x", state_dir=tmp_path, closed=(workspace,))
    write_new(elsewhere / "r.md", b"x", state_dir=tmp_path, closed=(workspace,))
    assert [one.name for one in elsewhere.iterdir()] == ["r.md"]


@pytest.mark.parametrize("way", ["..", "../elsewhere", "notes/../..", "./notes/../../elsewhere/."])
def test_who_stands_in_a_workspace_may_write_beside_it(tmp_path: Path, way: str) -> None:
    workspace = tmp_path / "workspace"
    (workspace / "notes").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    path = workspace / way / "r.md"
    write_new(path, b"x", state_dir=tmp_path, closed=(workspace,))
    assert path.read_bytes() == b"x"
    assert not list(workspace.rglob("*.md"))


def test_what_killed_runs_left_goes_with_the_next_file(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        pass
    place = tmp_path / "place"
    place.mkdir()
    dead = place / f".memconsole-{ended.pid}-0123456789ab.tmp"
    dead.touch()
    with temporary_name() as mine, open_folder(place) as folder:
        (place / mine).touch()
        replace_file(folder, "file", b"")
        assert sorted(one.name for one in place.iterdir()) == [mine, "file"]
    assert is_temporary(dead.name)
    assert not is_temporary(".handler.js.tmp")
