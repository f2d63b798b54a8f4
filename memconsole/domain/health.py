"""Health checks as values: whether what keeps memory safe is well, and what to do where it is not.

A check that cannot look is `unknown`: it never passes for well, and never for a failure. The last
look is also a file for other programs, every text of it masked.
"""

from __future__ import annotations

import json
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from memconsole.lazy_dataclass import dataclass
from memconsole.text.outgoing import let_out
from memconsole.text.plain import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memconsole.domain.commands.outcomes import Detail


Value: TypeAlias = "str | int | float | None"


class CheckStatus(StrEnum):
    """What a check says, the worst last."""

    OK = "ok"
    UNKNOWN = "unknown"
    WARNING = "warning"
    CRITICAL = "critical"

    @property
    def rank(self) -> int:
        """0 for the best."""
        return tuple(CheckStatus).index(self)

    @property
    def is_bad(self) -> bool:
        """Whether somebody should do something about it."""
        return self in (CheckStatus.WARNING, CheckStatus.CRITICAL)


CHECK_IDS = (
    "gateway",
    "gateway-scopes",
    "gateway-process",
    "disk",
    "stores",
    "transcripts-size",
    "memory-file-size",
    "cron-errors",
    "stuck-runs",
    "jobs",
    "capture-skips",
    "outputs-freshness",
    "compaction-evidence",
    "reset-ineffective",
    "observations-budget",
    "locks",
    "index",
    "platform-index",
    "bootstrap-truncation",
    "secrets",
    "state",
)
"""Every check, in the order it is shown."""

FLEET = "fleet"
"""One more, the last, on a host that publishes."""


@dataclass(frozen=True, slots=True)
class Check:
    """What one check found.

    Attributes:
        value: What was measured; None when nothing was.
        limit: From where on it is bad.
        message: One sentence without a full stop.
        hint: What to do next.
        since: When it became bad, as far as anybody remembers.
        details: What it is about, one by one.
    """

    id: str
    status: CheckStatus
    message: str
    value: Value = None
    limit: Value = None
    hint: str = ""
    since: datetime | None = None
    details: tuple[Detail, ...] = ()


@dataclass(frozen=True, slots=True)
class HealthReport:
    """All checks of one look."""

    checks: tuple[Check, ...]
    at: datetime

    def rows(self) -> list[dict[str, Detail | datetime]]:
        """Return the checks as the rows of the contract."""
        return [
            {
                "id": one.id,
                "status": one.status.value,
                "value": one.value,
                "limit": one.limit,
                "message": one.message,
                "hint": one.hint or None,
                "since": one.since,
                "details": list(one.details),
            }
            for one in self.checks
        ]

    @property
    def overall(self) -> CheckStatus:
        """The worst of all checks; what nobody could look at does not make it worse."""
        bad = [one.status for one in self.checks if one.status.is_bad]
        return max(bad, key=lambda status: status.rank, default=CheckStatus.OK)


@dataclass(frozen=True, slots=True)
class HeldLock:
    """One lock of ours that somebody holds.

    Attributes:
        name: Of its file.
        owner: Who holds it, in words.
        since: When it was taken; None when its file does not say.
    """

    name: str
    owner: str
    since: datetime | None


@dataclass(frozen=True, slots=True)
class CronErrors:
    """How many runs of the platform's jobs ended in an error.

    Attributes:
        count: Since the moment that was asked about.
        names: Ids of the jobs, each once.
        undated: Runs with an error beside them whose time cannot be read.
    """

    count: int
    names: tuple[str, ...]
    undated: int = 0


def ok(check_id: str, message: str, value: Value = None, limit: Value = None) -> Check:
    """Return a check that found nothing wrong."""
    return Check(check_id, CheckStatus.OK, message, value, limit)


def unknown(check_id: str, message: str, hint: str = "") -> Check:
    """Return a check that could not look."""
    return Check(check_id, CheckStatus.UNKNOWN, message, hint=hint)


def listed(
    check_id: str,
    found: Sequence[str],
    *,
    fine: str,
    bad: str,
    hint: str,
    status: CheckStatus = CheckStatus.WARNING,
) -> Check:
    """Return a check that counts what is wrong: `fine` where nothing is, else `bad` and what."""
    if not found:
        return ok(check_id, fine, 0)
    message, number = f"{bad} {named(found)}", len(found)
    return Check(check_id, status, message, number, 1, hint=hint, details=tuple(found))


def graded(value: float, warning: float, critical: float | None = None) -> CheckStatus:
    """Return the status of a value that is bad from its limits on."""
    if critical is not None and value >= critical:
        return CheckStatus.CRITICAL
    return CheckStatus.WARNING if value >= warning else CheckStatus.OK


def named(things: Iterable[str], most: int = 5) -> str:
    """Return the first names of a list, and how many more there are."""
    found = list(things)
    more = f" and {len(found) - most} more" if len(found) > most else ""
    return ", ".join(found[:most]) + more


SCHEMA = 1


def status_text(report: HealthReport, home: str, *, redact: bool) -> str:
    """Return the file: one JSON object with `schema`, `at`, `home`, `overall` and `checks`."""

    def safe(value: object) -> object:
        if isinstance(value, str):
            text = clean(value.encode("utf-8", "replace").decode("utf-8"))
            return let_out(text, redacts=redact)
        if isinstance(value, datetime):
            return value.isoformat(timespec="seconds")
        if isinstance(value, dict):
            return {str(safe(str(key))): safe(one) for key, one in value.items()}
        if isinstance(value, list | tuple):
            return [safe(one) for one in value]
        return value

    row = {
        "schema": SCHEMA,
        "at": report.at,
        "home": home,
        "overall": report.overall.value,
        "checks": report.rows(),
    }
    return json.dumps(safe(row), ensure_ascii=False, indent=1, default=str) + "\n"
