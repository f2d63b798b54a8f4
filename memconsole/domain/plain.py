"""Text of others made safe to show: no control, direction or invisible characters (house §3)."""

from __future__ import annotations

import re

_REMOVED = re.compile(
    "\x1b\\[[0-?]*[ -/]*[@-~]"  # CSI
    "|\x1b[\\]PX^_][^\x07\x1b\x9c]*(?:\x07|\x1b\\\\|\x9c)?"  # OSC, DCS, SOS, PM, APC
    "|[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\u200b\u200e\u200f\u2060-\u2064"
    "\ufeff\ud800-\udfff]"
)


def clean(text: str) -> str:
    """Return `text` without what could steer a terminal or deceive a reader; keeps \\n and \\t."""
    return _REMOVED.sub("", text)


def one_line(text: str) -> str:
    """Return `clean(text)` with every run of white space as one blank."""
    return " ".join(clean(text).split())
