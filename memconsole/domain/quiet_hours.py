"""Hours in which only what is critical may disturb, such as `22:00-07:00` (mission §10)."""

from __future__ import annotations

import re
from datetime import time
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from datetime import datetime

_FORM = re.compile(r"(\d{1,2}):(\d{2})\s*-\s*(\d{1,2}):(\d{2})")


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
    found = _FORM.fullmatch(text.strip())
    if found is None:
        raise ValueError("no hours")
    one, two, three, four = (int(part) for part in found.groups())
    return QuietHours(time(one, two), time(three, four))
