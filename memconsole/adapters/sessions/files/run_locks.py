"""Whether a run is going on, by the platform's lock file beside a transcript.

Releases before 2026.7 say it nowhere else, neither in their store nor over the wire. The file is
read and never touched, and nobody waits for it.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from memconsole.system.regular_file import open_regular

SUFFIX = ".jsonl.lock"
"""Ends the name of such a lock: `<transcript>.lock`."""

LONGEST_RUN = timedelta(minutes=30)
"""After this the platform itself takes a lock for one that was left behind, and so do we where
nobody knows whether its process is still the one that wrote it."""

_MOST_BYTES = 4096
_START_FIELD = 19
"""Of `/proc/<pid>/stat`, counted behind the name: ticks between the boot and the start."""


_INTERPRETERS = (b"node", b"nodejs", b"bun")
_BRANDS = (b"openclaw", b"moltbot", b"clawdbot")


class _Lock(msgspec.Struct, rename="camel"):
    """What the platform writes; `starttime` since 2026.3, on Linux."""

    pid: int
    created_at: datetime
    starttime: int | None = None


_DECODER = msgspec.json.Decoder(_Lock)


def held_since(lock: Path, now: datetime | None = None) -> datetime | None:
    """Return when the run began that a lock belongs to; None where none is going on.

    Its process has to live here, as the one that wrote it. What cannot be read belongs to nobody:
    so the platform takes it too. Of a process that is known for the one that wrote it (both name
    the same start, or it is a Gateway that began before) it belongs to a run however long that
    takes: one that hangs must not look as if it had ended.

    Args:
        lock: `<transcript>.lock`.
        now: Wall clock of the host, which also wrote the lock; not that of a test.
    """
    try:
        with open_regular(lock) as file:
            found = _DECODER.decode(file.read(_MOST_BYTES))
    except (OSError, msgspec.DecodeError, msgspec.ValidationError):
        return None
    if found.created_at.tzinfo is None or not 0 < found.pid < 1 << 31:
        return None
    began = None if found.starttime is None else _start_of(found.pid)
    if began is None:
        age = (now or datetime.now(UTC)) - found.created_at
        is_held = _lives(found.pid) if age < LONGEST_RUN else _is_writer(found)
    else:
        is_held = began == found.starttime
    return found.created_at if is_held else None


def _is_writer(lock: _Lock) -> bool:
    """Whether a lock's process is known for a Gateway that ran when the lock was made."""
    began = _start_of(lock.pid)
    if began is None or lock.starttime is not None:
        return False
    try:
        words = Path(f"/proc/{lock.pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    is_node = words[0].rpartition(b"/")[2] in _INTERPRETERS
    if not is_node and not any(brand in word for brand in _BRANDS for word in words):
        return False
    booted_s = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
    began_s = booted_s + began / os.sysconf("SC_CLK_TCK")
    return began_s <= lock.created_at.timestamp()


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)  # signal 0 reaches nobody: it only asks whether there is somebody
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # somebody else's: it lives
    return True


def _start_of(pid: int) -> int | None:
    """Return when a process began, in ticks since the boot; None where nobody says."""
    with suppress(OSError, ValueError, IndexError):
        fields = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        return int(fields[_START_FIELD])
    return None
