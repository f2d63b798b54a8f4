"""Puts memconsole's hooks into the platform home and takes them out, where writing is allowed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.errors import ReadOnlyError

if TYPE_CHECKING:
    from memconsole.domain.commands.outcomes import Written
    from memconsole.ports.platform_files import HookFolder


class HookService:
    """The hooks of memconsole.

    Attributes:
        folder: As they are now: `folder.status()` says it.
    """

    def __init__(self, folder: HookFolder, *, is_read_only: bool) -> None:
        self.folder = folder
        self._is_read_only = is_read_only

    def install(self, prefix: str = "", *, dry_run: bool = False) -> tuple[Written, ...]:
        """Write the hooks into the platform home, or say what would be written.

        Args:
            prefix: What stands before the names of the hooks.
            dry_run: Only say it.

        Raises:
            ReadOnlyError: Nothing may be changed.
            PlatformConfigError: A folder of that name is somebody else's, or cannot be written.
        """
        if self._is_read_only and not dry_run:
            raise ReadOnlyError("hooks install")
        return self.folder.install(prefix, dry_run=dry_run)

    def remove(self, prefix: str = "", *, dry_run: bool = False) -> tuple[str, ...]:
        """Take our hooks out of the platform home; return the folders.

        Raises:
            ReadOnlyError: Nothing may be changed.
            PlatformConfigError: One cannot be removed.
        """
        if self._is_read_only and not dry_run:
            raise ReadOnlyError("hooks remove")
        return self.folder.remove(prefix, dry_run=dry_run)
