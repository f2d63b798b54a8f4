"""Takes back what a run did to files of a workspace, when it ended before it could remember it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from memconsole.adapters.workspace.containment import failed, open_place, remove_empty
from memconsole.adapters.workspace.pool_text import decode
from memconsole.adapters.workspace.writer import FILE_MODE, DiskWorkspace, bytes_of
from memconsole.domain.memory.intents import IntentKind, without_appended, without_replaced
from memconsole.errors import ConcurrentEditError

if TYPE_CHECKING:
    from pathlib import Path

    from memconsole.adapters.workspace.containment import Place
    from memconsole.domain.memory.intents import Intent


def roll_back(root: Path, intent: Intent) -> bool:
    """Make a file what it was before an intent, whether that was carried out or not.

    What others wrote since stays. Folders that were made for the file go, when they are empty.

    Returns:
        Whether that was possible; when it was not, earlier steps must not be taken back either:
        what was moved would be nowhere.

    Raises:
        ConcurrentEditError: Somebody edits the file at this moment.
        WorkspaceError: It cannot be read or written.
    """
    with open_place(root, intent.path, creates=False) as place:
        if place is None:
            done = _without_folder(root, intent)
        else:
            if intent.temporary:
                place.remove(intent.temporary)
            done = _DEEDS[intent.kind](place, intent, root)
    for folder in reversed(intent.standing.folders):
        remove_empty(root, folder)
    return done


def _without_folder(root: Path, intent: Intent) -> bool:
    if intent.kind is IntentKind.REMOVE:
        return _put(root, intent, intent.before or b"", None)
    return intent.kind is IntentKind.APPEND or intent.before is None


def _unappend(place: Place, intent: Intent, root: Path) -> bool:
    status = place.status()
    if status is None:
        return True
    if _is_last(place, intent):
        if intent.offset == 0 and intent.standing.mode is None:
            return _remove(place)
        return _cut(place, intent.offset, status.st_size)
    now = bytes_of(place) or b""
    kept = without_appended(intent, now)
    return kept == now or _put(root, intent, kept, now)


def _is_last(place: Place, intent: Intent) -> bool:
    """Whether nothing stands behind an append, which may be torn, or not begun."""
    descriptor = place.open(os.O_RDONLY)
    try:
        return intent.after.startswith(os.pread(descriptor, len(intent.after) + 1, intent.offset))
    except OSError as error:
        raise failed(place.path, error) from error
    finally:
        os.close(descriptor)


def _unreplace(place: Place, intent: Intent, root: Path) -> bool:
    now = bytes_of(place)
    if intent.before is None and now in (None, intent.after):
        return now is None or _remove(place)
    if now is None:
        return False
    was = without_replaced(intent, now, lambda data: decode(data)[0])
    if isinstance(was, str):
        workspace = DiskWorkspace()
        seen = workspace.read(root, intent.path)
        workspace.edit(root, intent.path, was, seen=seen)
    elif was is not None and was != now:
        _put(root, intent, was, now)
    return was is not None


def _restore(place: Place, intent: Intent, root: Path) -> bool:
    return place.status() is not None or _put(root, intent, intent.before or b"", None)


_DEEDS = {
    IntentKind.APPEND: _unappend,
    IntentKind.REPLACE: _unreplace,
    IntentKind.REMOVE: _restore,
}


def _put(root: Path, intent: Intent, data: bytes, now: bytes | None) -> bool:
    mode = FILE_MODE if intent.standing.mode is None else intent.standing.mode
    DiskWorkspace().put(root, intent.path, data, mode=mode, now=now)
    return True


def _cut(place: Place, size: int, was: int) -> bool:
    """Cut a file that is as long as a moment ago; that needs no room on the disk."""
    if size >= was:
        return True
    descriptor = place.open(os.O_RDWR)
    try:
        if os.fstat(descriptor).st_size != was:
            raise ConcurrentEditError(str(place.path))
        os.ftruncate(descriptor, size)
        os.fsync(descriptor)
    except OSError as error:
        raise failed(place.path, error) from error
    finally:
        os.close(descriptor)
    return True


def _remove(place: Place) -> bool:
    try:
        os.unlink(place.name, dir_fd=place.folder)
    except OSError as error:
        raise failed(place.path, error) from error
    place.sync_folder()
    return True
