"""Locks between our own processes: the system's, so that they die with their holder.

A lock file lives in `locks/` of the state folder and stays; only the system's lock on it counts.
Its holder writes who it is into it, for people to read. The scheduler's lock has a pulse beside it,
by which others see that it lives. Platform lock files are never touched.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import time
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memconsole.domain.jobs.layers import Layer, LayerStatus, layer_of
from memconsole.domain.snapshot.snapshot import SchedulerStatus
from memconsole.errors import LockedError, SchedulerOwnedError, StateError
from memconsole.lazy_dataclass import dataclass
from memconsole.system.folders import adopt, require_state_folder
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path
    from typing import Protocol

    from memconsole.domain.health import HeldLock
    from memconsole.domain.jobs.runs import JobRecord

    class JobRecords(Protocol):
        """What is remembered about jobs."""

        def records(self) -> Mapping[str, JobRecord]:
            """Return all records by job id."""


SCHEDULER = "scheduler.lock"

_OF_RUNS = ("workspace-", "session-", "index-")
"""What names of locks begin with that a run holds for a short time."""

_OWNER_BYTES = 4096


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Owner:
    """Who holds a lock, as far as its file says; every part may be missing.

    Attributes:
        pid: Process id on `host`.
        host: Name of the machine.
        since: When the lock was taken, aware.
    """

    pid: int | None = None
    host: str | None = None
    since: datetime | None = None

    def __str__(self) -> str:
        if self.pid is None:
            return "another run"
        where = f" on {self.host}" if self.host and self.host != os.uname().nodename else ""
        when = f" since {self.since:%Y-%m-%d %H:%M:%S%z}" if self.since else ""
        return f"process {self.pid}{where}{when}"


class FileLocks:
    """Answers `ports.Locks` with one file a workspace.

    Args:
        folder: `locks/` of our state folder; made when a lock is taken.
        now: The wall time, for the owner's note.
    """

    def __init__(self, folder: Path, now: Callable[[], datetime] = _now) -> None:
        self._folder = folder
        self._now = now

    @contextmanager
    def workspace(self, root: Path, patience: float = 0) -> Iterator[None]:
        """Hold a workspace, known by its real path; a second holder is refused.

        Args:
            root: The workspace.
            patience: Seconds that a second holder waits before.

        Raises:
            LockedError: Another run holds it, in this process or another.
            StateError: The state folder cannot be written.
        """
        real = root.resolve()
        name = hashlib.sha256(os.fsencode(real)).hexdigest()[:32]
        path = self._folder / f"workspace-{name}.lock"
        with hold(path, f"the workspace {real}", self._now, patience=patience):
            yield

    @contextmanager
    def session(self, home: str, key: str) -> Iterator[None]:
        """Hold one session of one home; a second holder is refused at once.

        Raises:
            LockedError: Another run holds it, in this process or another.
            StateError: The state folder cannot be written.
        """
        name = hashlib.sha256(os.fsencode(f"{home}\0{key}")).hexdigest()[:32]
        with hold(self._folder / f"session-{name}.lock", f"the session {key!r}", self._now):
            yield


class HeldLocks:
    """Answers the port `LockList`; makes no file and takes no lock.

    Args:
        folder: `locks/` of our state folder; may not exist.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def held(self) -> tuple[HeldLock, ...]:
        """Return the locks that are held, the scheduler's and its jobs' left out.

        Raises:
            StateError: Nobody may look.
        """
        try:
            paths = sorted(self._folder.iterdir())
        except (FileNotFoundError, NotADirectoryError):
            return ()
        except OSError as error:
            reason = (error.strerror or "no reason given").lower()
            raise StateError(f"{self._folder} cannot be listed: {reason}") from error
        ours = (path for path in paths if path.name.startswith(_OF_RUNS))
        return tuple(one for path in ours if (one := _held(path)) is not None)


def _held(path: Path) -> HeldLock | None:
    owner = _holder(path)
    if owner is None:
        return None
    from memconsole.domain.health import HeldLock  # noqa: PLC0415 - locks are seldom held

    return HeldLock(path.name, str(owner), owner.since)


def _holder(path: Path) -> Owner | None:
    """Return who holds a lock file; None when nobody does. Makes no file and takes no lock."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return _owner(descriptor) if _is_held(descriptor) else None
    finally:
        os.close(descriptor)


@contextmanager
def hold(
    path: Path, what: str, now: Callable[[], datetime] = _now, *, patience: float = 0
) -> Iterator[None]:
    """Hold one lock file for a while.

    Args:
        path: The file, in a folder of the state folder; both are made when missing.
        what: What it stands for, for the error.
        now: The wall time, for the owner's note.
        patience: Seconds to wait for whoever holds it.

    Raises:
        LockedError: Somebody holds it.
        StateError: It cannot be made or locked.
    """
    from filelock import FileLock, Timeout  # noqa: PLC0415 - reading commands need no lock

    def sign(descriptor: int) -> None:
        adopt(descriptor, path.parent.stat())
        _sign(descriptor, now())

    try:
        require_state_folder(path.parent.parent, path.parent.name)
        lock = FileLock(
            path,
            timeout=patience,
            mode=0o600,
            thread_local=False,
            fallback_to_soft=False,
            preserve_lock_file=True,
            on_acquired=sign,
        )
        lock.acquire()
    except Timeout as error:
        raise LockedError(what, str(_read_owner(path))) from error
    except (OSError, NotImplementedError) as error:
        reason = getattr(error, "strerror", None) or "no lock is possible there"
        raise StateError(
            one_line(f"{path} cannot be locked: {reason}"),
            hint="Check owner, mode and free space of the state folder; reading commands work on.",
        ) from error
    try:
        yield
    finally:
        lock.release()


def _sign(descriptor: int, at: datetime) -> None:
    note = {"pid": os.getpid(), "host": os.uname().nodename, "started_at": at.isoformat()}
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, f"{json.dumps(note)}\n".encode(), 0)


def _is_held(descriptor: int) -> bool:
    """Ask with a shared lock, given back at once, so that two who ask do not see each other."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    fcntl.flock(descriptor, fcntl.LOCK_UN)
    return False


def _read_owner(path: Path) -> Owner:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return Owner()
    try:
        return _owner(descriptor)
    finally:
        os.close(descriptor)


def _owner(descriptor: int) -> Owner:
    """Read the note of a lock file; what is not understood is unknown."""
    try:
        note = json.loads(os.pread(descriptor, _OWNER_BYTES, 0))
    except (OSError, ValueError):
        return Owner()
    if not isinstance(note, dict):
        return Owner()
    pid, host = note.get("pid"), note.get("host")
    return Owner(
        pid=pid if type(pid) is int else None,
        host=one_line(host) if isinstance(host, str) else None,
        since=_instant(note.get("started_at")),
    )


def _instant(value: object) -> datetime | None:
    if not isinstance(value, str):
        return None
    try:
        at = datetime.fromisoformat(value)
    except ValueError:
        return None
    return at if at.tzinfo is not None else None


PULSE_S = 15.0
"""How often the owner touches its lock file."""

_SILENT_S = 180.0
"""An owner that did not for so long holds the lock and does nothing: it hangs, or was stopped."""


class FileJobLocks:
    """Answers the port `JobLocks` with files below `locks/` of our state folder.

    Args:
        folder: That folder; made when a lock is taken.
        now: The wall time, for the owner's note.
    """

    def __init__(self, folder: Path, now: Callable[[], datetime] = _now) -> None:
        self._folder = folder
        self._now = now
        self._beaten_s = float("-inf")
        self._owned: tuple[Path, ...] = ()

    @contextmanager
    def scheduler(self, layer: Layer | None = None) -> Iterator[frozenset[Layer]]:
        """Own the scheduling of this state folder, or that of one layer.

        Who owns the scheduling owns each layer that nobody else runs.

        Raises:
            SchedulerOwnedError: Somebody else owns it; the message names process and start.
            StateError: The state folder cannot be written.
        """
        with ExitStack() as stack:
            if layer is None:
                self._own(stack, self._folder / SCHEDULER, "the scheduler")
                found = self._free_layers(stack)
            else:
                whole = _holder(self._folder / SCHEDULER)
                if whole is not None and not any(_layer_holders(self._folder).values()):
                    raise SchedulerOwnedError(str(whole))  # an older release, which runs them all
                self._own(stack, _layer_path(self._folder, layer), f"the layer {layer.value}")
                found = {layer}
            own = [_layer_path(self._folder, one) for one in found]
            self._owned = (*own, self._folder / SCHEDULER) if layer is None else tuple(own)
            self._beaten_s = float("-inf")
            yield frozenset(found)

    def _own(self, stack: ExitStack, path: Path, what: str) -> None:
        try:
            stack.enter_context(hold(path, what, self._now))
        except LockedError as error:
            raise SchedulerOwnedError(error.owner, what) from error

    def _free_layers(self, stack: ExitStack) -> set[Layer]:
        """Own the layers that nobody runs.

        Raises:
            SchedulerOwnedError: There is none.
        """
        found: set[Layer] = set()
        refused: SchedulerOwnedError | None = None
        for one in Layer:
            try:
                self._own(stack, _layer_path(self._folder, one), f"the layer {one.value}")
            except SchedulerOwnedError as error:
                refused = error
            else:
                found.add(one)
        if refused is not None and not found:
            raise SchedulerOwnedError(refused.owner, "every layer of the scheduler")
        return found

    @contextmanager
    def job(self, job: str) -> Iterator[None]:
        """Hold one job for one run."""
        with hold(self._folder / f"job-{job}.lock", f"the job {job}", self._now):
            yield

    def beat(self) -> None:
        """Show that the owner is alive; most calls do nothing."""
        now = time.monotonic()
        if now - self._beaten_s < PULSE_S:
            return
        self._beaten_s = now
        for path in self._owned:
            with suppress(OSError):
                os.utime(path)


class SchedulerWatch:
    """Answers `ports.SchedulerControl`: who owns the scheduler, whether it lives, what is next.

    Args:
        folder: `locks/` of our state folder; may not exist.
        jobs: What is remembered about jobs; asked only while somebody owns the scheduler.
    """

    def __init__(self, folder: Path, jobs: JobRecords) -> None:
        self._folder = folder
        self._jobs = jobs

    def status(self) -> SchedulerStatus:
        """Return who runs the jobs; `stale` when none of them has a pulse."""
        whole = _holder(self._folder / SCHEDULER)
        holders = _layer_holders(self._folder)
        if whole is None and not any(holders.values()):
            return SchedulerStatus()
        if not any(holders.values()):  # an older release, which runs them all
            holders = dict.fromkeys(holders, whole)
        layers = tuple(self._layer(layer, owner) for layer, owner in holders.items())
        owners = {one for one in (whole, *holders.values()) if one is not None}
        found = min(owners, key=lambda one: (one.since is None, one.since))
        served = frozenset(one.layer for one in layers if one.state == "running")
        status = SchedulerStatus(
            "running" if served else "stale",
            pid=found.pid if len({one.pid for one in owners}) == 1 else None,
            host=found.host,
            since=found.since,
            layers=layers,
        )
        if not served:
            return status
        coming = [
            (record.next_at, record.id)
            for record in self._jobs.records().values()
            if record.next_at is not None and not record.is_paused and layer_of(record.id) in served
        ]
        next_at, next_job = min(coming, default=(None, None))
        return replace(status, next_job=next_job, next_at=next_at)

    def _layer(self, layer: Layer, owner: Owner | None) -> LayerStatus:
        if owner is None:
            return LayerStatus(layer)
        path = _layer_path(self._folder, layer)
        if not path.exists():
            path = self._folder / SCHEDULER
        state = "stale" if _is_silent(path) else "running"
        return LayerStatus(layer, state, owner.pid, owner.host, owner.since)


def _layer_path(folder: Path, layer: Layer) -> Path:
    return folder / f"scheduler-{layer.value}.lock"


def _layer_holders(folder: Path) -> dict[Layer, Owner | None]:
    return {layer: _holder(_layer_path(folder, layer)) for layer in Layer}


def _is_silent(path: Path) -> bool:
    try:
        touched_s = path.stat().st_mtime
    except OSError:
        return False
    return time.time() - touched_s > _SILENT_S
