"""Rotates logs that have grown, where writing is allowed."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from memconsole.domain.logs import LogRotation, at_the_cut, due
from memconsole.errors import MemconsoleError, ReadOnlyError
from memconsole.lazy_dataclass import dataclass
from memconsole.text.figures import size_words

if TYPE_CHECKING:
    from memconsole.domain.settings import Settings
    from memconsole.engine.home.reader import Reader
    from memconsole.ports.host import LogFiles
    from memconsole.ports.platform import StopSignal

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class LogService:
    """Logs of ours and of the platform.

    Attributes:
        reader: For the home.
        settings: `[log_rotation]`.
        logs: The logs.
    """

    reader: Reader
    settings: Settings
    logs: LogFiles

    def rotate(
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
        if self.settings.ui.read_only and not dry_run:
            raise ReadOnlyError("logs rotate")
        try:
            home = self.reader.home().path
        except MemconsoleError as error:
            logger.warning("the platform's logs are left alone: %s", error)
            home = None
        rules = self.settings.log_rotation
        done: list[LogRotation] = []
        for file in due(self.logs.found(home), rules.max_bytes):
            if cancel is not None and cancel.is_set():
                break
            if dry_run:
                message = f"would move {size_words(file.size_bytes)} to .1{at_the_cut(file)}"
                done.append(LogRotation(file, "planned", message))
            else:
                done.append(self.logs.rotate(file, rules.keep))
        return tuple(done)
