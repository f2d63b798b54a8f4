"""Settings of the service around the jobs: alerts, logs, metrics."""

from __future__ import annotations

from dataclasses import field
from datetime import timedelta
from typing import TYPE_CHECKING

from memconsole.values import dataclass

if TYPE_CHECKING:
    from pathlib import Path

    from memconsole.domain.channel_settings import ChannelSettings


@dataclass(frozen=True, slots=True)
class AlertSettings:
    """`[alerts]` (mission §10); the log is a channel beside these.

    Attributes:
        secrets_file: Lines `KEY=VALUE` for `${KEY}`; the user's own, readable by nobody else.
        slack_channel: With a token, one more channel: the short way to Slack.
        slack_token: Of the bot; a secret.
    """

    channels: tuple[ChannelSettings, ...] = ()
    secrets_file: Path | None = None
    slack_channel: str | None = None
    slack_token: str | None = field(default=None, repr=False)

    def all_channels(self) -> tuple[ChannelSettings, ...]:
        """Return those of the tables, and Slack when its two keys are set."""
        if not (self.slack_channel and self.slack_token):
            return self.channels
        from memconsole.domain.channel_settings import ChannelSettings  # noqa: PLC0415 - rarely

        short = ChannelSettings(
            "slack", "slack", channel=self.slack_channel, token=self.slack_token
        )
        if any(one.name == short.name for one in self.channels):
            return self.channels
        return (*self.channels, short)


@dataclass(frozen=True, slots=True)
class ConfigCheckSettings:
    """`[config_check]` (mission §7): beside a look whenever the configuration changed."""

    interval: timedelta = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class LogRotationSettings:
    """`[log_rotation]` (mission §11).

    Attributes:
        max_bytes: From this size on a log is rotated.
        keep: Old ones that are kept of each.
        paths: Patterns of more logs that belong to other programs.
    """

    interval: timedelta = timedelta(hours=1)
    max_bytes: int = 5_242_880
    keep: int = 3
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CleanupSettings:
    """`[cleanup]` (mission §11): of transcripts that no store knows; off by default.

    Attributes:
        compress_days: Days after its last line until one is packed.
        delete_days: Days after that line until a packed one is deleted.
    """

    is_enabled: bool = False
    compress_days: int = 7
    delete_days: int = 30


@dataclass(frozen=True, slots=True)
class MetricsSettings:
    """`[metrics]` (A21); both ways are off until they are named.

    Attributes:
        textfile: For the node exporter's folder; ends in `.prom`.
        port: Of the endpoint on 127.0.0.1; 0 is off.
    """

    textfile: Path | None = None
    port: int = 0
    interval: timedelta = timedelta(minutes=1)
