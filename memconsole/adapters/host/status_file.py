"""Files below `health/` in the state folder: what the last look of a kind found."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from memconsole.errors import StateError
from memconsole.system.atomic_file import replace_file
from memconsole.system.folders import open_folder, open_state_folder

if TYPE_CHECKING:
    from pathlib import Path

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class JsonStatusFile:
    """Answers the port `StatusFile`.

    Args:
        path: The file, in a folder of the state folder; made when needed.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> str | None:
        """Return what it holds; None when there is none, or when it cannot be read."""
        place = self._path.parent
        try:
            with open_folder(place.parent, place.name) as folder:
                file = os.open(self._path.name, _READ, dir_fd=folder)
            with os.fdopen(file, encoding="utf-8") as text:
                return text.read()
        except (OSError, UnicodeDecodeError):
            return None

    def write(self, text: str) -> None:
        """Replace it whole, 0600; a reader sees the old one or the new one.

        Raises:
            StateError: It cannot be written; the old one is whole.
        """
        place = self._path.parent
        try:
            with open_state_folder(place.parent, place.name) as folder:
                replace_file(folder, self._path.name, text.encode())
        except OSError as error:
            raise StateError(
                f"{self._path} cannot be written: {(error.strerror or 'no reason').lower()}",
                hint="Check owner, mode and free space of the state folder.",
            ) from error
