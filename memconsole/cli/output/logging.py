"""Our own log lines: plain on standard error, JSON in a file, never on standard output."""

from __future__ import annotations

import json
import logging
import os
import sys
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING

from memconsole.cli.output import safe
from memconsole.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from memconsole.domain.settings import Settings


class JsonFormatter(logging.Formatter):
    """One JSON object a line, masked and without control characters.

    Args:
        now: The clock of the process, which `MEMCONSOLE_NOW` moves.
    """

    def __init__(self, now: Callable[[], datetime]) -> None:
        super().__init__()
        self._now = now

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line."""
        row = {
            "at": self._now().isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": safe.line(record.getMessage()),
        }
        if record.exc_info:
            row["traceback"] = safe.block(self.formatException(record.exc_info))
        return json.dumps(row)


class PlainFormatter(logging.Formatter):
    """`memconsole: warning: …`, for people."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line, and the traceback of a bug below it."""
        text = f"memconsole: {record.levelname.lower()}: {safe.line(record.getMessage())}"
        if record.exc_info:
            text += "\n" + safe.block(self.formatException(record.exc_info))
        return text


class _PrivateFileHandler(logging.FileHandler):
    """Creates its file for the operator alone; finds it when it is rotated."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one line, into a new file when the old one was moved away."""
        stream = self.stream
        if stream is not None and self._has_moved(stream.fileno()):
            stream.close()
            self.stream = self._open()
        super().emit(record)

    def _has_moved(self, descriptor: int) -> bool:
        held = os.fstat(descriptor)
        try:
            there = Path(self.baseFilename).stat()
        except OSError:
            return True
        return (held.st_dev, held.st_ino) != (there.st_dev, there.st_ino)

    def _open(self) -> TextIOWrapper:
        """Open for appending, 0600 when the file is new."""
        raw = os.open(self.baseFilename, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        return TextIOWrapper(
            os.fdopen(raw, "ab"), encoding=self.encoding, errors=self.errors, write_through=True
        )


def start_logging(settings: Settings, now: Callable[[], datetime]) -> None:
    """Send log lines where the operator wants them.

    Args:
        settings: `[log]`.
        now: What time the lines bear.

    Raises:
        ConfigError: The log file cannot be written.
    """
    root = logging.getLogger("memconsole")
    for old in list(root.handlers):
        root.removeHandler(old)
        old.close()
    root.setLevel(settings.log.level.upper())
    if sys.stderr is not None:
        console = logging.StreamHandler(sys.stderr)
        console.setFormatter(PlainFormatter())
        root.addHandler(console)
    if settings.log.file is not None:
        root.addHandler(_file_handler(settings.log.file, now))


def _file_handler(path: Path, now: Callable[[], datetime]) -> logging.Handler:
    try:
        handler = _PrivateFileHandler(path, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise ConfigError(
            f"the log file {path} cannot be written: {error.strerror}",
            hint="Name another one with --log-file FILE.",
        ) from error
    handler.setFormatter(JsonFormatter(now))
    return handler
