"""What a call needs before it needs an engine: settings, clock and zone."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from memconsole.adapters.clock import SystemClock
from memconsole.config.load import load
from memconsole.domain.calendar import resolve_zone

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memconsole.domain.agents import Home
    from memconsole.domain.calendar import Zone
    from memconsole.domain.settings import Settings
    from memconsole.ports.platform import Clock


def load_settings(file: str | None, flags: Mapping[str, str]) -> Settings:
    """Put configuration file, environment and options together.

    Args:
        file: `--config`; None means the usual place, where it may be absent.
        flags: Configuration keys with the text that an option gave them.

    Raises:
        ConfigError: One of them cannot be used.
    """
    return load(os.environ, file=None if file is None else Path(file), options=flags)


def build_clock() -> Clock:
    """Return the clock of this process.

    Raises:
        ConfigError: `MEMCONSOLE_NOW` is no moment.
    """
    return SystemClock(os.environ.get("MEMCONSOLE_NOW"))


def zone(settings: Settings, home: Home | None) -> Zone:
    """Return the operator's time zone: ours, else the platform's; None for the host's."""
    platform = None if home is None else home.config.user_timezone
    return resolve_zone(settings.timezone, platform).zone
