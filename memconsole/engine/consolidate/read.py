"""What consolidation looks at: observations, and notes that were found again."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from memconsole.domain.calendar import local_day
from memconsole.domain.consolidate.decay import let_go
from memconsole.domain.consolidate.promotion import candidates, notes_of
from memconsole.domain.consolidate.text import ConsolidationPreview
from memconsole.domain.memory.edits import digest
from memconsole.domain.memory.entries import LONG_TERM, USER, entries_of
from memconsole.domain.memory.observation_log import parse
from memconsole.domain.memory.observations import OBSERVATIONS
from memconsole.engine.reflect.files import Files
from memconsole.errors import WorkspaceError
from memconsole.text.estimate import tokens_in

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from memconsole.domain.consolidate.decay import Decay
    from memconsole.domain.consolidate.promotion import Proposal
    from memconsole.domain.memory.entries import MemoryEntry
    from memconsole.engine.home.workspace import Bench

logger = logging.getLogger(__name__)

_DREAMING = ("plugins", "entries", "memory-core", "config", "dreaming", "enabled")
"""Where the platform's configuration says that it consolidates by itself."""


def preview(bench: Bench) -> ConsolidationPreview:
    """Return what consolidation would do to a memory; nothing is written, and nothing fails."""
    text, problem = _observations(bench)
    found = decay_of(bench, text, bench.ports.clock.now(), with_high=False)
    before, after = tokens_in(text), tokens_in(found.log.text)
    return ConsolidationPreview(
        agent=bench.agent.ref,
        shown=digest(text),
        archived=found.lines,
        high=found.high,
        hook="" if found.hook is None else found.hook.text,
        tokens_before=before,
        tokens_after=after,
        token_target=bench.settings.consolidate.token_target,
        proposals=proposals(bench),
        notes=(*problem, *_notes(bench, after)),
    )


def _observations(bench: Bench) -> tuple[str, tuple[str, ...]]:
    """Return the text of the observations, and why they cannot be read."""
    if not bench.agent.workspace_exists:
        return "", (
            f"the workspace {bench.agent.workspace_shown} of {bench.agent.id} does not exist",
        )
    try:
        seen = bench.read(OBSERVATIONS)
    except WorkspaceError as error:
        return "", (str(error),)
    return "" if seen is None else seen.text, ()


def decay_of(bench: Bench, text: str, at: datetime, *, with_high: bool) -> Decay:
    """Return what a text of observations would let go at a time."""
    archive, today = files_of(bench).archive_path(at), local_day(at, bench.zone)
    target = bench.settings.consolidate.token_target
    return let_go(parse(text), today, archive=archive, target=target, with_high=with_high)


def files_of(bench: Bench) -> Files:
    """Return the files of observations and their archive."""
    return Files(bench.ports, bench.agent, bench.zone, bench.settings.reflector.max_backups)


def proposals(bench: Bench) -> tuple[Proposal, ...]:
    """Return the notes that pass every gate and were not declined, the best first."""
    now, declined = bench.ports.clock.now(), bench.ports.consolidation.declined(bench.real)
    found = notes_to_promote(bench)
    return tuple(one for one in found if one.id not in declined and one.passes(now))


def notes_to_promote(bench: Bench, *, with_known: bool = False) -> tuple[Proposal, ...]:
    """Return every daily note that was found, whatever the gates say, the best first.

    Args:
        bench: The memory.
        with_known: Also what long-term memory says already.
    """
    finds = bench.ports.consolidation.finds(bench.real)
    if not finds:
        return ()
    paths = dict.fromkeys(one.path for one in finds)
    notes = [note for path in paths for note in notes_of(path, _text(bench, path))]
    known = () if with_known else (one.text for one in long_term_entries(bench))
    return candidates(notes, finds, known, bench.ports.clock.now())


def long_term_entries(bench: Bench) -> Iterator[MemoryEntry]:
    """Yield what long-term memory says."""
    for path in (LONG_TERM, LONG_TERM.lower(), USER):
        yield from entries_of(path, _text(bench, path))


def platform_consolidates(bench: Bench) -> bool:
    """Whether the platform does the same by itself, and we are not told to do it as well."""
    found: object = bench.home.config.checked
    for key in _DREAMING:
        found = found.get(key) if isinstance(found, dict) else None
    return found is True and not bench.settings.consolidate.with_platform


def _text(bench: Bench, path: str) -> str:
    """Return a file of a memory; what cannot be read says nothing."""
    try:
        seen = bench.read(path)
    except WorkspaceError as error:
        logger.info("%s", error)
        return ""
    return "" if seen is None else seen.text


def _notes(bench: Bench, tokens: int) -> Iterator[str]:
    rules = bench.settings.consolidate
    if platform_consolidates(bench):
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
            f"{OBSERVATIONS} would still have {tokens} tokens, and should have {rules.token_target}"
        )
