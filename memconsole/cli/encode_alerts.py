"""What is wrong now, as the object of `status` and `alerts list`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memconsole.cli.encode import Row
    from memconsole.domain.alert_mutes import Standing
    from memconsole.domain.alerts import OpenAlert


def alert(one: OpenAlert) -> Row:
    """Return one alert."""
    return {
        "id": one.issue,
        "status": one.status.value,
        "message": one.message,
        "hint": one.hint or None,
        "since": one.since,
        "seen_at": one.seen_at,
    }


def standing(one: Standing) -> Row:
    """Return one alert with who knows of it."""
    return {
        **alert(one.alert),
        "told_at": one.told_at,
        "again_at": one.again_at,
        "muted_until": one.muted_until,
    }
