"""Copies of the platform's configuration from before a change, in our own state folder."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING

from memconsole.domain.plain import one_line
from memconsole.errors import PlatformConfigError

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from memconsole.domain.outcomes import Written

_NAME = re.compile(r"config-\d{8}-\d{6}(?:-\d{2})?\.json")


def keep_copy(folder: Path, data: bytes, *, now: datetime, most: int) -> Written:
    """Write a copy, 0600, and remove the oldest so that `most` remain.

    Raises:
        PlatformConfigError: It cannot be written.
    """
    from memconsole.domain.outcomes import Written  # noqa: PLC0415 - looking needs none

    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = _write(folder, data, f"config-{now:%Y%m%d-%H%M%S}")
    except OSError as error:
        reason = (error.strerror or "it cannot be opened").lower()
        raise PlatformConfigError(
            f"no copy of the configuration can be kept in {one_line(str(folder))}: {reason}",
            "Nothing was changed; check the state folder of memconsole.",
        ) from error
    _forget_oldest(folder, path.name, most)
    return Written(str(path), len(data), "0600")


def _write(folder: Path, data: bytes, stem: str) -> Path:
    """Write under a name of its own: two changes may come within a second."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    for number in count(1):
        path = folder / (f"{stem}.json" if number == 1 else f"{stem}-{number:02}.json")
        try:
            descriptor = os.open(path, flags, 0o600)
        except FileExistsError:
            continue
        try:
            with os.fdopen(descriptor, "wb") as file:
                os.fchmod(descriptor, 0o600)
                file.write(data)
                file.flush()
                os.fsync(descriptor)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        return path
    raise AssertionError("counting never ends")


def _forget_oldest(folder: Path, newest: str, most: int) -> None:
    """Names sort by time; what is not named like a copy is not ours."""
    names = (path.name for path in folder.iterdir())
    found = [name for name in names if _NAME.fullmatch(name) and name != newest]
    found.sort(key=lambda name: name.removesuffix(".json"))
    for name in found[: max(0, len(found) - most + 1)]:
        with suppress(OSError):
            (folder / name).unlink()
