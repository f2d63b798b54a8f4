"""Hears that the platform's configuration was changed, and has it checked.

Like the other watches it keeps no thread and no timer.
"""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Final

from memconsole.errors import MemconsoleError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from memconsole.domain.agents import Home
    from memconsole.domain.commands.command import Command
    from memconsole.ports.platform import Clock

logger = logging.getLogger(__name__)

QUIET_S: Final = 5.0
"""An editor saves more than once, and the platform writes its own stamp behind a change."""


class ConfigWatch:
    """Knows whether the configuration changed since its last check; safe from any thread.

    Args:
        clock: For the rest after a change.
        home: Reads home and configuration.
    """

    def __init__(self, clock: Clock, home: Callable[[], Home]) -> None:
        self._clock = clock
        self._home = home
        self._lock = threading.Lock()
        self._known: object = None
        self._folder: Path | None = None
        self._due_at: float | None = None

    def begin(self) -> None:
        """Take what is there at first: that is no change."""
        self._look()

    def note(self, paths: frozenset[Path]) -> None:
        """Take changed paths, as a `ChangeFeed` yields them; sessions change far more often."""
        folder = self._folder
        if folder is None or any(folder in (path, path.parent) for path in paths):
            self._look()

    def checked(self) -> None:
        """Take note of a check in its own turn."""
        with self._lock:
            self._due_at = None

    def due_in_s(self) -> float | None:
        """Return the seconds until a check is due: 0 for now, None when nothing waits."""
        with self._lock:
            return (
                None if self._due_at is None else max(0.0, self._due_at - self._clock.monotonic())
            )

    def take_due(self) -> tuple[Command, ...]:
        """Forget the change: the job does its usual work."""
        self.checked()
        return ()

    def _look(self) -> None:
        """Compare what is checked of the configuration, not its bytes: the platform stamps it."""
        try:
            home = self._home()
        except MemconsoleError as error:
            logger.info("the configuration is not looked at: %s", error)
            return
        config = home.config
        self._folder = home.path if config.path is None else config.path.parent
        found = (config.path, config.is_readable, config.checked)
        with self._lock:
            if self._known is not None and found != self._known:
                self._due_at = self._clock.monotonic() + QUIET_S
            self._known = found
