"""A sign of life on standard error while something takes long (`cli.md`, Manners).

Nothing for the first second; then a Rich bar when a person watches, else one line per ten seconds.
"""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType

    from memconsole.cli.output import Output

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
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="progress", daemon=True)

    def advance(self) -> None:
        """Count one step."""
        self._done += 1

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
        self._thread.join()

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
            while not self._stop.wait(_FRAME_S):
                bar.update(task, completed=self._done, refresh=True)
