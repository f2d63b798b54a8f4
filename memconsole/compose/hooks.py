"""Puts our hooks together, as they are in the platform home."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from memconsole.adapters.platform.hook_calls import HookCalls
from memconsole.adapters.platform.hooks import DiskHooks
from memconsole.adapters.platform.hooks_program import listed_hooks
from memconsole.compose.config_file import config_file
from memconsole.errors import MemconsoleError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memconsole.adapters.platform.home import HomeChoice
    from memconsole.domain.settings import Settings
    from memconsole.ports.platform import Clock
    from memconsole.ports.platform_files import HookFolder


def hook_folder(settings: Settings, choice: HomeChoice, clock: Clock) -> HookFolder:
    """Return the hooks of a home."""
    file = config_file(settings, choice, clock)

    def config() -> Mapping[str, object] | None:
        try:
            found = file.read()
            return None if found is None else file.decode(found.text)
        except MemconsoleError:
            return None

    names = ("clawdbot", "moltbot")
    program = next((name for name in names if name in choice.path.name), "openclaw")
    calls = HookCalls(settings.state_dir, choice.path)

    def listed() -> Mapping[str, str] | None:
        return listed_hooks(program, choice.path, os.environ)

    return DiskHooks(choice.path, config, program, calls=calls, listed=listed)
