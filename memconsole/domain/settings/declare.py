"""Declares a setting where it is kept: its default, its kind, what it is for and its other names.

The loader, `config show`, the commented file of `config init` and the reference are made from the
fields of `Settings` and of its sections, in their order.

A variable may set a key under another name, in a unit of its own: the long name of a key wins over
it, and a short one of ours over an older one.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from memconsole.domain.settings.kinds import Switch

if TYPE_CHECKING:
    from collections.abc import Callable

    from memconsole.domain.settings.kinds import Kind


T = TypeVar("T")

SETTING: Final = "setting"
"""Where the metadata of a field holds its `Setting`."""

IS_PER_AGENT: Final = "is_per_agent"
"""Where the metadata of a section says that `[agents.<id>.<section>]` may differ."""


class Setting(NamedTuple):
    """One thing that can be set, but for its default.

    Attributes:
        kind: What it may hold.
        help: One sentence without a full stop.
        name: Of the key; that of the field unless given. One of no section is dotted.
        option: Global option that sets it, for messages.
        example: TOML value for the commented file of a key that has no default.
        is_for_all: `[agents.<id>.<section>]` may not override it, though it may the section.
        is_secret: Never shown.
        others: More variables that set it; the last one wins.
    """

    kind: Kind
    help: str
    name: str = ""
    option: str = ""
    example: str = ""
    is_for_all: bool = False
    is_secret: bool = False
    others: tuple[Other, ...] = ()


def setting(
    default: T,
    kind: Kind,
    help: str,  # noqa: A002 - what `Setting` calls it
    *,
    name: str = "",
    option: str = "",
    example: str = "",
    is_for_all: bool = False,
    is_secret: bool = False,
    others: tuple[Other, ...] = (),
) -> T:
    """Return a field of a section; the arguments are those of `Setting`."""
    told = Setting(kind, help, name, option, example, is_for_all, is_secret, others)
    made: Any = field(
        **{"default_factory": dict} if default == {} else {"default": default},
        repr=not is_secret,
        metadata={SETTING: told},
    )
    return made  # type: ignore[no-any-return]


def section(part: type[T], *, is_per_agent: bool = False) -> T:
    """Return a field of `Settings` whose own fields are the keys of a section of that name.

    Args:
        part: The class of the section.
        is_per_agent: It is about one agent's memory: `[agents.<id>.<section>]` may differ.
    """
    made: Any = field(default_factory=part, metadata={IS_PER_AGENT: is_per_agent})
    return made  # type: ignore[no-any-return]


class Other(NamedTuple):
    """Another variable for a key.

    Attributes:
        variable: Its name.
        convert: Turns its text into the text that the key's own variable would have.
    """

    variable: str
    convert: Callable[[str], str] = str


def hours(text: str) -> str:
    """Read a number of hours."""
    return f"{text.strip()}h"


def minutes(text: str) -> str:
    """Read a number of minutes."""
    return f"{text.strip()}m"


def seconds(text: str) -> str:
    """Read a number of seconds."""
    return f"{text.strip()}s"


def kilobytes(text: str) -> str:
    """Turn kilobytes into bytes; what is no number stays, so that the refusal shows it."""
    number = text.strip()
    return str(int(number) * 1024) if number.isascii() and number.isdecimal() else text


def turned(text: str) -> str:
    """Turn a switch round; what is no switch stays, so that the refusal shows it."""
    value = Switch().from_text(text)
    return str(not value).lower() if isinstance(value, bool) else text


def anything(text: str) -> str:
    """Read a switch that is on whatever it holds."""
    del text
    return "true"


def verbosity(text: str) -> str:
    """Read how often `-v` is given."""
    return {"0": "warning", "1": "info", "2": "debug"}.get(text.strip(), text)
