"""Standard output and error: exact bytes in every locale, quiet when a reader left.

What takes long shows that it lives, on standard error: nothing for the first second; then a Rich
bar when a person watches, else one line per ten seconds.
"""

from __future__ import annotations

import os
import sys
import threading
from typing import TYPE_CHECKING, TextIO

from memconsole.system.waits import until_ended
from memconsole.text.compiled import compiled

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

    from rich.console import Console as RichConsole

    from memconsole.cli.output.printer import PrintStyle
    from memconsole.domain.settings.sections import UiSettings


_STEERING = "[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]"
"""Characters that JSON allows raw and a terminal may obey or hide."""


class Output:
    """The two streams of one call."""

    def __init__(self) -> None:
        self._is_closed = False

    @property
    def is_terminal(self) -> bool:
        """Whether a person reads standard output."""
        return _is_terminal(sys.stdout)

    @property
    def is_watched(self) -> bool:
        """Whether a person reads standard error."""
        return _is_terminal(sys.stderr)

    @property
    def can_ask(self) -> bool:
        """Whether a person can answer a question."""
        return _is_terminal(sys.stdin) and _is_terminal(sys.stderr)

    @property
    def is_unicode(self) -> bool:
        """Whether standard output can carry every character."""
        encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
        return encoding.lower().replace("-", "").startswith("utf")

    def style(self, ui: UiSettings) -> PrintStyle:
        """Return how this call may draw: width, colour and characters."""
        from memconsole.cli.output.printer import PrintStyle  # noqa: PLC0415  # JSON needs none of it

        return PrintStyle(
            width=self._width(),
            has_color=self._has_color(ui),
            is_ascii=ui.ascii or not self.is_unicode,
        )

    def _width(self) -> int | None:
        """Return the cells of a line; None when nobody's line can be too short."""
        if os.environ.get("COLUMNS", "").isdigit() or self.is_terminal:
            import shutil  # noqa: PLC0415  # it loads three compressors

            return shutil.get_terminal_size().columns
        return None

    def _has_color(self, ui: UiSettings) -> bool:
        """What was asked for in words wins over what the surroundings say."""
        if ui.color != "auto":
            return ui.color == "always"
        is_dumb = os.environ.get("TERM", "dumb") in ("dumb", "unknown", "")
        return self.is_terminal and not is_dumb and not ui.mono

    def json(self, text: str) -> None:
        r"""Write one JSON text and a line feed as UTF-8; lone surrogates become `\udcff`."""
        plain = compiled(_STEERING).sub(lambda found: f"\\u{ord(found[0]):04x}", text)
        self._write(plain.encode("utf-8", "backslashreplace") + b"\n")

    def lines(self, lines: Iterable[str]) -> None:
        """Write lines for people in the encoding of the terminal."""
        encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
        self._write("".join(f"{line}\n" for line in lines).encode(encoding, "replace"))

    def error(self, *lines: str) -> None:
        """Write lines to standard error, if anybody listens."""
        if sys.stderr is None:
            return
        try:
            encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
            text = "".join(f"{line}\n" for line in lines)
            sys.stderr.write(text.encode(encoding, "replace").decode(encoding))
            sys.stderr.flush()
        except (OSError, ValueError):
            return

    def _write(self, data: bytes) -> None:
        """Write to standard output; a closed pipe ends the printing, not the command.

        Raises:
            OSError: The output cannot be written for another reason, such as a full disk.
        """
        if self._is_closed or sys.stdout is None:
            return
        try:
            sys.stdout.flush()
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            self._close()
        except OSError:
            self._close()
            raise

    def _close(self) -> None:
        self._is_closed = True
        silence()


def silence() -> None:
    """Point standard output nowhere, so that the interpreter's last flush is quiet too."""
    null = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(null, sys.stdout.fileno())
    except (OSError, ValueError):  # a stream without a file behind it
        return
    finally:
        os.close(null)


def _is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # the stream is closed
        return False


_PATIENCE_S = 1.0
_LINE_EVERY_S = 10.0
_FRAME_S = 0.25


class Progress:
    """Shows that a call is still at work, from its own thread."""

    def __init__(self, output: Output, label: str, *, total: int | None, is_terminal: bool) -> None:
        """Prepare; nothing is shown before the `with` block has lasted a second.

        Args:
            output: Where lines go when nobody watches.
            label: What is being done, such as `reading sessions`.
            total: Steps, when they can be counted.
            is_terminal: Standard error is watched by a person.
        """
        self._output = output
        self._label = label
        self._total = total
        self._is_terminal = is_terminal
        self._done = 0
        self._bar: RichConsole | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="progress", daemon=True)

    def advance(self) -> None:
        """Count one step."""
        self._done += 1

    def count(self, label: str, done: int, total: int) -> None:
        """Say what is being done now, and how much of it is done."""
        self._label, self._done, self._total = label, done, total

    def step(self, words: str) -> None:
        """Say above the sign of life what has been done, where a person watches.

        Args:
            words: One line, cleaned and masked.
        """
        if not self._is_terminal:
            return
        bar = self._bar
        if bar is None:
            self._output.error(words)
        else:
            bar.print(words, soft_wrap=True)

    def __enter__(self) -> Progress:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        until_ended([self._thread])

    def _watch(self) -> None:
        if self._stop.wait(_PATIENCE_S):
            return
        if self._is_terminal:
            self._draw()
        else:
            self._tell()

    def _tell(self) -> None:
        waited = _PATIENCE_S
        pause = _LINE_EVERY_S - _PATIENCE_S
        while not self._stop.wait(pause):
            waited += pause
            pause = _LINE_EVERY_S
            steps = "" if self._total is None else f" {self._done} of {self._total},"
            self._output.error(f"memconsole: still {self._label},{steps} {waited:.0f} s")

    def _draw(self) -> None:
        from rich.console import Console  # noqa: PLC0415  # heavy, and rarely needed
        from rich.progress import BarColumn, TextColumn, TimeElapsedColumn  # noqa: PLC0415
        from rich.progress import Progress as Bar  # noqa: PLC0415

        columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
        console = Console(file=sys.stderr, markup=False, highlight=False)
        with Bar(*columns, console=console, transient=True, auto_refresh=False) as bar:
            task = bar.add_task(self._label, total=self._total)
            self._bar = console
            while not self._stop.wait(_FRAME_S):
                bar.update(
                    task,
                    description=self._label,
                    completed=self._done,
                    total=self._total,
                    refresh=True,
                )
