"""Which face asks: a word of its own, because every process says it and few run anything."""

from __future__ import annotations

from enum import StrEnum


class Origin(StrEnum):
    """Which face asked for a run."""

    SCHEDULER = "scheduler"
    CONSOLE = "console"
    CLI = "cli"
    HOOK = "hook"
