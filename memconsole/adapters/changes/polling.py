"""Looks at folders again and again, where the host cannot tell about changes.

watchfiles can poll, too, but it compares whole seconds and so misses the second of two writes.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

from memconsole.adapters.changes.folders import ADDED, DELETED, MODIFIED, RawEvent, is_interesting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memconsole.adapters.changes.folders import Folders

_Seen: TypeAlias = dict[str, tuple[int, ...]]

_NAP_S: Final = 0.1
_REST: Final = 40
"""A look rests for this many times what it cost: at most 2.5 % of a core."""


class StopSignal(Protocol):
    """Something that can be asked whether to stop; `threading.Event` is one."""

    def is_set(self) -> bool:
        """Return True once the work should end."""


def poll(folders: Folders, stop: StopSignal, *, interval_s: float) -> Iterator[set[RawEvent]]:
    """Yield what changed at every look, also when it is nothing, until `stop` is set."""
    seen = _look(folders)
    cost_s = 0.0
    while rest(max(interval_s, cost_s * _REST), stop):
        start = time.thread_time()
        now = _look(folders)
        cost_s = time.thread_time() - start
        yield _differences(seen, now)
        seen = now


def rest(duration_s: float, stop: StopSignal) -> bool:
    """Wait in short naps; False as soon as `stop` is set."""
    end = time.monotonic() + duration_s
    while not stop.is_set():
        left = end - time.monotonic()
        if left <= 0:
            return True
        time.sleep(min(left, _NAP_S))
    return False


def _differences(before: _Seen, now: _Seen) -> set[RawEvent]:
    events = {(ADDED, path) for path in now.keys() - before.keys()}
    events |= {(DELETED, path) for path in before.keys() - now.keys()}
    return events | {
        (MODIFIED, path) for path in now.keys() & before.keys() if now[path] != before[path]
    }


def _look(folders: Folders) -> _Seen:
    seen: _Seen = {}
    for path in folders.files:
        _note(seen, path)
    for folder in folders.folders:
        _note(seen, folder, is_folder=True)
        try:
            with os.scandir(folder) as entries:
                inside = list(entries)
        except OSError:
            continue
        for entry in inside:
            if is_interesting(entry.name):
                _note(seen, entry.path)
            elif entry.is_dir():
                _note(seen, entry.path, is_folder=True)
    return seen


def _note(seen: _Seen, path: str, *, is_folder: bool = False) -> None:
    try:
        status = os.stat(path)  # noqa: PTH116
    except OSError:
        return
    identity = (status.st_dev, status.st_ino)
    seen[path] = identity if is_folder else (*identity, status.st_mtime_ns, status.st_size)
