"""Takes the last consolidation of observations back: `reflect --undo`, and `memory undo`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.commands.outcomes import Failed, Planned, Skipped, SkipReason, Written
from memconsole.domain.commands.reflect import Reflected
from memconsole.domain.memory.edits import is_exact
from memconsole.domain.memory.observations import OBSERVATIONS
from memconsole.engine.reflect.files import Files, digest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memconsole.domain.commands.outcomes import Outcome
    from memconsole.domain.commands.reflect import Reflect
    from memconsole.domain.memory.records import ReflectionRecord, WorkspaceText
    from memconsole.engine.home.workspace import AgentMemory
    from memconsole.ports.state import ReflectionLog


def undo(command: Reflect, memory: AgentMemory, reflections: ReflectionLog) -> Outcome:
    """Put the file back as it was before the last consolidation, with what was added since.

    What went into the archive leaves it again, and the backup goes when nothing but it is put back.

    Raises:
        ConcurrentEditError: Somebody edits the file at the same time.
        WorkspaceError: A file cannot be read or written.
        StateError: It cannot be remembered.
    """
    record, files = reflections.last(memory.real), Files.of(memory)
    if record is None:
        message = f"no consolidation of {OBSERVATIONS} of {memory.agent.id} is left to undo"
        return Skipped(command, SkipReason.NOTHING_NEW, message)
    backup, now = files.read(record.backup), files.read()
    if backup is None:
        return Failed(
            command,
            "backup-missing",
            f"{record.backup} is gone, so the consolidation cannot be undone",
            hint="What it removed is in memory/archive/observations.",
        )
    text, is_whole = _restored(record, backup.text, "" if now is None else now.text)
    if command.dry_run:
        planned = Written(OBSERVATIONS, len(text.encode()))
        return Planned(command, f"would put {record.backup} back", (planned,))
    at = memory.now
    aside = None if now is None or is_whole else files.back_up(now, at)[0]
    wrote = [_put_back(record, memory, text, now), *_taken_back(record, memory, keeps=aside)]
    kept = "" if aside is None else f"; what the file held since is in {aside.path}"
    reflections.undone(record, at)
    return Reflected(
        command,
        f"{OBSERVATIONS} of {memory.agent.id} is as it was before its last consolidation{kept}",
        wrote=tuple(wrote) if aside is None else (*wrote, aside),
        details={"backup": record.backup},
    )


def _put_back(
    record: ReflectionRecord, memory: AgentMemory, text: str, now: WorkspaceText | None
) -> Written:
    """Write the file, with the mode it had when nobody has touched it since."""
    edit = next((one for one in record.edits if one.path == OBSERVATIONS), None)
    is_as_left = edit is not None and now is not None and is_exact(edit, now.text)
    mode = edit.stood.mode if edit is not None and is_as_left else None
    return memory.workspace.edit(memory.root, OBSERVATIONS, text, seen=now, mode=mode)


def _taken_back(
    record: ReflectionRecord, memory: AgentMemory, *, keeps: Written | None
) -> Iterator[Written]:
    """Take lines out of the archive again; the backup stays beside one of what was put aside."""
    for edit in reversed(record.edits):
        is_kept = keeps is not None and edit.path == record.backup
        if edit.path != OBSERVATIONS and not is_kept:
            wrote = memory.take_back(edit)
            if wrote is not None:
                yield wrote


def _restored(record: ReflectionRecord, old: str, now: str) -> tuple[str, bool]:
    """Return the old text with what was added behind the consolidated one.

    Returns:
        The text; whether the file still began as the consolidation left it.
    """
    written, added = now[: record.result_chars], now[record.result_chars :]
    if digest(written) != record.result_hash:
        return old, False
    gap = "" if not added or old.endswith("\n") else "\n"
    return f"{old}{gap}{added}", True
