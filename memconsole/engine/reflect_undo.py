"""Takes the last consolidation back: `reflect --undo` (mission §12)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.observations import OBSERVATIONS
from memconsole.domain.outcomes import Failed, Planned, Reflected, Skipped, SkipReason, Written
from memconsole.engine.reflect_files import digest

if TYPE_CHECKING:
    from memconsole.domain.captures import ReflectionRecord
    from memconsole.domain.commands import Reflect
    from memconsole.domain.outcomes import Outcome
    from memconsole.engine.reflect_files import Files


def undo(command: Reflect, files: Files) -> Outcome:
    """Put the file back as it was before the last consolidation, with what was added since.

    Raises:
        ConcurrentEditError: Somebody edits the file at the same time.
        WorkspaceError: A file cannot be read or written.
        StateError: It cannot be remembered.
    """
    record = files.ports.reflections.last(files.root)
    if record is None:
        message = f"no consolidation of {OBSERVATIONS} of {files.agent.id} is left to undo"
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
    at = files.ports.clock.now()
    wrote = [] if now is None else [files.back_up(now, at)]
    wrote.insert(0, files.replace(text, now))
    files.ports.reflections.undone(record, at)
    kept = "" if is_whole or now is None else f"; what the file held since is in {wrote[1].path}"
    return Reflected(
        command,
        f"{OBSERVATIONS} of {files.agent.id} is as it was before its last consolidation{kept}",
        wrote=tuple(wrote),
        details={"backup": record.backup},
    )


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
