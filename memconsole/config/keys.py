"""All configuration keys, made from the fields of `Settings`.

File, environment, options, `config show` and the commented file of `config init` all come from it.
A new key is a field of its section in `domain/settings`.

Every key is a variable as well: `rotation.threshold_tokens` is
`MEMCONSOLE_ROTATION__THRESHOLD_TOKENS`, and for one agent
`MEMCONSOLE_AGENTS__WORK__ROTATION__THRESHOLD_TOKENS`.

Named tuples: every start of the program makes these, and a dataclass costs several times as much.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Final, NamedTuple

from memconsole.domain.settings import Settings
from memconsole.domain.settings.declare import IS_PER_AGENT, SETTING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memconsole.domain.settings.declare import Setting
    from memconsole.domain.settings.kinds import Kind

PREFIX: Final = "MEMCONSOLE_"
CONFIG_VARIABLE: Final = "MEMCONSOLE_CONFIG"
NOW_VARIABLE: Final = "MEMCONSOLE_NOW"
"""Sets the wall clock, for tests."""

HOOK_VARIABLE: Final = "MEMCONSOLE_HOOK"
"""Names the hook whose handler made the call."""


ASKED_VARIABLE: Final = "MEMCONSOLE_ASKED"
"""Another host's memconsole makes the call: it is about the home here, never about a fleet."""


class Key(NamedTuple):
    """One thing that can be set.

    Attributes:
        name: Dotted, section first.
        place: (Part of `Settings`, field in it); the part is "" for `Settings` itself.
        setting: What was declared of it.
        is_per_agent: `[agents.<id>.<section>]` may override it.
    """

    name: str
    place: tuple[str, str]
    setting: Setting
    is_per_agent: bool

    @property
    def kind(self) -> Kind:
        """What it may hold."""
        return self.setting.kind

    @property
    def path(self) -> tuple[str, ...]:
        """The parts of the name."""
        return tuple(self.name.split("."))

    @property
    def variable(self) -> str:
        """The environment variable of this name."""
        return PREFIX + self.name.upper().replace(".", "__")


class Alias(NamedTuple):
    """Another variable for a key.

    Attributes:
        variable: Its name.
        key: Name of the key.
        convert: Turns its text into the text that the key's own variable would have.
    """

    variable: str
    key: str
    convert: Callable[[str], str]


def _keys() -> Iterator[Key]:
    """Yield the keys in the order of the fields."""
    for one in fields(Settings):
        told: Setting | None = one.metadata.get(SETTING)
        if told is not None:
            yield Key(told.name or one.name, ("", one.name), told, is_per_agent=False)
        elif IS_PER_AGENT in one.metadata:
            for own in fields(one.default_factory):  # type: ignore[arg-type]  # a section's class
                told = own.metadata[SETTING]
                name = f"{one.name}.{told.name or own.name}"
                is_per_agent = one.metadata[IS_PER_AGENT] and not told.is_for_all
                yield Key(name, (one.name, own.name), told, is_per_agent)


KEYS: Final = tuple(_keys())
"""All keys, in the order of `config show` and of the commented file."""

ALIASES: Final = sorted(
    (
        Alias(other.variable, key.name, other.convert)
        for key in KEYS
        for other in key.setting.others
    ),
    key=lambda alias: alias.variable.startswith(PREFIX),
)
"""Other variables; a later one wins over an earlier one."""

BY_PATH: Final = {key.path: key for key in KEYS}
BY_NAME: Final = {key.name: key for key in KEYS}
