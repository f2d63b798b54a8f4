"""Reads one JSON5 file that a person or the platform wrote; never a part of it in an error.

A value of the wrong type counts as not given.
"""

from __future__ import annotations

import json
import os
import stat
from typing import TYPE_CHECKING

from memconsole.text.compiled import compiled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


MAX_BYTES = 32 * 1024 * 1024
"""A larger file is no configuration."""

_GROWTH_BYTES = 4096
_MAX_DEPTH = 100
_NEAR = r"near (\d+)"


class ConfigSyntaxError(ValueError):
    """Text that is no JSON5; `line` is 1-based, None when it cannot be told."""

    def __init__(self, line: int | None) -> None:
        super().__init__("not JSON5" if line is None else f"not JSON5 at line {line}")
        self.line = line


def decode_json5(data: bytes) -> object:
    """Decode JSON5; plain JSON takes the fast way.

    Raises:
        ConfigSyntaxError: It is neither; carries no part of the text, which may hold secrets.
    """
    source = data.decode(json.detect_encoding(data), "replace")
    try:
        return json.loads(source)
    except (ValueError, RecursionError):
        pass
    import pyjson5  # noqa: PLC0415 - most files are plain JSON, and this costs 30 ms

    try:
        return pyjson5.decode(source, _MAX_DEPTH)
    except pyjson5.Json5DecoderException as error:
        near = compiled(_NEAR).search(str(error.args[0]))
        line = None if near is None else source.count("\n", 0, int(near[1])) + 1
        raise ConfigSyntaxError(line) from None


def read_bytes(path: Path) -> bytes:
    """Read a regular file; a pipe in its place must not stop us.

    Raises:
        OSError: It cannot be read, or is not a file of sensible size.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        info = os.fstat(descriptor)
        if not stat.S_ISREG(info.st_mode):
            raise OSError(0, "it is not a regular file")
        if info.st_size > MAX_BYTES:
            raise OSError(0, "it is too large for a configuration")
        return file.read(info.st_size + _GROWTH_BYTES)  # all of the limit would be allocated


_LARGEST = 1 << 53
"""Above this a JSON number is no exact count any more."""


def mapping(value: object) -> Mapping[str, object]:
    """Return an object; anything else is an empty one."""
    return value if isinstance(value, dict) else {}


def sequence(value: object) -> Sequence[object]:
    """Return a list; anything else is an empty one."""
    return value if isinstance(value, list) else ()


def text(value: object) -> str | None:
    """Return a text that is not blank; anything else is None.

    What no file name and no JSON can hold is taken out: NUL, and half a surrogate pair.
    """
    if not isinstance(value, str):
        return None
    whole = value.replace("\0", "").encode("utf-8", "replace").decode()
    return whole if whole.strip() else None


def integer(value: object, *, least: int = 1) -> int | None:
    """Return a whole number of at least `least`; anything else is None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if not least <= value <= _LARGEST:  # also false for NaN
        return None
    return int(value)
