"""Logs that are rotated: whose they are, which have grown, and what became of each."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


class LogOwner(StrEnum):
    """Who writes a log, and so how it is rotated."""

    OWN = "own"
    """We do, and look for a new file: it is renamed, and nothing is lost."""

    FOREIGN = "foreign"
    """Its writer keeps it open: it is copied and then cut to nothing."""


@dataclass(frozen=True, slots=True)
class LogFile:
    """One log as it was found.

    Attributes:
        size_bytes: What it holds; a hole at its beginning does not count.
    """

    path: Path
    owner: LogOwner
    size_bytes: int


@dataclass(frozen=True, slots=True)
class LogRotation:
    """What became of one log.

    Attributes:
        status: `done`, `planned`, `skipped` or `failed`.
        reason: `locked`, or why it failed.
        moved_bytes: How much went into the newest old log.
    """

    file: LogFile
    status: str
    message: str
    reason: str | None = None
    moved_bytes: int = 0


def at_the_cut(file: LogFile) -> str:
    """Return what a rotation cannot promise of a log that others write, as the end of a sentence.

    Its writer keeps it open, so it is copied and cut; no call does both at once.
    """
    if file.owner is LogOwner.OWN:
        return ""
    return "; a line that its writer adds at the moment of the cut may be missing or torn"


def due(files: Iterable[LogFile], max_bytes: int) -> list[LogFile]:
    """Return the logs that have reached the size."""
    return [one for one in files if one.size_bytes >= max_bytes]
