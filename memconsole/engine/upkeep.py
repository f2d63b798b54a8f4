"""Keeps logs and old transcripts from growing without end, where writing is allowed."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from memconsole.engine.cleanup import clean_transcripts
from memconsole.engine.logs import rotate_logs
from memconsole.errors import MemconsoleError, ReadOnlyError

if TYPE_CHECKING:
    from memconsole.domain.cleanup import Cleaning
    from memconsole.domain.logs import LogRotation
    from memconsole.domain.settings import Settings
    from memconsole.engine.home.reader import Reader
    from memconsole.ports.bundle import Ports
    from memconsole.ports.platform import StopSignal

logger = logging.getLogger(__name__)


class UpkeepService:
    """What has to be looked after from time to time."""

    def __init__(self, ports: Ports, reader: Reader, settings: Settings) -> None:
        self._ports = ports
        self._reader = reader
        self._settings = settings

    def rotate_logs(
        self, *, dry_run: bool = False, cancel: StopSignal | None = None
    ) -> tuple[LogRotation, ...]:
        """Rotate the logs that have grown; a home that cannot be read keeps its own.

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
        logs = self._ports.health().logs
        return rotate_logs(logs, home, rules, dry_run=dry_run, cancel=cancel)

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
        return clean_transcripts(
            self._ports, self._reader, self._settings, dry_run=is_dry, cancel=cancel
        )

    def _require_writing(self, action: str, *, dry_run: bool) -> None:
        if self._settings.ui.read_only and not dry_run:
            raise ReadOnlyError(action)
