"""Replaces small files whole, and removes what killed runs left beside them.

The name of a temporary file says whose it is: whoever writes into the same folder later removes
those of runs that ended before their time, and nobody takes them for somebody else's.
"""

from __future__ import annotations

import os
import re
import stat
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_NAME = re.compile(r"\.memconsole-(\d{1,10})-[0-9a-f]{12}\.tmp")
_ABANDONED_S = 3600.0
"""Age at which a temporary file is a leftover although its number lives: numbers are reused."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC

_in_use: set[str] = set()
_guard = threading.Lock()


def write_whole(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Put a file in its place whole and durable; its folder exists.

    Raises:
        OSError: The old file is as it was.
    """
    folder = os.open(path.parent, _FOLDER)
    try:
        clean_leftovers(folder)
        with temporary_name() as name:
            descriptor = os.open(name, _NEW, mode, dir_fd=folder)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    os.fchmod(descriptor, mode)
                    file.write(data)
                    file.flush()
                    os.fsync(descriptor)
                os.replace(name, path.name, src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException:
                _remove(folder, name)
                raise
        with suppress(OSError):  # not every file system can
            os.fsync(folder)
    finally:
        os.close(folder)


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
    """Whether a file of ours has that name for the time of a run only."""
    return _NAME.fullmatch(name) is not None


def clean_leftovers(folder: int) -> None:
    """Remove temporary files of runs that ended before their time; only ours, only dead ones.

    Args:
        folder: Descriptor of an open folder.
    """
    with suppress(OSError):
        for name in os.listdir(folder):
            if (match := _NAME.fullmatch(name)) and _is_leftover(folder, name, int(match[1])):
                _remove(folder, name)


def clean_leftovers_in(folder: Path) -> None:
    """Do the same in a folder that may not exist, or that we may not touch."""
    with suppress(OSError):
        descriptor = os.open(folder, _FOLDER | os.O_NOFOLLOW)
        try:
            clean_leftovers(descriptor)
        finally:
            os.close(descriptor)


def _remove(folder: int, name: str) -> None:
    with suppress(OSError):
        os.unlink(name, dir_fd=folder)


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
