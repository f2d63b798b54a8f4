"""Whether `TZ` names a time zone: the C library takes what it cannot read for UTC, silently."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from memconsole.system.regular_file import open_regular
from memconsole.text.compiled import compiled

if TYPE_CHECKING:
    from collections.abc import Mapping

_FOLDERS: Final = ("/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/usr/share/lib/zoneinfo")
_MAGIC: Final = b"TZif"
_UTC: Final = frozenset({"", "UTC", "UTC0", "GMT", "Z"})
"""These are UTC even where there is no zone data at all."""

_NAME = r"(?:[A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>)"
_TIME = r"\d{1,3}(?::\d{1,2}){0,2}"
_DAY = r"(?:M\d{1,2}\.[1-5]\.[0-6]|J\d{1,3}|\d{1,3})"
_CHANGE = rf",{_DAY}(?:/[+-]?{_TIME})?"
_RULE = rf"{_NAME}[+-]?{_TIME}(?:{_NAME}(?:[+-]?{_TIME})?(?:{_CHANGE}{_CHANGE})?)?"


def unknown_zone(environ: Mapping[str, str]) -> str:
    """Return the value of `TZ` when it names no zone of this host; "" when nothing is wrong.

    A name of the zone data, `:` before one, a path, and POSIX rules such as
    `CET-1CEST,M3.5.0,M10.5.0/3` are what the C library reads.
    """
    value = environ.get("TZ", "")
    name = value.removeprefix(":")
    if name in _UTC or compiled(_RULE).fullmatch(value) or _is_zone_file(name, environ):
        return ""
    return value


def _is_zone_file(name: str, environ: Mapping[str, str]) -> bool:
    folders = (folder,) if (folder := environ.get("TZDIR")) else _FOLDERS
    for folder in folders:
        try:
            with open_regular(Path(folder, name)) as file:
                if file.read(len(_MAGIC)) == _MAGIC:
                    return True
        except (OSError, ValueError):
            continue
    return False
