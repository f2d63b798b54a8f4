"""Copies by OSC 52, which passes through SSH and tmux, and into a file for terminals without it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.system.atomic_file import replace_file
from memconsole.system.folders import open_state_folder

if TYPE_CHECKING:
    from pathlib import Path

FILE = "clipboard.txt"


def keep(text: str, folder: Path) -> Path | None:
    """Write the text into our own state folder, for the operator only; None when that fails."""
    path = folder / FILE
    try:
        with open_state_folder(folder) as place:
            replace_file(place, FILE, f"{text}\n".encode())
    except OSError:
        return None
    return path
