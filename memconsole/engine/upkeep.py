"""Keeps logs and old transcripts from growing without end, where writing is allowed."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from memconsole.domain.upkeep import LogRotation, at_the_cut, due
from memconsole.engine.cleanup import CleanupRun, clean_transcripts
from memconsole.errors import MemconsoleError, ReadOnlyError
from memconsole.text.figures import size_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from memconsole.domain.commands.command import Command
    from memconsole.domain.commands.outcomes import Outcome
    from memconsole.domain.settings import Settings
    from memconsole.domain.upkeep import Cleaning
    from memconsole.engine.home.reader import Reader
    from memconsole.ports.host import LogFiles, OldTranscripts
    from memconsole.ports.platform import Clock, SessionStore, StopSignal
    from memconsole.ports.state import RecoveryLog

logger = logging.getLogger(__name__)


class UpkeepService:
    """What has to be looked after from time to time.

    Args:
        reader: For the home and its sessions.
        settings: `[log_rotation]` and `[cleanup]`.
        logs: The logs.
        transcripts: Old transcripts, as files.
        sessions: Tells when somebody spoke last.
        recovery: Knows what was captured.
        clock: The time.
        step: Runs a command as a part of the work, and writes it down nowhere.
    """

    def __init__(
        self,
        reader: Reader,
        settings: Settings,
        *,
        logs: LogFiles,
        transcripts: OldTranscripts,
        sessions: SessionStore,
        recovery: RecoveryLog,
        clock: Clock,
        step: Callable[[Command], Outcome],
    ) -> None:
        self._reader = reader
        self._settings = settings
        self._logs = logs
        self._transcripts = transcripts
        self._sessions = sessions
        self._recovery = recovery
        self._clock = clock
        self._step = step

    def rotate_logs(
        self, *, dry_run: bool = False, cancel: StopSignal | None = None
    ) -> tuple[LogRotation, ...]:
        """Rotate the logs that have grown; one that fails does not stop the others.

        A home that cannot be read keeps its own.

        Args:
            dry_run: Only say which.
            cancel: Ends it between two logs.

        Raises:
            ReadOnlyError: Nothing may be changed.
        """
        self._require_writing("logs rotate", dry_run=dry_run)
        try:
            home = self._reader.home().path
        except MemconsoleError as error:
            logger.warning("the platform's logs are left alone: %s", error)
            home = None
        rules = self._settings.log_rotation
        done: list[LogRotation] = []
        for file in due(self._logs.found(home), rules.max_bytes):
            if cancel is not None and cancel.is_set():
                break
            if dry_run:
                message = f"would move {size_words(file.size_bytes)} to .1{at_the_cut(file)}"
                done.append(LogRotation(file, "planned", message))
            else:
                done.append(self._logs.rotate(file, rules.keep))
        return tuple(done)

    def clean_transcripts(
        self, *, dry_run: bool = False, cancel: StopSignal | None = None
    ) -> tuple[Cleaning, ...]:
        """Pack old transcripts that no store knows, and delete packed ones.

        Args:
            dry_run: Only say which; so it is as long as `cleanup.enabled` is off.
            cancel: Ends it between two files.

        Raises:
            ReadOnlyError: Nothing may be changed.
            HomeNotFoundError: The platform home does not exist.
            HomeUnreadableError: It exists and cannot be listed.
        """
        is_dry = dry_run or not self._settings.cleanup.is_enabled
        self._require_writing("once transcript_cleanup", dry_run=is_dry)
        run = CleanupRun(
            self._reader,
            self._settings,
            self._sessions,
            self._recovery,
            self._transcripts,
            self._clock,
            self._step,
            is_dry,
        )
        return clean_transcripts(run, cancel)

    def _require_writing(self, action: str, *, dry_run: bool) -> None:
        if self._settings.ui.read_only and not dry_run:
            raise ReadOnlyError(action)
