"""Leaves the terminal as it was found, whatever ends the console.

A terminal may stall or go away in the middle of a write; nothing hangs there for ever.
"""

from __future__ import annotations

import asyncio
import errno
import io
import os
import select
import signal
import sys
import termios
import threading
import time
from codecs import getincrementaldecoder
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver

if TYPE_CHECKING:
    from types import FrameType
    from typing import IO

    from textual.app import App


ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP)

PATIENCE_S = 2.0
"""How long a terminal that takes nothing may hold up the end."""


LAST_RESORT_S = 5.0
"""How long after that a console that is busy with itself may go on."""

_TELL_FOCUS = "\x1b[?1004h"
"""Asks for focus events. tmux tells of the loss when it is detached and not of the return, and
Textual drops the focus at the loss: the first key afterwards would go nowhere."""

_POINTER_SHAPE = "\x1b]22;"
"""Kitty's; older consoles print what they do not know."""


class ConsoleDriver(LinuxDriver):
    """Textual's driver; it also ends in good order on SIGTERM, SIGHUP and a closed terminal."""

    def __init__(
        self,
        app: App[object],
        *,
        debug: bool = False,
        mouse: bool = True,
        size: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._patient = PatientFile(sys.__stderr__ or io.StringIO())
        self._file: PatientFile = self._patient  # type: ignore[assignment]  # enough of it
        self._last_resort: threading.Timer | None = None
        self._has_begun = False
        self._wake, self._waker = os.pipe()

    def start_application_mode(self) -> None:
        """Take the terminal, and listen for what may end us."""
        loop = asyncio.get_running_loop()
        self._patient.stay()

        def ending(number: int, frame: FrameType | None) -> None:
            # Not by way of the loop: it may wait for room in the queue of a stalled terminal.
            del frame
            self._patient.end_within(PATIENCE_S)
            self._end_soon(loop, 128 + number)

        for number in ENDING_SIGNALS:
            signal.signal(number, ending)
        if not self._has_begun:  # back from the shell it still waits
            self._has_begun = True
            threading.Thread(
                target=self._wait_for_hangup, args=(loop,), name="hangup", daemon=True
            ).start()
        super().start_application_mode()  # type: ignore[no-untyped-call]  # Textual's gap

    def stop_application_mode(self) -> None:
        """Give the terminal back; one that takes nothing is not waited for without end."""
        self._patient.end_within(PATIENCE_S)
        super().stop_application_mode()

    def close(self) -> None:
        """End the writing; from here on the process ends by itself."""
        if self._last_resort is not None:
            self._last_resort.cancel()
        super().close()

    def write(self, data: str) -> None:
        """Write to the terminal; pointer shapes and focus are nothing to bother it with."""
        if data != _TELL_FOCUS and not data.startswith(_POINTER_SHAPE):
            super().write(data)

    def _get_terminal_size(self) -> tuple[int, int]:
        """Return what `App.size` takes a terminal for that tells no size, as some lines do.

        Textual's own driver takes it for one line less, and the two chase each other for ever.
        """
        return self._app.console.size

    def _end_soon(self, loop: asyncio.AbstractEventLoop, code: int) -> None:
        """End in good order, or after a while without the loop, which may never come to it."""
        if loop.is_closed():
            return
        if self._last_resort is None:
            self._last_resort = threading.Timer(PATIENCE_S + LAST_RESORT_S, self._leave, (code,))
            self._last_resort.daemon = True
            self._last_resort.start()
        loop.call_soon_threadsafe(self._end, code)

    def _end(self, code: int) -> None:
        self._app.exit(code, return_code=code)

    def _leave(self, code: int) -> None:
        """Give the terminal back and end the process; locks and transactions end with it."""
        with suppress(termios.error):
            if self.attrs_before is not None:
                termios.tcsetattr(self.fileno, termios.TCSANOW, self.attrs_before)
        self._patient.restore()
        os._exit(code)

    def _wait_for_hangup(self, loop: asyncio.AbstractEventLoop) -> None:
        """Sleep until the other side of the terminal is gone; without SIGHUP nobody tells us."""
        poll = select.poll()
        poll.register(self.fileno, select.POLLHUP)
        poll.poll()
        self._end_soon(loop, 128 + signal.SIGHUP)

    def disable_input(self) -> None:
        """Stop reading keys; the thread that does sleeps until something comes."""
        os.write(self._waker, b"\0")
        super().disable_input()
        os.read(self._wake, 1)

    def run_input_thread(self) -> None:
        """Read keys as Textual does, but sleep until one comes: its own looks ten times a second.

        What may be the beginning of a longer key is looked at again until it is known to be whole.
        """
        parser = XTermParser(self._debug)
        decode = getincrementaldecoder("utf-8")("replace").decode
        while not self.exit_event.is_set():
            pause = None if parser._timeout_time is None else _LOOK_S
            ready, _, _ = select.select([self.fileno, self._wake], [], [], pause)
            if self.fileno in ready:
                keys = os.read(self.fileno, 4096)
                if not keys:
                    raise OSError(errno.EIO, "the terminal is gone")
                text = decode(keys)
                for message in parser.feed(text) if text else ():
                    self.process_message(message)
            for message in parser.tick():
                self.process_message(message)

    def _run_input_thread(self) -> None:
        """Read keys; a terminal that is gone ends the thread, not in a traceback."""
        try:
            self.run_input_thread()
        except OSError:
            self._end_soon(self._loop, 128 + signal.SIGHUP)

    def _enable_mouse_support(self) -> None:
        """Ask for clicks, drags and the wheel, not for every movement that a slow link carries."""
        if self._mouse:
            self.write("\x1b[?1000h\x1b[?1002h\x1b[?1006h")

    def _disable_mouse_support(self) -> None:
        """Take back what was asked for."""
        if self._mouse:
            self.write("\x1b[?1006l\x1b[?1002l\x1b[?1000l")

    def _enable_mouse_pixels(self) -> None:
        """Stay with cells."""


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

    def __init__(self, file: IO[str]) -> None:
        self._file = file
        self._descriptor = _open_again(file)
        self._give_up_at: float | None = None
        self.is_gone = False

    def end_within(self, seconds: float) -> None:
        """Give up on a terminal that takes nothing for so long from now; safe in any thread."""
        if self._give_up_at is None:
            self._give_up_at = time.monotonic() + seconds

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
        if self._give_up_at is not None and time.monotonic() >= self._give_up_at:
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
