"""The last lines of our own log, kept in memory for the log screen."""

from __future__ import annotations

import logging
from collections import deque
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST = 1000


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the log.

    Attributes:
        number: Counts up from 1.
        level: A name of the logging module.
        text: Message, and the traceback when there is one.
    """

    number: int
    at: datetime
    level: str
    text: str


class LogBuffer(logging.Handler):
    """Keeps the newest records; safe from any thread, as all handlers are."""

    def __init__(self) -> None:
        super().__init__()
        self._entries: deque[Entry] = deque(maxlen=_MOST)
        self.count = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Keep one record."""
        text = record.getMessage()
        if record.exc_info:
            text = f"{text}\n{logging.Formatter().formatException(record.exc_info)}"
        self.count += 1
        at = datetime.fromtimestamp(record.created, UTC)
        self._entries.append(Entry(self.count, at, record.levelname, text))

    def __iter__(self) -> Iterator[Entry]:
        return iter(tuple(self._entries))
