"""Tells which commands are due without anybody asking for them: what jobs run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.engine.flush import flushes_due
from memconsole.engine.freshness import precaptures
from memconsole.engine.reflect.due import reflections_due
from memconsole.engine.snapshot.snapshot import read_sessions

if TYPE_CHECKING:
    from datetime import datetime

    from memconsole.domain.commands.flush import Flush
    from memconsole.domain.commands.reflect import Reflect
    from memconsole.domain.settings import Settings
    from memconsole.engine.freshness import Precapture
    from memconsole.engine.home.reader import Reader
    from memconsole.ports.platform import Clock, Workspace
    from memconsole.ports.state import CaptureLog, FlushLog, ReflectionLog


class DueService:
    """What is due now, from disk alone."""

    def __init__(
        self,
        reader: Reader,
        settings: Settings,
        *,
        workspace: Workspace,
        captures: CaptureLog,
        flushes: FlushLog,
        reflections: ReflectionLog,
        clock: Clock,
    ) -> None:
        self._reader = reader
        self._settings = settings
        self._workspace = workspace
        self._captures = captures
        self._flushes = flushes
        self._reflections = reflections
        self._clock = clock

    def flushes(self) -> tuple[Flush, ...]:
        """Return a flush for each session that came nearer to its compaction."""
        home, views = read_sessions(self._reader)
        return tuple(flushes_due(views, home, flushes=self._flushes, settings=self._settings))

    def reflections(self) -> tuple[Reflect, ...]:
        """Return a reflection for each agent whose observations have grown long."""
        found = reflections_due(
            self._reader.home(),
            workspace=self._workspace,
            reflections=self._reflections,
            settings=self._settings,
            now=self._clock.now(),
        )
        return tuple(found)

    def precaptures(self, at: datetime | None = None) -> tuple[Precapture, ...]:
        """Return the sessions that must be saved before the platform starts them anew.

        Args:
            at: The moment that is asked about; None is now.
        """
        home, views = read_sessions(self._reader)
        return precaptures(
            views,
            home,
            captures=self._captures,
            flushes=self._flushes,
            settings=self._settings,
            at=at or self._clock.now(),
        )
