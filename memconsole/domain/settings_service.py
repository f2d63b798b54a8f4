"""Settings of the service around the jobs: alerts, logs, metrics."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class ChannelSettings:
    """One `[[alerts.channel]]` (mission §10, A20).

    `${NAME}` in address, token and channel stands for a secret that is kept elsewhere.

    Attributes:
        type: `slack`, `webhook`, `command` or `apprise`.
        name: There is one channel of a name.
        url: Where to; a secret.
        channel: Of Slack, its id.
        token: Of a Slack bot; a secret.
        command: Program and arguments.
    """

    type: str
    name: str
    url: str = field(default="", repr=False)
    channel: str = ""
    token: str = field(default="", repr=False)
    command: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return what may be shown of it."""
        return self.name if self.name.startswith(self.type) else f"{self.type} {self.name}"


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
        short = ChannelSettings(
            "slack", "slack", channel=self.slack_channel, token=self.slack_token
        )
        if any(one.name == short.name for one in self.channels):
            return self.channels
        return (*self.channels, short)


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
class MetricsSettings:
    """`[metrics]` (A21); both ways are off until they are named.

    Attributes:
        textfile: For the node exporter's folder; ends in `.prom`.
        port: Of the endpoint on 127.0.0.1; 0 is off.
    """

    textfile: Path | None = None
    port: int = 0
    interval: timedelta = timedelta(minutes=1)
