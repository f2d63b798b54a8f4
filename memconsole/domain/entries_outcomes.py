"""What came of editing memory by hand (mission §19)."""

from __future__ import annotations

from typing import TypeAlias

from memconsole.domain.reported import Reported
from memconsole.values import dataclass


@dataclass(frozen=True, slots=True)
class Remembered(Reported):
    """Something was written down; its id is in `details`."""


@dataclass(frozen=True, slots=True)
class Forgotten(Reported):
    """Entries are out of the memory."""


@dataclass(frozen=True, slots=True)
class Undone(Reported):
    """The last action on memory was taken back."""


MemoryEdited: TypeAlias = Remembered | Forgotten | Undone
"""What was done to memory by hand."""
