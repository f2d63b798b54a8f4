"""Writes what an operator takes out of memconsole into a file of theirs, for them only."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import TYPE_CHECKING

from memconsole.system.atomic_file import create_file, replace_file
from memconsole.system.folders import open_folder, open_state_folder

if TYPE_CHECKING:
    from collections.abc import Iterable

FOLDER = "exports"
"""In our own state folder; it is made when it is missing, and no other one is."""


def whole_path(typed: str) -> Path:
    """Return what was typed as a whole path, `~` and the current folder put in.

    Raises:
        OSError: There is no such home, or the current folder exists no more.
    """
    try:
        return Path.cwd() / Path(typed).expanduser()
    except (OSError, RuntimeError) as error:
        raise OSError(errno.ENOENT, "name the whole path", typed) from error


def write_new(
    path: Path,
    data: bytes,
    *,
    state_dir: Path,
    closed: Iterable[Path],
    replaces: bool = False,
) -> None:
    """Write a file, 0600, through no link; what has the name already stays, unless told otherwise.

    Args:
        path: Whole.
        data: All of it.
        state_dir: Our own folder.
        closed: Folders that are the agents' own; nothing is written below them.
        replaces: An ordinary file of that name goes, in one step.

    Raises:
        OSError: Nothing was written; its `strerror` says why.
    """
    write = replace_file if replaces else create_file
    if path.parent == state_dir / FOLDER:
        with open_state_folder(state_dir, FOLDER) as folder:
            write(folder, path.name, data)
        return
    place = path.parent.resolve(strict=True)
    if any(place.is_relative_to(one.resolve()) for one in closed):
        raise OSError(errno.EPERM, "that folder is the agents' own: take another one", str(path))
    # The path was looked at without links: none may stand in it now.
    with open_folder(Path(place.anchor), *place.parts[1:]) as folder:
        write(folder, path.name, data)
