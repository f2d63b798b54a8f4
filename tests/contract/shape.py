"""What of an answer stays the same on another day and another machine."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

Json = Any
"""What a test reads out of JSON."""

MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?( UTC|Z|[+-]\d\d:\d\d)?")
IDENTITY = re.compile(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[0-9a-f]{40,64}\b")
CLOCK = re.compile(r"(?<=by the platform )\d\d:\d\d")
STAMP = re.compile(r"\d{8}-\d{6}")
SIZE = re.compile(r"\b\d+(\.\d+)? [KMG]?B\b")
PORT = re.compile(r"127\.0\.0\.1:\d+")

VARYING = frozenset(
    {"duration_ms", "last_duration_ms", "pid", "bytes", "bytes_before", "bytes_after"}
)
"""Fields whose number depends on the machine, or on a version of what we build upon."""

HOST = frozenset(
    {"health", "once", "alerts list", "service status", "service install", "service remove"}
)
"""Commands that tell what they find on this host: only their fields are compared."""

_WORDS = (
    (MOMENT, "<time>"),
    (CLOCK, "<time>"),
    (STAMP, "<time>"),
    (IDENTITY, "<id>"),
    (PORT, "127.0.0.1:<port>"),
    (SIZE, "<size>"),
)
_LONGEST = 160


class Shape:
    """Turns an answer into its golden form.

    Args:
        places: Word by path of this run, such as `<home>`.
    """

    def __init__(self, places: Mapping[str, str]) -> None:
        self._places = dict(sorted(places.items(), key=lambda one: -len(one[0])))

    def of(self, value: Json, name: str = "") -> Json:
        """Return an answer with its varying values replaced and its lists shortened."""
        match value:
            case dict():
                return {self._text(key): self.of(one, key) for key, one in value.items()}
            case list():
                rows = [self.of(one, name) for one in value]
                return rows if name == "checks" else examples(rows)
            case str():
                return self._text(value)
            case float():
                return "<float>"
            case int() if name in VARYING and not isinstance(value, bool):
                return "<int>"
            case _:
                return value

    def _text(self, text: str) -> str:
        for path, word in self._places.items():
            text = text.replace(path, word)
        for pattern, word in _WORDS:
            text = pattern.sub(word, text)
        return text if len(text) <= _LONGEST else text[:_LONGEST].rstrip() + " …"


def comparable(answer: Json) -> Json:
    """Return what of a golden answer must be the same on every host."""
    command = answer.get("command")
    if command not in HOST:
        return answer
    return _fields(answer, {"schema", "command", "kind", *(["id"] if command == "health" else [])})


def _fields(value: Json, kept: set[str], name: str = "") -> Json:
    """Return the fields without what stands in them, but for those that are kept."""
    match value:
        case dict():
            return {key: _fields(one, kept, key) for key, one in value.items()}
        case list() if name in ("details", "commands", "warnings"):
            return []
        case list():
            rows = [_fields(one, kept, name) for one in value]
            return [one for at, one in enumerate(rows) if one not in rows[:at]]
        case _:
            return value if name in kept else None


def examples(rows: list[Json]) -> list[Json]:
    """Return the rows that show something which none before them shows."""
    seen: set[tuple[str, ...]] = set()
    found = []
    for row in rows:
        new = set(traits(row)) - seen
        if new:
            seen |= new
            found.append(row)
    return found


def traits(value: Json, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """Return every place of a value with the type that stands there."""
    if isinstance(value, dict):
        return [
            (*path, "{}"),
            *(one for key, inner in value.items() for one in traits(inner, (*path, key))),
        ]
    if isinstance(value, list):
        return [(*path, "[]"), *(one for inner in value for one in traits(inner, (*path, "[]")))]
    kind = value if value in ("<int>", "<float>", "<time>") else type(value).__name__
    return [(*path, kind)]
