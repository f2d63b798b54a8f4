"""What grows beside the memory: logs that are rotated, and old transcripts that may go.

Transcripts go only where the settings switch it on. Only a JSONL file that no store knows any more,
or that a reset or a deletion put away, is looked at, and only one that was captured to its end. It
is packed first, and deleted much later; both ages count from its last line.
"""

from __future__ import annotations

from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from pathlib import Path

    from memconsole.domain.settings.sections import CleanupSettings


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


class Step(StrEnum):
    """What is done about one file."""

    COMPRESS = "pack"
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class OldFile:
    """One file of a sessions folder that no store knows.

    Attributes:
        session_id: By its name.
        modified_at: Of its last line; a packed one keeps it.
        is_packed: It is `<name>.jsonl.gz`, as we leave it.
    """

    path: Path
    session_id: str
    size_bytes: int
    modified_at: datetime
    is_packed: bool = False


@dataclass(frozen=True, slots=True)
class Cleaning:
    """What became of one file, or of an agent whose files were left alone.

    Attributes:
        status: `done`, `planned`, `skipped` or `failed`.
        freed_bytes: How much less there is now.
    """

    agent: str
    path: Path | None
    step: Step | None
    status: str
    message: str
    freed_bytes: int = 0


def step_due(file: OldFile, now: datetime, rules: CleanupSettings) -> Step | None:
    """Return what is due for a file; nothing for one that is young, or from the future."""
    age = now - file.modified_at
    if file.is_packed:
        return Step.DELETE if age >= timedelta(days=rules.delete_days) else None
    return Step.COMPRESS if age >= timedelta(days=rules.compress_days) else None
