"""A folder that only we may enter and that ends with the process (A4).

The lock inside says that its owner lives: it dies with the process, however that ends, so a later
start can tell a leftover from a folder in use.
"""

from __future__ import annotations

import atexit
import os
import stat
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from filelock import FileLock

_PREFIX, _OWNER = "private-", "owner.lock"
_UNCLAIMED_S = 3600.0
"""Age in seconds at which a folder without a lock counts as left behind."""


class PrivateFolder:
    """Made at first use; not safe from several threads, its user holds a lock.

    Args:
        parent: A folder of ours, made when needed; None, or one that cannot be written: the
            system's folder for temporary files.
    """

    def __init__(self, parent: Path | None = None) -> None:
        self._parent = parent
        self._path: Path | None = None
        self._owner: FileLock | None = None
        self._made: list[Path] = []

    def path(self) -> Path:
        """Return the folder; it exists.

        Raises:
            OSError: It cannot be made anywhere.
        """
        if self._path is None:
            try:
                self._path = self._claim(self._parent or _temporary())
            except OSError:
                self._path = self._claim(_temporary())
            atexit.register(self.close)
        return self._path

    def close(self) -> None:
        """Remove it with all it holds, and the empty folders that were made for it."""
        if self._path is None or self._owner is None:
            return
        remove_tree(self._path)
        self._owner.release()
        for folder in reversed(self._made):
            with suppress(OSError):
                folder.rmdir()
        self._path, self._owner, self._made = None, None, []
        atexit.unregister(self.close)

    def sweep(self) -> None:
        """Remove the folders of processes that were killed."""
        for place in (self._parent, _temporary()):
            if place is None or not place.is_dir():
                continue
            with suppress(OSError):
                for folder in place.glob(f"{_PREFIX}*"):
                    _remove_leftover(folder)

    def _claim(self, place: Path) -> Path:
        import tempfile  # noqa: PLC0415 - few processes need them

        from filelock import FileLock, Timeout  # noqa: PLC0415

        made = make_private(place)
        _require_private(place)
        for _ in range(3):
            path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))
            owner = FileLock(path / _OWNER, timeout=0, thread_local=False, fallback_to_soft=False)
            # A sweeper that came between the two calls has the lock, and removes the folder.
            with suppress(Timeout):
                owner.acquire()
                self._owner, self._made = owner, made
                return path
        raise OSError(f"{place} is swept all the time")


def make_private(folder: Path) -> list[Path]:
    """Make a folder and what is missing above it, for us alone; return what was made.

    Raises:
        OSError: It cannot be made.
    """
    made = [one for one in (folder, *folder.parents) if not one.exists()][::-1]
    for one in made:
        one.mkdir(mode=0o700, exist_ok=True)
    return made


def _temporary() -> Path:
    import tempfile  # noqa: PLC0415

    return Path(tempfile.gettempdir()) / f"memconsole-{os.geteuid()}"


def _require_private(place: Path) -> None:
    """Refuse a folder that somebody else made or may enter: it would hold conversations."""
    info = place.lstat()
    if not stat.S_ISDIR(info.st_mode) or info.st_uid != os.geteuid():
        raise PermissionError(f"{place} is not a folder of ours")
    if info.st_mode & 0o022:
        raise PermissionError(f"others may write into {place}")


def remove_tree(folder: Path) -> None:
    """Remove a folder with all it holds; what cannot be removed stays."""
    import shutil  # noqa: PLC0415  # it loads three compressors, and most searches remove nothing

    shutil.rmtree(folder, ignore_errors=True)


def _remove_leftover(folder: Path) -> None:
    from filelock import FileLock, Timeout  # noqa: PLC0415

    info = folder.lstat()
    if not stat.S_ISDIR(info.st_mode) or info.st_uid != os.geteuid():
        return
    if not (folder / _OWNER).exists():
        if time.time() - info.st_mtime > _UNCLAIMED_S:
            remove_tree(folder)
        return
    with suppress(Timeout), FileLock(folder / _OWNER, timeout=0, fallback_to_soft=False):
        remove_tree(folder)
