"""Keys of the platform, its Gateway, and our own state."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from memconsole.config.keys import Key
from memconsole.config.kinds import Choice, Kind, PathName, Switch, Url, Whole, Zone
from memconsole.config.span import Span

_EVERY_SECOND: Final = Span(timedelta(seconds=1))

PLATFORM_KEYS: Final = (
    Key("timezone", Zone(), "Time zone of daily logs and times", example='"Europe/Berlin"'),
    Key(
        "platform.home",
        PathName(),
        "State folder of the platform; found by itself when not set",
        field="home",
        option="--home",
        example='"~/.openclaw"',
    ),
    Key("state.dir", PathName(), "Our own state: database, locks, logs", field="state_dir"),
    Key(
        "gateway.url",
        Url("ws", "wss"),
        "Address of the Gateway; taken from the platform's configuration when not set",
        field="gateway_url",
        option="--gateway",
        example='"ws://127.0.0.1:18789"',
    ),
    Key(
        "gateway.transport",
        Choice("auto", "ws", "cli", "none"),
        "How to reach the Gateway",
        field="transport",
        option="--transport",
    ),
    Key(
        "gateway.token",
        Kind(),
        "Token of the Gateway; better in MEMCONSOLE_GATEWAY__TOKEN than in a file",
        field="gateway_token",
        example='"…"',
        is_secret=True,
    ),
    Key(
        "gateway.timeout",
        _EVERY_SECOND,
        "How long one question to the Gateway may take",
        field="gateway_timeout",
    ),
    Key(
        "compaction.min_duration_ms",
        Whole(),
        "Compactions that took less time cannot have made a summary",
        field="min_compaction_ms",
    ),
    Key(
        "config.max_backups",
        Whole(1, 1000),
        "Copies of the platform's configuration to keep from before a config fix",
        field="max_backups",
    ),
    Key(
        "config.use_program",
        Switch(),
        "Let the platform's own program set what config fix sets; it rewrites the whole file",
        field="uses_program",
    ),
)
