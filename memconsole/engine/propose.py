"""Writes what consolidation would do into DREAMS.md, at most once a day (mission §20)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.consolidation_outcomes import Proposed
from memconsole.domain.days import local_day, local_time
from memconsole.domain.dreams import DREAMS, block_of, with_block
from memconsole.domain.memory_edit import digest
from memconsole.domain.outcomes import Planned, Skipped, SkipReason, Written
from memconsole.engine.consolidate_gather import preview
from memconsole.errors import WorkspaceError

_NOTHING = digest("")

if TYPE_CHECKING:
    from memconsole.domain.captures import WorkspaceText
    from memconsole.domain.consolidation import ConsolidationPreview
    from memconsole.domain.consolidation_commands import Propose
    from memconsole.domain.outcomes import Detail, Outcome
    from memconsole.engine.memory_bench import Bench


def propose(command: Propose, bench: Bench) -> Outcome:
    """Write the report between its marks; what else stands in the file is not touched.

    Raises:
        ConcurrentEditError: Somebody edits the file at the same time, twice in a row.
        WorkspaceError: A file cannot be read or written, or the marks are damaged.
        StateError: It cannot be remembered.
    """
    found, at = preview(bench), bench.ports.clock.now()
    said = _said(found)
    if (skip := _not_now(command, bench, said)) is not None:
        return skip
    path = bench.spelled(DREAMS)
    block = block_of(found, f"{local_time(at, bench.zone):%Y-%m-%d %H:%M}")

    def make(seen: WorkspaceText | None) -> str:
        return _with_block(path, None if seen is None else seen.text, block)

    details: dict[str, Detail] = {
        "archived": len(found.archived),
        "proposals": len(found.proposals),
    }
    told = f"{len(found.archived)} lines to archive, {len(found.proposals)} notes to promote"
    if command.dry_run:
        size = len(make(bench.read(path)).encode(errors="replace"))
        message = f"would write into {path} of {bench.agent.id}: {told}"
        return Planned(command, message, (Written(path, size),), details)
    wrote = bench.change(path, make)[2]
    bench.ports.consolidation.reported(bench.real, said, at)
    return Proposed(command, f"{path} of {bench.agent.id} says: {told}", (wrote,), details)


def _not_now(command: Propose, bench: Bench, said: str) -> Skipped | None:
    """Return why nothing is written: it was today, or there is nothing else to say."""
    last = bench.ports.consolidation.last(bench.real)
    now = bench.ports.clock.now()
    if last is not None and local_day(last[1], bench.zone) == local_day(now, bench.zone):
        message = f"{DREAMS} of {bench.agent.id} was written today"
        return Skipped(command, SkipReason.TOO_SOON, message)
    if said == (_NOTHING if last is None else last[0]):
        message = f"there is nothing new to propose of the memory of {bench.agent.id}"
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
