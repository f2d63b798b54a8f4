"""Whether a run is going on in a transcript, by the platform's lock file beside it.

Releases before 2026.7 say it nowhere else: neither in their store nor over the wire. The file is
read and never touched, and nobody waits for it.
"""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from memconsole.system.regular_file import open_regular

SUFFIX = ".jsonl.lock"

LONGEST_RUN = timedelta(minutes=30)
"""After this the platform itself takes a lock for one that was left behind."""

_MOST_BYTES = 4096
_START_FIELD = 19
"""Of `/proc/<pid>/stat`, counted behind the name: ticks between the boot and the start."""


class _Lock(msgspec.Struct, rename="camel"):
    """What the platform writes; `starttime` since 2026.3, on Linux."""

    pid: int
    created_at: datetime
    starttime: int | None = None


_DECODER = msgspec.json.Decoder(_Lock)


def is_held(lock: Path, now: datetime | None = None) -> bool:
    """Tell whether a lock belongs to a run that is going on.

    Its process has to live here, as the one that wrote it. What cannot be read belongs to nobody:
    so the platform takes it too.

    Args:
        lock: `<transcript>.lock`.
        now: Wall clock of the host, which also wrote the lock; not that of a test.
    """
    try:
        with open_regular(lock) as file:
            found = _DECODER.decode(file.read(_MOST_BYTES))
    except (OSError, msgspec.DecodeError, msgspec.ValidationError):
        return False
    if found.created_at.tzinfo is None or not 0 < found.pid < 1 << 31:
        return False
    age = (now or datetime.now(UTC)) - found.created_at
    return age < LONGEST_RUN and _lives(found.pid, found.starttime)


def _lives(pid: int, started: int | None) -> bool:
    try:
        os.kill(pid, 0)  # signal 0 reaches nobody: it only asks whether there is somebody
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # somebody else's: it lives
    if started is None:
        return True
    with suppress(OSError, ValueError, IndexError):
        fields = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        return int(fields[_START_FIELD]) == started
    return True
