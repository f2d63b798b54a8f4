"""Archives observations that have decayed, and writes what consolidation would do into DREAMS.md.

Nothing goes that is not in the archive first, and the whole file is in a backup before that. The
action can be taken back to the byte (`memory undo`). DREAMS.md is written at most once a day.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memconsole.domain.calendar import local_day, local_time
from memconsole.domain.commands.consolidate import Consolidate, Consolidated, Propose, Proposed
from memconsole.domain.commands.outcomes import Failed, Planned, Skipped, SkipReason, Written
from memconsole.domain.consolidate.text import DREAMS, block_of, with_block
from memconsole.domain.memory.edits import ActionKind, MemoryAction, digest, edit_of
from memconsole.domain.memory.observations import OBSERVATIONS
from memconsole.engine.consolidate.read import decay_of, left_to_platform, preview
from memconsole.engine.reflect.files import Files
from memconsole.errors import WorkspaceError
from memconsole.lazy_dataclass import dataclass
from memconsole.text.estimate import tokens_in
from memconsole.text.figures import plural, short_kilo
from memconsole.text.graphemes import cut
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from memconsole.domain.commands.outcomes import Detail, Outcome
    from memconsole.domain.consolidate.decay import Decay
    from memconsole.domain.consolidate.text import ConsolidationPreview
    from memconsole.domain.memory.files import WorkspaceText
    from memconsole.engine.home.workspace import AgentMemory
    from memconsole.engine.memory.turns import MemoryTurns
    from memconsole.ports.state import ConsolidationLog, MemoryLog


_NAMED: Final = 12
"""Lines that a plan names; the rest is counted."""

_NAMED_CHARS: Final = 60


def consolidate(command: Consolidate, *, memory_turns: MemoryTurns, edits: MemoryLog) -> Outcome:
    """Archive what has decayed, unless the platform consolidates by itself.

    Raises:
        WorkspaceError: A file cannot be read or written; its old text is whole.
    """

    def attempt(memory: AgentMemory) -> Outcome:
        return left_to_platform(command, memory) or _consolidate(command, memory, edits)

    return memory_turns.edit(command, attempt, fails_when_locked=False)


@dataclass(frozen=True, slots=True)
class _Found:
    """What shall take the place of the file."""

    seen: WorkspaceText
    decay: Decay
    at: datetime

    @property
    def details(self) -> dict[str, Detail]:
        """What is told of it, by stable words."""
        return {
            "ids": [one.id for one in self.decay.lines],
            "shown": digest(self.seen.text),
            "tokens_before": tokens_in(self.seen.text),
            "tokens_after": tokens_in(self.decay.log.text),
            "kept_high": len(self.decay.high),
        }


def _consolidate(command: Consolidate, memory: AgentMemory, edits: MemoryLog) -> Outcome:
    seen = memory.read(OBSERVATIONS)
    text = "" if seen is None else seen.text
    if command.shown not in (None, digest(text)):
        return Failed(
            command,
            "changed-since",
            f"{OBSERVATIONS} of {memory.agent.id} was changed since it was shown; nothing was done",
            hint="Look again with `memconsole consolidate`, then apply.",
        )
    at = memory.now
    decay = decay_of(memory, text, at, with_high=command.is_high_included)
    if seen is None or not decay.lines:
        return _nothing(command, memory, text, decay)
    found = _Found(seen, decay, at)
    if command.dry_run:
        return _planned(command, memory, found)
    return _apply(command, memory, found, edits)


def _nothing(command: Consolidate, memory: AgentMemory, text: str, decay: Decay) -> Skipped:
    tokens, target = tokens_in(text), memory.settings.consolidate.token_target
    name = f"{OBSERVATIONS} of {memory.agent.id}"
    if text.strip() and tokens <= target:
        message = (
            f"{name} has {short_kilo(tokens)} of {short_kilo(target)} tokens: nothing has to go"
        )
    else:
        high = f"; {len(decay.high)} with 🔴 go with --apply-high only" if decay.high else ""
        message = f"{name} holds nothing that has decayed{high}"
    return Skipped(command, SkipReason.NOTHING_NEW, message)


def _planned(command: Consolidate, memory: AgentMemory, found: _Found) -> Planned:
    size = len(found.decay.log.text.encode(errors="replace"))
    return Planned(
        command,
        f"would archive {_message(memory, found)}: {'; '.join(_named(memory, found))}",
        (Written(OBSERVATIONS, size),),
        found.details,
    )


def _apply(
    command: Consolidate, memory: AgentMemory, found: _Found, log: MemoryLog
) -> Consolidated:
    """Back up, archive, replace, remember, in this order; a failure takes all of it back."""
    files, text = Files.of(memory), found.decay.log.text
    stood = memory.path_state(OBSERVATIONS)
    backup, made = files.back_up(found.seen, found.at)
    archived, added = files.archive(found.decay.removed, found.at)
    written = memory.workspace.edit(memory.root, OBSERVATIONS, text, seen=found.seen)
    edits = (made, added, edit_of(OBSERVATIONS, found.seen.text, text, stood))
    ids = tuple(one.id for one in found.decay.lines)
    action = MemoryAction(0, memory.real, ActionKind.CONSOLIDATE, found.at, ids, edits)
    log.add(action)
    files.prune_backups()
    return Consolidated(
        command,
        f"archived {_message(memory, found)}; `memconsole memory undo` brings them back",
        (written, backup, archived),
        {**found.details, "backup": backup.path},
    )


def _named(memory: AgentMemory, found: _Found) -> Iterator[str]:
    """Yield the lines that would go, for the question that is asked about them."""
    lines = found.decay.lines
    for one in lines[:_NAMED]:
        yield f"{one.id} {cut(one_line(memory.masked(one.text)), _NAMED_CHARS)}"
    if len(lines) > _NAMED:
        yield f"and {len(lines) - _NAMED} more"


def _message(memory: AgentMemory, found: _Found) -> str:
    number = len(found.decay.lines)
    lines = "1 line" if number == 1 else f"{number} lines"
    before, after = tokens_in(found.seen.text), tokens_in(found.decay.log.text)
    target = memory.settings.consolidate.token_target
    return (
        f"{lines} of {OBSERVATIONS} of {memory.agent.id}: {short_kilo(before)} tokens become "
        f"{short_kilo(after)} (target {short_kilo(target)})"
    )


_NOTHING = digest("")


def propose(
    command: Propose, *, memory_turns: MemoryTurns, consolidation: ConsolidationLog
) -> Outcome:
    """Write the report between its marks; what else stands in the file is not touched.

    Raises:
        WorkspaceError: A file cannot be read or written, or the marks are damaged.
    """

    def attempt(memory: AgentMemory) -> Outcome:
        return left_to_platform(command, memory) or _propose(command, memory, consolidation)

    return memory_turns.edit(command, attempt, is_indexed=False, fails_when_locked=False)


def _propose(command: Propose, memory: AgentMemory, consolidation: ConsolidationLog) -> Outcome:
    found, at = preview(memory, consolidation), memory.now
    said = _said(found)
    if (skip := _not_now(command, memory, said, consolidation)) is not None:
        return skip
    path = memory.spelled(DREAMS)
    block = block_of(found, f"{local_time(at, memory.zone):%Y-%m-%d %H:%M}")

    def make(seen: WorkspaceText | None) -> str:
        return _with_block(path, None if seen is None else seen.text, block)

    details: dict[str, Detail] = {
        "archived": len(found.archived),
        "proposals": len(found.proposals),
    }
    told = (
        f"{plural(len(found.archived), 'line')} to archive,"
        f" {plural(len(found.proposals), 'note')} to promote"
    )
    if command.dry_run:
        size = len(make(memory.read(path)).encode(errors="replace"))
        message = f"would write into {path} of {memory.agent.id}: {told}"
        return Planned(command, message, (Written(path, size),), details)
    wrote = memory.change(path, make)[2]
    consolidation.reported(memory.real, said, at)
    return Proposed(command, f"{path} of {memory.agent.id} says: {told}", (wrote,), details)


def _not_now(
    command: Propose, memory: AgentMemory, said: str, consolidation: ConsolidationLog
) -> Skipped | None:
    """Return why nothing is written: it was today, or there is nothing else to say."""
    last = consolidation.last(memory.real)
    now = memory.now
    if last is not None and local_day(last[1], memory.zone) == local_day(now, memory.zone):
        message = f"{DREAMS} of {memory.agent.id} was written today"
        return Skipped(command, SkipReason.TOO_SOON, message)
    if said == (_NOTHING if last is None else last[0]):
        message = f"there is nothing new to propose of the memory of {memory.agent.id}"
        return Skipped(command, SkipReason.NOTHING_NEW, message)
    return None


def _said(found: ConsolidationPreview) -> str:
    """Return what tells one report from another: which lines and notes it names."""
    lines = (one.id for one in (*found.archived, *found.high))
    notes = (one.id for one in found.proposals)
    return digest("\n".join((*lines, "", *notes)))


def _with_block(path: str, text: str | None, block: str) -> str:
    made = with_block(text, block)
    if made is None:
        raise WorkspaceError(
            f"{path} was not written: the marks of memconsole in it are damaged",
            hint="Remove what is left of them, and the next report is added at the end.",
        )
    return made
