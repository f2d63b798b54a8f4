"""Puts where the agent's own search has it beside each hit (`search --ask-gateway`, A22)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from memconsole.domain.agent_search import asked_view
from memconsole.domain.indexing import Source

if TYPE_CHECKING:
    from memconsole.domain.search import SearchHit, SearchResult
    from memconsole.ports import Gateway

LIMIT: Final = 50
"""Results that are asked for: deep enough to tell "low" from "not at all"."""


def ask_agents(result: SearchResult, gateway: Gateway) -> SearchResult:
    """Return the hits with rank and score of the platform's own search, one question an agent.

    Transcripts are no part of that search and stay without.

    Raises:
        GatewayUnavailableError: It cannot be asked.
        GatewayCallError: It refused, or its release has no such search.
    """
    agents = dict.fromkeys(hit.agent for hit in result.hits if hit.source is Source.MEMORY)
    answers = {one: gateway.search_memory(one, result.query.text, LIMIT) for one in agents}

    def beside(hit: SearchHit) -> SearchHit:
        if hit.source is not Source.MEMORY:
            return hit
        view = asked_view(hit, answers[hit.agent])
        return replace(
            hit, agent_rank=view.rank, agent_score=view.score, agent_because=view.because
        )

    return replace(result, hits=tuple(beside(hit) for hit in result.hits))
