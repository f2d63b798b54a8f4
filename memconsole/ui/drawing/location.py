"""One memory file to read: rendered, as it is written, or entry by entry."""

from __future__ import annotations

from memconsole.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a file that was found.

    Attributes:
        first: First line of what was found, from 1.
        last: Last line of it.
        text: Of the line that is meant, cleaned and masked; empty for the first one.
    """

    path: str
    first: int
    last: int
    text: str = ""
