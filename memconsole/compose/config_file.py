"""Puts the platform's configuration together, as a file that is checked and set."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from memconsole.adapters.platform.config.write import DiskConfigFile

if TYPE_CHECKING:
    from memconsole.adapters.platform.home import HomeChoice
    from memconsole.domain.settings import Settings
    from memconsole.ports.platform import Clock
    from memconsole.ports.platform_files import ConfigFile


def config_file(settings: Settings, choice: HomeChoice, clock: Clock) -> ConfigFile:
    """Return the configuration file of a home."""
    backups, most = settings.state_dir / "backups", settings.max_backups
    return DiskConfigFile(choice, os.environ, backups, now=clock.now, max_backups=most)
