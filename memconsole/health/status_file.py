"""`health/last_status.json` in the state folder: the last look, for other programs (§10)."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from memconsole.errors import StateError

if TYPE_CHECKING:
    from pathlib import Path

_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class JsonStatusFile:
    """Answers `alert_ports.StatusFile`.

    Args:
        path: The file; its folder is made when needed.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def write(self, text: str) -> None:
        """Replace it whole, 0600; a reader sees the old one or the new one.

        Raises:
            StateError: It cannot be written; the old one is whole.
        """
        temporary = self._path.with_name(f".{self._path.name}.{os.getpid()}.tmp")
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            temporary.unlink(missing_ok=True)
            descriptor = os.open(temporary, _FLAGS, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(descriptor)
            temporary.replace(self._path)
        except OSError as error:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
            raise StateError(
                f"{self._path} cannot be written: {(error.strerror or 'no reason').lower()}",
                hint="Check owner, mode and free space of the state folder.",
            ) from error
