"""Puts beside each hit where the agent's own search has it, and why.

The agent's index is read as it is and searched by the rules of its release. What its vectors say is
computed where its provider is ours to ask, or taken from the Gateway (`search --ask-gateway`); else
it stays unknown, and words, age and state of the index are explained all the same.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Final, NamedTuple

from memconsole.domain.platform_search.candidates import Rules
from memconsole.domain.platform_search.explanation import (
    Searched,
    as_placed,
    asked_view,
    evidence,
    explain,
)
from memconsole.domain.platform_search.profile import Fallback, limits_of
from memconsole.domain.platform_search.ranking import ranked
from memconsole.domain.platform_search.words import path_likeness, plan, terms
from memconsole.domain.search.agent_view import AgentSearch, AgentView, Reason, Vectors
from memconsole.domain.search.indexing import Source
from memconsole.engine.home.lookup import agents_of, find_agent
from memconsole.engine.platform_search.check import platform_indexes
from memconsole.errors import EmbeddingError, GatewayUnavailableError, StoreError
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memconsole.domain.agents import Agent, Home
    from memconsole.domain.platform_search.candidates import Placed, WordsFound
    from memconsole.domain.platform_search.index import Contents, IndexFacts, PlatformIndexHealth
    from memconsole.domain.search.agent_view import AgentHit
    from memconsole.domain.search.values import SearchHit, SearchResult
    from memconsole.domain.settings import Settings
    from memconsole.domain.settings.sections import SearchSettings
    from memconsole.engine.home.service import HomeService
    from memconsole.ports.bundle import SearchNeeds
    from memconsole.ports.platform import Gateway
    from memconsole.ports.search import OpenPlatformIndex


_SESSION: Final = AgentView(
    None, None, Reason.NOT_COMPARED, "sessions are not compared with its search", is_known=False
)
_OFF: Final = AgentView(
    None,
    None,
    Reason.OFF,
    "its memory search is switched off in the platform's configuration",
    "Switch memory search on.",
)


def _unreadable(error: StoreError) -> AgentView:
    return AgentView(None, None, Reason.UNREADABLE, str(error), error.hint, is_known=False)


class _Reading(NamedTuple):
    """One index as it was searched."""

    contents: Contents
    placed: tuple[Placed, ...]


def explained(
    ports: SearchNeeds,
    settings: Settings,
    home: Home,
    result: SearchResult,
    answers: Mapping[str, Sequence[AgentHit]] | None = None,
) -> SearchResult:
    """Return a result with the agents' own view of each hit.

    Args:
        ports: The engine's ports.
        settings: Which provider is ours, agent by agent.
        home: The agents and their configuration.
        result: Of our own search.
        answers: What the Gateway said, by agent; None when it was not asked.
    """
    searches: dict[str, AgentSearch] = {}
    views: dict[SearchHit, AgentView] = {}
    for name in dict.fromkeys(hit.agent for hit in result.hits):
        mine = tuple(hit for hit in result.hits if hit.agent == name)
        asked = None if answers is None else answers.get(name, ())
        look = _IndexReading(
            ports, settings.for_agent(name).search, home, find_agent(home, name), result
        )
        searches[name], seen = look.at(mine, asked)
        views |= seen
    hits = tuple(replace(hit, agent_view=views[hit]) for hit in result.hits)
    return replace(result, hits=hits, agent_searches=tuple(searches.values()))


class _IndexReading:
    """One look at the index of one agent."""

    def __init__(
        self,
        ports: SearchNeeds,
        settings: SearchSettings,
        home: Home,
        agent: Agent,
        result: SearchResult,
    ) -> None:
        self._platform = ports.platform_index()
        self._settings = settings
        self._home = home
        self._agent = agent
        self._query = result.query
        self._now = ports.clock.now().timestamp()

    def at(
        self, hits: Sequence[SearchHit], answers: Sequence[AgentHit] | None
    ) -> tuple[AgentSearch, dict[SearchHit, AgentView]]:
        """Return what was searched, and where it has each hit."""
        notes = [hit for hit in hits if hit.source is Source.MEMORY]
        sessions = dict.fromkeys((hit for hit in hits if hit.source is not Source.MEMORY), _SESSION)
        try:
            facts = self._platform.indexes.read(self._agent, self._home, lambda index: index.facts)
            told, views = self._seen(notes, answers, facts)
        except StoreError as error:
            told, views = self._blind(notes, answers, _unreadable(error))
        return told, {**sessions, **views}

    def _seen(
        self,
        notes: Sequence[SearchHit],
        answers: Sequence[AgentHit] | None,
        facts: IndexFacts | None,
    ) -> tuple[AgentSearch, dict[SearchHit, AgentView]]:
        if facts is None:
            return self._blind(notes, answers, self._no_index)
        limits = limits_of(facts.profile, self._home.config.checked, self._agent.id)
        if not limits.is_on:
            return self._blind(notes, answers, _OFF)
        rules = Rules(facts.profile, limits, self._query.text, self._now, facts.is_text_only)
        vector, because = self._vector(facts) if answers is None else (None, "")
        reading = self._read(rules, vector)
        if answers is not None:
            found = as_placed(answers, reading.contents, rules, reading.placed)
            reading = reading._replace(placed=found)
        search = Searched(
            self._agent.id,
            facts,
            limits,
            self._query,
            self._now,
            is_settled=vector is not None or (facts.is_text_only and answers is None),
            answers=None if answers is None else len(answers),
        )
        told = AgentSearch(
            agent=self._agent.id,
            release=facts.profile.release,
            provider=facts.source,
            vectors=_vectors(facts, vector, answers),
            min_score=limits.min_score,
            max_results=limits.max_results,
            because=because,
        )
        return told, self._views(notes, search, reading)

    @property
    def _no_index(self) -> AgentView:
        return AgentView(
            None,
            None,
            Reason.NO_INDEX,
            "the agent has no index of its memory",
            f"`openclaw memory index --agent {self._agent.id}` makes one.",
        )

    def _blind(
        self, notes: Sequence[SearchHit], answers: Sequence[AgentHit] | None, view: AgentView
    ) -> tuple[AgentSearch, dict[SearchHit, AgentView]]:
        """Return what can be said of each note without an index: the answers, or one view."""
        told = AgentSearch(self._agent.id, because=view.because)
        if answers is None:
            return told, dict.fromkeys(notes, view)
        told = told._replace(vectors=Vectors.ASKED)
        return told, {hit: asked_view(hit, answers) for hit in notes}

    def _vector(self, facts: IndexFacts) -> tuple[Sequence[float] | None, str]:
        """Return the query's vector where its provider is ours to ask, else why there is none."""
        own = self._settings
        is_ours = own.provider == "openai-compatible" and own.model == facts.model
        if facts.is_text_only:
            return None, ""
        if not is_ours:
            return None, f"memconsole is not set up to ask for vectors of {facts.source}"
        try:
            vector = self._platform.embed(own, self._query.text)
        except EmbeddingError as error:
            return None, str(error)
        if facts.dims not in (None, len(vector)):
            return None, f"{facts.source} gives vectors of another length than the index has"
        return vector, ""

    def _read(self, rules: Rules, vector: Sequence[float] | None) -> _Reading:
        def reading(index: OpenPlatformIndex) -> _Reading:
            return _Reading(index.contents(), placed(index, rules, vector))

        found = self._platform.indexes.read(self._agent, self._home, reading)
        assert found is not None, "an index does not go between two looks at the same reading"
        return found

    def _views(
        self, notes: Sequence[SearchHit], search: Searched, reading: _Reading
    ) -> dict[SearchHit, AgentView]:
        paths = dict.fromkeys(hit.path for hit in notes)
        hashes = self._platform.indexes.hashes(self._agent.workspace, paths)
        return {
            hit: explain(
                evidence(self._named(hit), reading.contents, reading.placed, hashes, search), search
            )
            for hit in notes
        }

    def _named(self, hit: SearchHit) -> SearchHit:
        """Return a hit under the name that the platform has for its file.

        A file beside the workspace has its whole path here, and a way out of the workspace there.
        """
        if not PurePath(hit.path).is_absolute():
            return hit
        return replace(hit, path=os.path.relpath(hit.path, self._agent.workspace))


def _vectors(facts: IndexFacts, vector: Sequence[float] | None, answers: object | None) -> Vectors:
    if answers is not None:
        return Vectors.ASKED
    if facts.is_text_only:
        return Vectors.NONE
    return Vectors.UNKNOWN if vector is None else Vectors.COMPUTED


def placed(
    index: OpenPlatformIndex, rules: Rules, vector: Sequence[float] | None
) -> tuple[Placed, ...]:
    """Return every candidate in the order in which the agent's own search has it.

    Args:
        index: Open, in one state.
        rules: Of its release and its configuration.
        vector: Of the query, by the provider of the index; None when nobody here can make it.

    Raises:
        StoreError: It cannot be read.
    """
    limit = rules.limits.candidates(rules.profile)
    found = tuple(_with_words(index, rules, limit))
    if vector is None:
        return ranked(rules, found, None)
    return ranked(rules, found, index.nearest(vector, limit, rules.limits.sources))


def _with_words(index: OpenPlatformIndex, rules: Rules, limit: int) -> Iterator[WordsFound]:
    query, profile, tokenizer = rules.query, rules.profile, index.facts.tokenizer
    whole = plan(profile, query, tokenizer)
    if whole is None:
        return
    is_by_term = rules.is_text_only and profile.fallback is Fallback.NEVER
    first = () if is_by_term else tuple(_asked(index, rules, query, limit))
    yield from first
    found = {one.chunk.id for one in first if not _is_named(rules, one)}
    if profile.fallback is Fallback.ALWAYS:
        is_more_wanted = len(found) < limit
    else:
        is_more_wanted = is_by_term or (profile.fallback is Fallback.WHEN_NOTHING and not first)
    if not is_more_wanted:
        return
    words = terms(query, tokenizer)
    together = plan(profile, " ".join(words), tokenizer)
    if first and together is not None and _same(together.match, whole.match):
        return
    for term in words or ((query,) if is_by_term else ()):
        yield from _asked(index, rules, term, limit)


def _asked(index: OpenPlatformIndex, rules: Rules, text: str, limit: int) -> Iterator[WordsFound]:
    wanted = plan(rules.profile, text, index.facts.tokenizer)
    if wanted is None:
        return
    sources = rules.limits.sources
    yield from index.with_words(wanted, limit, sources)
    if rules.profile.reads_paths:
        yield from index.with_names(wanted, limit, sources)


def _is_named(rules: Rules, one: WordsFound) -> bool:
    return rules.profile.reads_paths and path_likeness(rules.query, one.chunk.path) > 0


def _same(one: str | None, other: str | None) -> bool:
    return (one or "").lower() == (other or "").lower()


LIMIT: Final = 50
"""Results that are asked for: deep enough to tell "low" from "not at all"."""


def ask_agents(
    gateway: Gateway, ports: SearchNeeds, settings: Settings, home: Home, result: SearchResult
) -> SearchResult:
    """Return the hits with rank and score of the platform's own search, one question an agent.

    Transcripts are no part of that search and stay without.

    Raises:
        GatewayUnavailableError: It cannot be asked.
        GatewayCallError: It refused, or its release has no such search.
    """
    agents = dict.fromkeys(hit.agent for hit in result.hits if hit.source is Source.MEMORY)
    try:
        answers = {one: gateway.search_memory(one, result.query.text, LIMIT) for one in agents}
    except GatewayUnavailableError as error:
        message = f"the Gateway cannot be asked for the agent's own search: {error}"
        raise GatewayUnavailableError(message, error.hint, verdict=error.code) from error
    return explained(ports, settings, home, result, answers)


@dataclass(slots=True)
class PlatformSearchService:
    """The agents' own search, and its indexes."""

    ports: SearchNeeds
    gateway: Gateway
    home: HomeService
    settings: Settings

    def ask(self, result: SearchResult) -> SearchResult:
        """Put rank and score of the platform's own search beside each hit.

        Raises:
            GatewayUnavailableError: The Gateway cannot be asked.
            GatewayCallError: It refused, or its release has no such search.
        """
        home = self.home.read()
        return ask_agents(self.gateway, self.ports, self.settings, home, result)

    def indexes(self, agent_id: str | None = None) -> tuple[PlatformIndexHealth, ...]:
        """Return whether the agents' own search indexes are whole.

        Raises:
            UnknownAgentError: There is no such agent.
        """
        home = self.home.read()
        agents = agents_of(home, agent_id)
        return platform_indexes(self.ports, home, agents)
