"""Where a value was given, and how our configuration file tells that place by its lines."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING, Final, NamedTuple

from memconsole.domain.settings.kinds import shown, toml_value
from memconsole.errors import ConfigError
from memconsole.lazy_dataclass import dataclass
from memconsole.system.launch import absolute
from memconsole.text.compiled import compiled
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class Place(NamedTuple):
    """One place that gives values.

    Attributes:
        text: For people and for `sources`, such as `/home/a/config.toml, line 3`,
            `environment MEMCONSOLE_HOME` or `option --home`.
        base: Folder that relative paths start from; None means the current one.
        user_home: What `~` stands for.
    """

    text: str
    base: Path | None
    user_home: Path

    def refuse(self, name: str, problem: str, hint: str = "") -> ConfigError:
        """Return the error for a value of this place.

        Args:
            name: Configuration key.
            problem: Rest of the sentence, such as `must be a whole number`.
            hint: What to do next.
        """
        return ConfigError(one_line(f"{name} {problem} ({self.text})"), hint=one_line(hint))

    def absolute(self, path: Path) -> Path:
        """Return an absolute path, `~` expanded.

        Raises:
            ValueError: `~name` names a user who is not known here.
            FolderGoneError: It is relative, and the current folder exists no more.
        """
        first, *rest = path.parts or (".",)
        if first == "~":
            return self.user_home.joinpath(*rest)
        try:
            expanded = path.expanduser()
        except RuntimeError:
            raise ValueError(f"names a user who is not known here: {shown(path)}") from None
        return absolute(expanded) if self.base is None else self.base / expanded


_MAX_BYTES: Final = 1_000_000

_PART = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')"""

_NAME = rf"{_PART}(?:[ \t]*\.[ \t]*{_PART})*"

_HEADER = rf"[ \t]*\[\[?[ \t]*({_NAME})[ \t]*\]"

_ASSIGNMENT = rf"[ \t]*({_NAME})[ \t]*=[ \t]*"

_POSITION = r" *\(at (?:line (\d+), column \d+|end of document)\)"


@dataclass(frozen=True, slots=True)
class TomlFile:
    """A configuration file as it was read.

    Attributes:
        path: Absolute path.
        table: What it holds.
        lines: Line number, from 1, of every key and table header by its parts.
    """

    path: Path
    table: Mapping[str, object]
    lines: Mapping[tuple[str, ...], int]

    def line(self, path: tuple[str, ...]) -> int | None:
        """Return the line of a key, else that of the table it is in."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path)


def read(path: Path) -> TomlFile:
    """Read and parse a file.

    Raises:
        ConfigError: It is gone, cannot be read, or is no TOML.
    """
    import tomllib  # noqa: PLC0415 - only when there is a file

    text = _text(path)
    try:
        table = tomllib.loads(text)
    except RecursionError:
        raise ConfigError(f"{path} is nested too deeply") from None
    except ValueError as error:
        position = compiled(_POSITION).search(str(error))
        line = position[1] if position else None
        where = f", line {line}" if line else ", last line" if position else ""
        fault = one_line(compiled(_POSITION).sub("", str(error)))
        raise ConfigError(
            f"{path}{where} is no TOML: {fault}",
            hint="`memconsole config init` writes a file with every key.",
        ) from None
    return TomlFile(path, table, _lines(text))


def _text(path: Path) -> str:
    """Return the file's text, whatever its byte order mark and line endings."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise ConfigError(f"the configuration {path} is no file")
        if status.st_size > _MAX_BYTES:
            raise ConfigError(f"the configuration {path} is larger than 1 MB")
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(
            f"the configuration {path} cannot be read: {error.strerror}",
            hint="Check its owner and mode, or name another one with --config FILE.",
        ) from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(
            f"{path}, line {line} is not UTF-8", hint="Save the file as UTF-8."
        ) from None


def _lines(text: str) -> dict[tuple[str, ...], int]:
    """Find the lines of keys and headers; multi-line strings hold neither."""
    found: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    closing = ""
    for number, line in enumerate(text.split("\n"), 1):
        if closing:
            closing = "" if closing in line else closing
        elif header := compiled(_HEADER).match(line):
            table = _parts(header[1])
            found.setdefault(table, number)
        elif assignment := compiled(_ASSIGNMENT).match(line):
            found.setdefault((*table, *_parts(assignment[1])), number)
            quotes = line[assignment.end() : assignment.end() + 3]
            if quotes in ('"""', "'''") and quotes not in line[assignment.end() + 3 :]:
                closing = quotes
    return found


def _parts(name: str) -> tuple[str, ...]:
    """Return the parts of a dotted TOML key."""
    parts: list[str] = []
    table = toml_value(f"{{{name} = 0}}")
    while isinstance(table, dict):
        [(part, table)] = table.items()
        parts.append(part)
    return tuple(parts)
