"""Copies by OSC 52, which passes through SSH and tmux, and into a file for terminals without it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

FILE = "clipboard.txt"


def keep(text: str, folder: Path) -> Path | None:
    """Write the text into our own state folder, for the operator only; None when that fails."""
    path = folder / FILE
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(text + "\n")
    except OSError:
        return None
    return path
