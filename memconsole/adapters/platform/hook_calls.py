"""When the platform last called each of our hooks: the proof that it runs them.

A file a hook in our own state folder, empty; its time is the call's. Only a call that the handler
of a hook made counts (`MEMCONSOLE_HOOK` names it).
"""

from __future__ import annotations

import hashlib
import os
import re
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memconsole.system.atomic_file import FILE_MODE
from memconsole.system.folders import adopt, open_state_folder

if TYPE_CHECKING:
    from pathlib import Path

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC


class HookCalls:
    """Remembers calls of the hooks of one platform home.

    Args:
        state_dir: Our own state folder.
        home: The platform's.
    """

    def __init__(self, state_dir: Path, home: Path) -> None:
        self._folder = state_dir / "hooks"
        self._home = hashlib.sha256(os.fsencode(home)).hexdigest()[:12]

    def note(self, name: str, at: datetime) -> None:
        """Remember a call; what cannot be written is no reason to fail the call."""
        if _NAME.fullmatch(name) is None:
            return
        with (
            suppress(OSError),
            open_state_folder(self._folder.parent, self._folder.name) as folder,
        ):
            descriptor = os.open(self._path(name).name, _FLAGS, FILE_MODE, dir_fd=folder)
            try:
                adopt(descriptor, os.fstat(folder))
                os.utime(descriptor, (at.timestamp(), at.timestamp()))
            finally:
                os.close(descriptor)

    def last(self, name: str) -> datetime | None:
        """Return when a hook was called last; None when no call of it was seen."""
        try:
            return datetime.fromtimestamp(self._path(name).lstat().st_mtime, UTC)
        except (OSError, ValueError, OverflowError):
            return None

    def _path(self, name: str) -> Path:
        return self._folder / f"{self._home}-{name}"
