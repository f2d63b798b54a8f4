"""What came of editing memory by hand (mission §19)."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, TypeAlias

from memconsole.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memconsole.domain.agents import Notice
    from memconsole.domain.commands import Command
    from memconsole.domain.outcomes import Detail, Written


@dataclass(frozen=True, slots=True)
class Remembered:
    """Something was written down; its id is in `details`."""

    command: Command
    message: str
    wrote: tuple[Written, ...] = ()
    details: Mapping[str, Detail] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()
    duration_ms: int = 0


@dataclass(frozen=True, slots=True)
class Forgotten:
    """Entries are out of the memory."""

    command: Command
    message: str
    wrote: tuple[Written, ...] = ()
    details: Mapping[str, Detail] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()
    duration_ms: int = 0


@dataclass(frozen=True, slots=True)
class Undone:
    """The last action on memory was taken back."""

    command: Command
    message: str
    wrote: tuple[Written, ...] = ()
    details: Mapping[str, Detail] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()
    duration_ms: int = 0


MemoryEdited: TypeAlias = Remembered | Forgotten | Undone
"""What was done to memory by hand."""
