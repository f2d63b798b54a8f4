"""Advisory locks of the operating system; they die with their holder (A9).

The lock file itself carries nothing: who holds it stands in a note beside it, for display only.
Whether it is held is decided by the system, never by a pid or an age. Platform lock files are not
looked at.
"""

from __future__ import annotations

import hashlib
import json
import os
import socket
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memconsole.domain.plain import one_line
from memconsole.domain.snapshot import SchedulerStatus
from memconsole.errors import LockedError, StateError
from memconsole.stores.private_folder import make_private

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from filelock import BaseFileLock

_NOTE_BYTES = 4096


class FileLocks:
    """Holds one workspace for one run (`ports.Locks`).

    Args:
        folder: `locks/` of our state folder, made at first use.
        now: The wall clock, for the note of who holds a lock since when.
    """

    def __init__(self, folder: Path, now: Callable[[], datetime] | None = None) -> None:
        self._folder = folder
        self._now = now or (lambda: datetime.now(UTC))

    @contextmanager
    def workspace(self, root: Path) -> Iterator[None]:
        """Hold the workspace; other names of the same folder are the same lock.

        Raises:
            LockedError: Another run holds it, also one of this process.
            StateError: The folder of the locks cannot be written.
        """
        name = hashlib.sha256(os.fsencode(os.path.realpath(root))).hexdigest()[:32]
        path = self._folder / f"workspace-{name}.lock"
        lock = self._acquire(path, f"the workspace {one_line(str(root))}")
        try:
            self._sign(path)
            yield
        finally:
            with suppress(OSError):
                _note_of(path).unlink()
            lock.release()

    def _acquire(self, path: Path, what: str) -> BaseFileLock:
        from filelock import FileLock, Timeout  # noqa: PLC0415 - reading commands need none

        try:
            make_private(self._folder)
            lock = FileLock(path, mode=0o600, blocking=False, fallback_to_soft=False)
            lock.acquire()
        except Timeout:
            raise LockedError(what, _owner_of(path)) from None
        except (OSError, NotImplementedError) as error:
            raise StateError(
                f"the lock {one_line(str(path))} cannot be taken: {one_line(str(error))}",
                hint="Check the state folder (state.dir): memconsole must be able to write there.",
            ) from error
        return lock

    def _sign(self, path: Path) -> None:
        """Say who we are, for the one who finds the lock taken; a note is never worth a failure."""
        note = {"pid": os.getpid(), "host": socket.gethostname(), "since": self._now().isoformat()}
        with suppress(OSError):
            descriptor = os.open(_note_of(path), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(json.dumps(note))


class SchedulerLock:
    """Tells who runs the jobs (`ports.SchedulerControl`); looking creates nothing (A24).

    Args:
        folder: `locks/` of our state folder; may not exist.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / "scheduler.lock"

    def status(self) -> SchedulerStatus:
        """Return the holder of the scheduler's lock, `stopped` when it is free or missing."""
        if not self._is_held():
            return SchedulerStatus()
        note = _read_note(self._path)
        since = note.get("since")
        pid, host = note.get("pid"), note.get("host")
        return SchedulerStatus(
            state="running",
            pid=pid if isinstance(pid, int) else None,
            host=one_line(host) if isinstance(host, str) else None,
            since=_instant(since) if isinstance(since, str) else None,
        )

    def _is_held(self) -> bool:
        import fcntl  # noqa: PLC0415 - POSIX only, as the whole product

        try:
            descriptor = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            # A shared lock held for a moment: it tells, and it leaves nothing behind.
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
        finally:
            os.close(descriptor)
        return False


def _note_of(path: Path) -> Path:
    return path.with_suffix(".owner")


def _read_note(path: Path) -> dict[str, object]:
    try:
        with _note_of(path).open("rb") as file:
            found = json.loads(file.read(_NOTE_BYTES))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _owner_of(path: Path) -> str:
    note = _read_note(path)
    pid, host, since = note.get("pid"), note.get("host"), note.get("since")
    if not isinstance(pid, int):
        return "another run"
    words = f"pid {pid}"
    if isinstance(host, str) and host != socket.gethostname():
        words += f" on {one_line(host)}"
    return f"{words} since {one_line(since)}" if isinstance(since, str) else words


def _instant(text: str) -> datetime | None:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return at if at.tzinfo is not None else None
