"""Writes to a terminal that may stall or go away, without hanging there for ever."""

from __future__ import annotations

import os
import select
import termios
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import IO

_LOOK_S: Final = 0.1
_RESTORE: Final = (
    b"\x1b[?2004l\x1b[?7h\x1b[?2048l\x1b[?1006l\x1b[?1002l\x1b[?1000l"
    b"\x1b[<u\x1b[?1049l\x1b[?25h\x1b[?1004l"
)
"""What leaves a terminal usable, in one piece: paste, wrapping, resizing, mouse, keyboard, the
second screen, cursor, focus."""


class PatientFile:
    """Writes for as long as somebody reads; when we end, only for a while longer.

    Textual's writer thread dies of the first failure and waits without end for a terminal that is
    stopped; its queue then fills up, and the console hangs in the middle of its own ending. This
    file writes without blocking, through a description of its own: the shell's is left alone.
    """

    def __init__(self, file: IO[str], monotonic: Callable[[], float] = time.monotonic) -> None:
        self._file = file
        self._monotonic = monotonic
        self._descriptor = _open_again(file)
        self._give_up_at: float | None = None
        self.is_gone = False

    def end_within(self, seconds: float) -> None:
        """Give up on a terminal that takes nothing for so long from now; safe in any thread."""
        if self._give_up_at is None:
            self._give_up_at = self._monotonic() + seconds

    def stay(self) -> None:
        """Wait without end again: nobody ends."""
        self._give_up_at = None

    def write(self, text: str) -> int:
        """Write, if there is still somebody to read."""
        if not self.is_gone:
            try:
                self._write(text)
            except (OSError, ValueError):
                self.is_gone = True
        return len(text)

    def _write(self, text: str) -> None:
        if self._descriptor is None:
            self._file.write(text)
            return
        data = text.encode("utf-8", "replace")
        while data and not self.is_gone:
            try:
                data = data[os.write(self._descriptor, data) :]
            except BlockingIOError:
                self._wait(self._descriptor)

    def _wait(self, descriptor: int) -> None:
        if self._give_up_at is not None and self._monotonic() >= self._give_up_at:
            self.is_gone = True
            self.restore()
            return
        select.select([], [descriptor], [], _LOOK_S)

    def restore(self) -> None:
        """Leave the terminal usable, whatever it has not read yet."""
        if self._descriptor is None:
            return
        with suppress(OSError, termios.error):
            # What waits there unread is of no use any more, and leaves no room for the rest.
            termios.tcflush(self._descriptor, termios.TCOFLUSH)
            os.write(self._descriptor, _RESTORE)

    def flush(self) -> None:
        """Flush, if there is still somebody to read."""
        try:
            if not self.is_gone and self._descriptor is None:
                self._file.flush()
        except (OSError, ValueError):
            self.is_gone = True

    def fileno(self) -> int:
        """Return the descriptor."""
        return self._file.fileno()

    def isatty(self) -> bool:
        """Tell whether it is a terminal."""
        return not self.is_gone and self._file.isatty()


def _open_again(file: IO[str]) -> int | None:
    """Open the terminal behind a file once more, for writing without blocking; None for none."""
    try:
        name = os.ttyname(file.fileno())
        flags = os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC
        return os.open(name, flags)
    except (OSError, ValueError):
        return None
