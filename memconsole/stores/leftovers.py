"""Names of temporary files, and the removal of those that a killed run left behind."""

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

    from memconsole.stores.inside import Place

_NAME = re.compile(r"\.memconsole-(\d{1,10})-[0-9a-f]{12}\.tmp")
_ABANDONED_S = 3600.0
"""Age at which a temporary file is a leftover although its number lives: numbers are reused."""

_in_use: set[str] = set()
_guard = threading.Lock()


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


def clean_leftovers(place: Place) -> None:
    """Remove temporary files of runs that ended before their time; only ours, only dead ones."""
    with suppress(OSError):
        for name in os.listdir(place.folder):  # noqa: PTH208 - by descriptor, not by path
            if (match := _NAME.fullmatch(name)) and _is_leftover(place, name, int(match[1])):
                place.remove(name)


def _is_leftover(place: Place, name: str, pid: int) -> bool:
    try:
        status = os.stat(name, dir_fd=place.folder, follow_symlinks=False)
    except OSError:
        return False
    if not stat.S_ISREG(status.st_mode) or status.st_uid not in (os.geteuid(), _owner(place)):
        return False
    if pid == os.getpid():
        return name not in _in_use
    return not _is_alive(pid) or time.time() - status.st_mtime > _ABANDONED_S


def _owner(place: Place) -> int:
    return os.fstat(place.folder).st_uid


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
