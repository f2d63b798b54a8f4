"""Copies of the platform's configuration from before a change, in our own state folder."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING

from memconsole.domain.plain import one_line
from memconsole.errors import PlatformConfigError
from memconsole.folders import open_state_folder
from memconsole.whole_file import create_file, remove

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from memconsole.domain.outcomes import Written

_NAME = re.compile(r"config-\d{8}-\d{6}(?:-\d{2})?\.json")


def keep_copy(folder: Path, data: bytes, *, now: datetime, most: int) -> Written:
    """Write a copy, 0600, into a folder of our state folder; the oldest go, so that `most` remain.

    Raises:
        PlatformConfigError: It cannot be written.
    """
    from memconsole.domain.outcomes import Written  # noqa: PLC0415 - looking needs none

    try:
        with open_state_folder(folder.parent, folder.name) as place:
            name = _write(place, data, f"config-{now:%Y%m%d-%H%M%S}")
            _forget_oldest(place, name, most)
    except OSError as error:
        reason = (error.strerror or "it cannot be opened").lower()
        raise PlatformConfigError(
            f"no copy of the configuration can be kept in {one_line(str(folder))}: {reason}",
            "Nothing was changed; check the state folder of memconsole.",
        ) from error
    return Written(str(folder / name), len(data), "0600")


def _write(folder: int, data: bytes, stem: str) -> str:
    """Write under a name of its own: two changes may come within a second."""
    for number in count(1):
        name = f"{stem}.json" if number == 1 else f"{stem}-{number:02}.json"
        try:
            create_file(folder, name, data)
        except FileExistsError:
            continue
        return name
    raise AssertionError("counting never ends")


def _forget_oldest(folder: int, newest: str, most: int) -> None:
    """Names sort by time; what is not named like a copy is not ours."""
    found = [name for name in os.listdir(folder) if _NAME.fullmatch(name) and name != newest]
    found.sort(key=lambda name: name.removesuffix(".json"))
    for name in found[: max(0, len(found) - most + 1)]:
        with suppress(OSError):
            remove(folder, name)
