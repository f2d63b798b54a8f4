"""Installs, kills and stops the service under a live user manager; prints what it saw as JSON.

`python -m tests.lanes.systemd_child HOME`, as root in a mount namespace of its own: an empty `/run`
is put over the real one, so that the manager of this process is the only one it can reach.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

UNIT = "memconsole.service"
PATIENCE_S = 60.0
PROGRAMS = Path(sys.executable).parent
MANAGER = ("/lib/systemd/systemd", "--user", "--unit=basic.target")


def run(*command: str) -> subprocess.CompletedProcess[str]:
    """Run a program to its end."""
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE_S)


def shown(name: str) -> str:
    """Return one property of the service."""
    return run("systemctl", "--user", "show", UNIT, "-p", name, "--value").stdout.strip()


def until(is_so: Callable[[], bool], what: str) -> None:
    """Wait until something is so.

    Raises:
        TimeoutError: It never was.
    """
    end_s = time.monotonic() + PATIENCE_S
    while not is_so():
        if time.monotonic() > end_s:
            raise TimeoutError(what)
        time.sleep(0.2)


def live() -> dict[str, object]:
    """Go through the life of the service; return what was seen at each step."""
    installed = run(str(PROGRAMS / "memconsole"), "service", "install")
    until(lambda: shown("ActiveState") == "active", "the service is ready")
    seen: dict[str, object] = {
        "installed": installed.returncode,
        "type": shown("Type"),
        "status": shown("StatusText"),
        "restarts": shown("NRestarts"),
    }
    first, fed = shown("MainPID"), shown("WatchdogTimestampMonotonic")
    until(lambda: shown("WatchdogTimestampMonotonic") != fed, "the watchdog is fed")
    seen["owner"] = first in run(str(PROGRAMS / "memconsole"), "status").stdout
    os.kill(int(first), 9)
    until(lambda: shown("MainPID") not in ("0", first), "it is started again")
    until(lambda: shown("ActiveState") == "active", "it is ready again")
    seen["restarts_after_a_kill"] = shown("NRestarts")
    begun = time.monotonic()
    run("systemctl", "--user", "stop", UNIT)
    seen |= {
        "stopped_s": round(time.monotonic() - begun, 1),
        "result": shown("Result"),
        "exit": shown("ExecMainStatus"),
    }
    seen["removed"] = run(str(PROGRAMS / "memconsole"), "service", "remove").returncode
    seen["left"] = [str(one) for one in Path.home().glob(".config/systemd/user/*.service")]
    return seen


def main() -> None:
    """Be a host that was booted with systemd, and has one user."""
    os.environ["HOME"] = sys.argv[1]
    os.environ["XDG_RUNTIME_DIR"] = "/run/user/0"
    os.environ["PATH"] = f"{PROGRAMS}:{os.environ['PATH']}"
    run("mount", "-t", "tmpfs", "tmpfs", "/run").check_returncode()
    Path("/run/systemd/system").mkdir(parents=True)
    Path("/run/user/0").mkdir(parents=True, mode=0o700)
    with subprocess.Popen(MANAGER, stdout=sys.stderr) as manager:
        try:
            until(
                lambda: (
                    run("systemctl", "--user", "is-system-running").stdout.strip()
                    in ("running", "degraded")
                ),
                "the manager runs",
            )
            sys.stdout.write(json.dumps(live()))
        finally:
            manager.terminate()


if __name__ == "__main__":
    main()
