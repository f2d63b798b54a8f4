"""Looks at the platform's own index of each agent: is it whole, and does it answer?"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from memconsole.domain.platform_search.index import PlatformIndexHealth, canary_of, judged
from memconsole.domain.platform_search.profile import limits_of
from memconsole.domain.platform_search.words import plan
from memconsole.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memconsole.domain.agents import Agent, Home
    from memconsole.ports.bundle import SearchNeeds
    from memconsole.ports.search import OpenPlatformIndex

_RECENT: Final = timedelta(hours=1)
"""The platform takes changes in by itself, when it watches or is asked; give it that long."""

_CANARY_DEPTH: Final = 50


def platform_indexes(
    ports: SearchNeeds, home: Home, agents: Iterable[Agent]
) -> tuple[PlatformIndexHealth, ...]:
    """Return how the indexes of some agents are; one that cannot be read says why."""
    return tuple(_health(ports, home, agent) for agent in agents)


def _health(ports: SearchNeeds, home: Home, agent: Agent) -> PlatformIndexHealth:
    try:
        found = ports.platform_index().indexes.read(
            agent, home, lambda index: _judged(ports, home, agent, index)
        )
    except StoreError as error:
        return PlatformIndexHealth(agent.id, because=str(error))
    if found is None:
        because = "it has no index of its memory"
        return PlatformIndexHealth(agent.id, because=because, is_absent=True)
    return found


def _judged(
    ports: SearchNeeds, home: Home, agent: Agent, index: OpenPlatformIndex
) -> PlatformIndexHealth:
    limits = limits_of(index.facts.profile, home.config.checked, agent.id)
    if not limits.is_on:
        return PlatformIndexHealth(agent.id, because="its memory search is switched off")
    contents = index.contents()
    documents = ports.search().documents.documents(agent.workspace)
    newest = ports.clock.now() - _RECENT
    recent = {
        one.path for one in documents if one.modified_at is not None and one.modified_at > newest
    }
    on_disk = [one.path for one in documents]
    wanted = dict.fromkeys([*on_disk, *(one.path for one in contents.files)])
    hashes = ports.platform_index().indexes.hashes(agent.workspace, wanted, contents.files)
    found = judged(agent.id, contents, on_disk, hashes, recent)
    if not index.facts.is_of(limits.model):
        found = replace(found, wanted_model=limits.model)
    return _with_canary(found, index)


def _with_canary(health: PlatformIndexHealth, index: OpenPlatformIndex) -> PlatformIndexHealth:
    """Look for words of one of its own notes."""
    profile, tokenizer = index.facts.profile, index.facts.tokenizer
    chosen = canary_of(index.contents().chunks)
    asked = None if chosen is None else plan(profile, chosen[0], tokenizer)
    if chosen is None or asked is None:
        return health
    words, chunk = chosen
    found = index.with_words(asked, _CANARY_DEPTH)
    return replace(
        health,
        canary=words,
        is_canary_found=any(one.chunk.text == chunk.text for one in found),
    )
