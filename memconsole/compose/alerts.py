"""Puts alerting together over the adapters of this host."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from memconsole.adapters.host.status_file import JsonStatusFile
from memconsole.adapters.state.alerts import StateAlerts
from memconsole.errors import ConfigError
from memconsole.ports.bundle import AlertPorts

if TYPE_CHECKING:
    from memconsole.adapters.state.database import StateDatabase
    from memconsole.domain.settings import Settings
    from memconsole.ports.alerts import AlertChannel


def alert_ports(settings: Settings, state: StateDatabase) -> AlertPorts:
    """Return store, channels and status file of one state folder."""
    return AlertPorts(
        StateAlerts(state),
        lambda: _channels(settings),
        JsonStatusFile(settings.state_dir / "health" / "last_status.json"),
        os.uname().nodename,
    )


def _channels(settings: Settings) -> tuple[AlertChannel, ...]:
    from memconsole.adapters.alerts import channels  # noqa: PLC0415 - only who tells

    log = channels.log_channel(settings.state_dir)
    try:
        return (log, *channels.build_channels(settings.alerts, os.environ))
    except ConfigError as error:
        return (log, channels.RefusedChannels(error))
