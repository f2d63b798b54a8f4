"""The one writer under kills, size limits and full disks."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.workspace.writer import DiskWorkspace
from tests.engine.capture_place import APPEND_STEPS, REPLACE_STEPS

if TYPE_CHECKING:
    from pathlib import Path

CONTEXT = "memory/ACTIVE_CONTEXT.md"
DAY = "memory/2026-04-12.md"
OLD_CONTEXT = "# Active Context\n" + "old line\n" * 400
NEW_CONTEXT = "# Active Context\n" + "new line\n" * 500
OLD_DAY = "# 2026-04-12\r\n\r\nGranny's birthday - call her!"
ENTRY = "### Checkpoint 08:10 (auto)\n\n- Last output: " + "x" * 300 + "\n\n"
HEADER = "# main — 2026-04-12\n\n"

PRELUDE = f"""
import os, resource, signal, sys
from pathlib import Path
from memconsole.adapters.workspace.writer import DiskWorkspace
from memconsole.errors import WorkspaceError
CONTEXT, OLD_CONTEXT, NEW_CONTEXT = {CONTEXT!r}, {OLD_CONTEXT!r}, {NEW_CONTEXT!r}
DAY, OLD_DAY, ENTRY, HEADER = {DAY!r}, {OLD_DAY!r}, {ENTRY!r}, {HEADER!r}
root = Path(sys.argv[1])
"""
KILLED = """
def kill(step):
    if step == sys.argv[2]:
        os.kill(os.getpid(), signal.SIGKILL)
workspace = DiskWorkspace(kill)
"""
REPLACE = "workspace.replace(root, CONTEXT, NEW_CONTEXT, seen=workspace.read(root, CONTEXT))\n"
APPEND = "workspace.append(root, DAY, ENTRY, header=HEADER)\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    (folder / "memory").mkdir(parents=True)
    (folder / CONTEXT).write_text(OLD_CONTEXT)
    (folder / DAY).write_bytes(OLD_DAY.encode())
    return folder


def child(script: str, *arguments: str, wrapper: tuple[str, ...] = ()) -> tuple[int, str]:
    """Run a script in its own process; return its end and what it printed."""
    command = [*wrapper, sys.executable, "-c", PRELUDE + script, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout


def leftovers(root: Path) -> list[Path]:
    return list((root / "memory").glob(".memconsole-*"))


def test_the_steps_are_all_there_are(root: Path) -> None:
    seen: list[str] = []
    workspace = DiskWorkspace(seen.append)
    workspace.replace(root, CONTEXT, NEW_CONTEXT, seen=workspace.read(root, CONTEXT))
    assert tuple(seen) == REPLACE_STEPS
    seen.clear()
    workspace.append(root, DAY, ENTRY, header=HEADER)
    assert tuple(seen) == APPEND_STEPS


@pytest.mark.parametrize("step", REPLACE_STEPS)
def test_a_kill_leaves_the_old_text_or_the_new_one(root: Path, step: str) -> None:
    ended, _ = child(KILLED + REPLACE, str(root), step)
    assert ended == -signal.SIGKILL
    is_new = step in ("replaced", "folder-synced")
    assert (root / CONTEXT).read_text() == (NEW_CONTEXT if is_new else OLD_CONTEXT)
    assert len(leftovers(root)) == (not is_new)

    workspace = DiskWorkspace()
    workspace.replace(root, CONTEXT, "next\n", seen=workspace.read(root, CONTEXT))
    assert (root / CONTEXT).read_text() == "next\n"
    assert leftovers(root) == []


@pytest.mark.parametrize("step", APPEND_STEPS)
@pytest.mark.parametrize("is_new", [False, True])
def test_a_kill_leaves_the_old_bytes_as_a_prefix(root: Path, step: str, is_new: bool) -> None:
    if is_new:
        (root / DAY).unlink()
    ended, _ = child(KILLED + APPEND, str(root), step)
    assert ended == -signal.SIGKILL
    old = b"" if is_new else OLD_DAY.encode()
    added = (HEADER + ENTRY) if is_new else "\r\n" + ENTRY.replace("\n", "\r\n")
    expected = old if step == "opened" else old + added.encode()
    assert (root / DAY).read_bytes() == expected

    DiskWorkspace().append(root, DAY, "- next\n", header=HEADER)
    ending = "\n" if is_new else "\r\n"
    gap = "" if step != "opened" else (HEADER if is_new else ending)
    assert (root / DAY).read_bytes() == expected + f"{gap}- next{ending}".encode()


LOOP = """
workspace = DiskWorkspace()
for number in range(1_000_000):
    text = f"{number}\\n" * 2000
    workspace.replace(root, CONTEXT, text, seen=workspace.read(root, CONTEXT))
    workspace.append(root, DAY, f"<{number}>" + "y" * 4000 + "\\n", header=HEADER)
    print(number, flush=True)
"""


@pytest.mark.parametrize("rounds", [1, 3, 7, 12])
def test_a_kill_at_any_moment(root: Path, rounds: int) -> None:
    command = [sys.executable, "-c", PRELUDE + LOOP, str(root)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        for _ in range(rounds):
            process.stdout.readline()
        process.kill()
    context = (root / CONTEXT).read_text().splitlines()
    assert len(context) == 2000
    assert len(set(context)) == 1
    day = (root / DAY).read_bytes()
    assert day.startswith(OLD_DAY.encode())
    entries = day[len(OLD_DAY) :].split(b"\r\n")[1:-1]
    assert entries == [f"<{number}>".encode() + b"y" * 4000 for number in range(len(entries))]


LIMITED = """
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
workspace = DiskWorkspace()
try:
    {action}
except WorkspaceError as error:
    print(error, error.hint, sep="|")
"""


@pytest.mark.parametrize("limit", [0, 10, 4000])
def test_a_size_limit_leaves_the_old_text(root: Path, limit: int) -> None:
    ended, printed = child(LIMITED.format(action=REPLACE.strip()), str(root), str(limit))
    assert (ended, printed.count("\n")) == (0, 1)
    assert "file too large" in printed
    assert (root / CONTEXT).read_text() == OLD_CONTEXT
    assert leftovers(root) == []


@pytest.mark.parametrize("room", [0, 1, 200])
def test_a_size_limit_leaves_the_old_bytes(root: Path, room: int) -> None:
    limit = str(len(OLD_DAY) + room)
    ended, printed = child(LIMITED.format(action=APPEND.strip()), str(root), limit)
    assert (ended, printed.count("\n")) == (0, 1)
    assert ("file too large" if room == 0 else f"only {room} of") in printed
    assert (root / DAY).read_bytes() == OLD_DAY.encode()


def test_a_size_limit_leaves_no_empty_new_log(root: Path) -> None:
    (root / DAY).unlink()
    child(LIMITED.format(action=APPEND.strip()), str(root), "5")
    assert not (root / DAY).exists()


SHORT_AND_OVERTAKEN = """
def overtake(step):
    if step == "written":
        unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
        resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
        with (root / DAY).open("a") as file:
            file.write("theirs")
limit = len(OLD_DAY) + 5
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
workspace = DiskWorkspace(overtake)
try:
    workspace.append(root, DAY, ENTRY, header=HEADER)
except WorkspaceError as error:
    print(error)
"""


def test_a_half_entry_with_something_behind_it_stays(root: Path) -> None:
    _, printed = child(SHORT_AND_OVERTAKEN, str(root))
    assert "only 5 of" in printed
    assert (root / DAY).read_bytes() == OLD_DAY.encode() + b"\r\n###theirs"


@pytest.fixture
def small_disk(tmp_path: Path) -> tuple[str, ...]:
    """A command in front of which a 64 KB disk is mounted at `tmp_path/disk`."""
    (tmp_path / "disk").mkdir()
    unshare = shutil.which("unshare")
    mount = f'mount -t tmpfs -o size=64k tmpfs "{tmp_path}/disk" && exec "$@"'
    wrapper = (unshare or "", "--mount", "--map-root-user", "sh", "-c", mount, "sh")
    if unshare is None or subprocess.run([*wrapper, "true"], check=False).returncode:
        pytest.skip("this system lets nobody mount a small disk")
    return wrapper


FULL = """
memory = root / "memory"
memory.mkdir()
(root / CONTEXT).write_text(OLD_CONTEXT)
(root / DAY).write_bytes(OLD_DAY.encode())
with (root / "filler").open("wb", buffering=0) as filler:
    try:
        while filler.write(b"z" * 1024): pass
    except OSError: pass
workspace = DiskWorkspace()
for action in (
    lambda: workspace.replace(root, CONTEXT, NEW_CONTEXT, seen=workspace.read(root, CONTEXT)),
    lambda: workspace.append(root, DAY, ENTRY * 40, header=HEADER),
    lambda: workspace.append(root, "memory/new.md", ENTRY, header=HEADER),
):
    try:
        action()
    except WorkspaceError as error:
        print(type(error).__name__, "no space left" in str(error) or "could be added" in str(error))
print((root / CONTEXT).read_text() == OLD_CONTEXT)
print((root / DAY).read_bytes() == OLD_DAY.encode())
print(sorted(path.name for path in memory.iterdir()))
"""


def test_a_full_disk_leaves_everything_old(tmp_path: Path, small_disk: tuple[str, ...]) -> None:
    _, printed = child(FULL, str(tmp_path / "disk"), wrapper=small_disk)
    assert printed.splitlines() == [
        *["WorkspaceError True"] * 3,
        "True",
        "True",
        "['2026-04-12.md', 'ACTIVE_CONTEXT.md']",
    ]
