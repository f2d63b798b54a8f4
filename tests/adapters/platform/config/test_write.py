"""Changing the platform's configuration: a copy first, old or new, and never half."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.platform.config.write import DiskConfigFile
from memconsole.adapters.platform.home import find_home
from memconsole.domain.config_check.edit import edit
from memconsole.domain.config_check.finding import Change
from memconsole.errors import ConcurrentEditError, PlatformConfigError

if TYPE_CHECKING:
    from collections.abc import Callable

    from memconsole.domain.config_check.finding import ConfigText

NOW = datetime(2026, 1, 26, 13, 20, 5, tzinfo=UTC)
SOURCE = "// mine\n{ agents: { defaults: { compaction: { mode: 'safeguard' } } }, x: [1,], }\n"
MODE = Change(("agents", "defaults", "compaction", "mode"), "default")


class Stage:
    """A home with a configuration, and the file that changes it."""

    def __init__(self, folder: Path, source: bytes | str = SOURCE, **environ: str) -> None:
        self.home = folder / ".openclaw"
        self.home.mkdir()
        self.path = self.home / "openclaw.json"
        self.path.write_bytes(source.encode() if isinstance(source, str) else source)
        self.path.chmod(0o640)
        self.backups = folder / "state" / "backups"
        self.now = NOW
        self.steps: list[str] = []
        self.at_step: dict[str, Callable[[], object]] = {}
        self.file = DiskConfigFile(
            find_home(self.home, {}, folder),
            environ,
            self.backups,
            now=lambda: self.now,
            max_backups=3,
            steps=self._step,
        )

    def _step(self, word: str) -> None:
        self.steps.append(word)
        if word in self.at_step:
            self.at_step[word]()

    def seen(self) -> ConfigText:
        found = self.file.read()
        assert found is not None
        return found

    def listing(self) -> list[str]:
        return sorted(one.name for one in self.home.iterdir())


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def test_it_is_read_with_its_version_and_without_showing_it(stage: Stage) -> None:
    seen = stage.seen()
    assert (seen.path, seen.text, seen.mode, seen.is_plain) == (stage.path, SOURCE, "0640", False)
    assert seen.root["x"] == [1]
    assert "safeguard" not in repr(seen)
    stage.path.write_text('{"a": 1}')
    assert stage.seen().is_plain


def test_no_configuration_is_none(stage: Stage) -> None:
    stage.path.unlink()
    assert stage.file.read() is None
    assert not stage.file.set_by_program([MODE])


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (b"{ token: 'secret', ", "cannot be read: not JSON5"),
        (b"[1]", "holds no object"),
        ("{}".encode("utf-16"), "is not written in UTF-8"),
    ],
)
def test_what_cannot_be_read_is_said_without_its_text(
    tmp_path: Path, source: bytes, words: str
) -> None:
    with pytest.raises(PlatformConfigError, match=words) as caught:
        Stage(tmp_path, source).file.read()
    assert "secret" not in str(caught.value)


def test_a_replacement_keeps_mode_and_leaves_nothing_beside_it(stage: Stage) -> None:
    seen = stage.seen()
    text, _ = edit(seen.text, [MODE])
    written = stage.file.replace(text, seen=seen)
    assert stage.path.read_text() == SOURCE.replace("'safeguard'", "'default'")
    assert (written.path, written.mode) == (str(stage.path), "0640")
    assert stat.S_IMODE(stage.path.stat().st_mode) == 0o640
    assert stage.listing() == ["openclaw.json"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root writes for others")
def test_what_root_replaces_stays_its_owners(stage: Stage) -> None:
    os.chown(stage.path, 1234, 2345)
    seen = stage.seen()
    stage.file.replace(edit(seen.text, [MODE])[0], seen=seen)
    status = stage.path.stat()
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (1234, 2345, 0o640)


def test_what_a_killed_run_left_behind_goes_at_once(stage: Stage) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        pass
    left = {
        "dead": f".memconsole-{ended.pid}-001122334455.tmp",
        "alive": f".memconsole-{os.getppid()}-001122334455.tmp",
        "unnamed": ".openclaw.json.memconsole-0011223344556677.tmp",
        "new": ".openclaw.json.memconsole-1100223344556677.tmp",
        "foreign": ".openclaw.json.tmp",
    }
    for name in left.values():
        (stage.home / name).write_text("token")
    os.utime(stage.home / left["unnamed"], (time.time() - 61,) * 2)
    kept = sorted([left["alive"], left["new"], left["foreign"], "openclaw.json"])
    gone = stage.file.sweep()
    assert stage.listing() == kept
    assert set(gone) == {stage.home / left["dead"], stage.home / left["unnamed"]}
    (stage.home / left["dead"]).write_text("token")
    stage.file.replace("{ ours: 1 }", seen=stage.seen())
    assert stage.listing() == kept


def test_nothing_is_swept_where_there_is_no_configuration(stage: Stage) -> None:
    stage.path.unlink()
    assert stage.file.sweep() == ()


def test_bytes_that_are_no_text_stay_as_they_are(tmp_path: Path) -> None:
    stage = Stage(tmp_path, b"{ mode: 1, /* \xff\xfe */ }")
    seen = stage.seen()
    text, _ = edit(seen.text, [Change(("mode",), True)])
    stage.file.replace(text, seen=seen)
    assert stage.path.read_bytes() == b"{ mode: true, /* \xff\xfe */ }"


def test_a_file_that_was_changed_meanwhile_is_left_alone(stage: Stage) -> None:
    seen = stage.seen()
    stage.at_step["temporary-written"] = lambda: stage.path.write_text("{ theirs: 1 }")
    with pytest.raises(ConcurrentEditError):
        stage.file.replace("{ ours: 1 }", seen=seen)
    assert stage.path.read_text() == "{ theirs: 1 }"
    assert stage.listing() == ["openclaw.json"]


@pytest.mark.parametrize("word", ["temporary-made", "temporary-written", "compared"])
def test_an_end_before_the_replacement_leaves_the_old_file(stage: Stage, word: str) -> None:
    def end() -> None:
        raise KeyboardInterrupt

    stage.at_step[word] = end
    with pytest.raises(KeyboardInterrupt):
        stage.file.replace("{ ours: 1 }", seen=stage.seen())
    assert stage.path.read_text() == SOURCE
    assert stage.listing() == ["openclaw.json"]


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EIO])
def test_what_the_system_refuses_is_a_sentence_and_the_old_file_is_whole(
    stage: Stage, code: int
) -> None:
    def refuse() -> None:
        raise OSError(code, os.strerror(code))

    stage.at_step["temporary-made"] = refuse
    with pytest.raises(PlatformConfigError, match="cannot be replaced") as caught:
        stage.file.replace("{ ours: 1 }", seen=stage.seen())
    assert bool(caught.value.hint) is (code != errno.EIO)
    assert (stage.path.read_text(), stage.listing()) == (SOURCE, ["openclaw.json"])


def test_a_link_in_its_place_is_refused(stage: Stage, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    stage.path.rename(real)
    stage.path.symlink_to(real)
    with pytest.raises(PlatformConfigError, match="symbolic link"):
        stage.file.replace("{}", seen=stage.seen())
    stage.path.unlink()
    stage.path.hardlink_to(real)
    with pytest.raises(PlatformConfigError, match="no file of its own"):
        stage.file.replace("{}", seen=stage.seen())
    assert real.read_text() == SOURCE


def test_what_was_not_written_is_noticed(stage: Stage) -> None:
    stage.at_step["replaced"] = lambda: stage.path.write_text("{ theirs: 1 }")
    with pytest.raises(PlatformConfigError, match="not what was written"):
        stage.file.replace("{ ours: 1 }", seen=stage.seen())


def test_copies_are_private_named_by_time_and_few(stage: Stage) -> None:
    stranger = stage.backups / "config-notes.json"
    names = []
    for _ in range(3):
        for _ in range(2):
            written = stage.file.back_up(stage.seen())
            names.append(Path(written.path).name)
            assert Path(written.path).read_text() == SOURCE
            assert stat.S_IMODE(Path(written.path).stat().st_mode) == 0o600
        stranger.write_text("mine")
        stage.now += timedelta(minutes=1)
    assert names[:2] == ["config-20260126-132005.json", "config-20260126-132005-02.json"]
    kept = sorted(one.name for one in stage.backups.iterdir())
    assert kept == sorted([*names[-3:], stranger.name])
    assert stat.S_IMODE(stage.backups.stat().st_mode) == 0o700


def test_without_a_copy_nothing_may_be_changed(stage: Stage) -> None:
    stage.backups.parent.write_text("a file in the way")
    with pytest.raises(PlatformConfigError, match="no copy") as caught:
        stage.file.back_up(stage.seen())
    assert "Nothing was changed" in caught.value.hint


def test_a_half_copy_is_removed(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    seen = stage.seen()
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(PlatformConfigError, match="no space left"):
        stage.file.back_up(seen)
    assert list(stage.backups.iterdir()) == []


def test_hooks_are_listed_by_their_files(stage: Stage) -> None:
    assert stage.file.hooks() == {}
    hook = stage.home / "hooks" / "memory-flush"
    hook.mkdir(parents=True)
    (hook / "HOOK.md").touch()
    (stage.home / "hooks" / "README").touch()
    assert stage.file.hooks() == {"memory-flush": frozenset({"HOOK.md"})}
    hooks = hook.parent
    (hook / "HOOK.md").unlink()
    hook.rmdir()
    (hooks / "README").unlink()
    hooks.rmdir()
    hooks.touch()
    assert stage.file.hooks() is None


PROGRAM = """#!/bin/sh
echo "$OPENCLAW_CONFIG_PATH|$OPENCLAW_STATE_DIR|$*" >> "{log}"
exit {code}
"""


def program(tmp_path: Path, code: int) -> tuple[dict[str, str], Path]:
    """Put a program of the platform's name on a PATH of its own."""
    folder, log = tmp_path / "bin", tmp_path / "calls"
    folder.mkdir()
    script = folder / "openclaw"
    script.write_text(PROGRAM.format(log=log, code=code))
    script.chmod(0o755)
    return {"PATH": f"{folder}:/usr/bin:/bin"}, log


def test_the_platforms_program_is_asked_for_each_value(tmp_path: Path) -> None:
    environ, log = program(tmp_path, 0)
    stage = Stage(tmp_path, **environ)
    flush = Change(("agents", "defaults", "compaction", "memoryFlush", "enabled"), True)
    assert stage.file.set_by_program([MODE, flush])
    place = f"{stage.path}|{stage.home}|config set agents.defaults.compaction"
    assert log.read_text() == f"{place}.mode default\n{place}.memoryFlush.enabled true\n"
    assert not stage.file.set_by_program([Change(("a.b",), 1)])
    assert len(log.read_text().splitlines()) == 2


def test_a_program_that_refuses_or_is_not_there_did_nothing(tmp_path: Path) -> None:
    environ, log = program(tmp_path, 1)
    stage = Stage(tmp_path, **environ)
    assert not stage.file.set_by_program([MODE, MODE])
    assert len(log.read_text().splitlines()) == 1
    (tmp_path / "bin" / "openclaw").unlink()
    assert not stage.file.set_by_program([MODE])
