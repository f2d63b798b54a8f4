"""What a call needs before it needs an engine: settings, clock, zone, and where the home is."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from memconsole.adapters.clock import SystemClock
from memconsole.adapters.platform.home import find_home
from memconsole.config.keys import HOOK_VARIABLE
from memconsole.config.load import load
from memconsole.domain.calendar import resolve_zone
from memconsole.domain.settings import usable
from memconsole.errors import HomeNotFoundError

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


def user_home() -> Path:
    """Return the operator's home folder: `~`."""
    return Path(os.environ.get("HOME") or Path.home())


def home_mark(settings: Settings) -> str:
    """Return what the scheduler of a home is told apart by; empty for the first one of this host.

    A state folder may serve several homes, each with a scheduler, locks and jobs of its own.
    """
    sources = usable(lambda: settings.fleet.sources, ())
    own = [one for one in sources if "://" not in one]
    if len(own) < 2:
        return ""
    import hashlib  # noqa: PLC0415 - most have one home

    path = str(find_home(settings.home, os.environ, user_home()).path)
    others = [os.path.expanduser(one) for one in own[1:]]  # noqa: PTH111 - keeps it as written
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:12] if path in others else ""


def require_home(settings: Settings) -> None:
    """Look for the platform home without reading it: no console is opened over nothing.

    Raises:
        HomeNotFoundError: It does not exist.
    """
    path = find_home(settings.home, os.environ, user_home()).path
    if not os.path.lexists(path):
        raise HomeNotFoundError(str(path))


def note_hook_call(settings: Settings, clock: Clock) -> bool:
    """Remember that the platform's handler of a hook of ours made this call; False when none did.

    It is the proof that the platform runs that hook. Nothing is written for a call that may not.
    """
    name = os.environ.get(HOOK_VARIABLE)
    if not name:
        return False
    from memconsole.adapters.platform.hooks import HookCalls  # noqa: PLC0415 - most calls are by hand

    if not settings.ui.read_only:
        home = find_home(settings.home, os.environ, user_home()).path
        HookCalls(settings.state_dir, home).note(name, clock.now())
    return True
