"""Private copies of databases that cannot be read in place (A4)."""

from __future__ import annotations

import os
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from memconsole.domain.plain import one_line
from memconsole.errors import StoreError
from memconsole.sqlite import stamp_of
from memconsole.stores.private_folder import PrivateFolder, remove_tree
from memconsole.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memconsole.sqlite import Stamp

LIMIT_BYTES = 1_000_000_000
"""Larger databases are not copied (A4): only the Gateway can read them."""

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

    @contextmanager
    def spool(self, data: bytes, suffix: str) -> Iterator[Path]:
        """Give a private file that holds `data` for the block.

        Raises:
            StoreError: There is no room for it.
        """
        import tempfile  # noqa: PLC0415  # slow to load, and seldom needed

        try:
            with self._lock:
                folder = self._folder.path()
            descriptor, name = tempfile.mkstemp(suffix=suffix, dir=folder)
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
        except OSError as error:
            raise StoreError(f"no private copy can be made: {error.strerror}") from error
        try:
            yield Path(name)
        finally:
            Path(name).unlink(missing_ok=True)

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
        import tempfile  # noqa: PLC0415  # likewise

        try:
            folder = Path(tempfile.mkdtemp(dir=self._folder.path()))
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
        with open(f"{main}-wal", "rb") as now:  # noqa: PTH123 - the suffix is no path part
            header = now.read(_WAL_HEADER_BYTES)
        with (folder / f"{main.name}-wal").open("rb") as copied:
            return copied.read(_WAL_HEADER_BYTES) == header
    except OSError:
        return False
