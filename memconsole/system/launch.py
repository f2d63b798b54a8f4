"""Keeps the folder that memconsole is started in out of what it imports and runs.

That folder is often an agent's workspace, where anybody who talks to the agent can have a file
written. So our own modules are started without it (`-P`), every program is found by an absolute
entry of PATH, and runs in the root folder with an environment that means the same there.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memconsole.errors import FolderGoneError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from subprocess import CompletedProcess

FOLDER: Final = "/"
"""Where a started process stands: nobody but root can put a file there."""

_SEARCHED: Final = ("PATH", "PYTHONPATH", "NODE_PATH")
_PREFIXES: Final = ("OPENCLAW_", "CLAWDBOT_", "MOLTBOT_", "MEMCONSOLE_")
_PATHS: Final = ("_DIR", "_HOME", "_PATH", "_CONFIG", "_FILE")


def own_module(module: str, *words: str) -> tuple[str, ...]:
    """Return the call that runs a module of ours with this interpreter.

    `-P` rather than `-I`: an installation may need the user's site-packages or PYTHONPATH.
    """
    return (sys.executable, "-P", "-m", module, *words)


def find_program(name: str, environ: Mapping[str, str] = os.environ) -> str | None:
    """Return the absolute path of a program; None when no absolute entry of PATH holds it."""
    import shutil  # noqa: PLC0415  # it loads three compressors

    if os.path.isabs(name):  # noqa: PTH117 - not worth a Path
        return shutil.which(name)
    path = _absolute_entries(environ.get("PATH") or os.defpath)
    return None if "/" in name else shutil.which(name, path=path or os.defpath)


def environment(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the variables of a process that stands in another folder than we do.

    Search paths lose what is relative; the platform's and our own paths become absolute.
    """
    found = {**environ, "PYTHONSAFEPATH": "1"}
    for name in _SEARCHED:
        if name in found:
            found[name] = _absolute_entries(found[name])
            if not found[name]:
                del found[name]
    for name, value in environ.items():
        if (name == "HOME" or _is_path(name)) and value and value[0] not in "/~":
            try:
                found[name] = os.path.abspath(value)  # noqa: PTH100 - keeps links as they are
            except FileNotFoundError:
                continue  # it names nothing any more, here or there
    return found


def ended(
    *words: str, environ: Mapping[str, str], timeout_s: float
) -> CompletedProcess[bytes] | None:
    """Run a program to its end; None when it cannot be started or takes too long.

    Args:
        words: Its absolute path, and arguments.
        environ: As `environment` returns it.
        timeout_s: How long it may take; then it is ended.
    """
    import subprocess  # noqa: PLC0415  # most commands start nothing

    try:
        return subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=environ,
            cwd=FOLDER,
            timeout=timeout_s,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None


def absolute(path: Path) -> Path:
    """Return an absolute path; one that is relative starts in the current folder.

    Raises:
        FolderGoneError: It is relative, and the current folder exists no more.
    """
    if path.is_absolute():
        return path
    try:
        return Path.cwd() / path
    except FileNotFoundError:
        raise FolderGoneError(str(path)) from None


def forget_relative_imports() -> None:
    """Take what a relative entry of PYTHONPATH, or an empty one, added out of `sys.path`."""
    for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep):
        if not entry.startswith("/"):
            try:
                sys.path.remove(os.path.abspath(entry))  # noqa: PTH100 - as Python itself did
            except (ValueError, FileNotFoundError):
                continue


def _absolute_entries(path: str) -> str:
    return os.pathsep.join(one for one in path.split(os.pathsep) if one.startswith("/"))


def _is_path(name: str) -> bool:
    return name.startswith(_PREFIXES) and name.endswith(_PATHS)
