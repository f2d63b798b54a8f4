"""Asks the agents' own search through the Gateway (`search --ask-gateway`, A22)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memconsole.domain.indexing import Source
from memconsole.engine.explaining import explained
from memconsole.errors import GatewayUnavailableError

if TYPE_CHECKING:
    from memconsole.domain.agents import Home
    from memconsole.domain.search import SearchResult
    from memconsole.domain.settings import Settings
    from memconsole.engine.ports_bundle import Ports

LIMIT: Final = 50
"""Results that are asked for: deep enough to tell "low" from "not at all"."""


def ask_agents(ports: Ports, settings: Settings, home: Home, result: SearchResult) -> SearchResult:
    """Return the hits with rank and score of the platform's own search, one question an agent.

    Transcripts are no part of that search and stay without.

    Raises:
        GatewayUnavailableError: It cannot be asked.
        GatewayCallError: It refused, or its release has no such search.
    """
    agents = dict.fromkeys(hit.agent for hit in result.hits if hit.source is Source.MEMORY)
    try:
        answers = {
            one: ports.gateway.search_memory(one, result.query.text, LIMIT) for one in agents
        }
    except GatewayUnavailableError as error:
        message = f"the Gateway cannot be asked for the agent's own search: {error}"
        raise GatewayUnavailableError(message, error.hint, verdict=error.code) from error
    return explained(ports, settings, home, result, answers)
