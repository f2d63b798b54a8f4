"""What state an index is in; apart from all else about indexes, which a console needs later."""

from __future__ import annotations

from enum import StrEnum


class IndexState(StrEnum):
    """What an answer of the index is worth (`cli.md`)."""

    FRESH = "fresh"
    STALE = "stale"
    MISSING = "missing"
    BUILDING = "building"
    UNAVAILABLE = "unavailable"
