"""Opens folders and files inside a workspace without ever leaving it.

Every step goes from an open folder to the next by name and follows no link, so what was checked is
what is used, whoever changes the tree meanwhile.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from memconsole.errors import WorkspaceError
from memconsole.system.folders import FOLDER_MODE, adopt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_KINDS: tuple[tuple[Callable[[int], bool], str], ...] = (
    (stat.S_ISLNK, "is a symbolic link"),
    (stat.S_ISDIR, "is a folder"),
    (stat.S_ISFIFO, "is a named pipe"),
    (stat.S_ISSOCK, "is a socket"),
    (stat.S_ISBLK, "is a device"),
    (stat.S_ISCHR, "is a device"),
)
_HINTS = {
    errno.ENOSPC: "Free some space on that disk; the next run tries again.",
    errno.EDQUOT: "The owner's disk quota is used up; the next run tries again.",
    errno.EROFS: "The file system is mounted read-only.",
    errno.EACCES: "Check owner and mode of the file and its folder.",
    errno.EPERM: "Check owner and mode of the file and its folder.",
    errno.EFBIG: "A file size limit of this process was reached.",
}


class Place:
    """One name in an open folder of a workspace.

    Attributes:
        folder: Descriptor of the folder; closed by whoever opened the place.
        name: The file's name in it.
        path: For people: the whole path.
        is_fresh: The folder did not exist before.
    """

    def __init__(self, folder: int, name: str, path: Path, *, is_fresh: bool = False) -> None:
        self.folder = folder
        self.name = name
        self.path = path
        self.is_fresh = is_fresh

    def status(self) -> os.stat_result | None:
        """Return the file's status; None when there is nothing of that name.

        Raises:
            WorkspaceError: There is something else than a file of its own.
        """
        try:
            found = os.stat(self.name, dir_fd=self.folder, follow_symlinks=False)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise failed(self.path, error) from error
        if not stat.S_ISREG(found.st_mode):
            raise refused(self.path, f"it {kind_of(found.st_mode)}")
        return found

    def open(self, flags: int) -> int:
        """Open the file itself, never a link or a pipe in its place.

        Raises:
            WorkspaceError: It cannot be opened, or is no ordinary file any more.
        """
        flags |= os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            descriptor = os.open(self.name, flags, 0o600, dir_fd=self.folder)
        except OSError as error:
            raise failed(self.path, error) from error
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise refused(self.path, "it is no ordinary file")
        return descriptor

    def remove(self, name: str | None = None) -> None:
        """Remove a file of this folder; it may be gone already."""
        with suppress(OSError):
            os.unlink(name or self.name, dir_fd=self.folder)

    def sync_folder(self) -> None:
        """Make the folder's own entry durable, where its file system can."""
        with suppress(OSError):
            os.fsync(self.folder)


@contextmanager
def open_place(root: Path, relative: str, *, creates: bool) -> Iterator[Place | None]:
    """Open the folder of a file; None when it is missing and `creates` is False.

    Args:
        root: The workspace; it may itself be reached by a link, and is never created.
        relative: The file's path inside it, with `/`.
        creates: Make missing folders inside the workspace, 0700.

    Raises:
        WorkspaceError: The path leaves the workspace, or something on it is a link or no folder.
    """
    parts = _parts(root, relative)
    descriptors = [_open_root(root)]
    is_fresh = False
    try:
        for depth, part in enumerate(parts[:-1], start=1):
            path = root.joinpath(*parts[:depth])
            following, is_new = _step(descriptors[-1], part, path, creates=creates)
            if following is None:
                yield None
                return
            descriptors.append(following)
            is_fresh = is_fresh or is_new
        yield Place(descriptors[-1], parts[-1], root / relative, is_fresh=is_fresh)
    finally:
        for descriptor in reversed(descriptors):
            os.close(descriptor)


def missing_folders(root: Path, relative: str) -> tuple[str, ...]:
    """Return the folders that have to be made for a file, outermost first.

    Raises:
        WorkspaceError: As `open_place`.
    """
    parents = [str(one) for one in PurePosixPath(relative).parents][-2::-1]
    found = []
    for folder in parents:
        with open_place(root, f"{folder}/-", creates=False) as place:
            if place is None:
                found.append(folder)
    return tuple(found)


def remove_empty(root: Path, folder: str) -> None:
    """Remove a folder of a workspace when nothing is in it.

    Raises:
        WorkspaceError: As `open_place`, or it is empty and cannot be removed.
    """
    with open_place(root, folder, creates=False) as place:
        if place is None:
            return
        try:
            os.rmdir(place.name, dir_fd=place.folder)
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
                raise failed(place.path, error) from error
        else:
            place.sync_folder()


def refused(path: Path, why: str) -> WorkspaceError:
    """Return the error of a path that we do not touch."""
    hint = "memconsole writes ordinary files inside the workspace only."
    return WorkspaceError(f"{path} was left alone: {why}", hint)


def failed(path: Path, error: OSError) -> WorkspaceError:
    """Return the error of a call that the system refused."""
    if error.errno == errno.ELOOP:
        return refused(path, "it is a symbolic link")
    reason = error.strerror or "the system refused it"
    return WorkspaceError(f"{path}: {reason.lower()}", _HINTS.get(error.errno or 0, ""))


def kind_of(mode: int) -> str:
    """Say what a thing is that is no ordinary file."""
    return next((words for test, words in _KINDS if test(mode)), "is no ordinary file")


def _parts(root: Path, relative: str) -> tuple[str, ...]:
    path = PurePosixPath(relative)
    is_outside = path.is_absolute() or ".." in path.parts or not path.parts or "\0" in relative
    if is_outside:
        raise refused(root / relative.replace("\0", "?"), "it lies outside the workspace")
    return path.parts


def _open_root(root: Path) -> int:
    try:
        return os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError as error:
        hint = "memconsole never creates a workspace; the platform does."
        raise WorkspaceError(f"the workspace {root} does not exist", hint) from error
    except OSError as error:
        raise failed(root, error) from error


def _step(folder: int, part: str, path: Path, *, creates: bool) -> tuple[int | None, bool]:
    """Go one folder down; return its descriptor and whether it was made."""
    try:
        return os.open(part, _FOLDER_FLAGS, dir_fd=folder), False
    except FileNotFoundError:
        if not creates:
            return None, False
    except OSError as error:
        raise _no_folder(folder, part, path, error) from error
    try:
        with suppress(FileExistsError):
            os.mkdir(part, FOLDER_MODE, dir_fd=folder)
        made = os.open(part, _FOLDER_FLAGS, dir_fd=folder)
    except OSError as error:
        raise _no_folder(folder, part, path, error) from error
    os.fchmod(made, FOLDER_MODE)
    adopt(made, os.fstat(folder))
    with suppress(OSError):
        os.fsync(folder)
    return made, True


def _no_folder(folder: int, part: str, path: Path, error: OSError) -> WorkspaceError:
    """Name what stands where a folder should be."""
    try:
        mode = os.stat(part, dir_fd=folder, follow_symlinks=False).st_mode
    except OSError:
        return failed(path, error)
    if stat.S_ISDIR(mode):
        return failed(path, error)
    what = kind_of(mode) if not stat.S_ISREG(mode) else "is a file"
    return refused(path, f"it {what}, and a folder is needed there")
