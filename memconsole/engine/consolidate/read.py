"""What consolidation looks at: observations, and notes that were found again; and its preview."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from memconsole.domain.agents import at
from memconsole.domain.calendar import local_day
from memconsole.domain.commands.outcomes import Skipped, SkipReason
from memconsole.domain.consolidate.decay import let_go
from memconsole.domain.consolidate.promotion import candidates, notes_of
from memconsole.domain.consolidate.text import ConsolidationPreview
from memconsole.domain.memory.edits import digest
from memconsole.domain.memory.entries import LONG_TERM, USER, entries_of
from memconsole.domain.memory.observation_log import parse
from memconsole.domain.memory.observations import OBSERVATIONS
from memconsole.engine.reflect.files import Files
from memconsole.errors import WorkspaceError
from memconsole.lazy_dataclass import dataclass
from memconsole.text.estimate import tokens_in
from memconsole.text.figures import short_kilo

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from memconsole.domain.commands.command import Command
    from memconsole.domain.consolidate.decay import Decay
    from memconsole.domain.consolidate.promotion import Proposal
    from memconsole.domain.memory.entries import MemoryEntry
    from memconsole.engine.home.workspace import AgentMemory, Memories
    from memconsole.ports.state import ConsolidationLog


logger = logging.getLogger(__name__)

_DREAMING = ("plugins", "entries", "memory-core", "config", "dreaming", "enabled")
"""Where the platform's configuration says that it consolidates by itself."""


def preview(memory: AgentMemory, consolidation: ConsolidationLog) -> ConsolidationPreview:
    """Return what consolidation would do to a memory; nothing is written, and nothing fails."""
    text, problem = _observations(memory)
    found = decay_of(memory, text, memory.now, with_high=False)
    before, after = tokens_in(text), tokens_in(found.log.text)
    return ConsolidationPreview(
        agent=memory.agent.ref,
        shown=digest(text),
        archived=found.lines,
        high=found.high,
        hook="" if found.hook is None else found.hook.text,
        tokens_before=before,
        tokens_after=after,
        token_target=memory.settings.consolidate.token_target,
        proposals=proposals(memory, consolidation),
        notes=(*problem, *_notes(memory, after)),
    )


def _observations(memory: AgentMemory) -> tuple[str, tuple[str, ...]]:
    """Return the text of the observations, and why they cannot be read."""
    if memory.agent.workspace_doubt or not memory.agent.workspace_exists:
        return "", (memory.agent.workspace_trouble,)
    try:
        seen = memory.read(OBSERVATIONS)
    except WorkspaceError as error:
        return "", (str(error),)
    return "" if seen is None else seen.text, ()


def decay_of(memory: AgentMemory, text: str, at: datetime, *, with_high: bool) -> Decay:
    """Return what a text of observations would let go at a time."""
    archive, today = Files.of(memory).archive_path(at), local_day(at, memory.zone)
    target = memory.settings.consolidate.token_target
    return let_go(parse(text), today, archive=archive, target=target, with_high=with_high)


def proposals(memory: AgentMemory, consolidation: ConsolidationLog) -> tuple[Proposal, ...]:
    """Return the notes that pass every gate and were not declined, the best first."""
    now, declined = memory.now, consolidation.declined(memory.real)
    found = notes_to_promote(memory, consolidation)
    return tuple(one for one in found if one.id not in declined and one.passes(now))


def notes_to_promote(
    memory: AgentMemory, consolidation: ConsolidationLog, *, with_known: bool = False
) -> tuple[Proposal, ...]:
    """Return every daily note that was found, whatever the gates say, the best first.

    Args:
        memory: The memory.
        consolidation: What searches found in it.
        with_known: Also what long-term memory says already.
    """
    hits = consolidation.hits(memory.real)
    if not hits:
        return ()
    paths = dict.fromkeys(one.path for one in hits)
    notes = [note for path in paths for note in notes_of(path, _text(memory, path))]
    known = () if with_known else (one.text for one in long_term_entries(memory))
    return candidates(notes, hits, known, memory.now)


def long_term_entries(memory: AgentMemory) -> Iterator[MemoryEntry]:
    """Yield what long-term memory says."""
    for path in (LONG_TERM, LONG_TERM.lower(), USER):
        yield from entries_of(path, _text(memory, path))


def left_to_platform(command: Command, memory: AgentMemory) -> Skipped | None:
    """Return why nothing is done where the platform consolidates by itself; else None."""
    if not platform_consolidates(memory):
        return None
    return Skipped(
        command,
        SkipReason.PLATFORM_CONSOLIDATES,
        f"the platform consolidates the memory of {memory.agent.id} by itself (dreaming)",
        hint="`consolidate.with_platform = true` does both.",
    )


def platform_consolidates(memory: AgentMemory) -> bool:
    """Whether the platform does the same by itself, and we are not told to do it as well."""
    found = at(memory.home.config.checked, *_DREAMING)
    return found is True and not memory.settings.consolidate.with_platform


def _text(memory: AgentMemory, path: str) -> str:
    """Return a file of a memory; what cannot be read says nothing."""
    try:
        seen = memory.read(path)
    except WorkspaceError as error:
        logger.info("%s", error)
        return ""
    return "" if seen is None else seen.text


def _notes(memory: AgentMemory, tokens: int) -> Iterator[str]:
    rules = memory.settings.consolidate
    if platform_consolidates(memory):
        yield (
            "the platform consolidates by itself (dreaming), so nothing is done here; "
            "consolidate.with_platform = true does both"
        )
    if not rules.search_log:
        yield (
            "no search is remembered, so no note is proposed for MEMORY.md; "
            "consolidate.search_log = true remembers them"
        )
    if tokens > rules.token_target:
        yield (
            f"{OBSERVATIONS} would still have {short_kilo(tokens)} tokens, and should have "
            f"{short_kilo(rules.token_target)}"
        )


@dataclass(slots=True)
class ConsolidationService:
    """What may leave an agent's long-term memory, and what may come."""

    memories: Memories
    log: ConsolidationLog

    def preview(self, agent_id: str) -> ConsolidationPreview:
        """Return what consolidation would do to an agent's memory.

        Raises:
            UnknownAgentError: There is no such agent.
        """
        return preview(self.memories.of(agent_id), self.log)
