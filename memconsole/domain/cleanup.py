"""Which old transcripts may go, and when: off unless the settings switch it on.

Only a JSONL file that no store knows any more, or that a reset or a deletion put away, is looked
at, and only one that was captured to its end. It is packed first, and deleted much later; both
ages count from its last line.
"""

from __future__ import annotations

from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from memconsole.domain.settings.sections import CleanupSettings


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
