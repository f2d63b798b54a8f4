"""Ways to be told of alerts and hours without any, and how they are written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import time
from typing import TYPE_CHECKING, Final, NamedTuple

from memconsole.domain.settings.kinds import Kind, nearest, shown, toml_value
from memconsole.lazy_dataclass import dataclass
from memconsole.text.compiled import compiled

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

_NEEDED: Final[Mapping[str, tuple[str, ...]]] = {
    "log": (),
    "desktop": (),
    "slack": ("channel", "token"),
    "webhook": ("url",),
    "command": ("command",),
    "apprise": ("url",),
}
"""What a channel must have, by its type."""

_ALLOWED: Final[Mapping[str, tuple[str, ...]]] = {
    "log": (),
    "desktop": (),
    "slack": ("channel", "token", "url"),
    "webhook": ("url",),
    "command": ("command",),
    "apprise": ("url",),
}
_COMMON: Final = ("type", "name")
_REFERENCE: Final = r"\$\{\w+\}"


@dataclass(frozen=True, slots=True)
class ChannelSettings:
    """One `[[alerts.channel]]`.

    `${NAME}` in address, token and channel stands for a secret that is kept elsewhere.

    Attributes:
        type: `slack`, `webhook`, `command`, `desktop`, `log` or `apprise`.
        name: There is one channel of a name.
        url: Where to; a secret.
        channel: Of Slack, its id.
        token: Of a Slack bot; a secret.
        command: Program and arguments.
    """

    type: str
    name: str
    url: str = field(default="", repr=False)
    channel: str = ""
    token: str = field(default="", repr=False)
    command: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return what may be shown of it."""
        return self.name if self.name.startswith(self.type) else f"{self.type} {self.name}"


_FORM = r"(\d{1,2}):(\d{2})\s*-\s*(\d{1,2}):(\d{2})"


class QuietHours(NamedTuple):
    """From one time of the day to another, the end excluded; it may pass midnight."""

    start: time
    end: time

    def holds(self, local: datetime) -> bool:
        """Tell whether a local time lies in them; the same time twice means never."""
        now = local.time()
        if self.start <= self.end:
            return self.start <= now < self.end
        return now >= self.start or now < self.end


def parse(text: str) -> QuietHours:
    """Read hours as they are written.

    Raises:
        ValueError: They are written in another way.
    """
    found = compiled(_FORM).fullmatch(text.strip())
    if found is None:
        raise ValueError("no hours")
    one, two, three, four = (int(part) for part in found.groups())
    return QuietHours(time(one, two), time(three, four))


class Hours(Kind):
    """Hours of the day, such as 22:00-07:00."""

    __slots__ = ()

    @property
    def label(self) -> str:
        """Name with an example."""
        return "span of hours such as 22:00-07:00"

    def parse(self, raw: object) -> str:
        """Take two times of the day with a hyphen between them."""
        try:
            parse(str(raw))
        except ValueError:
            raise ValueError(f"must be a {self.label}, not {shown(raw)}") from None
        return str(raw).strip()


class Channels(Kind):
    """The tables `[[alerts.channel]]`; no refusal repeats a value, it may be a secret."""

    __slots__ = ()

    @property
    def label(self) -> str:
        """Name of the kind."""
        return "list of tables, each a [[alerts.channel]]"

    def parse(self, raw: object) -> tuple[ChannelSettings, ...]:
        """Take tables with the keys that their types know."""
        if not isinstance(raw, list | tuple) or not all(isinstance(one, Mapping) for one in raw):
            raise ValueError(f"must be a {self.label}")
        found: list[ChannelSettings] = []
        for number, table in enumerate(raw, 1):
            found.append(_channel(number, table, {one.name for one in found}))
        return tuple(found)

    def from_text(self, text: str) -> object:
        """Accept a TOML array of inline tables."""
        return toml_value(text)


def _channel(number: int, table: Mapping[str, object], taken: set[str]) -> ChannelSettings:
    kind = _type(number, table)
    for key in table:
        if key not in (*_COMMON, *_ALLOWED[kind]):
            raise ValueError(f"number {number} has an unknown key {shown(key)}{_near(key, kind)}")
    missing = [key for key in _NEEDED[kind] if not table.get(key)]
    if missing:
        raise ValueError(f"number {number} of type {kind} needs {' and '.join(missing)}")
    known = _texts(number, table)
    if kind in ("webhook", "slack") and known["url"]:
        known["url"] = _web(number, known["url"])
    name = known.pop("name") or next(one for one in _names(kind) if one not in taken)
    if name in taken or (name == "log") != (kind == "log"):
        raise ValueError(f"number {number}: there is a channel {shown(name)} already")
    return ChannelSettings(kind, name, command=_command(number, table), **known)


def _command(number: int, table: Mapping[str, object]) -> tuple[str, ...]:
    found = table.get("command", ())
    if isinstance(found, list | tuple) and all(isinstance(one, str) for one in found):
        return tuple(found)
    raise ValueError(f"number {number}: command must be a list of texts, the program first")


def _texts(number: int, table: Mapping[str, object]) -> dict[str, str]:
    found = {key: table.get(key, "") for key in ("url", "channel", "token", "name")}
    if wrong := [key for key, value in found.items() if not isinstance(value, str)]:
        raise ValueError(f"number {number}: {wrong[0]} must be a text")
    return {key: str(value).strip() for key, value in found.items()}


def _type(number: int, table: Mapping[str, object]) -> str:
    """Return the type; an address alone is one for Apprise."""
    given = table.get("type", "apprise" if "url" in table else None)
    if isinstance(given, str) and given in _NEEDED:
        return given
    raise ValueError(
        f"number {number} needs a type: slack, webhook, command, desktop, log or apprise"
    )


def _web(number: int, url: str) -> str:
    """Return an address in its normal form; one with `${NAME}` is judged when it is filled in."""
    from memconsole.text.address import parse  # noqa: PLC0415 - only where there is a channel

    if url.startswith("${"):
        return url
    try:
        found = parse(compiled(_REFERENCE).sub("x", url), "http", "https")
    except ValueError as error:
        raise ValueError(f"number {number}: url {error}") from None
    return url if "${" in url else found.whole


def _names(kind: str) -> Iterator[str]:
    yield kind
    for number in range(2, 1000):
        yield f"{kind}-{number}"


def _near(key: str, kind: str) -> str:
    near = nearest(key, (*_COMMON, *_ALLOWED[kind]), cutoff=0.6)
    return f"; did you mean {near}?" if near else ""
