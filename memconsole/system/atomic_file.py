"""Puts files into open folders whole, and removes what killed runs left beside them.

At every moment a replaced file is the old one or the new one. The name of a temporary file says
whose it is: whoever writes into the same folder later removes those of runs that ended before their
time, and nobody takes them for somebody else's.

What an operator takes out of memconsole becomes a new file of theirs, for them only.
"""

from __future__ import annotations

import errno
import os
import stat
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from memconsole.system.folders import adopt, open_folder, open_state_folder, sync_folder
from memconsole.text.compiled import compiled

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


FILE_MODE = 0o600

NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC

_NAME = r"\.memconsole-(\d{1,10})-[0-9a-f]{12}\.tmp"

_ABANDONED_S = 3600.0
"""Age at which a temporary file is a leftover although its number lives: numbers are reused."""

_in_use: set[str] = set()

_guard = threading.Lock()


def replace_file(folder: int, name: str, data: bytes, *, mode: int = FILE_MODE) -> None:
    """Write a file, or put it in the place of the one that has its name.

    It belongs to whom the old one belonged, else to the owner of the folder, when root writes.
    What killed runs left in the folder goes first.

    Args:
        folder: Descriptor.
        name: Of the file; a link of that name is replaced, not followed.
        data: All of it.
        mode: Whatever the umask.

    Raises:
        OSError: It cannot be written; the old one is whole.
    """
    clean_leftovers(folder)
    like = _status(folder, name) or os.fstat(folder)
    with temporary_name() as temporary:
        descriptor = os.open(temporary, NEW, FILE_MODE, dir_fd=folder)
        try:
            try:
                write_all(descriptor, data)
                os.fchmod(descriptor, mode)
                adopt(descriptor, like)
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            remove(folder, temporary)
            raise
    sync_folder(folder)


def create_file(folder: int, name: str, data: bytes) -> None:
    """Write a file that does not exist yet, 0600, whole or not at all.

    Raises:
        FileExistsError: Something has that name.
        OSError: It cannot be written.
    """
    clean_leftovers(folder)
    with temporary_name() as temporary:
        descriptor = os.open(temporary, NEW, FILE_MODE, dir_fd=folder)
        try:
            try:
                write_all(descriptor, data)
                os.fchmod(descriptor, FILE_MODE)
                adopt(descriptor, os.fstat(folder))
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            claim(folder, temporary, name)
        finally:
            remove(folder, temporary)
    sync_folder(folder)


def claim(folder: int, temporary: str, name: str) -> None:
    """Give a written file its name, unless something has it.

    Where no file can have two names, the name is taken first and the file put in its place.
    """
    try:
        os.link(temporary, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except FileExistsError:
        raise
    except OSError:
        os.close(os.open(name, NEW, FILE_MODE, dir_fd=folder))
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)


def append_to(folder: int, name: str, data: bytes) -> None:
    """Append to a file in one write, all of it or nothing; a new one is 0600.

    Raises:
        OSError: It cannot be written, or is a link or no file.
    """
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(name, flags, FILE_MODE, dir_fd=folder)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(0, "it is no ordinary file", name)
        if status.st_size == 0:
            adopt(descriptor, os.fstat(folder))
        if os.write(descriptor, data) < len(data):
            if os.fstat(descriptor).st_size - status.st_size < len(data):  # nobody wrote behind it
                os.ftruncate(descriptor, status.st_size)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), name)
    finally:
        os.close(descriptor)


def write_all(descriptor: int, data: bytes) -> None:
    """Write all bytes, in as many calls as the system needs."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def remove(folder: int, name: str) -> None:
    """Remove a file of a folder; it may be gone already.

    Raises:
        OSError: It cannot be removed.
    """
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        return


def _status(folder: int, name: str) -> os.stat_result | None:
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    return found if stat.S_ISREG(found.st_mode) else None


@contextmanager
def temporary_name() -> Iterator[str]:
    """Lend a name for a temporary file that says whose it is."""
    name = f".memconsole-{os.getpid()}-{os.urandom(6).hex()}.tmp"
    with _guard:
        _in_use.add(name)
    try:
        yield name
    finally:
        with _guard:
            _in_use.discard(name)


def is_temporary(name: str) -> bool:
    """Whether a name is that of a temporary file of ours, whoever wrote it."""
    return compiled(_NAME).fullmatch(name) is not None


def clean_leftovers(folder: int) -> tuple[str, ...]:
    """Remove temporary files of runs that ended before their time; only ours, only dead ones.

    Args:
        folder: Descriptor of an open folder.

    Returns:
        The names of what was removed.
    """
    gone: list[str] = []
    with suppress(OSError):
        for name in os.listdir(folder):
            if (match := compiled(_NAME).fullmatch(name)) and _is_leftover(
                folder, name, int(match[1])
            ):
                os.unlink(name, dir_fd=folder)
                gone.append(name)
    return tuple(gone)


def _is_leftover(folder: int, name: str, pid: int) -> bool:
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return False
    owners = (os.geteuid(), os.fstat(folder).st_uid)
    if not stat.S_ISREG(status.st_mode) or status.st_uid not in owners:
        return False
    if pid == os.getpid():
        return name not in _in_use
    return not _is_alive(pid) or time.time() - status.st_mtime > _ABANDONED_S


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


EXPORTS = "exports"
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

    `..` behind an ordinary folder leads out of it, as everywhere: who stands in a workspace may
    write beside it. Behind a link it leads where the link's maker likes.

    Raises:
        OSError: Nothing was written; its `strerror` says why.
    """
    write = replace_file if replaces else create_file
    if path.parent == state_dir / EXPORTS:
        with open_state_folder(state_dir, EXPORTS) as folder:
            write(folder, path.name, data)
        return
    way = _straight(path.parent)
    place = way.resolve(strict=True)
    shut = [one.resolve() for one in closed]
    if any(place.is_relative_to(one) for one in shut):
        raise OSError(errno.EPERM, "that folder is the agents' own: take another one", str(path))
    # Each step of the way counts: a link in the agents' own folder leads where its maker likes.
    steps = {one.resolve() for one in _steps(way)}
    is_elsewhere = path.parent.resolve(strict=True) != place  # a folder became a link meanwhile
    if is_elsewhere or any(step.is_relative_to(one) for one in shut for step in steps):
        why = "the way there leads through a folder of the agents: name it by another way"
        raise OSError(errno.EPERM, why, str(path))
    # The path was looked at without links: none may stand in it now.
    with open_folder(Path(place.anchor), *place.parts[1:]) as folder:
        write(folder, path.name, data)


def _straight(folder: Path) -> Path:
    """Return the same way without ordinary folders that it leaves again at once by `..`."""
    way = Path(folder.anchor)
    for name in folder.parts[1:]:
        is_left = name == ".." and way.name != ".." and not way.is_symlink()
        way = way.parent if is_left else way / name
    return way


def _steps(folder: Path) -> set[Path]:
    """Return the folders that a way leads through, and those of each link on it."""
    found: set[Path] = set()
    waiting = [folder]
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting.append(one.parent)
            if one.is_symlink():
                waiting.append(one.parent / one.readlink())
    return found
