"""Takes back what a run did to files of a workspace, when it ended before it could remember it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from memconsole.domain.intents import IntentKind, without_appended, without_replaced
from memconsole.stores.inside import failed, open_place, remove_empty
from memconsole.stores.pool_text import decode
from memconsole.stores.workspace import FILE_MODE, DiskWorkspace, bytes_of

if TYPE_CHECKING:
    from pathlib import Path

    from memconsole.domain.intents import Intent


def take_back(root: Path, intent: Intent) -> bool:
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
        if place is not None and intent.temporary:
            place.remove(intent.temporary)
        now = None if place is None else bytes_of(place)
    done = _DEEDS[intent.kind](root, intent, now)
    for folder in reversed(intent.standing.folders):
        remove_empty(root, folder)
    return done


def _unappend(root: Path, intent: Intent, now: bytes | None) -> bool:
    if now is None:
        return True
    kept = without_appended(intent, now)
    if not kept and intent.standing.mode is None:
        _remove(root, intent.path)
    elif now.startswith(kept):
        _cut(root, intent.path, len(kept), now)
    else:
        _put(root, intent, kept, now)
    return True


def _unreplace(root: Path, intent: Intent, now: bytes | None) -> bool:
    if now is None:
        return intent.before is None
    if intent.before is None and now == intent.after:
        _remove(root, intent.path)
        return True
    was = without_replaced(intent, now, lambda data: decode(data)[0])
    if isinstance(was, str):
        workspace = DiskWorkspace()
        seen = workspace.read(root, intent.path)
        workspace.edit(root, intent.path, was, seen=seen)
    elif was is not None and was != now:
        _put(root, intent, was, now)
    return was is not None


def _restore(root: Path, intent: Intent, now: bytes | None) -> bool:
    if now is None and intent.before is not None:
        _put(root, intent, intent.before, None)
    return True


_DEEDS = {
    IntentKind.APPEND: _unappend,
    IntentKind.REPLACE: _unreplace,
    IntentKind.REMOVE: _restore,
}


def _put(root: Path, intent: Intent, data: bytes, now: bytes | None) -> None:
    mode = FILE_MODE if intent.standing.mode is None else intent.standing.mode
    DiskWorkspace().put(root, intent.path, data, mode=mode, now=now)


def _cut(root: Path, relative: str, size: int, now: bytes) -> None:
    """Cut a file that still is what it was a moment ago; that needs no room on the disk."""
    if size == len(now):
        return
    with open_place(root, relative, creates=False) as place:
        if place is None:
            return
        descriptor = place.open(os.O_RDWR)
        try:
            if os.fstat(descriptor).st_size == len(now):
                os.ftruncate(descriptor, size)
                os.fsync(descriptor)
        except OSError as error:
            raise failed(place.path, error) from error
        finally:
            os.close(descriptor)


def _remove(root: Path, relative: str) -> None:
    with open_place(root, relative, creates=False) as place:
        if place is not None:
            place.remove()
            place.sync_folder()
