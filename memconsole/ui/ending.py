"""What is left of a crash: one sentence on the terminal, the traceback in a file of ours."""

from __future__ import annotations

import logging
import os
import sys
import traceback
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memconsole.ui.literal import literal, literal_block

if TYPE_CHECKING:
    from pathlib import Path

logger = logging.getLogger(__name__)

FILE = "console-crash.log"


class Ending:
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
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
            with os.fdopen(os.open(path, flags, 0o600), "w", encoding="utf-8") as file:
                file.write(f"{datetime.now(UTC).isoformat()}\n{text}")
        except OSError:
            return None
        return path
