"""Takes back the last action on memory that was not taken back yet: `memory undo`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from memconsole.domain.commands.memory import Undone
from memconsole.domain.commands.outcomes import Failed, Planned, Skipped, SkipReason, Written
from memconsole.domain.commands.reflect import Reflect
from memconsole.domain.memory.edits import ActionKind, is_exact, undone
from memconsole.domain.memory.entries import is_kept_by_us
from memconsole.engine.reflect.run import undo as undo_reflection

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memconsole.domain.commands.memory import MemoryUndo
    from memconsole.domain.commands.outcomes import Outcome
    from memconsole.domain.memory.edits import FileEdit, MemoryAction
    from memconsole.engine.home.workspace import AgentMemory
    from memconsole.engine.memory.turns import MemoryTurns
    from memconsole.ports.platform import RunLog
    from memconsole.ports.state import MemoryLog, ReflectionLog

_FEW: Final = 8
"""Entries that are named one by one."""


def undo(
    command: MemoryUndo,
    *,
    memory_turns: MemoryTurns,
    edits: MemoryLog,
    reflections: ReflectionLog,
    runs: RunLog,
) -> Outcome:
    """Put the files back as they were; what others changed since stays.

    Raises:
        WorkspaceError: A file cannot be read or written.
    """

    def attempt(memory: AgentMemory) -> Outcome:
        runs.require_readable()  # what could be undone is recorded there
        action = next(iter(edits.actions(memory.real)), None)
        reflection = reflections.last(memory.real)
        if reflection is not None and (action is None or reflection.at > action.at):
            return _undo_reflection(command, memory, reflections)
        return _undo(command, memory, action, edits)

    return memory_turns.edit(command, attempt)


def _undo(
    command: MemoryUndo, memory: AgentMemory, action: MemoryAction | None, edits: MemoryLog
) -> Outcome:
    if action is None:
        message = f"nothing that was done to the memory of {memory.agent.id} is left to undo"
        return Skipped(command, SkipReason.NOTHING_NEW, message)
    lost = [edit.path for edit in action.edits if not _can_undo(edit, memory)]
    if lost:
        return Failed(
            command,
            "changed-since",
            f"{', '.join(lost)} was changed since, and what was added is not there any more",
            hint="Nothing was done; edit the file by hand with `memconsole memory edit`.",
        )
    if command.dry_run:
        return _planned(command, memory, action)
    exact = all(_is_as_left(edit, memory) for edit in action.edits)
    wrote = [it for edit in _ordered(action) if (it := memory.take_back(edit)) is not None]
    edits.undone(action, memory.now)
    return Undone(
        command,
        _sentence(action, memory, is_plan=False),
        tuple(wrote),
        {"undid": action.kind.value, "ids": list(action.entries), "exact": exact},
    )


def _undo_reflection(
    command: MemoryUndo, memory: AgentMemory, reflections: ReflectionLog
) -> Outcome:
    order = Reflect(command.agent, is_undo=True, dry_run=command.dry_run)
    outcome = undo_reflection(order, memory, reflections)
    details = {**outcome.details, "undid": "reflect"}
    return replace(outcome, command=command, details=details)


def _ordered(action: MemoryAction) -> list[FileEdit]:
    """Return the edits, the last one first; the archive loses nothing before it is back."""
    newest_first = action.edits[::-1]
    return sorted(newest_first, key=lambda edit: is_kept_by_us(edit.path))


def _can_undo(edit: FileEdit, memory: AgentMemory) -> bool:
    """Whether a file can be brought back; what is not in the archive any more need not be."""
    seen = memory.read(edit.path)
    if is_kept_by_us(edit.path) or (seen is None and edit.is_new):
        return True
    return undone(edit, "" if seen is None else seen.text) is not None


def _is_as_left(edit: FileEdit, memory: AgentMemory) -> bool:
    seen = memory.read(edit.path)
    return is_exact(edit, "" if seen is None else seen.text)


def _planned(command: MemoryUndo, memory: AgentMemory, action: MemoryAction) -> Planned:
    wrote = []
    for edit in action.edits:
        seen = memory.read(edit.path)
        text = undone(edit, "" if seen is None else seen.text)
        wrote.append(Written(edit.path, len((text or "").encode(errors="replace"))))
    return Planned(
        command,
        _sentence(action, memory, is_plan=True),
        tuple(wrote),
        {
            "undid": action.kind.value,
            "ids": list(action.entries),
            "diff": [memory.masked(line) for line in _changes(action)],
        },
    )


def _changes(action: MemoryAction) -> Iterator[str]:
    """Yield the lines that go out of memory and come back into it; of the archive none."""
    for edit in action.edits:
        if is_kept_by_us(edit.path):
            continue
        for span in edit.spans:
            yield from (f"- {line}" for line in span.added.splitlines() if line.strip())
            yield from (f"+ {line}" for line in span.removed.splitlines() if line.strip())


def _sentence(action: MemoryAction, memory: AgentMemory, *, is_plan: bool) -> str:
    own = [edit.path for edit in action.edits if not is_kept_by_us(edit.path)]
    few = len(action.entries) <= _FEW
    ids = _listed(action.entries) if few else f"{len(action.entries)} entries"
    if action.kind in (ActionKind.ADD, ActionKind.PROMOTE):
        did = "would take" if is_plan else "took"
        return f"{did} {ids} out of {_listed(own)} of {memory.agent.id} again"
    if action.kind is ActionKind.RESTORE:
        return f"{'would take' if is_plan else 'took'} {_listed(own)} of {memory.agent.id} away"
    did = "would put" if is_plan else "put"
    if action.kind is ActionKind.TIDY:
        return f"{did} {_listed(own)} of {memory.agent.id} back"
    return f"{did} {ids} back into {_listed(own)} of {memory.agent.id}"


def _listed(words: Sequence[str]) -> str:
    return ", ".join(words)
