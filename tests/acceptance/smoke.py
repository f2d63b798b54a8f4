"""Runs every command of an installed memconsole once: `smoke.py EXECUTABLE`.

Standard library only, since it judges an environment that holds nothing but memconsole. The
homes are generated, so it needs nothing beside the checkout.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KEY = "agent:main:main"
MOST_PACKAGES, MOST_MB = 50, 220
"""Of a fresh installation: who keeps a console on a small host pays for each of them."""
INSTALLERS = {"pip", "setuptools", "pkg_resources", "_distutils_hack"}
"""What every new environment has."""
CALLS: tuple[tuple[str, ...], ...] = (
    ("status",),
    ("agents",),
    ("sessions", "--all"),
    ("session", KEY),
    ("transcript", KEY, "--tail", "5"),
    ("memory", "pool"),
    ("memory", "search", "inventory"),
    ("memory", "get", "MEMORY.md"),
    ("markers",),
    ("reindex",),
    ("search", "inventory database"),
    ("get", "MEMORY.md", "--lines", "3"),
    ("bench", "recall", "{labelled}"),
    ("config", "show"),
    ("config", "path"),
    ("config", "init"),
    ("checkpoint", "--dry-run"),
    ("checkpoint",),
    ("rotate", "--dry-run"),
    ("rotate", KEY, "--yes"),
    ("compact", KEY, "--yes"),
    ("observe",),
    ("reflect", "--dry-run"),
    ("summarize", KEY),
    ("recover",),
    ("flush", KEY),
    ("index-md",),
    ("consolidate",),
    ("consolidate", "--report"),
    ("consolidate", "--apply", "--yes"),
    ("bootstrap",),
    ("memory", "show"),
    ("prune-preview", KEY),
    ("secrets", "--transcripts"),
    ("config", "check"),
    ("health",),
    ("alerts", "test", "--dry-run"),
    ("hooks", "status"),
    ("service", "status"),
    ("logs", "rotate", "--dry-run"),
    ("cleanup", "--older-than", "1h", "--dry-run"),
    ("cleanup", "--own", "--dry-run"),
    ("jobs",),
    ("once", "checkpoint"),
    ("runs",),
    ("report",),
    ("restore", KEY, "--dry-run"),
    ("restore", KEY, "--branch", "--dry-run"),
)
NEED_A_GATEWAY = (("rotate", KEY, "--yes"), ("compact", KEY, "--yes"))
"""No Gateway runs here: these are refused, with exit code 3."""

NEED_AN_EXTRA = {
    ("mcp", "--agent", "main"): "mcp",
    ("fleet", "hosts", "--url", "postgresql://127.0.0.1:1/fleet"): "fleet",
}
"""Each with the extra whose name it tells."""

FIND_FAULTS = (("health",), ("restore", KEY, "--branch", "--dry-run"))
"""A Gateway that is down is one, a release without branches another: exit code 1, an answer."""

SCREEN_KEYS = ("?", "\x1b", "\r", "\x1b", "2", "\r", "\x1b", "3", "4", "5", ":", "\x1b", "q")
TERMINAL = {"TERM": "xterm-256color", "LINES": "24", "COLUMNS": "80"}
DEADLINE_S = 60.0


def main(executable: str) -> None:
    """Run everything; end with the first thing that is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        user = Path(folder) / "user"
        generate = [sys.executable, "-m", "benchmarks.homes", str(user)]
        subprocess.run(generate, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        labelled = label(Path(folder) / "labelled", user / "ws-main")
        environment = {
            "HOME": str(user),
            "PATH": os.environ["PATH"],
            "MEMCONSOLE_NOW": "2026-04-12T09:00:00+00:00",
            "TZ": "UTC",
            "LANG": "C.UTF-8",
        }
        before = digest(user / ".openclaw")
        check_every_command_is_called(executable, environment)
        call(executable, ("--version",), environment)
        for words in CALLS:
            code = 3 if words in NEED_A_GATEWAY else int(words in FIND_FAULTS)
            arguments = tuple(word.format(labelled=labelled) for word in words)
            call(executable, arguments, environment, code)
            call_json(executable, arguments, environment, code)
        for words, extra in NEED_AN_EXTRA.items():
            refuse(executable, words, extra, environment)
        for arguments in ((), ("--demo",)):
            open_screens(executable, arguments, {**environment, **TERMINAL})
        if digest(user / ".openclaw") != before:
            sys.exit("the platform home was changed")
    weigh(Path(executable).parents[1])


def weigh(environment: Path) -> None:
    """Refuse an installation that grew: packages and bytes beside those that install it."""
    [packages] = environment.glob("lib/python*/site-packages")
    names = {one.name.partition("-")[0].lower() for one in packages.glob("*.dist-info")}
    names -= INSTALLERS
    own = [one for one in packages.iterdir() if one.name.partition("-")[0] not in INSTALLERS]
    files = [path for one in own for path in ([one] if one.is_file() else one.rglob("*"))]
    size_mb = sum(path.stat().st_size for path in files if path.is_file()) / 1e6
    say(f"{len(names)} packages, {size_mb:.0f} MB")
    if len(names) > MOST_PACKAGES or size_mb > MOST_MB:
        sys.exit(f"at most {MOST_PACKAGES} packages and {MOST_MB} MB were meant")


def label(folder: Path, workspace: Path) -> Path:
    """Write a question whose answer is known, for `bench recall`."""
    shutil.copytree(workspace, folder / "main")
    question = {
        "agent": "main",
        "query": "inventory database",
        "evidence": [{"path": "MEMORY.md", "line": 3}],
    }
    (folder / "queries.jsonl").write_text(json.dumps(question) + "\n", encoding="utf-8")
    return folder


def call(
    executable: str, arguments: tuple[str, ...], environment: dict[str, str], code: int = 0
) -> str:
    """Run one command, print how it went, return its output."""
    started = time.perf_counter()
    command = [executable, *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    took = time.perf_counter() - started
    say(f"{done.returncode}  {took * 1000:5.0f} ms  memconsole {' '.join(arguments)}")
    is_silent = not (done.stderr if code == 3 else done.stdout).strip()
    if done.returncode != code or is_silent or "Traceback" in done.stderr:
        sys.exit(f"failed:\n{done.stdout}\n{done.stderr}")
    return done.stdout


def call_json(
    executable: str, arguments: tuple[str, ...], environment: dict[str, str], code: int
) -> None:
    """Run one command with `--json` and look at the envelope."""
    answer = json.loads(call(executable, (*arguments, "--json"), environment, code))
    if answer["schema"] != 1 or ("error" if code == 3 else "data") not in answer:
        sys.exit(f"not the envelope of `memconsole {' '.join(arguments)}`: {answer}")


def refuse(
    executable: str, words: tuple[str, ...], extra: str, environment: dict[str, str]
) -> None:
    """What needs a package that few want names the way to it."""
    done = subprocess.run(
        (executable, *words), env=environment, capture_output=True, text=True, check=False
    )
    say(f"{done.returncode}            memconsole {' '.join(words)}")
    if done.returncode != 2 or f"memconsole[{extra}]" not in done.stderr or done.stdout:
        sys.exit(f"not the way to the extra:\n{done.stdout}\n{done.stderr}")


def check_every_command_is_called(executable: str, environment: dict[str, str]) -> None:
    """Compare the list above with what `--help` shows."""
    wide = {**environment, "COLUMNS": "200"}
    shown = set(
        re.findall(r"^  ([a-z][a-z-]+)  ", call(executable, ("--help",), wide), re.MULTILINE)
    )
    forgotten = (
        shown
        - {arguments[0] for arguments in CALLS}
        - {"serve", *(words[0] for words in NEED_AN_EXTRA)}
    )
    if not shown or forgotten:
        sys.exit(f"commands that are never called here: {sorted(forgotten) or 'none found'}")


def open_screens(executable: str, arguments: tuple[str, ...], environment: dict[str, str]) -> None:
    """Open the console in a terminal of 80×24, walk through it, quit, and look at the end."""
    child, terminal = pty.fork()
    if child == 0:
        os.execve(
            executable, [executable, *arguments], {**environment, "LINES": "24", "COLUMNS": "80"}
        )
    shown = read_quiet(terminal, quiet_s=1.5)
    for key in SCREEN_KEYS:
        with contextlib.suppress(OSError):
            os.write(terminal, key.encode())
        shown += read_quiet(terminal, quiet_s=0.4)
    ended, status = wait(child)
    say(f"{status}  memconsole {' '.join(arguments)}: {len(shown)} bytes, {len(SCREEN_KEYS)} keys")
    if not ended or status or b"Traceback" in shown:
        sys.exit(f"the console did not end well:\n{shown.decode(errors='replace')[-4000:]}")


def read_quiet(terminal: int, *, quiet_s: float) -> bytes:
    """Read until the terminal has been quiet for a while, or is closed."""
    shown = b""
    deadline = time.monotonic() + DEADLINE_S
    while time.monotonic() < deadline and select.select([terminal], [], [], quiet_s)[0]:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # Linux says so when the other side is closed
            break
        if not part:
            break
        shown += part
    return shown


def wait(child: int) -> tuple[bool, int]:
    """Wait for the console's end; one that stays is killed."""
    deadline = time.monotonic() + DEADLINE_S
    while time.monotonic() < deadline:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return True, os.waitstatus_to_exitcode(status)
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False, -1


def say(line: str) -> None:
    """Print at once, so that a run that hangs shows how far it came."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def digest(folder: Path) -> str:
    """Return one hash over names and bytes of everything in a folder."""
    whole = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        whole.update(str(path.relative_to(folder)).encode(errors="surrogateescape"))
        if path.is_file():
            whole.update(path.read_bytes())
    return whole.hexdigest()


if __name__ == "__main__":
    main(sys.argv[1])
