"""Keys of what is around the jobs: alerts, logs, metrics."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from memconsole.config.keys import Key
from memconsole.config.kinds import Kind, PathName, Switch, Texts, Whole
from memconsole.config.kinds_service import Channels
from memconsole.config.span import Span

_EVERY_MINUTE: Final = Span(timedelta(minutes=1))

SERVICE_KEYS: Final = (
    Key(
        "alerts.channel",
        Channels(),
        "Ways to be told, each a table [[alerts.channel]] with a type (slack, webhook, command, "
        'desktop, log, apprise) and its keys; "${NAME}" in them stands for a secret',
        field="alerts.channels",
    ),
    Key(
        "alerts.secrets_file",
        PathName(),
        'File of lines NAME=VALUE for "${NAME}"; yours, and readable by nobody else',
        example='"~/.config/memconsole/secrets.env"',
    ),
    Key("alerts.slack_channel", Kind(), "Id of a Slack channel to tell", example='"C0123456789"'),
    Key(
        "alerts.slack_token",
        Kind(),
        "Token of the Slack bot that tells it",
        example='"${SLACK_TOKEN}"',
        is_secret=True,
    ),
    Key(
        "config_check.interval",
        _EVERY_MINUTE,
        "How often the scheduler checks the platform's configuration, beside when it changed",
    ),
    Key("log_rotation.interval", _EVERY_MINUTE, "How often the scheduler looks at logs"),
    Key("log_rotation.max_bytes", Whole(1024), "Size from which a log is rotated"),
    Key("log_rotation.keep", Whole(1, 100), "Old logs that are kept of each"),
    Key("log_rotation.paths", Texts(), "More logs of other programs, patterns such as /srv/*.log"),
    Key(
        "cleanup.enabled",
        Switch(),
        "Pack, and later delete, old transcripts that no session store knows any more",
        field="cleanup.is_enabled",
    ),
    Key("cleanup.compress_days", Whole(1), "Days until such a transcript is packed"),
    Key("cleanup.delete_days", Whole(1), "Days until a packed one is deleted"),
    Key(
        "metrics.textfile",
        PathName(),
        "File of metrics for the Prometheus node exporter",
        example='"/var/lib/node_exporter/textfile/memconsole.prom"',
    ),
    Key("metrics.port", Whole(0, 65535), "Port of the metrics on 127.0.0.1; 0 is off"),
    Key("metrics.interval", _EVERY_MINUTE, "How often the metrics are renewed"),
)
