"""Archives observations that have decayed, and runs what else consolidation is (mission §20).

Nothing goes that is not in the archive first, and the whole file is in a backup before that. The
action can be taken back to the byte (`memory undo`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, assert_never

from memconsole.domain.consolidation_commands import Consolidate, Decline, Promote, Propose
from memconsole.domain.consolidation_outcomes import Consolidated
from memconsole.domain.estimate import tokens_in
from memconsole.domain.memory_edit import ActionKind, MemoryAction, digest, edit_of
from memconsole.domain.observations import OBSERVATIONS
from memconsole.domain.outcomes import Failed, Planned, Skipped, SkipReason, Written
from memconsole.domain.plain import cut, one_line
from memconsole.engine.consolidate_gather import decay_of, files_of, platform_consolidates
from memconsole.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from memconsole.domain.captures import WorkspaceText
    from memconsole.domain.consolidation_commands import ConsolidationCommand
    from memconsole.domain.decay import Decay
    from memconsole.domain.outcomes import Detail, Outcome
    from memconsole.engine.memory_bench import Bench

_NAMED: Final = 12
"""Lines that a plan names; the rest is counted."""

_NAMED_CHARS: Final = 60


def consolidation(command: ConsolidationCommand, bench: Bench) -> Outcome:
    """Run one of the commands of consolidation.

    Raises:
        EntryIdError: An id names no note that could be promoted, or several.
        ConcurrentEditError: Somebody edits a file at the same time.
        WorkspaceError: A file cannot be read or written; its old text is whole.
        StateError: It cannot be remembered.
    """
    if not isinstance(command, Decline) and platform_consolidates(bench):
        return Skipped(
            command,
            SkipReason.PLATFORM_CONSOLIDATES,
            f"the platform consolidates the memory of {bench.agent.id} by itself (dreaming)",
            hint="`consolidate.with_platform = true` does both.",
        )
    match command:
        case Consolidate():
            return _consolidate(command, bench)
        case Promote():
            from memconsole.engine.promote import promote  # noqa: PLC0415

            return promote(command, bench)
        case Decline():
            from memconsole.engine.promote import decline  # noqa: PLC0415

            return decline(command, bench)
        case Propose():
            from memconsole.engine.propose import propose  # noqa: PLC0415

            return propose(command, bench)
        case _:
            assert_never(command)


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


def _consolidate(command: Consolidate, bench: Bench) -> Outcome:
    seen = bench.read(OBSERVATIONS)
    text = "" if seen is None else seen.text
    if command.shown not in (None, digest(text)):
        return Failed(
            command,
            "changed-since",
            f"{OBSERVATIONS} of {bench.agent.id} was changed since it was shown; nothing was done",
            hint="Look again with `memconsole consolidate`, then apply.",
        )
    at = bench.ports.clock.now()
    decay = decay_of(bench, text, at, with_high=command.is_high_included)
    if seen is None or not decay.lines:
        return _nothing(command, bench, text, decay)
    found = _Found(seen, decay, at)
    return _planned(command, bench, found) if command.dry_run else _apply(command, bench, found)


def _nothing(command: Consolidate, bench: Bench, text: str, decay: Decay) -> Skipped:
    tokens, target = tokens_in(text), bench.settings.consolidate.token_target
    name = f"{OBSERVATIONS} of {bench.agent.id}"
    if text.strip() and tokens <= target:
        message = f"{name} has {tokens} of {target} tokens: nothing has to go"
    else:
        high = f"; {len(decay.high)} with 🔴 go with --apply-high only" if decay.high else ""
        message = f"{name} holds nothing that has decayed{high}"
    return Skipped(command, SkipReason.NOTHING_NEW, message)


def _planned(command: Consolidate, bench: Bench, found: _Found) -> Planned:
    size = len(found.decay.log.text.encode(errors="replace"))
    return Planned(
        command,
        f"would archive {_told(bench, found)}: {'; '.join(_named(bench, found))}",
        (Written(OBSERVATIONS, size),),
        found.details,
    )


def _apply(command: Consolidate, bench: Bench, found: _Found) -> Consolidated:
    """Back up, archive, replace, remember, in this order; a failure takes all of it back."""
    files, text = files_of(bench), found.decay.log.text
    stood = bench.standing(OBSERVATIONS)
    backup, made = files.back_up(found.seen, found.at)
    archived, added = files.archive(found.decay.removed, found.at)
    written = bench.ports.workspace.edit(bench.root, OBSERVATIONS, text, seen=found.seen)
    edits = (made, added, edit_of(OBSERVATIONS, found.seen.text, text, stood))
    ids = tuple(one.id for one in found.decay.lines)
    action = MemoryAction(0, bench.real, ActionKind.CONSOLIDATE, found.at, ids, edits)
    bench.ports.edits.add(action)
    files.prune_backups()
    return Consolidated(
        command,
        f"archived {_told(bench, found)}; `memconsole memory undo` brings them back",
        (written, backup, archived),
        {**found.details, "backup": backup.path},
    )


def _named(bench: Bench, found: _Found) -> Iterator[str]:
    """Yield the lines that would go, for the question that is asked about them."""
    lines = found.decay.lines
    for one in lines[:_NAMED]:
        yield f"{one.id} {cut(one_line(bench.masked(one.text)), _NAMED_CHARS)}"
    if len(lines) > _NAMED:
        yield f"and {len(lines) - _NAMED} more"


def _told(bench: Bench, found: _Found) -> str:
    number = len(found.decay.lines)
    lines = "1 line" if number == 1 else f"{number} lines"
    before, after = tokens_in(found.seen.text), tokens_in(found.decay.log.text)
    target = bench.settings.consolidate.token_target
    return (
        f"{lines} of {OBSERVATIONS} of {bench.agent.id}: {before} tokens become {after} "
        f"(target {target})"
    )
