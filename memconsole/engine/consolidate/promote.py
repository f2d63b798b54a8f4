"""Writes daily notes into MEMORY.md, one by one as the operator names them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.commands.memory import Declined, Promoted
from memconsole.domain.commands.outcomes import Planned, Skipped, SkipReason, Written
from memconsole.domain.consolidate.promotion import SECTION, keeps_enough
from memconsole.domain.memory.edits import ActionKind, MemoryAction, edit_of, inserted
from memconsole.domain.memory.entries import LONG_TERM, entries_of, entry_id, matching
from memconsole.engine.consolidate.read import left_to_platform, notes_to_promote
from memconsole.errors import EntryIdError, WorkspaceError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memconsole.domain.commands.memory import Decline, Promote
    from memconsole.domain.commands.outcomes import Detail, Outcome
    from memconsole.domain.consolidate.promotion import Proposal
    from memconsole.domain.memory.files import WorkspaceText
    from memconsole.engine.home.workspace import AgentMemory
    from memconsole.engine.memory.turns import MemoryTurns
    from memconsole.ports.state import ConsolidationLog, MemoryLog


def promote(
    command: Promote,
    *,
    memory_turns: MemoryTurns,
    edits: MemoryLog,
    consolidation: ConsolidationLog,
) -> Outcome:
    """Write the notes that the ids name; gates decide what is proposed, the operator what goes in.

    Raises:
        EntryIdError: An id names no note that could be promoted, or several.
        WorkspaceError: It cannot be written, or would lose what it says.
    """

    def attempt(memory: AgentMemory) -> Outcome:
        return left_to_platform(command, memory) or _promote(command, memory, edits, consolidation)

    return memory_turns.edit(command, attempt, fails_when_locked=False)


def _promote(
    command: Promote, memory: AgentMemory, edits: MemoryLog, consolidation: ConsolidationLog
) -> Outcome:
    named = _named(command.ids, memory, consolidation)
    fresh = {one.id for one in notes_to_promote(memory, consolidation)}
    chosen = list({one.text: one for one in named if one.id in fresh}.values())
    path = memory.spelled(LONG_TERM)
    if not chosen:
        said = ", ".join(one.id for one in named)
        message = f"{path} of {memory.agent.id} says already what {said} says"
        return Skipped(command, SkipReason.DUPLICATE, message)

    def grown(seen: WorkspaceText | None) -> str:
        return _grown(path, None if seen is None else seen.text, chosen)

    if command.dry_run:
        size = len(grown(memory.read(path)).encode(errors="replace"))
        message = f"would add to {path} of {memory.agent.id}: {'; '.join(it.text for it in chosen)}"
        return Planned(command, message, (Written(path, size),), _details(path, chosen))
    stood, at = memory.path_state(path), memory.now
    before, after, wrote = memory.change(path, grown)
    edit = edit_of(path, before, after, stood)
    ids = tuple(entry_id(path, one.text.removeprefix("- ")) for one in chosen)
    edits.add(MemoryAction(0, memory.real, ActionKind.PROMOTE, at, ids, (edit,)))
    return Promoted(
        command,
        f"{path} of {memory.agent.id} has {', '.join(one.id for one in chosen)} now as "
        f"{', '.join(ids)}; `memconsole memory undo` takes it out again",
        (wrote,),
        {**_details(path, chosen), "ids": list(ids)},
    )


def decline(
    command: Decline, *, memory_turns: MemoryTurns, consolidation: ConsolidationLog
) -> Outcome:
    """Remember that notes shall not be proposed; they stay where they are.

    Raises:
        EntryIdError: An id names no note that could be promoted, or several.
    """

    def attempt(memory: AgentMemory) -> Outcome:
        return _decline(command, memory, consolidation)

    return memory_turns.edit(command, attempt, is_indexed=False, fails_when_locked=False)


def _decline(command: Decline, memory: AgentMemory, consolidation: ConsolidationLog) -> Outcome:
    known = consolidation.declined(memory.real)
    ids = [one.id for one in _named(command.ids, memory, consolidation) if one.id not in known]
    if not ids:
        message = f"{memory.agent.id} proposes none of them any more already"
        return Skipped(command, SkipReason.NOTHING_NEW, message)
    listed = ", ".join(ids)
    details: dict[str, Detail] = {"notes": list(ids)}
    if command.dry_run:
        return Planned(command, f"would propose {listed} no more", (), details)
    consolidation.decline(memory.real, ids, memory.now)
    message = f"{memory.agent.id} proposes {listed} no more; `memory promote` still works"
    return Declined(command, message, (), details)


def _grown(path: str, before: str | None, chosen: Sequence[Proposal]) -> str:
    """Return long-term memory with the notes in it.

    Raises:
        WorkspaceError: It would not say any more what it says now.
    """
    after = before
    for one in chosen:
        after = inserted(after, "Memory", SECTION, one.text)
    assert after is not None  # something was chosen
    if not keeps_enough(entries_of(path, before or ""), entries_of(path, after)):
        raise WorkspaceError(
            f"{path} was not written: more than a quarter of its entries would be lost",
            hint="A code block or comment in it may have no end; mend it, then try again.",
        )
    return after


def _named(
    ids: Sequence[str], memory: AgentMemory, consolidation: ConsolidationLog
) -> tuple[Proposal, ...]:
    """Return the notes that ids name, in the order of the ids.

    Raises:
        EntryIdError: One names none, or is the beginning of several.
    """
    known = {one.id: one for one in notes_to_promote(memory, consolidation, with_known=True)}
    notes = [one.note for one in known.values()]
    chosen: dict[str, Proposal] = {}
    for id_ in (one.strip().casefold() for one in ids):
        found = {one.id for one in matching(notes, id_)} if id_ else set()
        if not found:
            raise EntryIdError(
                f"{memory.agent.id} has no proposal {id_!r}: the note was changed, taken out, or "
                "never found by a search",
                hint="`memconsole consolidate` lists what is proposed now.",
            )
        if len(found) > 1:
            raise EntryIdError(
                f"{id_!r} begins the ids of {len(found)} proposals",
                hint=f"They are: {', '.join(sorted(found))}.",
            )
        chosen |= {one: known[one] for one in found}
    return tuple(chosen.values())


def _details(path: str, chosen: Sequence[Proposal]) -> dict[str, Detail]:
    return {
        "path": path,
        "notes": [{"id": one.id, "path": one.path, "line": one.line} for one in chosen],
    }
