"""The files of a reflection: observations, backups, archive."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Final

from memconsole.domain.calendar import local_day, local_time
from memconsole.domain.memory.edits import FileEdit
from memconsole.domain.memory.edits import digest as text_digest
from memconsole.domain.memory.observations import OBSERVATIONS, render_archived
from memconsole.errors import WorkspaceError
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from memconsole.domain.commands.outcomes import Written
    from memconsole.domain.memory.files import WorkspaceText
    from memconsole.domain.reflect.working_copy import Removed
    from memconsole.engine.home.workspace import AgentMemory

BACKUPS: Final = "memory/observation-backups"
ARCHIVE: Final = "memory/archive/observations"

_NO_TEXT: Final = "\ufffd"
"""What bytes that are no text are read as; it may also stand in a text itself."""
_BACKUP_NAME: Final = re.compile(r"observations-\d{8}-\d{6}(?:-\d+)?\.md")


@dataclass(frozen=True, slots=True)
class Files:
    """One workspace, as a reflection writes into it."""

    memory: AgentMemory
    max_backups: int

    @classmethod
    def of(cls, memory: AgentMemory) -> Files:
        """Return the files of a memory.

        Raises:
            ConfigError: The settings of the reflector are wrong; nothing was written.
        """
        return cls(memory, memory.settings.reflector.max_backups)

    def read(self, relative: str = OBSERVATIONS) -> WorkspaceText | None:
        """Return a file of the workspace; None when it does not exist.

        Raises:
            WorkspaceError: It exists and cannot be read.
        """
        return self.memory.read(relative)

    def replace(self, text: str, seen: WorkspaceText | None) -> Written:
        """Put a text in the place of the observations.

        Raises:
            ConcurrentEditError: The file is not the one that was seen.
            WorkspaceError: It cannot be written; the old text is whole.
        """
        return self.memory.workspace.edit(self.memory.root, OBSERVATIONS, text, seen=seen)

    def back_up(self, seen: WorkspaceText, at: datetime) -> tuple[Written, FileEdit]:
        """Keep a copy beside the file; without it nothing is replaced.

        Returns:
            What was written, and how it is taken back.

        Raises:
            WorkspaceError: It cannot be written, or would not hold what the file holds.
        """
        if _NO_TEXT in seen.text and digest(seen.text) != seen.version[2]:
            raise WorkspaceError(
                f"{OBSERVATIONS} of {self.memory.agent.id} holds bytes that are no text, and no "
                "copy of them could be kept",
                hint="Save it as UTF-8; until then lines are only added to it.",
            )
        stem = f"observations-{local_time(at, self.memory.zone):%Y%m%d-%H%M%S}"
        taken = set(self.memory.folders.names(self.memory.root, BACKUPS))
        names = (f"{stem}.md", *(f"{stem}-{number}.md" for number in range(2, 1000)))
        name = next(one for one in names if one not in taken)
        path, root = f"{BACKUPS}/{name}", self.memory.root
        stood = self.memory.folders.path_state(root, path)
        wrote = self.memory.workspace.replace(root, path, seen.text, seen=None)
        return wrote, FileEdit(path, True, text_digest(seen.text), (), text_digest(""), stood)

    def archive(self, removed: Sequence[Removed], at: datetime) -> tuple[Written, FileEdit]:
        """Add what goes to the archive of the day, with its reasons.

        Returns:
            What was written, and how it is taken back.

        Raises:
            WorkspaceError: It cannot be written.
        """
        lines = [render_archived(one.observation, because=one.because) for one in removed]
        header = f"# Archived Observations — {local_day(at, self.memory.zone)}\n\n"
        text = "\n".join(lines) + "\n"
        edit, wrote = self.memory.append(self.archive_path(at), text, header=header)
        return wrote, edit

    def archive_path(self, at: datetime) -> str:
        """Return the archive of a day, relative to the workspace."""
        return f"{ARCHIVE}/{local_day(at, self.memory.zone)}.md"

    def prune_backups(self) -> None:
        """Remove the oldest copies; only files of our own naming."""
        names = self.memory.folders.names(self.memory.root, BACKUPS)
        ours = sorted((name for name in names if _BACKUP_NAME.fullmatch(name)), key=_age)
        for name in ours[: -self.max_backups]:
            path = f"{BACKUPS}/{name}"
            self.memory.folders.remove(self.memory.root, path, is_final=True)


def digest(text: str) -> str:
    """Return the SHA-256 of a text."""
    return hashlib.sha256(text.encode("utf-8", errors="replace")).hexdigest()


def _age(name: str) -> tuple[str, int]:
    """Order by the stamp in the name, then by the number behind it."""
    parts = name.removesuffix(".md").split("-")
    return "-".join(parts[:3]), int(parts[3]) if len(parts) > 3 else 1
