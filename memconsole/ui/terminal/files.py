"""What the console leaves in our state folder: the traceback of a crash, and what was copied."""

from __future__ import annotations

import logging
import sys
import traceback
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memconsole.system.atomic_file import replace_file
from memconsole.system.folders import open_state_folder
from memconsole.ui.drawing.literal import literal, literal_block

if TYPE_CHECKING:
    from pathlib import Path

logger = logging.getLogger(__name__)

CLIPBOARD, CRASH_LOG = "clipboard.txt", "console-crash.log"


def keep(text: str, folder: Path, name: str = CLIPBOARD) -> Path | None:
    """Write a text into our own state folder, for the operator only; None when that fails."""
    try:
        with open_state_folder(folder) as place:
            replace_file(place, name, text.encode())
    except OSError:
        return None
    return folder / name


class CrashReport:
    """Notes a crash, and says so once the terminal is ours no more."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.sentence = ""

    def note_crash(self) -> None:
        """Keep the exception in hand; its text may quote a transcript, so it is cleaned, masked."""
        error = sys.exc_info()[1]
        logger.exception("the console ended by a bug")
        name = type(error).__name__ if error is not None else "an error"
        text = literal_block("".join(traceback.format_exception(error))) if error else ""
        path = keep(f"{datetime.now(UTC).isoformat()}\n{text}", self._folder, CRASH_LOG)
        where = f"; its traceback is in {literal(str(path))}" if path is not None else ""
        self.sentence = f"memconsole ended by a bug ({name}){where}"
