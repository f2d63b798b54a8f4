"""Reads the platform's configuration whole: `$include` followed, `${NAME}` filled in.

By the platform's own rules: parts come first, then variables. A part is named relative to the file
that names it and lies inside the configuration's folder, links followed; keys beside `$include` win
over the part's, lists are joined, and parts nest ten deep. `$${NAME}` stays as the text `${NAME}`.
"""

from __future__ import annotations

import os
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from memconsole.adapters.platform.config.json5_file import (
    ConfigSyntaxError,
    decode_json5,
    mapping,
    read_bytes,
)
from memconsole.lazy_dataclass import dataclass
from memconsole.text.compiled import compiled
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Mapping

Keys: TypeAlias = "tuple[str | int, ...]"
"""The way to a value: keys of objects and places in lists."""

_INCLUDE: Final = "$include"
_DEEPEST: Final = 10
_MOST_PARTS: Final = 500
"""A part that names others twice over would be read without end."""

_REFERENCE = r"\$(\$?)\{([A-Z_][A-Z0-9_]*)\}"
_LINE = r"(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)"


@dataclass(frozen=True, slots=True)
class WholeConfig:
    """A configuration with its parts and variables.

    Attributes:
        unset: Variables that are set nowhere, by the value that names them; the value is as
            written.
    """

    root: Mapping[str, object]
    unset: Mapping[Keys, str] = field(default_factory=dict)


class ConfigPartError(ValueError):
    """The configuration cannot be read whole; the message is built from names alone."""


def read_whole(path: Path, environ: Mapping[str, str], state: Path, tilde: str) -> WholeConfig:
    """Read a configuration with everything that belongs to it.

    Args:
        path: The file.
        environ: The first place where a variable is looked for; then `env` of the configuration,
            then `.env` in the state folder.
        state: The state folder.
        tilde: What `${HOME}` means; "" means what the environment says.

    Raises:
        ConfigSyntaxError: It is no JSON5.
        ConfigPartError: It holds no object, or a part of it cannot be read.
        OSError: It cannot be opened.
    """
    data = read_bytes(path)
    root = decode_json5(data)
    if b"$" not in data:
        return WholeConfig(_object(root))
    try:
        whole = _object(_Parts(path).joined(root, path, (), (path,)))
        variables = _Variables(environ, mapping(whole.get("env")), state / ".env", tilde)
        return WholeConfig(_object(variables.filled(whole, ())), variables.unset)
    except RecursionError:
        raise ConfigPartError("it is nested too deeply") from None


def read_parts(
    path: Path, root: Mapping[str, object]
) -> tuple[Mapping[str, object], tuple[tuple[Path, tuple[str, ...], object], ...]]:
    """Return a decoded configuration with the parts that it names, variables left as they are.

    Args:
        path: Its file.
        root: What the file says.

    Returns:
        The whole; and of each part its file, the keys where it stands and what it says alone.

    Raises:
        ConfigPartError: A part of it cannot be read.
    """
    parts = _Parts(path)
    try:
        return _object(parts.joined(root, path, (), (path,))), tuple(parts.found)
    except RecursionError:
        raise ConfigPartError("it is nested too deeply") from None


def dotted(keys: Keys) -> str:
    """Return the way to a value as people write it: `agents.list[2].workspace`."""
    words = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys)
    return one_line(words.removeprefix("."))


def _object(root: object) -> Mapping[str, object]:
    if not isinstance(root, dict):
        raise ConfigPartError("it holds no object")
    return root


def _merged(below: object, above: object) -> object:
    """Return both: objects key by key, lists one behind the other, else what is above."""
    if isinstance(below, list) and isinstance(above, list):
        return [*below, *above]
    if isinstance(below, dict) and isinstance(above, dict):
        both = {key: _merged(below[key], above[key]) for key in below.keys() & above.keys()}
        return {**below, **above, **both}
    return above


class _Parts:
    """Puts the parts of one configuration in their places."""

    def __init__(self, main: Path) -> None:
        self._folder = Path(os.path.normpath(main.parent.absolute()))
        self._real = os.path.realpath(self._folder)
        self._read = 0
        self.found: list[tuple[Path, tuple[str, ...], object]] = []
        """What each part says by itself, and where; places in lists are their numbers."""

    def joined(self, value: object, file: Path, keys: Keys, chain: tuple[Path, ...]) -> object:
        """Return a value of a file with all parts in it; `chain` is the files that led here."""
        if isinstance(value, list):
            return [
                self.joined(one, file, (*keys, place), chain) for place, one in enumerate(value)
            ]
        if not isinstance(value, dict):
            return value
        beside = {
            key: self.joined(inner, file, (*keys, key), chain)
            for key, inner in value.items()
            if key != _INCLUDE
        }
        if _INCLUDE not in value:
            return beside
        part = self._included(value[_INCLUDE], file, keys, chain)
        if beside and not isinstance(part, dict):
            raise ConfigPartError(f"{dotted((*keys, _INCLUDE))} names a part that is no object")
        return _merged(part, beside) if beside else part

    def _included(self, named: object, file: Path, keys: Keys, chain: tuple[Path, ...]) -> object:
        if isinstance(named, str):
            return self._part(named, file, keys, chain)
        if not isinstance(named, list) or not all(isinstance(one, str) for one in named):
            where = dotted((*keys, _INCLUDE))
            raise ConfigPartError(f"{where} is neither a file's name nor a list of names")
        whole: object = {}
        for one in named:
            whole = _merged(whole, self._part(one, file, keys, chain))
        return whole

    def _part(self, named: str, file: Path, keys: Keys, chain: tuple[Path, ...]) -> object:
        shown = f"its part {one_line(named)}"
        try:
            path = Path(os.path.normpath(file.parent.absolute() / named))
            self._require_inside(path, shown)
            self._require_new(path, chain, shown)
            value = decode_json5(read_bytes(path))
            self.found.append((path, tuple(map(str, keys)), value))
            return self.joined(value, path, keys, (*chain, path))
        except ConfigSyntaxError as error:
            raise ConfigPartError(f"{shown} cannot be read: {error}") from None
        except ConfigPartError:
            raise
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "its name is impossible"
            raise ConfigPartError(f"{shown} cannot be read: {reason}") from None

    def _require_inside(self, path: Path, shown: str) -> None:
        real = Path(os.path.realpath(path))
        if not (path.is_relative_to(self._folder) and real.is_relative_to(self._real)):
            raise ConfigPartError(f"{shown} lies outside of {one_line(str(self._folder))}")

    def _require_new(self, path: Path, chain: tuple[Path, ...], shown: str) -> None:
        if path in chain:
            raise ConfigPartError(f"{shown} includes itself")
        if len(chain) > _DEEPEST:
            raise ConfigPartError(f"{shown} is nested more than {_DEEPEST} parts deep")
        self._read += 1
        if self._read > _MOST_PARTS:
            raise ConfigPartError(f"it has more than {_MOST_PARTS} parts")


class _Variables:
    """Fills in `${NAME}`; `.env` is read when nothing before it knows a name."""

    def __init__(
        self, environ: Mapping[str, str], section: Mapping[str, object], file: Path, tilde: str
    ) -> None:
        own = {"HOME": tilde} if tilde else {}
        known = (*section.items(), *mapping(section.get("vars")).items())
        written = {
            name: value
            for name, value in known
            if isinstance(value, str) and not compiled(_REFERENCE).search(value)
        }
        self._places: list[Callable[[], Mapping[str, str]]] = [
            lambda: own,
            lambda: environ,
            lambda: written,
            self._from_file,
        ]
        self._file = file
        self._lines: dict[str, str] | None = None
        self.unset: dict[Keys, str] = {}

    def filled(self, value: object, keys: Keys) -> object:
        """Return a value with every variable in it that is set."""
        if isinstance(value, dict):
            return {key: self.filled(inner, (*keys, key)) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.filled(inner, (*keys, place)) for place, inner in enumerate(value)]
        if not isinstance(value, str) or "$" not in value:
            return value
        return compiled(_REFERENCE).sub(lambda found: self._one(found, keys), value)

    def _one(self, found: re.Match[str], keys: Keys) -> str:
        if found[1]:
            return found[0][1:]
        name = found[2]
        value = next((text for place in self._places if (text := place().get(name))), None)
        if value is None:
            self.unset.setdefault(keys, name)
            return found[0]
        return value

    def _from_file(self) -> Mapping[str, str]:
        if self._lines is None:
            try:
                text = read_bytes(self._file).decode("utf-8", "replace")
            except OSError:
                text = ""
            pairs = (compiled(_LINE).fullmatch(line.strip()) for line in text.splitlines())
            self._lines = {pair[1]: _unquoted(pair[2]) for pair in pairs if pair is not None}
        return self._lines


def _unquoted(value: str) -> str:
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "'\"`":
        return value[1:-1]
    return value.partition(" #")[0].rstrip()
