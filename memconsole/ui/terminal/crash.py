"""What is left of a crash: one sentence on the terminal, the traceback in a file of ours."""

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

FILE = "console-crash.log"


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
        path = self._keep(text)
        where = f"; its traceback is in {literal(str(path))}" if path is not None else ""
        self.sentence = f"memconsole ended by a bug ({name}){where}"

    def _keep(self, text: str) -> Path | None:
        path = self._folder / FILE
        try:
            with open_state_folder(self._folder) as folder:
                replace_file(folder, FILE, f"{datetime.now(UTC).isoformat()}\n{text}".encode())
        except OSError:
            return None
        return path
