"""A console in a process and a terminal of its own: what it writes, byte for byte."""

from __future__ import annotations

import fcntl
import json
import os
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 60.0
"""How long a busy machine may take before a test gives up."""

SGR = re.compile(rb"\x1b\[([\d;]*)m")
SEQUENCE = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-_])")

RESTORED = (b"\x1b[?1049l", b"\x1b[?25h", b"\x1b[?2004l", b"\x1b[?1004l", b"\x1b[<u")
"""Left the second screen; cursor, paste, focus and keyboard modes as before."""


class Terminal:
    """One side of a pty, with the console on the other."""

    def __init__(self, master: int, slave: int, process: subprocess.Popen[bytes]) -> None:
        self._master = master
        self._slave = slave
        self.process = process
        self.before = termios.tcgetattr(slave)
        self.output = b""

    @property
    def is_connected(self) -> bool:
        """Whether our side of the terminal is open."""
        return self._master >= 0

    def press(self, keys: str) -> None:
        """Type keys."""
        os.write(self._master, keys.encode())

    def wait_for(self, text: str | bytes) -> None:
        """Read until the console has written this since the last call that cleared the output."""
        wanted = text.encode() if isinstance(text, str) else text
        self._read_until(lambda: wanted in self.output, f"{wanted!r} did not appear")

    def clear(self) -> bytes:
        """Forget, and return, what was written so far."""
        output, self.output = self.output, b""
        return output

    def read_for(self, seconds: float) -> None:
        """Read whatever comes within a span that is itself what a test measures."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self._take(left)

    def wait(self) -> int:
        """Read until the process has ended; return its code."""
        self._read_until(lambda: self.process.poll() is not None, "the console did not end")
        while self._take(0.1):
            pass
        return self.process.returncode

    def wait_until_stopped(self) -> None:
        """Read until the process is stopped, as Ctrl+Z does it."""
        self._read_until(lambda: self.state == "T", "the console did not stop")
        while self._take(0.1):
            pass

    @property
    def state(self) -> str:
        """The letter that Linux has for what the process does: `T` is stopped."""
        told = Path(f"/proc/{self.process.pid}/stat").read_text("utf-8")
        return told.rpartition(")")[2].split()[0]

    def hang_up(self) -> None:
        """Close the terminal under the console."""
        os.close(self._master)
        self._master = -1

    def stall(self) -> None:
        """Stop the output, as Ctrl+S does: whoever writes waits."""
        termios.tcflow(self._slave, termios.TCOOFF)

    def resize(self, columns: int, rows: int) -> None:
        """Change the window, as a split in tmux does."""
        size = struct.pack("HHHH", rows, columns, 0, 0)
        fcntl.ioctl(self._slave, termios.TIOCSWINSZ, size)

    @property
    def after(self) -> list[object]:
        """The terminal's modes now."""
        return termios.tcgetattr(self._slave)

    def _read_until(self, is_done: object, complaint: str) -> None:
        end = time.monotonic() + PATIENCE_S
        while not is_done():  # type: ignore[operator]  # a callable
            if time.monotonic() > end:
                raise AssertionError(f"{complaint}; the last output was {self.output[-2000:]!r}")
            self._take(0.05)

    def _take(self, seconds: float) -> bool:
        if self._master < 0:
            time.sleep(0.01)
            return False
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
def running(
    command: Sequence[str], size: tuple[int, int], environment: Mapping[str, str]
) -> Iterator[Terminal]:
    """Start a program in a terminal of its own; kill what is left of it at the end."""
    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
    process = subprocess.Popen(
        command,
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**os.environ, **environment},
        cwd=ROOT,
        start_new_session=True,
        # Where a shell runs the tests in its background, they hear no interrupt; a shell in a
        # terminal hands that on to nobody.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509  # no lock
    )
    terminal = Terminal(master, slave, process)
    try:
        yield terminal
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        os.close(slave)
        if terminal.is_connected:
            os.close(master)


@contextmanager
def in_terminal(
    size: tuple[int, int] = (120, 40),
    *,
    term: str = "xterm-256color",
    environment: Mapping[str, str] | None = None,
    **plan: object,
) -> Iterator[Terminal]:
    """Start `pty_child.py` with a plan."""
    fixed = {"TERM": term, "PYTHONPATH": str(ROOT), "ESCDELAY": "25"}
    command = [sys.executable, "-m", "tests.ui.pty_child", json.dumps(plan)]
    with running(command, size, {**fixed, **(environment or {})}) as terminal:
        yield terminal
