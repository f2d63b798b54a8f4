"""Which daily notes hold nothing, and are old enough to go."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from memconsole.domain.memory.blocks import is_heading
from memconsole.domain.memory.entries import is_daily

if TYPE_CHECKING:
    from datetime import timedelta


def is_old_note(path: str, today: date, older_than: timedelta) -> bool:
    """Whether a file is a daily note of a day that lies further back; no day is never old."""
    if not is_daily(path):
        return False
    try:
        day = date.fromisoformat(path.removeprefix("memory/")[:10])
    except ValueError:
        return False
    return today - day > older_than


def is_empty_note(text: str) -> bool:
    """Whether a note holds nothing, or one heading and nothing else."""
    lines = [line for line in text.splitlines() if line.strip()]
    return not lines or (len(lines) == 1 and is_heading(lines[0]))
