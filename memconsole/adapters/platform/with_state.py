"""The platform home together with what is wrong with our own state and settings."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from memconsole.adapters.platform.disk import DiskPlatform
    from memconsole.domain.agents import Home, Notice


class PlatformAndState:
    """Reads the platform home, and adds to its notices what is wrong around it.

    Args:
        platform: Reads the home.
        problem: Says what is wrong with our own state.
        own: Says what is wrong with our settings, given the platform's time zone.
    """

    def __init__(
        self,
        platform: DiskPlatform,
        problem: Callable[[], Notice | None],
        own: Callable[[str | None], tuple[Notice, ...]],
    ) -> None:
        self._platform = platform
        self._problem = problem
        self._own = own

    def read(self) -> Home:
        """Read home, configuration and agents."""
        home = self._platform.read()
        problem = self._problem()
        more = (*(() if problem is None else (problem,)), *self._own(home.config.user_timezone))
        return replace(home, notices=(*home.notices, *more)) if more else home
