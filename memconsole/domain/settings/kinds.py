"""Kinds of configuration values: what TOML, a variable or an option may hold.

A kind refuses with `ValueError`, whose text ends the sentence "<key> …". Kinds are plain classes:
every start of the program makes them, and a dataclass costs ten times as much to make.

Durations in the configuration: numbers with units.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Final, TypeAlias

from memconsole.text.plain import one_line

Value: TypeAlias = (
    "bool | int | float | str | Path | timedelta | tuple[object, ...] | Mapping[str, int] | "
    "Mapping[str, tuple[str, ...]] | None"
)

SECOND: Final = timedelta(seconds=1)
MINUTE: Final = timedelta(minutes=1)

_SHOWN_CHARS = 60

_WHOLE = r"[+-]?\d[\d_]{0,30}"
_WORDS = {"true": True, "1": True, "yes": True, "on": True}
_WORDS |= {"false": False, "0": False, "no": False, "off": False}


class Kind:
    """One kind of value; this one takes any text that is not empty."""

    __slots__ = ()

    @property
    def label(self) -> str:
        """What it must be, for the documentation and for refusals."""
        return "text"

    def parse(self, raw: object) -> Value:
        """Check a value as TOML gives it.

        Raises:
            ValueError: It must be something else.
        """
        if isinstance(raw, str) and raw.strip():
            return raw.strip()
        raise ValueError(f"must be a text that is not empty, not {shown(raw)}")

    def from_text(self, text: str) -> object:
        """Turn the text of a variable or option into what TOML would hold."""
        return text


class Switch(Kind):
    """True or false."""

    __slots__ = ()

    @property
    def label(self) -> str:
        """The two words."""
        return "true or false"

    def parse(self, raw: object) -> bool:
        """Take a Boolean, and nothing that only resembles one."""
        if isinstance(raw, bool):
            return raw
        raise ValueError(f"must be true or false, not {shown(raw)}")

    def from_text(self, text: str) -> object:
        """Accept the usual words."""
        return _WORDS.get(text.strip().lower(), text)


class Whole(Kind):
    """A whole number within limits, both included."""

    __slots__ = ("least", "most")

    def __init__(self, least: int = 0, most: int = 2**53) -> None:
        self.least = least
        self.most = most

    @property
    def label(self) -> str:
        """Name with the lower limit."""
        return f"whole number, {self.least} or more"

    def parse(self, raw: object) -> int:
        """Take an integer; a Boolean is none."""
        if isinstance(raw, int) and not isinstance(raw, bool) and self.least <= raw <= self.most:
            return raw
        raise ValueError(f"must be a {self.label}, not {shown(raw)}")

    def from_text(self, text: str) -> object:
        """Accept digits with underscores, as TOML does."""
        return int(text.replace("_", "")) if re.fullmatch(_WHOLE, text.strip()) else text


class Ratio(Kind):
    """A share above 0 and up to 1."""

    __slots__ = ()

    @property
    def label(self) -> str:
        """Name with the limits."""
        return "number above 0, up to 1"

    def parse(self, raw: object) -> float:
        """Take a number in the range; NaN is in none."""
        if isinstance(raw, int | float) and not isinstance(raw, bool) and 0 < raw <= 1:
            return float(raw)
        raise ValueError(f"must be a {self.label}, not {shown(raw)}")

    def from_text(self, text: str) -> object:
        """Accept what Python reads as a number."""
        try:
            return float(text)
        except ValueError:
            return text


class Score(Ratio):
    """A number from 0 to 10."""

    __slots__ = ()

    @property
    def label(self) -> str:
        """Name with the limits."""
        return "number from 0 to 10"

    def parse(self, raw: object) -> float:
        """Take a number in the range; NaN is in none."""
        if isinstance(raw, int | float) and not isinstance(raw, bool) and 0 <= raw <= 10:
            return float(raw)
        raise ValueError(f"must be a {self.label}, not {shown(raw)}")


class Choice(Kind):
    """One of a few words."""

    __slots__ = ("words",)

    def __init__(self, *words: str) -> None:
        self.words = words

    @property
    def label(self) -> str:
        """The words."""
        return ", ".join(self.words[:-1]) + f" or {self.words[-1]}"

    def parse(self, raw: object) -> str:
        """Take one of the words, whatever its letter case."""
        if isinstance(raw, str) and (word := raw.strip().lower()) in self.words:
            return word
        raise ValueError(f"must be {self.label}, not {shown(raw)}")


class Url(Kind):
    """An address of one of some schemes, without a secret in it."""

    __slots__ = ("schemes",)

    def __init__(self, *schemes: str) -> None:
        self.schemes = schemes

    @property
    def label(self) -> str:
        """The schemes."""
        return f"{' or '.join(f'{scheme}://' for scheme in self.schemes)} address"

    def parse(self, raw: object) -> str:
        """Take an address in its normal form; refusals do not repeat it, it may hold a secret."""
        from memconsole.text.address import parse  # noqa: PLC0415 - only where one is set

        found = parse(raw if isinstance(raw, str) else "", *self.schemes)
        if found.user or found.query:
            raise ValueError("must hold no user, password or query; secrets have their own keys")
        return found.text


class Server(Kind):
    """The address of a fleet's PostgreSQL, without a password in it."""

    __slots__ = ()

    @property
    def label(self) -> str:
        """How it looks."""
        return "postgresql:// address"

    def parse(self, raw: object) -> str:
        """Take one where nobody can listen on the way; refusals do not repeat it."""
        from memconsole.domain.fleet.server import parse_server  # noqa: PLC0415 - where one is set

        return parse_server(raw if isinstance(raw, str) else "").whole


class PathName(Kind):
    """A file or folder; relative to the file it is written in, else to the current folder."""

    __slots__ = ()

    @property
    def label(self) -> str:
        """Name of the kind."""
        return "path"

    def parse(self, raw: object) -> Path:
        """Take a path as it is written; its place makes it absolute."""
        if isinstance(raw, str) and raw.strip() and "\0" not in raw:
            return Path(raw)
        raise ValueError(f"must be a path, not {shown(raw)}")


class Zone(Kind):
    """An IANA time zone."""

    __slots__ = ()

    @property
    def label(self) -> str:
        """Name with an example."""
        return "time zone such as Europe/Berlin"

    def parse(self, raw: object) -> str:
        """Take a zone that this host or our own zone data knows."""
        from zoneinfo import ZoneInfo  # noqa: PLC0415  # only when one is set

        if isinstance(raw, str) and raw.strip():
            try:
                return ZoneInfo(raw.strip()).key
            except (ValueError, OSError, KeyError):
                pass
        raise ValueError(f"must be a {self.label}, not {shown(raw)}")


class Texts(Kind):
    """A list of texts."""

    __slots__ = ()

    @property
    def label(self) -> str:
        """Name of the kind."""
        return "list of texts"

    def parse(self, raw: object) -> tuple[str, ...]:
        """Take a list whose items are texts that are not empty."""
        items = raw if isinstance(raw, list | tuple) else (None,)
        texts = tuple(item for item in items if isinstance(item, str) and item)
        if len(texts) == len(items):
            return texts
        raise ValueError(f'must be a {self.label} such as ["a", "b"], not {shown(raw)}')

    def from_text(self, text: str) -> object:
        """Accept a TOML array, or texts with commas between them."""
        if text.lstrip().startswith("["):
            return toml_value(text)
        return [part.strip() for part in text.split(",") if part.strip()]


class Operators(Texts):
    """Lines of name, public key and commands."""

    __slots__ = ()

    def parse(self, raw: object) -> tuple[str, ...]:
        """Take lines that each name somebody."""
        from memconsole.domain.fleet.letters import operator_of  # noqa: PLC0415 - where one is set

        lines = super().parse(raw)
        for line in lines:
            operator_of(line)
        return lines

    def from_text(self, text: str) -> object:
        """Accept a TOML array, or one line; verbs have commas between them."""
        return toml_value(text) if text.lstrip().startswith("[") else [text.strip()]


class Counts(Kind):
    """A table of whole numbers above 0 by name."""

    __slots__ = ()

    @property
    def label(self) -> str:
        """Name of the kind."""
        return "table of whole numbers by name"

    def parse(self, raw: object) -> Mapping[str, int]:
        """Take a table whose values are positive integers."""
        table = raw if isinstance(raw, Mapping) else {"": None}
        counts = {
            name: value
            for name, value in table.items()
            if isinstance(value, int) and not isinstance(value, bool) and value > 0
        }
        if len(counts) == len(table):
            return counts
        raise ValueError(f"must be a {self.label}, not {shown(raw)}")

    def from_text(self, text: str) -> object:
        """Accept a TOML inline table."""
        return toml_value(text)


class Groups(Kind):
    """A table of lists of texts by name."""

    __slots__ = ()

    @property
    def label(self) -> str:
        """Name of the kind."""
        return "table of lists of texts by name"

    def parse(self, raw: object) -> Mapping[str, tuple[str, ...]]:
        """Take a table whose values are lists of texts."""
        if not isinstance(raw, Mapping):
            raise ValueError(f"must be a {self.label}, not {shown(raw)}")  # noqa: TRY004 - as all kinds
        return {name: Texts().parse(value) for name, value in raw.items()}

    def from_text(self, text: str) -> object:
        """Accept a TOML inline table."""
        return toml_value(text)


class Sources(Kind):
    """The tables `[[fleet.source]]`, as one list of paths of this host and addresses of others."""

    __slots__ = ()

    @property
    def label(self) -> str:
        """Name of the kind."""
        return "list of tables, each a [[fleet.source]] with homes or a url"

    def parse(self, raw: object) -> tuple[str, ...]:
        """Take tables with one of their two keys, or what they come to as texts."""
        parts = raw if isinstance(raw, list | tuple) else (raw,)
        found = [one for part in parts for one in self._named(part)]
        return tuple(dict.fromkeys(map(_source, found)))

    def _named(self, part: object) -> tuple[str, ...]:
        if isinstance(part, str):
            return (part,)
        if isinstance(part, Mapping) and part.keys() == {"homes"}:
            return Texts().parse(part["homes"])
        if isinstance(part, Mapping) and part.keys() == {"url"}:
            return Texts().parse([part["url"]])
        raise ValueError(f"must be a {self.label}, not {shown(part)}")

    def from_text(self, text: str) -> object:
        """Accept a TOML array, or texts with commas between them."""
        return Texts().from_text(text)


def _source(text: str) -> str:
    """Return a path of this host or an address of another as it was written.

    Raises:
        ValueError: It is neither.
    """
    from memconsole.domain.fleet.address import parse  # noqa: PLC0415 - mostly there is none

    if text.startswith("postgres"):
        return Server().parse(text)
    if "://" in text:
        try:
            parse(text)
        except ValueError as error:
            raise ValueError(f"{error}, not {shown(text)}") from None
    elif not text.startswith(("/", "~/")):
        raise ValueError(f"must be absolute paths and ssh:// addresses, not {shown(text)}")
    return text


def nearest(name: str, known: Sequence[str], *, cutoff: float) -> str | None:
    """Return which of the known names was probably meant; None when none is near."""
    from difflib import get_close_matches  # noqa: PLC0415  # only for refusals

    return next(iter(get_close_matches(name, known, n=1, cutoff=cutoff)), None)


def toml_value(text: str) -> object:
    """Return one TOML value; the text itself when it is none."""
    import tomllib  # noqa: PLC0415  # rare: a list or table in a variable

    try:
        table: dict[str, object] = tomllib.loads(f"value = {text.strip()}")
    except (ValueError, RecursionError):
        return text
    return table["value"] if len(table) == 1 else text


_UNITS_MS = {"d": 86_400_000, "h": 3_600_000, "m": 60_000, "s": 1000, "ms": 1}
_PART = r"(\d+(?:\.\d+)?)(ms|s|m|h|d)"
_MOST = timedelta(days=3660)


class Span(Kind):
    """A duration with its unit."""

    __slots__ = ("least",)

    def __init__(self, least: timedelta = timedelta()) -> None:
        self.least = least

    @property
    def label(self) -> str:
        """Name with examples and the lower limit."""
        limit = f", {span_text(self.least)} or more" if self.least else ""
        return f"duration such as 90s, 20m, 6h or 7d{limit}"

    def parse(self, raw: object) -> timedelta:
        """Take numbers with units, such as `1h30m`; a bare number is refused."""
        text = raw.replace(" ", "") if isinstance(raw, str) else ""
        if not re.fullmatch(f"(?:{_PART})+", text):
            is_bare = isinstance(raw, int | float) or str(raw).strip().isdigit()
            fault = "needs a unit" if is_bare else "is no duration"
            raise ValueError(f"{fault}: {shown(raw)} must be a {self.label}")
        parts = re.findall(_PART, text)
        ms = sum(float(number) * _UNITS_MS[unit] for number, unit in parts)
        if ms > _MOST / timedelta(milliseconds=1):
            raise ValueError(f"is longer than {span_text(_MOST)}: {shown(raw)}")
        span = timedelta(milliseconds=ms)
        if span < self.least:
            raise ValueError(f"must be a {self.label}, not {shown(raw)}")
        return span


def span_text(span: timedelta) -> str:
    """Return a duration with the largest unit that leaves a whole number: `20m`, `1500ms`."""
    ms = round(span / timedelta(milliseconds=1))
    for unit, size_ms in _UNITS_MS.items():
        if ms and ms % size_ms == 0:
            return f"{ms // size_ms}{unit}"
    return "0s"


def shown(raw: object) -> str:
    """Return a value as given, for an error message: one line, cut, in quotes."""
    text = one_line(str(raw))
    return f'"{text[:_SHOWN_CHARS]}…"' if len(text) > _SHOWN_CHARS else f'"{text}"'
