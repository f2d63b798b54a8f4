"""Removes daily notes that hold nothing: `memory tidy`.

What goes is in the archive before its file is removed, and the record of it puts it back to the
byte (`memory undo`). A run that ends half way is taken back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memconsole.domain.agents import UNREADABLE, Notice
from memconsole.domain.calendar import local_day, local_time
from memconsole.domain.commands.memory import Tidied
from memconsole.domain.commands.outcomes import Planned, Skipped, SkipReason, Written
from memconsole.domain.memory.edits import ActionKind, MemoryAction, digest, edit_of
from memconsole.domain.memory.entries import is_empty_note, is_old_note
from memconsole.errors import WorkspaceError
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from memconsole.domain.commands.memory import MemoryTidy
    from memconsole.domain.commands.outcomes import Detail, Outcome
    from memconsole.domain.memory.edits import FileEdit
    from memconsole.domain.memory.files import WorkspaceText
    from memconsole.engine.home.workspace import AgentMemory
    from memconsole.engine.memory.turns import MemoryTurns
    from memconsole.ports.state import MemoryLog

_FOLDER: Final = "memory"
_NAMED: Final = 8
"""Notes that a sentence names; the rest is counted."""


def tidy(command: MemoryTidy, *, memory_turns: MemoryTurns, edits: MemoryLog) -> Outcome:
    """Remove the empty notes of an agent, and remember them for undo.

    Raises:
        ConcurrentEditError: Somebody writes into one of them at the same time; all are there.
        WorkspaceError: A note cannot be removed; all are there.
        StateError: It cannot be remembered; all are there.
    """
    return memory_turns.edit(command, lambda memory: _tidy(command, memory, edits))


def _tidy(command: MemoryTidy, memory: AgentMemory, edits: MemoryLog) -> Outcome:
    notices: list[Notice] = []
    empty = dict(_empty(command, memory, notices))
    days = command.words()[-1]
    if not empty:
        return Skipped(
            command,
            SkipReason.NOTHING_NEW,
            f"{memory.agent.id} has no empty daily note that is older than {days}",
            notices=tuple(notices),
        )
    details: dict[str, Detail] = {"notes": list(empty)}
    told = f"{_told(empty)} of {memory.agent.id}"
    at = memory.now
    archive, text = _archived(memory, empty, at)
    if command.dry_run:
        wrote = Written(archive, len(text.encode()))
        return Planned(command, f"would remove {told}", (wrote,), details, tuple(notices))
    header = f"# Tidied — {local_time(at, memory.zone):%Y-%m}\n\n"
    archived, added = memory.append(archive, text, header=header)
    made: list[FileEdit] = [archived]
    for path, seen in empty.items():
        stood = memory.path_state(path)
        memory.remove(path, seen)
        made.append(edit_of(path, seen.text, "", stood))
    edits.add(MemoryAction(0, memory.real, ActionKind.TIDY, at, tuple(empty), tuple(made)))
    return Tidied(
        command,
        f"removed {told}; `memconsole memory undo` puts them back",
        (added,),
        details,
        tuple(notices),
    )


def _empty(
    command: MemoryTidy, memory: AgentMemory, notices: list[Notice]
) -> Iterator[tuple[str, WorkspaceText]]:
    """Yield the old notes that hold nothing; one that cannot be read stays, and is told of."""
    today = local_day(memory.now, memory.zone)
    for name in memory.folders.names(memory.root, _FOLDER):
        path = f"{_FOLDER}/{name}"
        if not is_old_note(path, today, command.older_than):
            continue
        try:
            seen = memory.read(path)
        except WorkspaceError as error:
            notices.append(Notice(UNREADABLE, str(error), path, memory.agent.id))
            continue
        # What is not UTF-8 could not be put back to the byte.
        is_kept_whole = seen is not None and digest(seen.text) == seen.version[2]
        if seen is not None and is_kept_whole and is_empty_note(seen.text):
            yield path, seen


def _archived(
    memory: AgentMemory, empty: dict[str, WorkspaceText], at: datetime
) -> tuple[str, str]:
    """Return the archive of the month, and the notes, each under a comment that says its place."""
    local = local_time(at, memory.zone)
    stamp = local.isoformat(timespec="seconds")
    parts = []
    for path, seen in empty.items():
        place = "_".join(one_line(path).split()).replace(">", "_")
        said = memory.masked(one_line(seen.text))
        parts.append(f"<!-- mc:tidied={stamp} mc:path={place} -->\n{said}\n\n")
    return f"memory/archive/tidied-{local:%Y-%m}.md", "".join(parts)


def _told(empty: dict[str, WorkspaceText]) -> str:
    paths = [one_line(path) for path in empty]
    named = ", ".join(paths[:_NAMED])
    more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    notes = "1 empty daily note" if len(paths) == 1 else f"{len(paths)} empty daily notes"
    return f"{notes} ({named}{more})"
