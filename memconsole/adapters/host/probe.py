"""Answers the port `HostProbe` from the operating system."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from memconsole.system import launch
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

_PROC = Path("/proc")
_LONGEST = 400
_PS_TIMEOUT_S = 5.0


class Host:
    """Looks, and changes nothing.

    Args:
        home_of: Returns the platform home that a process serves, by its environment and its words;
            None when they do not say. An environment holds secrets: it is shown to nobody else.
    """

    def __init__(
        self, home_of: Callable[[Mapping[str, str], Sequence[str]], Path | None] | None = None
    ) -> None:
        self._home_of = home_of

    def disk_percent(self, path: Path) -> float | None:
        """Return how full the disk of a folder is, 0 to 100; None when it cannot be said."""
        try:
            found = shutil.disk_usage(path)
        except OSError:
            return None
        reachable = found.used + found.free  # what the system keeps for root is nobody's
        return round(100 * found.used / reachable, 1) if reachable else None

    def tree_bytes(self, folders: Iterable[Path]) -> int | None:
        """Return the bytes of all files below some folders; None when none can be read."""
        found: int | None = None
        for folder in folders:
            for size in _sizes(folder):
                found = (found or 0) + size
        return found

    def command_lines(self) -> Mapping[int, str] | None:
        """Return the command lines of all processes by pid; None where they cannot be listed."""
        if _PROC.joinpath("self/cmdline").exists():
            return dict(_from_proc())
        return _from_ps()

    def serves(self, pid: int, home: Path) -> bool | None:
        """Tell whether a process of the platform serves a home; None when that cannot be seen.

        A container's process names folders of its own world: what is not there here says nothing.
        """
        if self._home_of is None:
            return None
        folder = _PROC / str(pid)
        try:
            environ = dict(
                pair.split("=", 1)
                for pair in _words(folder.joinpath("environ").read_bytes())
                if "=" in pair
            )
            words = _words(folder.joinpath("cmdline").read_bytes()[:_LONGEST])
            found = self._home_of(environ, words)
            return None if found is None else found.samefile(home)
        except OSError:
            return None


def _sizes(folder: Path) -> Iterator[int]:
    """Yield 0 for each folder that can be read, and the size of each plain file."""
    waiting = [str(folder)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                yield 0
                for entry in entries:
                    status = entry.stat(follow_symlinks=False)
                    if stat.S_ISDIR(status.st_mode):
                        waiting.append(entry.path)
                    elif stat.S_ISREG(status.st_mode):
                        yield status.st_size
        except OSError:
            continue


def _words(data: bytes) -> list[str]:
    return [os.fsdecode(word) for word in data.split(b"\0")]


def _from_proc() -> Iterator[tuple[int, str]]:
    for entry in os.scandir(_PROC):
        if not entry.name.isdecimal():
            continue
        try:
            words = Path(entry.path, "cmdline").read_bytes()[:_LONGEST]
        except OSError:
            continue  # it ended meanwhile
        if words:
            line = one_line(words.replace(b"\0", b" ").decode("utf-8", "replace"))
            yield int(entry.name), line


def _from_ps() -> Mapping[int, str] | None:
    program = launch.find_program("ps")
    if program is None:
        return None
    words = (program, "-axww", "-o", "pid=,command=")
    done = launch.ended(*words, environ=launch.environment(), timeout_s=_PS_TIMEOUT_S)
    if done is None or done.returncode:
        return None
    lines = done.stdout.decode("utf-8", "replace").splitlines()
    rows = (line.split(None, 1) for line in lines)
    return {int(row[0]): one_line(row[1][:_LONGEST]) for row in rows if len(row) == 2}
