"""`health/last_status.json` in the state folder: the last look, for other programs (§10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.errors import StateError
from memconsole.whole_file import write_whole

if TYPE_CHECKING:
    from pathlib import Path


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
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_whole(self._path, text.encode())
        except OSError as error:
            raise StateError(
                f"{self._path} cannot be written: {(error.strerror or 'no reason').lower()}",
                hint="Check owner, mode and free space of the state folder.",
            ) from error
