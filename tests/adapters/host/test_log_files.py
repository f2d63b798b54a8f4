"""Rotating logs: what is kept, what cannot be, and what is left alone."""

from __future__ import annotations

import fcntl
import logging
import os
import re
import threading
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.host.log_files import DiskLogFiles
from memconsole.cli.output.logging import start_logging
from memconsole.domain.logs import LogFile, LogOwner
from memconsole.domain.settings import Settings
from memconsole.domain.settings.sections import LogSettings
from tests.doubles.platform import NOW

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MODE = 0o777


def foreign(path: Path) -> LogFile:
    return LogFile(path, LogOwner.FOREIGN, path.stat().st_size)


def own(path: Path) -> LogFile:
    return LogFile(path, LogOwner.OWN, path.stat().st_size)


def texts(path: Path) -> dict[str, str]:
    """Return what is in the folder of a log, by the end of the name."""
    found = path.parent.glob(f"{path.name}*")
    return {one.name.removeprefix(path.name): one.read_text() for one in found}


@pytest.mark.parametrize("kind", [foreign, own])
def test_three_are_kept_and_the_oldest_goes(
    kind: Callable[[Path], LogFile], tmp_path: Path
) -> None:
    log = tmp_path / "gateway.log"
    logs = DiskLogFiles(tmp_path)
    for word in ("one", "two", "three", "four"):
        log.write_text(word)
        assert logs.rotate(kind(log), keep=3).status == "done"
    assert texts(log) == {"": "", ".1": "four", ".2": "three", ".3": "two"}
    assert {one.stat().st_mode & MODE for one in tmp_path.glob("gateway.log.*")} == {0o600}
    assert not list(tmp_path.glob(".*rotating"))


def test_with_fewer_to_keep_those_that_were_more_go(tmp_path: Path) -> None:
    log = tmp_path / "gateway.log"
    for number in (1, 2, 3, 4, 5, 7):
        log.with_name(f"gateway.log.{number}").write_text(str(number))
    log.write_text("new")
    assert DiskLogFiles(tmp_path).rotate(foreign(log), keep=2).status == "done"
    assert texts(log) == {"": "", ".1": "new", ".2": "1", ".7": "7"}


def test_what_a_cut_may_lose_is_said_of_logs_that_others_write(tmp_path: Path) -> None:
    log = tmp_path / "gateway.log"
    log.write_text("new")
    assert "at the moment of the cut" in DiskLogFiles(tmp_path).rotate(foreign(log), 3).message
    log.write_text("new")
    assert DiskLogFiles(tmp_path).rotate(own(log), 3).message == "3 B moved to .1"


@pytest.mark.parametrize("place", ["home/logs", "home/health", "state/logs", "state/health"])
def test_a_log_behind_a_linked_folder_is_left_alone(place: str, tmp_path: Path) -> None:
    """Whoever may make the link would choose which files are cut."""
    victim = tmp_path / "victim"
    victim.mkdir()
    for name in ("syslog.log", "alerts.log"):
        (victim / name).write_text("not ours\n")
    for folder in ("home", "state"):
        (tmp_path / folder).mkdir(0o700)
    (tmp_path / place).symlink_to(victim)
    logs = DiskLogFiles(tmp_path / "state")
    found = logs.found(tmp_path / "home")
    assert found
    for file in found:
        end = logs.rotate(file, keep=3)
        assert (end.status, "symbolic link" in end.message) == ("failed", True)
    assert {one.name: one.read_text() for one in victim.iterdir()} == {
        "syslog.log": "not ours\n",
        "alerts.log": "not ours\n",
    }


@pytest.mark.skipif(os.geteuid() != 0, reason="only root writes for others")
@pytest.mark.parametrize("kind", [foreign, own])
def test_parts_belong_to_whom_the_log_belongs(
    kind: Callable[[Path], LogFile], tmp_path: Path
) -> None:
    log = tmp_path / "gateway.log"
    log.write_text("word")
    os.chown(log, 1234, 2345)
    DiskLogFiles(tmp_path).rotate(kind(log), keep=3)
    assert {(one.stat().st_uid, one.stat().st_gid) for one in tmp_path.glob("gateway.log*")} == {
        (1234, 2345)
    }


def test_a_foreign_writer_keeps_its_file(tmp_path: Path) -> None:
    log = tmp_path / "gateway.log"
    with log.open("a") as writer:
        log.chmod(0o640)
        writer.write("before\n")
        writer.flush()
        inode = log.stat().st_ino
        moved = DiskLogFiles(tmp_path).rotate(foreign(log), keep=3)
        writer.write("after\n")
    assert moved.moved_bytes == 7
    assert texts(log) == {"": "after\n", ".1": "before\n"}
    assert (log.stat().st_ino, log.stat().st_mode & MODE) == (inode, 0o640)


def test_only_what_is_written_right_before_the_cut_is_lost(tmp_path: Path) -> None:
    """The window is one step wide; all else that is written meanwhile is kept."""
    log = tmp_path / "gateway.log"
    log.write_text("first\n")
    with log.open("a", buffering=1) as writer:

        def write(step: str) -> None:
            writer.write(f"{step}\n")

        DiskLogFiles(tmp_path, steps=write).rotate(foreign(log), keep=3)
        writer.write("last\n")
    assert texts(log) == {"": "last\n", ".1": "first\ncopied\nshifted\n"}


class KilledError(BaseException):
    """The process is gone."""


@pytest.mark.parametrize("step", ["copied", "shifted", "cut"])
def test_a_rotation_that_was_killed_is_gone_on_with(step: str, tmp_path: Path) -> None:
    log = tmp_path / "gateway.log"
    log.write_text("older\n")
    DiskLogFiles(tmp_path).rotate(foreign(log), keep=3)
    log.write_text("first\n")

    def end(name: str) -> None:
        if name == step:
            raise KilledError

    with pytest.raises(KilledError):
        DiskLogFiles(tmp_path, steps=end).rotate(foreign(log), keep=3)
    with log.open("a") as writer:
        writer.write("second\n")
    assert DiskLogFiles(tmp_path).rotate(foreign(log), keep=3).status == "done"
    assert texts(log) == {"": "", ".1": "first\nsecond\n", ".2": "older\n"}
    assert {one.stat().st_mode & MODE for one in tmp_path.glob("gateway.log.*")} == {0o600}


def test_a_log_that_cannot_be_cut_is_not_kept_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "gateway.log"
    log.write_text("first\n")

    def fail(descriptor: int, size: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(os, "ftruncate", fail)
        assert DiskLogFiles(tmp_path).rotate(foreign(log), keep=3).status == "failed"
    assert log.read_text() == "first\n"
    DiskLogFiles(tmp_path).rotate(foreign(log), keep=3)
    assert texts(log) == {"": "", ".1": "first\n"}


def test_a_killed_shift_costs_no_older_log(tmp_path: Path) -> None:
    log = tmp_path / "gateway.log"
    for number in (2, 3):
        (tmp_path / f"gateway.log.{number}").write_text(f"{number}")
    log.write_text("new")
    DiskLogFiles(tmp_path).rotate(foreign(log), keep=3)
    assert texts(log) == {"": "", ".1": "new", ".2": "2", ".3": "3"}


def test_a_writer_every_10_ms_loses_next_to_nothing(tmp_path: Path) -> None:
    log = tmp_path / "gateway.log"
    log.touch()
    stop = threading.Event()
    written = 0

    def write() -> None:
        nonlocal written
        with log.open("a", buffering=1) as writer:
            while not stop.wait(0.01):
                writer.write(f"line {written}\n")
                written += 1

    thread = threading.Thread(target=write)
    thread.start()
    turns = 60
    for _ in range(turns):
        assert DiskLogFiles(tmp_path).rotate(foreign(log), keep=turns).status == "done"
    stop.set()
    thread.join()
    kept = [(tmp_path / f"gateway.log.{number}").read_text() for number in range(turns, 0, -1)]
    lines = "".join([*kept, log.read_text()]).splitlines()
    assert all(re.fullmatch(r"line \d+", line) for line in lines)
    numbers = [int(line.removeprefix("line ")) for line in lines]
    assert numbers == sorted(set(numbers)), "in order, and none twice"
    assert written - len(numbers) <= 2


def test_our_own_log_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "own.log"
    start_logging(Settings(state_dir=tmp_path, log=LogSettings("info", path)), lambda: NOW)
    logger = logging.getLogger("memconsole.test")
    try:
        for number in range(30):
            logger.info("line %s", number)
            if number % 10 == 9:
                DiskLogFiles(tmp_path).rotate(own(path), keep=9)
        logger.info("line 30")
    finally:
        start_logging(Settings(state_dir=tmp_path), lambda: NOW)
    found = texts(path)
    assert sorted(found) == ["", ".1", ".2", ".3"]
    order = found[".3"] + found[".2"] + found[".1"] + found[""]
    assert re.findall(r'"line (\d+)"', order) == [str(number) for number in range(31)]
    assert path.stat().st_mode & MODE == 0o600
    moments = set(re.findall(r'"at": "([^"]+)"', order))
    assert moments == {NOW.isoformat(timespec="milliseconds")}, "of the clock of the process"


def test_a_writer_that_does_not_append_leaves_a_hole_that_is_not_copied(tmp_path: Path) -> None:
    log = tmp_path / "odd.log"
    with log.open("w") as writer:
        writer.write("x" * 100_000)
        writer.flush()
        logs = DiskLogFiles(tmp_path, patterns=[str(log)])
        logs.rotate(foreign(log), keep=3)
        writer.write("after")
        writer.flush()
        assert log.stat().st_size == 100_005
        [found] = logs.found(None)
        assert found.size_bytes == 5
        assert logs.rotate(found, keep=3).moved_bytes == 5
    assert (tmp_path / "odd.log.1").read_bytes() == b"after"


def test_links_and_pipes_are_never_touched(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "logs").mkdir(parents=True)
    target = tmp_path / "precious.txt"
    target.write_text("keep me")
    link = home / "logs" / "link.log"
    link.symlink_to(target)
    os.mkfifo(home / "logs" / "pipe.log")
    logs = DiskLogFiles(tmp_path / "state")
    assert logs.found(home) == ()
    for path in (link, home / "logs" / "pipe.log"):
        found = logs.rotate(LogFile(path, LogOwner.FOREIGN, 9), keep=3)
        assert (found.status, found.reason) == ("failed", "not-written")
    assert target.read_text() == "keep me"
    assert not list((home / "logs").glob("*.1"))


def test_every_place_of_the_specification_is_looked_at(tmp_path: Path) -> None:
    home, state, more = tmp_path / "home", tmp_path / "state", tmp_path / "srv"
    names = {
        home / "logs": ["gateway.log", "gateway.err.log", "notes.txt", "gateway.log.1"],
        home / "health": ["watch.log", "last.txt", "state.json"],
        state / "logs": ["serve.log"],
        state / "health": ["alerts.log", "last_status.json"],
        more: ["app.log"],
    }
    for folder, files in names.items():
        folder.mkdir(parents=True)
        for name in files:
            (folder / name).write_text("x")
    file = tmp_path / "mine.log"
    file.write_text("x")
    logs = DiskLogFiles(state, own=[file], patterns=[f"{more}/*.log", str(home / "logs" / "*.log")])
    found = {(one.path.name, one.owner.value) for one in logs.found(home)}
    assert found == {
        ("alerts.log", "own"),
        ("mine.log", "own"),
        ("serve.log", "foreign"),
        ("gateway.log", "foreign"),
        ("gateway.err.log", "foreign"),
        ("watch.log", "foreign"),
        ("last.txt", "foreign"),
        ("app.log", "foreign"),
    }
    assert len(logs.found(home)) == 8
    assert {one.path.name for one in logs.found(None)} >= {"alerts.log", "app.log"}


def test_who_else_rotates_goes_first(tmp_path: Path) -> None:
    log = tmp_path / "gateway.log"
    log.write_text("x")
    with log.open("rb+") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        found = DiskLogFiles(tmp_path).rotate(foreign(log), keep=3)
    assert (found.status, found.reason) == ("skipped", "locked")
    assert texts(log) == {"": "x"}


def test_a_copy_that_fails_leaves_the_log_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "gateway.log"
    log.write_text("live")
    (tmp_path / "gateway.log.1").write_text("older")

    def full(descriptor: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        found = DiskLogFiles(tmp_path).rotate(foreign(log), keep=3)
    assert (found.status, found.message) == (
        "failed",
        "it could not be rotated: no space left on device",
    )
    assert texts(log) == {"": "live", ".1": "older"}
    assert not list(tmp_path.glob(".*"))
