"""What an operator of the platform may have set for its memory search, agent by agent.

Formats: file era §6 (`memorySearch`), 2026.9 §2 (`memory.search`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from memconsole.domain.config_values import number, part

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memconsole.domain.platform_profile import Profile

MOST_CANDIDATES: Final = 200
_MEMORY, _SESSIONS = "memory", "sessions"


class Limits(NamedTuple):
    """How one agent's search is limited.

    Attributes:
        max_results: Results that an agent is shown.
        per_result: Candidates of each leg for each result.
        sources: What is searched; empty for all that is indexed.
        is_on: The agent has a memory search at all.
        model: That its vectors are configured to be of; empty when nobody says.
    """

    max_results: int = 6
    min_score: float = 0.35
    vector_weight: float = 0.7
    text_weight: float = 0.3
    per_result: int = 4
    half_life_days: float | None = None
    novelty: float | None = None
    sources: tuple[str, ...] = ()
    is_on: bool = True
    model: str = ""

    def candidates(self, profile: Profile) -> int:
        """Return how many candidates each leg gives."""
        if profile.has_wide_net:
            return MOST_CANDIDATES
        return min(MOST_CANDIDATES, max(1, self.max_results * self.per_result))


def limits_of(profile: Profile, config: Mapping[str, object], agent_id: str) -> Limits:
    """Return the limits that the platform's configuration sets for one agent.

    Args:
        profile: Its rules; the newest takes weights, fading and variety from nobody.
        config: The checked part of the configuration.
        agent_id: Whose own settings count before those of all.
    """
    search: dict[str, object] = {}
    query: dict[str, object] = {}
    for one in _searches(config, agent_id):
        query |= part(one, "query")
        search |= one
    limits = Limits(
        max_results=int(number(query, "maxResults", 6)),
        min_score=number(query, "minScore", 0.35),
        half_life_days=profile.half_life_days,
        novelty=profile.novelty,
        is_on=search.get("enabled") is not False,
        model=_text(search, "model"),
    )
    if profile.is_lifted:
        return limits._replace(sources=_sources(search))
    return _with_hybrid(limits, part(query, "hybrid"))


def _sources(search: Mapping[str, object]) -> tuple[str, ...]:
    """Return what the newest release searches: talks only where they are asked for by name."""
    named = search.get("sources")
    has_talks = isinstance(named, list) and _SESSIONS in named
    has_memory = not has_talks or (isinstance(named, list) and _MEMORY in named)
    return (_MEMORY,) * has_memory + (_SESSIONS,) * has_talks


def _text(search: Mapping[str, object], name: str) -> str:
    found = search.get(name)
    return found if isinstance(found, str) else ""


def _with_hybrid(limits: Limits, hybrid: Mapping[str, object]) -> Limits:
    vector, text = number(hybrid, "vectorWeight", 0.7), number(hybrid, "textWeight", 0.3)
    total = vector + text or 1.0
    decay, mmr = part(hybrid, "temporalDecay"), part(hybrid, "mmr")
    return limits._replace(
        vector_weight=vector / total,
        text_weight=text / total,
        per_result=int(number(hybrid, "candidateMultiplier", 4)),
        half_life_days=number(decay, "halfLifeDays", 30.0) if decay.get("enabled") else None,
        novelty=number(mmr, "lambda", 0.7) if mmr.get("enabled") else None,
    )


def _searches(config: Mapping[str, object], agent_id: str) -> list[Mapping[str, object]]:
    """Return every object about memory search that has a say, the weakest first."""
    agents = part(config, "agents")
    listed = agents.get("list")
    rows = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    own = [part(part(agents, "entries"), agent_id)]
    own += [one for one in rows if str(one.get("id", "")).lower() == agent_id]
    found: list[Mapping[str, object]] = []
    for one in (part(agents, "defaults"), config, *own):
        found += [part(one, "memorySearch"), part(part(one, "memory"), "search")]
    return found
