"""Patterns that are compiled when they are first wanted: few texts need all of them."""

from __future__ import annotations

import re
from functools import cache


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Return the pattern, compiled once for the process."""
    return re.compile(pattern)
