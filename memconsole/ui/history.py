"""What was opened in this console: each screen has its twin on the command line."""

from __future__ import annotations

import shlex
from collections import deque
from typing import TYPE_CHECKING

from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime


_MOST = 50


@dataclass(frozen=True, slots=True)
class Visit:
    """A screen that was opened; it has a twin on the command line, but leaves no run.

    Attributes:
        at: When, aware UTC.
        command_line: The call that shows the same.
    """

    number: int
    at: datetime
    what: str
    command_line: str


class History:
    """The last screens that were opened, newest first."""

    def __init__(self) -> None:
        self._visits: deque[Visit] = deque(maxlen=_MOST)
        self._count = 0

    def add(self, at: datetime, what: str, *words: str) -> str:
        """Note a screen and the call that shows the same, and return the call."""
        self._count += 1
        line = shlex.join(["memconsole", *words])
        self._visits.appendleft(Visit(self._count, at, what, line))
        return line

    def __iter__(self) -> Iterator[Visit]:
        return iter(self._visits)
