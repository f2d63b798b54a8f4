"""Environment variables that set a key under another name, and the units they hold.

The long name of a key wins over them, and a short one of ours over an older one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memconsole.domain.settings.kinds import Switch

if TYPE_CHECKING:
    from collections.abc import Callable


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
