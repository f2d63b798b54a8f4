"""Keys of health: from where on something is worth an alert."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from memconsole.config.keys import Key
from memconsole.config.kinds import Kind, Switch, Whole
from memconsole.config.kinds_service import Hours
from memconsole.config.span import Span

HEALTH_KEYS: Final = (
    Key(
        "health.interval", Span(timedelta(minutes=1)), "How often the scheduler looks after health"
    ),
    Key(
        "health.process_pattern",
        Kind(),
        "Regular expression of the Gateway's command line",
    ),
    Key("health.disk_percent", Whole(1, 100), "How full a disk may be"),
    Key("health.disk_critical_percent", Whole(1, 100), "From here on a full disk is critical"),
    Key("health.transcripts_mb", Whole(1), "Megabytes that all transcripts may take"),
    Key("health.memory_file_kb", Whole(1), "Kilobytes that one memory file may take"),
    Key("health.cron_errors", Whole(1), "Failed scheduled runs of the platform within an hour"),
    Key("health.alert_cooldown", Span(timedelta(minutes=1)), "Time until an issue is told again"),
    Key("health.notify_recovery", Switch(), "Tell that an issue is over"),
    Key(
        "health.quiet_hours",
        Hours(),
        "Hours in which only what is critical is told",
        example='"22:00-07:00"',
    ),
)
