"""Opens and makes folders step by step, by descriptor, without following a link below their root.

What was checked is what is used, whoever changes the tree meanwhile. A root may be reached by
links, as people move homes and state folders to other disks; but when root runs us, only by links
that whoever owns the folder may have made, or root. Failures are `OSError`s whose `strerror` is a
clause for people.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FOLDER_MODE = 0o700

_FOLLOWED = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_STEP = _FOLLOWED | os.O_NOFOLLOW
_OTHERS_WRITE = 0o022


class UnsafeFolderError(PermissionError):
    """A folder that could be opened, and is not: through a link, or because of its mode."""


@contextmanager
def open_folder(root: Path, *names: str, creates: bool = False) -> Iterator[int]:
    """Open a folder for as long as the block runs; yields its descriptor.

    Args:
        root: Absolute; may be reached by links.
        names: Of the folders from there on; none of them may be a link.
        creates: Make what is missing, the root included: 0700 whatever the umask, and owned like
            the folder it is made in when root makes it.

    Raises:
        OSError: It is missing, cannot be opened or made, or a step is a link.
    """
    if creates:
        make_folder(root)
    descriptors = [_open_root(root)]
    try:
        for depth, name in enumerate(names, start=1):
            path = root.joinpath(*names[:depth])
            descriptors.append(_step(descriptors[-1], name, path, creates=creates))
        yield descriptors[-1]
    finally:
        for descriptor in reversed(descriptors):
            os.close(descriptor)


@contextmanager
def open_state_folder(state_dir: Path, *names: str) -> Iterator[int]:
    """Open our state folder, or one in it, for writing; it is made when it is missing.

    Raises:
        OSError: As `open_folder`, or others may write into the state folder.
    """
    with open_folder(state_dir, creates=True) as root:
        if words := _others_may_write(os.fstat(root)):
            raise _unsafe(state_dir, words)
        if not names:
            yield root
            return
        with open_folder(state_dir, *names, creates=True) as descriptor:
            yield descriptor


def require_state_folder(state_dir: Path, *names: str) -> None:
    """Make a folder of ours, for what can only be opened by its path, such as a database.

    Raises:
        OSError: As `open_state_folder`.
    """
    with open_state_folder(state_dir, *names):
        return


def state_folder_refusal(state_dir: Path) -> str:
    """Say why nothing, or not all, is written into our state folder; an empty text where it is.

    One that does not exist is made when something is written.
    """
    try:
        with open_folder(state_dir) as root:
            if words := _others_may_write(os.fstat(root)):
                return words
            with os.scandir(root) as entries:
                links = sorted(one.name for one in entries if one.is_symlink())
    except FileNotFoundError:
        return ""
    except OSError as error:
        return error.strerror or "it cannot be opened"
    return f"{links[0]} in it is a symbolic link" if links else ""


def _others_may_write(status: os.stat_result) -> str:
    if not status.st_mode & _OTHERS_WRITE:
        return ""
    return f"others may write into it (mode {stat.S_IMODE(status.st_mode):04o})"


def make_folder(path: Path) -> None:
    """Make a folder and what is missing above it: 0700 each, owned like the one it is made in.

    Raises:
        OSError: It cannot be made, or is something else.
    """
    missing = []
    place = path
    while not place.is_dir():
        missing.append(place.name)
        if place == place.parent:
            break
        place = place.parent
    if not missing:
        return
    descriptors = [os.open(place, _FOLLOWED)]
    try:
        for name in reversed(missing):
            place /= name
            descriptors.append(_step(descriptors[-1], name, place, creates=True))
    finally:
        for descriptor in reversed(descriptors):
            os.close(descriptor)


def adopt(descriptor: int, like: os.stat_result) -> None:
    """Give what root makes to the owner of what is around it, who must be able to use it."""
    if os.geteuid() == 0:
        with suppress(OSError):
            os.fchown(descriptor, like.st_uid, like.st_gid)


def sync_folder(folder: int) -> None:
    """Make names in a folder durable, where its file system can."""
    with suppress(OSError):
        os.fsync(folder)


def _open_root(root: Path) -> int:
    descriptor = os.open(root, _FOLLOWED)
    try:
        if os.geteuid() == 0:
            _require_trusted_links(root, os.fstat(descriptor).st_uid)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _require_trusted_links(path: Path, owner: int) -> None:
    """Refuse a path on which somebody sends root into a folder of somebody else."""
    for place in (path, *path.parents):
        status = place.lstat()
        if stat.S_ISLNK(status.st_mode) and status.st_uid not in (0, owner):
            raise _unsafe(path, f"{place} is a link made by another user than the folder's owner")


def _step(folder: int, name: str, path: Path, *, creates: bool) -> int:
    try:
        return os.open(name, _STEP, dir_fd=folder)
    except FileNotFoundError:
        if not creates:
            raise
    except OSError as error:
        raise _no_folder(folder, name, path, error) from error
    is_made = True
    try:
        os.mkdir(name, FOLDER_MODE, dir_fd=folder)
    except FileExistsError:
        is_made = False
    try:
        descriptor = os.open(name, _STEP, dir_fd=folder)
    except OSError as error:
        raise _no_folder(folder, name, path, error) from error
    if is_made:
        os.fchmod(descriptor, FOLDER_MODE)
        adopt(descriptor, os.fstat(folder))
        sync_folder(folder)
    return descriptor


def _no_folder(folder: int, name: str, path: Path, error: OSError) -> OSError:
    with suppress(OSError):
        if stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            return _unsafe(path, "it is a symbolic link, and a folder is needed there")
    return error


def _unsafe(path: Path, words: str) -> OSError:
    return UnsafeFolderError(errno.EPERM, words, str(path))


def is_gone(path: str) -> bool:
    """Whether nothing is at a path that our files remember; False when that cannot be told.

    Args:
        path: Absolute; one that was masked, or whose bytes are no UTF-8, is not the path it was.
    """
    if not path.startswith("/") or "[redacted:" in path or "\\x" in path:
        return False
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False
