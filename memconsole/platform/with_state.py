"""The platform home together with what is wrong with our own state (A24)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from memconsole.domain.agents import Home, Notice
    from memconsole.platform.disk import DiskPlatform


class PlatformAndState:
    """Reads the platform home, and adds what is wrong with our own state to its notices."""

    def __init__(self, platform: DiskPlatform, problem: Callable[[], Notice | None]) -> None:
        self._platform = platform
        self._problem = problem

    def read(self) -> Home:
        """Read home, configuration and agents."""
        home = self._platform.read()
        problem = self._problem()
        return home if problem is None else replace(home, notices=(*home.notices, problem))
