"""Releases of the platform, as far as they can be compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.agents import Storage
from memconsole.text.compiled import compiled

if TYPE_CHECKING:
    from memconsole.domain.agents import Era


_RELEASE = r"v?(\d{4})\.(\d{1,2})\.(\d{1,3})(?:[-+.].*)?"

SUMMARISER_REPAIRED = (2026, 2, 17)
"""Before it the safeguard mode may have no model for its summaries."""

DIRECT_IS_KNOWN = (2026, 2, 0)
"""Before it talks with one person were `dm` in `session.resetByType`, and nothing else."""

FLUSH_PROMPT_IS_GONE = (2026, 8, 0)
"""Since then `memoryFlush` takes no prompt."""

NO_DAILY_RESET = (2026, 8, 0)
"""Since then sessions are not reset by themselves."""

OLD_RESETS_ARE_GONE = (2026, 9, 0)
"""By then `session.idleMinutes` and talks as `dm` are refused; 2026.3.13 takes both, and what lies
between is not known."""

ACCOUNTS_HAVE_LIMITS = (2026, 8, 0)
"""By the documentation of 2026.9 limits of an account cut histories; 2026.3 reads none of them."""

HAS_MCP_SERVERS = (2026, 8, 0)
"""From then on `mcp.servers` takes our entry; 2026.3 refuses a configuration that has the key."""


def release_of(text: str | None) -> tuple[int, int, int] | None:
    """Return (year, month, day) of a version such as `2026.1.24-3`; None for anything else."""
    found = compiled(_RELEASE).fullmatch((text or "").strip())
    return None if found is None else (int(found[1]), int(found[2]), int(found[3]))


def least_release(era: Era) -> tuple[int, int, int] | None:
    """Return the oldest release that keeps its data so; None for files, which all did."""
    if era.sessions in (Storage.SQLITE, Storage.MIXED):
        return (2026, 8, 0)
    return (2026, 7, 0) if era.cron is Storage.SQLITE else None


def version_of(text: str | None) -> tuple[int, int] | None:
    """Return (year, month) of a release such as `2026.3.13`; None for anything else."""
    parts = (text or "").split(".")
    if len(parts) < 2 or not (parts[0].isdecimal() and parts[1].isdecimal()):
        return None
    return int(parts[0]), int(parts[1])
