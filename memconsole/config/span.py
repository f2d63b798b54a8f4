"""Durations in the configuration: numbers with units."""

from __future__ import annotations

import re
from datetime import timedelta

from memconsole.config.kinds import Kind
from memconsole.config.place import shown

_UNITS_MS = {"d": 86_400_000, "h": 3_600_000, "m": 60_000, "s": 1000, "ms": 1}
_PART = r"(\d+(?:\.\d+)?)(ms|s|m|h|d)"
_MOST = timedelta(days=3660)


class Span(Kind):
    """A duration with its unit (mission §3)."""

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
