"""`health/last_status.json` in the state folder: the last look, for other programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.errors import StateError
from memconsole.system.atomic_file import replace_file
from memconsole.system.folders import open_state_folder

if TYPE_CHECKING:
    from pathlib import Path


class JsonStatusFile:
    """Answers the port `StatusFile`.

    Args:
        path: The file, in a folder of the state folder; made when needed.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

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
