"""Makes private copies of databases that cannot be read in place.

They lie in a folder that only we may enter and that ends with the process. The lock inside says
that its owner lives: it dies with the process, however that ends, so a later start can tell a
leftover from a folder in use.
"""

from __future__ import annotations

import atexit
import os
import stat
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from memconsole.adapters.sqlite.stamp import stamp_of
from memconsole.errors import StoreError
from memconsole.lazy_dataclass import dataclass
from memconsole.system.regular_file import open_regular
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from filelock import FileLock

    from memconsole.adapters.sqlite.stamp import Stamp


LIMIT_BYTES = 1_000_000_000
"""Larger databases are not copied: only the Gateway can read them."""

_ATTEMPTS, _PAUSE_S = 5, 0.02
_WAL_HEADER_BYTES = 32


@dataclass(slots=True)
class _Copy:
    stamp: Stamp
    folder: Path
    users: int = 0


class PrivateCopies:
    """One copy for each state of a database; safe from any thread.

    Args:
        parent: Folder of ours for them; see `PrivateFolder`.
        limit_bytes: Largest database, log included, that is copied.
    """

    def __init__(self, parent: Path | None = None, *, limit_bytes: int = LIMIT_BYTES) -> None:
        self._limit_bytes = limit_bytes
        self._lock = threading.Lock()
        self._folder = PrivateFolder(parent)
        self._copies: dict[Path, _Copy] = {}

    @contextmanager
    def lease(self, main: Path) -> Iterator[Path]:
        """Give a copy of a database and its log for the block.

        Raises:
            StoreError: It is over the limit, does not hold still, or there is no room.
        """
        with self._lock:
            copy = self._current(main)
            copy.users += 1
        try:
            yield copy.folder / main.name
        finally:
            with self._lock:
                copy.users -= 1
                self._remove_if_outdated(main, copy)

    def sweep(self) -> None:
        """Remove what killed processes left behind."""
        self._folder.sweep()

    def close(self) -> None:
        """Remove all copies of this process."""
        with self._lock:
            self._copies.clear()
            self._folder.close()

    def _current(self, main: Path) -> _Copy:
        known = self._copies.get(main)
        for _ in range(_ATTEMPTS):
            before = stamp_of(main)
            if known is not None and known.stamp == before:
                return known
            self._require_small(main, before)
            folder = self._make(main, before)
            if _held_still(main, before, folder):
                break
            remove_tree(folder)
            time.sleep(_PAUSE_S)
        else:
            raise StoreError(
                one_line(f"{main} is written all the time and could not be copied"),
                hint="Try again, or read it through the Gateway.",
            )
        self._copies[main] = copy = _Copy(before, folder)
        if known is not None:
            self._remove_if_outdated(main, known)
        return copy

    def _remove_if_outdated(self, main: Path, copy: _Copy) -> None:
        if copy.users == 0 and self._copies.get(main) is not copy:
            remove_tree(copy.folder)

    def _require_small(self, main: Path, stamp: Stamp) -> None:
        if stamp.size_bytes > self._limit_bytes:
            size, limit = stamp.size_bytes / 1e9, self._limit_bytes / 1e9
            raise StoreError(
                one_line(
                    f"{main} can only be read from a private copy, and {size:.1f} GB are over "
                    f"the limit of {limit:g} GB"
                ),
                hint="Start the Gateway: it is the only way to read this store.",
            )

    def _make(self, main: Path, stamp: Stamp) -> Path:
        import shutil  # noqa: PLC0415  # slow to load, and seldom needed

        try:
            folder = _new_folder(self._folder.path())
            shutil.copyfile(main, folder / main.name)
            for suffix, part in (("-wal", stamp.wal), ("-journal", stamp.journal)):
                if part is not None:
                    with suppress(FileNotFoundError):
                        shutil.copyfile(f"{main}{suffix}", folder / f"{main.name}{suffix}")
        except OSError as error:
            raise StoreError(
                one_line(f"{main} cannot be copied to read it: {error.strerror}"),
                hint="Check the free space and the mode of the state folder.",
            ) from error
        return folder


def _held_still(main: Path, before: Stamp, folder: Path) -> bool:
    """Tell whether the copied files belong together.

    The log may have grown: complete transactions at its end are no harm. But when the database
    changed, or the log began anew, main file and log are of different moments.
    """
    after = stamp_of(main)
    if (after.main, after.journal) != (before.main, before.journal):
        return False
    if after.wal == before.wal or before.wal is None:
        return after.wal == before.wal
    try:
        with open_regular(f"{main}-wal") as now:
            header = now.read(_WAL_HEADER_BYTES)
        with (folder / f"{main.name}-wal").open("rb") as copied:
            return copied.read(_WAL_HEADER_BYTES) == header
    except OSError:
        return False


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
        made = make_private(place)
        _require_private(place)
        for _ in range(3):
            path = _new_folder(place, _PREFIX)
            owner = _owner_lock(path)
            # A sweeper that came between the two calls has the lock, and removes the folder.
            with suppress(TimeoutError):
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


def _new_folder(place: Path, prefix: str | None = None) -> Path:
    import tempfile  # noqa: PLC0415 - slow to load, and seldom needed

    return Path(tempfile.mkdtemp(prefix=prefix, dir=place))


def _owner_lock(folder: Path) -> FileLock:
    from filelock import FileLock  # noqa: PLC0415 - few processes need one

    return FileLock(folder / _OWNER, timeout=0, thread_local=False, fallback_to_soft=False)


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
    info = folder.lstat()
    if not stat.S_ISDIR(info.st_mode) or info.st_uid != os.geteuid():
        return
    if not (folder / _OWNER).exists():
        if time.time() - info.st_mtime > _UNCLAIMED_S:
            remove_tree(folder)
        return
    with suppress(TimeoutError), _owner_lock(folder):
        remove_tree(folder)
