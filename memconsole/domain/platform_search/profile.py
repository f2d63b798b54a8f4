"""By which rules the platform's own memory search finds and scores, release by release.

An operator may have set some of them for an agent (`memorySearch`, later `memory.search`). Which of
the rules of 2026.1.24, 2026.3.13, 2026.7.1 and 2026.9.6 hold is told by the index itself, as
everything about eras is; only one change left no trace in it, and is dated. The rules:
`docs/formats.md`, "The platform's memory index".
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple

from memconsole.domain.agents import number, part
from memconsole.domain.release import release_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping


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
    """Return what the newest release searches: sessions only where they are asked for by name."""
    named = search.get("sources")
    has_sessions = isinstance(named, list) and _SESSIONS in named
    has_memory = not has_sessions or (isinstance(named, list) and _MEMORY in named)
    return (_MEMORY,) * has_memory + (_SESSIONS,) * has_sessions


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
    own = [part(agents, "entries", agent_id)]
    own += [one for one in rows if str(one.get("id", "")).lower() == agent_id]
    found: list[Mapping[str, object]] = []
    for one in (part(agents, "defaults"), config, *own):
        found += [part(one, "memorySearch"), part(one, "memory", "search")]
    return found


_GRADED_WORDS: Final = (2026, 3, 7)
"""Before it, every chunk with all the words counted the same."""

_NEW_CHUNKS, _PATHS = "memory_index_chunks", "memory_index_paths_fts"


class Fallback(StrEnum):
    """When the words of a query are looked for one by one, after all of them at once."""

    NEVER = "never"
    WHEN_NOTHING = "when-nothing"
    ALWAYS = "always"


class SecondChance(StrEnum):
    """What chunks with words get when nothing reaches the least score."""

    NONE = "none"
    TEXT_WEIGHT = "text-weight"
    ANY = "any"


class Profile(NamedTuple):
    """The rules of one generation.

    Attributes:
        release: The release they were read in.
        is_ascii: Only words of A-Z, digits and `_` are looked for.
        is_flat: A chunk with all the words counts 1, however rare they are.
        has_wide_net: There are always 200 candidates, not four times the results.
        has_one_model: Words are looked for in chunks of the current model only.
        is_lifted: Words count by how many of the query are there as well, not by BM25 alone.
        reads_paths: Names of files are searched too.
        fills: Places that are left over go to chunks that have words and no vector.
        half_life_days: Age at which a dated note counts half; None where nothing fades.
        novelty: Weight of the score against repetition (MMR); None where likeness is left out.
        weighs_importance: A note's `importance` makes it count more or less.
        reads_user: USER.md is a memory file.
    """

    release: str
    is_ascii: bool = False
    is_flat: bool = False
    fallback: Fallback = Fallback.NEVER
    second_chance: SecondChance = SecondChance.NONE
    has_wide_net: bool = False
    has_one_model: bool = True
    is_lifted: bool = False
    reads_paths: bool = False
    fills: bool = False
    half_life_days: float | None = None
    novelty: float | None = None
    weighs_importance: bool = False
    reads_user: bool = False


FIRST: Final = Profile("2026.1", is_ascii=True, is_flat=True)
GRADED: Final = Profile("2026.3", second_chance=SecondChance.TEXT_WEIGHT)
ONE_BY_ONE: Final = Profile(
    "2026.7",
    fallback=Fallback.WHEN_NOTHING,
    second_chance=SecondChance.ANY,
    has_one_model=False,
)
FADING: Final = Profile(
    "2026.9",
    fallback=Fallback.ALWAYS,
    second_chance=SecondChance.ANY,
    has_wide_net=True,
    has_one_model=False,
    is_lifted=True,
    reads_paths=True,
    fills=True,
    half_life_days=30.0,
    novelty=0.7,
    weighs_importance=True,
    reads_user=True,
)
PROFILES: Final = (FIRST, GRADED, ONE_BY_ONE, FADING)


def profile_of(
    tables: Collection[str], meta: Mapping[str, object], version: str | None = None
) -> Profile:
    """Return the rules that belong to an index.

    Args:
        tables: Names of the tables of its database.
        meta: What the index says of itself; empty when it says nothing.
        version: Release that the configuration names, if it does.
    """
    if _NEW_CHUNKS in tables:
        is_newest = "chunkingVersion" in meta or _PATHS in tables
        return FADING if is_newest else ONE_BY_ONE
    release = release_of(version)
    if release is not None:
        return GRADED if release >= _GRADED_WORDS else FIRST
    return GRADED if "sources" in meta else FIRST
