"""What a configuration key is, and its names.

Named tuples, here and in `given`: every start of the program makes these classes, and a dataclass
costs several times as much to make.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from memconsole.config.kinds import Kind

PREFIX: Final = "MEMCONSOLE_"
CONFIG_VARIABLE: Final = "MEMCONSOLE_CONFIG"
NOW_VARIABLE: Final = "MEMCONSOLE_NOW"
HOOK_VARIABLE: Final = "MEMCONSOLE_HOOK"
"""Names the hook whose handler made the call."""

AGENT_SECTIONS: Final = frozenset(
    {"rotation", "checkpoint", "flush", "freshness", "observer", "summary", "reflector"}
    | {"consolidate", "index_md", "bootstrap", "search", "capture"}
)
"""Sections that are about one agent's memory: `[agents.<id>.<section>]` may differ."""


class Key(NamedTuple):
    """One thing that can be set.

    Attributes:
        name: Dotted, section first.
        kind: What it may hold.
        help: One sentence without a full stop.
        field: Where `Settings` keeps it, dotted; `name` unless given.
        option: Global option that sets it, for messages.
        example: TOML value for the commented file of a key that has no default.
        is_for_all: `[agents.<id>.<section>]` may not override it, though it may the section.
        is_secret: Never shown.
    """

    name: str
    kind: Kind
    help: str
    field: str = ""
    option: str = ""
    example: str = ""
    is_for_all: bool = False
    is_secret: bool = False

    @property
    def path(self) -> tuple[str, ...]:
        """The parts of the name."""
        return tuple(self.name.split("."))

    @property
    def is_per_agent(self) -> bool:
        """Whether `[agents.<id>.<section>]` may override it."""
        return not self.is_for_all and self.path[0] in AGENT_SECTIONS

    @property
    def variable(self) -> str:
        """The environment variable of this name."""
        return PREFIX + self.name.upper().replace(".", "__")

    @property
    def place(self) -> tuple[str, str]:
        """(Part of `Settings`, field in it); the part is "" for `Settings` itself."""
        part, _, name = (self.field or self.name).rpartition(".")
        return part, name


class Alias(NamedTuple):
    """Another variable for a key.

    Attributes:
        variable: Its name.
        key: Name of the key.
        convert: Turns its text into the text that the key's own variable would have.
    """

    variable: str
    key: str
    convert: Callable[[str], str] = str
