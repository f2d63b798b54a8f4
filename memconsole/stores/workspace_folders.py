"""Looks into folders of a workspace, and removes what is ours: part of the one writer (A8)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from memconsole.stores.inside import failed, open_place

if TYPE_CHECKING:
    from pathlib import Path


class DiskFolders:
    """Answers `capture_ports.WorkspaceFolders`; follows no link, leaves no workspace."""

    def names(self, root: Path, folder: str) -> tuple[str, ...]:
        """Return the names of the ordinary files in a folder, sorted; none when it is missing.

        Raises:
            WorkspaceError: It lies outside the workspace, or cannot be read.
        """
        with open_place(root, f"{folder}/-", creates=False) as place:
            if place is None:
                return ()
            try:
                with os.scandir(place.folder) as entries:
                    found = [one.name for one in entries if one.is_file(follow_symlinks=False)]
            except OSError as error:
                raise failed(root / folder, error) from error
        return tuple(sorted(found))

    def remove(self, root: Path, relative: str) -> None:
        """Remove an ordinary file; it may be gone already.

        Raises:
            WorkspaceError: It lies outside the workspace, or something else has that name.
        """
        with open_place(root, relative, creates=False) as place:
            if place is None or place.status() is None:
                return
            try:
                os.unlink(place.name, dir_fd=place.folder)
            except FileNotFoundError:
                return
            except OSError as error:
                raise failed(place.path, error) from error
            place.sync_folder()
