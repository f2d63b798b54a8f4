"""What is asked of the platform home without reading it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from memconsole.adapters.platform.home import find_home
from memconsole.config.keys import HOOK_VARIABLE
from memconsole.errors import HomeNotFoundError

if TYPE_CHECKING:
    from memconsole.domain.settings import Settings
    from memconsole.ports.platform import Clock


def user_home() -> Path:
    """Return the operator's home folder: `~`."""
    return Path(os.environ.get("HOME") or Path.home())


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
    from memconsole.adapters.platform.hook_calls import HookCalls  # noqa: PLC0415 - most calls are by hand

    if not settings.ui.read_only:
        home = find_home(settings.home, os.environ, user_home()).path
        HookCalls(settings.state_dir, home).note(name, clock.now())
    return True
