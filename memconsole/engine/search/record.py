"""Remembers which daily notes a search found, for consolidation; off by default."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from memconsole.domain.calendar import local_day, resolve_zone
from memconsole.domain.consolidate.note_hits import KEPT, NoteHit, counts, notes_found, query_hash
from memconsole.domain.search.indexing import Source
from memconsole.engine.home.lookup import find_agent
from memconsole.engine.search.open import targets
from memconsole.errors import MemconsoleError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memconsole.domain.agents import Home
    from memconsole.domain.search.values import SearchHit, SearchResult
    from memconsole.domain.settings import Settings
    from memconsole.engine.search.open import IndexTarget
    from memconsole.ports.bundle import SearchNeeds

logger = logging.getLogger(__name__)


def note_found(ports: SearchNeeds, settings: Settings, home: Home, result: SearchResult) -> None:
    """Store what was found; a search never fails because of it."""
    hits = [hit for hit in result.hits if counts(hit)]
    if settings.ui.read_only or result.is_cancelled:
        return
    for agent_id in dict.fromkeys(hit.agent for hit in hits):
        agent = find_agent(home, agent_id)
        own = [hit for hit in hits if hit.agent == agent_id]
        try:
            for target in targets(ports, settings, home, (agent,), (Source.MEMORY,)):
                _store(target, own, result, settings, home)
        except (MemconsoleError, OSError) as error:
            logger.warning("what the search found is not remembered: %s", error)


def _store(
    target: IndexTarget,
    hits: Iterable[SearchHit],
    result: SearchResult,
    settings: Settings,
    home: Home,
) -> None:
    now = target.ports.clock.now()
    zone = resolve_zone(settings.timezone, home.config.user_timezone).zone
    query, day = query_hash(result.query), local_day(now, zone)
    found = [
        NoteHit(note.id, note.path, query, day, hit.score, now)
        for hit, text in _with_texts(target, hits)
        for note in notes_found(hit, text, result.query)
    ]
    if found:
        log, root = target.ports.consolidation, str(target.scope.root)
        log.add(root, found, keep_since=now - KEPT)


def _with_texts(target: IndexTarget, hits: Iterable[SearchHit]) -> Iterator[tuple[SearchHit, str]]:
    """Yield each hit with its whole file, masked: a note with a secret in it is never known."""
    texts: dict[str, str] = {}
    for hit in hits:
        if hit.path not in texts:
            place = target.agent.workspace / hit.path
            found = target.changed((place,)) or ()
            texts[hit.path] = "".join(target.read(one).text for one in found)
        yield hit, texts[hit.path]
