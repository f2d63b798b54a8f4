"""Reads the platform's home, and says what in it belongs to whom."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from memconsole.engine.home.lookup import find_agent, owns

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memconsole.domain.agents import Agent, AgentRef, Home
    from memconsole.ports.platform import Platform


class _Thread(threading.local):
    """The home that one thread keeps: none yet while the list is empty."""

    kept: list[Home] | None = None


class HomeService:
    """The platform's home; safe from any thread.

    Raises:
        HomeNotFoundError: By every method: the platform home does not exist.
        HomeUnreadableError: By every method: it exists and cannot be listed.
    """

    def __init__(self, platform: Platform) -> None:
        self._platform = platform
        self._thread = _Thread()

    def read(self) -> Home:
        """Read home, configuration and roster."""
        kept = self._thread.kept
        if kept is None:
            return self._platform.read()
        if not kept:
            kept.append(self._platform.read())
        return kept[0]

    @contextmanager
    def keep(self) -> Iterator[None]:
        """Let the steps of this thread in the block share one reading of the home.

        A run for fifty agents would read it fifty times, each time with all fifty in it.
        """
        self._thread.kept = []
        try:
            yield
        finally:
            self._thread.kept = None

    def agent(self, agent_id: str) -> Agent:
        """Return one agent by id, in any letter case.

        Raises:
            UnknownAgentError: It is neither configured nor on disk.
        """
        return find_agent(self.read(), agent_id)

    def watched(self) -> tuple[Path, ...]:
        """Return the folders whose changes mean a new reading."""
        home = self.read()
        roots: dict[Path, None] = {home.path: None}
        for agent in home.agents:
            roots[agent.sessions_dir] = None
            roots[agent.database.parent] = None
            roots[agent.workspace] = None
        config = home.config.path
        if config is not None and home.path not in config.parents:
            roots[config] = None
        return tuple(roots)

    def owners(self, paths: frozenset[Path]) -> frozenset[AgentRef] | None:
        """Return the agents that changed files belong to; None when it may be all of them."""
        home = self.read()
        changed: set[AgentRef] = set()
        for path in paths:
            found = [agent.ref for agent in home.agents if owns(agent, path)]
            if not found:
                return None
            changed.update(found)
        return frozenset(changed)
