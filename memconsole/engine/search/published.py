"""Chooses which indexes of a home may be published, and which documents of them.

Sessions go only where the level says so. Those of groups, and those whose kind nobody knows, stay
unless `capture.groups` of that agent lets captures read them too.
"""

from __future__ import annotations

import hashlib
from functools import partial
from typing import TYPE_CHECKING, Final

from memconsole.domain.fleet.chunks import Shelf, is_excluded, session_of, wanted
from memconsole.domain.search.indexing import Source
from memconsole.domain.sessions.keys import SessionClass
from memconsole.engine.search.open import targets
from memconsole.text.outgoing import name_out

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from memconsole.domain.agents import Agent, Home
    from memconsole.domain.settings import Settings
    from memconsole.engine.search.open import IndexTarget
    from memconsole.ports.bundle import SearchNeeds

_OPEN: Final = frozenset(SessionClass) - {
    SessionClass.GROUP,
    SessionClass.THREAD,
    SessionClass.OTHER,
    SessionClass.INCOGNITO,
}
"""Kinds of sessions in which nobody talks who does not talk to the agent alone."""


def shelves(ports: SearchNeeds, settings: Settings, home: Home) -> tuple[Shelf, ...]:
    """Return the indexes of a home that may leave, as `fleet.publish` and `fleet.exclude` say.

    Raises:
        StoreError: Sessions are published and cannot be listed now.
    """
    sources = [Source.SESSIONS if one else Source.MEMORY for one in wanted(settings.fleet.publish)]
    patterns, found = settings.fleet.exclude, []
    for target in targets(ports, settings, home, home.agents, sources):
        sharing = _sharing(home, target)
        if {one.id for one in sharing} & set(patterns):
            continue
        allows, rule = _memory_rule(patterns)
        if target.scope.source is Source.SESSIONS:
            sessions = _open_sessions(ports, settings, sharing)
            allows, rule = _session_rule(patterns, sessions)
        found.append(
            Shelf(
                agent=target.scope.agent.id,
                is_talk=target.scope.source is Source.SESSIONS,
                agents=tuple(one.id for one in sharing),
                rule=hashlib.blake2b(rule.encode(), digest_size=8).hexdigest(),
                allows=allows,
                open=partial(ports.search().index.outgoing, target.scope),
            )
        )
    return tuple(found)


def _sharing(home: Home, target: IndexTarget) -> list[Agent]:
    """Return the agents that search in an index."""
    if target.scope.source is Source.SESSIONS:
        return [target.agent]
    workspace = target.agent.workspace
    return [one for one in home.agents if one.workspace == workspace] or [target.agent]


def _memory_rule(patterns: Sequence[str]) -> tuple[Callable[[str], bool], str]:
    return lambda path: not is_excluded(path, patterns), repr(patterns)


def _session_rule(
    patterns: Sequence[str], sessions: frozenset[str] | None
) -> tuple[Callable[[str], bool], str]:
    def allows(path: str) -> bool:
        is_open = sessions is None or session_of(path) in sessions
        return is_open and not is_excluded(path, patterns)

    return allows, repr((patterns, None if sessions is None else sorted(sessions)))


def _open_sessions(
    ports: SearchNeeds, settings: Settings, agents: Iterable[Agent]
) -> frozenset[str] | None:
    """Return the sessions that may leave, as documents name them; None for all."""
    found: set[str] = set()
    for agent in agents:
        if settings.for_agent(agent.id).capture.groups:
            return None
        for one in ports.sessions.sessions(agent).sessions:
            number = one.session_id or (one.transcript and one.transcript.session_id)
            if number and one.key is not None and one.key.kind in _OPEN:
                found.add(name_out(number))
    return frozenset(found)
