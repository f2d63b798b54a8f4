"""Answers how the platform's own search sees an agent's memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.engine.home.lookup import agents_of
from memconsole.engine.platform_search.check import platform_indexes
from memconsole.engine.platform_search.explain import ask_agents

if TYPE_CHECKING:
    from memconsole.domain.platform_search.index import PlatformIndexHealth
    from memconsole.domain.search.values import SearchResult
    from memconsole.domain.settings import Settings
    from memconsole.engine.home.service import HomeService
    from memconsole.ports.bundle import SearchNeeds
    from memconsole.ports.platform import Gateway


class PlatformSearchService:
    """The agents' own search, and its indexes."""

    def __init__(
        self, ports: SearchNeeds, gateway: Gateway, home: HomeService, settings: Settings
    ) -> None:
        self._ports = ports
        self._gateway = gateway
        self._home = home
        self._settings = settings

    def ask(self, result: SearchResult) -> SearchResult:
        """Put rank and score of the platform's own search beside each hit.

        Raises:
            GatewayUnavailableError: The Gateway cannot be asked.
            GatewayCallError: It refused, or its release has no such search.
        """
        home = self._home.read()
        return ask_agents(self._gateway, self._ports, self._settings, home, result)

    def indexes(self, agent_id: str | None = None) -> tuple[PlatformIndexHealth, ...]:
        """Return whether the agents' own search indexes are whole.

        Raises:
            UnknownAgentError: There is no such agent.
        """
        home = self._home.read()
        agents = agents_of(home, agent_id)
        return platform_indexes(self._ports, home, agents)
