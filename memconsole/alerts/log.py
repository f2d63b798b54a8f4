"""The channel that is always there: `health/alerts.log`, one JSON object a line."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from memconsole.errors import DeliveryError
from memconsole.folders import open_state_folder
from memconsole.whole_file import append_to

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from memconsole.alerts.process import Stop
    from memconsole.domain.outcomes import Detail


class LogChannel:
    """Appends to a file of ours, 0600; a link in its place is refused.

    Args:
        path: The file; its folder is made when needed.
    """

    name = kind = "log"

    def __init__(self, path: Path) -> None:
        self._path = path

    def check(self) -> None:
        """See whether it can be written.

        Raises:
            DeliveryError: It cannot.
        """
        place = self._path if self._path.exists() else self._path.parent
        while not place.exists() and place != place.parent:
            place = place.parent
        if not os.access(place, os.W_OK):
            raise DeliveryError(f"{self._path} cannot be written", is_final=True)

    def send(self, message: Mapping[str, Detail], cancel: Stop | None) -> None:
        """Append one line whole.

        Raises:
            DeliveryError: It cannot be written.
        """
        del cancel
        line = json.dumps(message, ensure_ascii=False) + "\n"
        try:
            with open_state_folder(self._path.parent.parent, self._path.parent.name) as folder:
                append_to(folder, self._path.name, line.encode())
        except OSError as error:
            reason = (error.strerror or "no reason given").lower()
            raise DeliveryError(
                f"{self._path} cannot be written: {reason}",
                "Check owner, mode and free space of the state folder.",
                is_final=True,
            ) from error
