"""A program in a terminal of its own: when it paints, how many bytes, how much of a core."""

from __future__ import annotations

import fcntl
import os
import select
import struct
import subprocess
import sys
import termios
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

COLUMNS, ROWS = 120, 40
PATIENCE_S = 90.0
_CPU_CLOCK = 2
"""The lowest bits of a clock's number that stand for all processor time of a process (Linux)."""


class Terminal:
    """Our side of a pty; all times are seconds of the monotonic clock."""

    def __init__(self, master: int, process: subprocess.Popen[bytes], started: float) -> None:
        self._master = master
        self.process = process
        self.started = started
        self.output = b""

    def until(self, text: str) -> float:
        """Read until a text was written since the last `forget`; return the time of that read."""
        wanted = text.encode()
        end = time.monotonic() + PATIENCE_S
        while wanted not in self.output:
            if time.monotonic() > end or self.process.poll() is not None:
                sys.exit(f"{text!r} did not appear; the last output was {self.output[-2000:]!r}")
            self._take(0.5)
        return time.monotonic()

    def first_byte(self, patience_s: float) -> float | None:
        """Return the time of the next output; None when there is none for so long."""
        return time.monotonic() if self._take(patience_s) else None

    def read_for(self, seconds: float) -> None:
        """Read whatever comes."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self._take(left)

    def until_still(self, seconds: float) -> None:
        """Read until nothing was written for a while."""
        while self._take(seconds):
            pass

    def forget(self) -> bytes:
        """Return what was written since the last call."""
        output, self.output = self.output, b""
        return output

    def press(self, keys: str) -> float:
        """Type keys; return when."""
        now = time.monotonic()
        os.write(self._master, keys.encode())
        return now

    def cpu_s(self) -> float:
        """Return the seconds of processor time that the program has used (Linux)."""
        return time.clock_gettime(~self.process.pid << 3 | _CPU_CLOCK)

    def resident_bytes(self) -> int:
        """Return its resident memory (Linux)."""
        pages = Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def _take(self, seconds: float) -> bool:
        ready, _, _ = select.select([self._master], [], [], seconds)
        if not ready:
            return False
        try:
            data = os.read(self._master, 65_536)
        except OSError:
            return False
        self.output += data
        return bool(data)


@contextmanager
def running(command: Sequence[str], environment: Mapping[str, str]) -> Iterator[Terminal]:
    """Start a program in a terminal; kill it at the end."""
    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    started = time.monotonic()
    process = subprocess.Popen(
        command,
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**environment, "TERM": "xterm-256color"},
        start_new_session=True,
    )
    os.close(slave)
    try:
        yield Terminal(master, process, started)
    finally:
        process.kill()
        process.wait()
        os.close(master)
