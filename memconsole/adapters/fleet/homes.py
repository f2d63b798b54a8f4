"""A home of this host, asked by a process of its own: what ails one home stays there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.adapters.fleet.program import run
from memconsole.domain.agents import HomeRef
from memconsole.system.launch import own_module

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import timedelta

    from memconsole.domain.fleet.wire import Heard


class LocalHome:
    """One home of this host.

    Args:
        path: Absolute path of the platform's state folder.
        config: Our own configuration file, the one of this call.
        host: Name of this host.
        timeout: For one command.
    """

    def __init__(self, path: str, *, config: str | None, host: str, timeout: timedelta) -> None:
        self.home = HomeRef(path, host)
        self._config = () if config is None else ("--config", config)
        self._timeout = timeout

    def ask(
        self,
        words: Sequence[str],
        text: str = "",
        stop: Callable[[], bool] | None = None,
        begun: Callable[[], None] | None = None,  # noqa: ARG002 - it waits for nobody
    ) -> Heard:
        """Run the command for this home."""
        own = ("--home", self.home.path, *self._config, "--json", *words)
        return run(own_module("memconsole", *own), self._timeout, text, stop)[0]
