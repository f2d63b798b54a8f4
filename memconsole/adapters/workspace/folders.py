"""Looks into folders of a workspace, and removes what is ours."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from memconsole.adapters.workspace.containment import failed, open_place, remove_empty
from memconsole.adapters.workspace.writer import bytes_of, path_state
from memconsole.domain.memory.edits import PathState
from memconsole.domain.memory.intents import Intent, IntentKind

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from memconsole.adapters.workspace.containment import Place
    from memconsole.adapters.workspace.writer import Intentions


class DiskFolders:
    """Answers the port `WorkspaceFolders`; follows no link, leaves no workspace.

    Args:
        journal: Is told before a file goes; without one nothing is put back after a kill.
    """

    def __init__(self, journal: Intentions | None = None) -> None:
        self._journal = journal

    def names(self, root: Path, folder: str) -> tuple[str, ...]:
        """Return the names of the ordinary files in a folder, sorted; none when it is missing."""
        with open_place(root, f"{folder}/-", creates=False) as place:
            if place is None:
                return ()
            try:
                with os.scandir(place.folder) as entries:
                    found = [one.name for one in entries if one.is_file(follow_symlinks=False)]
            except OSError as error:
                raise failed(root / folder, error) from error
        return tuple(sorted(found))

    def path_state(self, root: Path, relative: str) -> PathState:
        """Return what stands at a path, and what has to be made to write there."""
        return path_state(root, relative)

    def remove(
        self, root: Path, relative: str, *, folders: Sequence[str] = (), is_final: bool = False
    ) -> None:
        """Remove an ordinary file, which may be gone already, and folders that are empty then.

        Raises:
            WorkspaceError: It lies outside the workspace, or something else has that name.
        """
        with open_place(root, relative, creates=False) as place:
            if place is None or (status := place.status()) is None:
                return
            if self._journal is not None and not is_final:
                self._journal.intend(_removing(relative, place, status.st_mode & 0o7777))
            try:
                os.unlink(place.name, dir_fd=place.folder)
            except FileNotFoundError:
                return
            except OSError as error:
                raise failed(place.path, error) from error
            place.sync_folder()
        for folder in reversed(folders):
            remove_empty(root, folder)


def _removing(relative: str, place: Place, mode: int) -> Intent:
    return Intent(relative, IntentKind.REMOVE, bytes_of(place), standing=PathState(mode))
