"""Makes the sources of a fleet out of the settings."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING

from memconsole.adapters.fleet.homes import LocalHome
from memconsole.adapters.fleet.ssh import SshHome
from memconsole.domain.fleet.address import parse
from memconsole.system.folders import require_state_folder

if TYPE_CHECKING:
    from memconsole.domain.settings import Settings
    from memconsole.ports.fleet import FleetSource

_SOCKETS = "ssh"


def build_sources(settings: Settings, config: str | None) -> tuple[FleetSource, ...]:
    """Return a source for each home that is named, in that order.

    Args:
        settings: With `[fleet]`.
        config: `--config`, when it was given.

    Raises:
        StateError: The folder of kept connections cannot be made.
    """
    fleet, host = settings.fleet, socket.gethostname().partition(".")[0].lower()
    file = None if config is None else str(Path(config).absolute())
    servers = [one for one in fleet.sources if one.startswith("postgres")]
    others = [one for one in fleet.sources if one not in servers]
    if any("://" in one for one in others):
        require_state_folder(settings.state_dir, _SOCKETS)
    found: tuple[FleetSource, ...] = tuple(
        SshHome(parse(one), sockets=settings.state_dir / _SOCKETS, timeout=fleet.timeout)
        if "://" in one
        else LocalHome(
            os.path.expanduser(one),  # noqa: PTH111 - keeps the path as it is written
            config=file,
            host=host,
            timeout=fleet.timeout,
        )
        for one in others
    )
    if servers:
        from memconsole.compose.fleet_server import fleet_homes  # noqa: PLC0415 - loads psycopg

        found += tuple(home for one in servers for home in fleet_homes(settings, one))
    return found
