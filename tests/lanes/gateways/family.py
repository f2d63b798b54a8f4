"""A process and all that it started, as the kernel tells it: to end them, and to see ports."""

from __future__ import annotations

import os
import signal
import socket
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")
_LISTENS = "0A"


@dataclass(frozen=True, slots=True)
class Process:
    """One process; its start, in ticks since the boot, tells it from a later one of its id."""

    pid: int
    parent: int
    started: int

    @property
    def lives(self) -> bool:
        """Whether it still runs, with this parent or another."""
        now = read(self.pid)
        return now is not None and now.started == self.started

    def kill(self) -> None:
        """End it, if it still is the same one."""
        if self.lives:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)


def read(pid: int) -> Process | None:
    """Return a process as it is now; None when it has ended."""
    try:
        fields = (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else Process(pid, int(fields[1]), int(fields[19]))


def family(pid: int) -> list[Process]:
    """Return a process and all its descendants."""
    running = [read(int(one.name)) for one in _PROC.iterdir() if one.name.isdecimal()]
    found = [one for one in running if one is not None and one.pid == pid]
    for member in found:  # grows while it is walked
        found += [one for one in running if one is not None and one.parent == member.pid]
    return found


def listening(pid: int) -> set[str]:
    """Return the addresses on which a process and its descendants listen for TCP."""
    sockets = {
        target
        for member in family(pid)
        for target in _open_files(_PROC / str(member.pid) / "fd")
        if target.startswith("socket:[")
    }
    found: set[str] = set()
    for table in ("tcp", "tcp6"):
        for line in (_PROC / str(pid) / "net" / table).read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == _LISTENS and f"socket:[{fields[9]}]" in sockets:
                found.add(_address(fields[1].partition(":")[0]))
    return found


def _open_files(folder: Path) -> list[str]:
    found: list[str] = []
    with suppress(OSError):
        for one in folder.iterdir():
            with suppress(OSError):
                found.append(str(one.readlink()))
    return found


def _address(hexadecimal: str) -> str:
    """Return an address of `/proc/net/tcp`: words of 32 bits in the order of the machine."""
    words = [hexadecimal[at : at + 8] for at in range(0, len(hexadecimal), 8)]
    raw = b"".join(int(word, 16).to_bytes(4, "little") for word in words)
    return socket.inet_ntop(socket.AF_INET if len(raw) == 4 else socket.AF_INET6, raw)
