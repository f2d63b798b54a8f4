"""Takes entries out of memory: `memory forget`.

What goes is in the archive before its file changes, and a run that ends half way is taken back.
With `--hard` no copy stays in anything that is ours: neither archives nor backups nor records of
what could be undone, and the index is built anew; a run that ends half way is finished by the next.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Final

from memconsole.domain.agents import Notice
from memconsole.domain.calendar import local_time
from memconsole.domain.commands.memory import Forgotten
from memconsole.domain.commands.outcomes import Failed, Planned, Written
from memconsole.domain.memory.blocks import pieces_of
from memconsole.domain.memory.edits import ActionKind, MemoryAction, without
from memconsole.domain.memory.entries import entries_of
from memconsole.engine.memory.erasure import erase, erasure_of, in_old_files, no_cleanup, told
from memconsole.errors import ConcurrentEditError, MemconsoleError
from memconsole.text.figures import plural

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from memconsole.domain.cleanup import OldFile, TakenFile
    from memconsole.domain.commands.memory import MemoryForget
    from memconsole.domain.commands.outcomes import Detail, Outcome
    from memconsole.domain.memory.edits import FileEdit
    from memconsole.domain.memory.entries import MemoryEntry
    from memconsole.domain.memory.files import WorkspaceText
    from memconsole.domain.memory.intents import Erasure
    from memconsole.engine.cleanup.read import OldFiles
    from memconsole.engine.home.reader import Reader
    from memconsole.engine.home.workspace import AgentMemory
    from memconsole.engine.memory.erasure import Erased
    from memconsole.engine.memory.turns import MemoryTurns
    from memconsole.engine.search.reindex import MemoryIndex
    from memconsole.ports.platform import Journal, Locks
    from memconsole.ports.state import MemoryLog

ARCHIVE: Final = "memory/archive"


def forget(
    command: MemoryForget,
    *,
    memory_turns: MemoryTurns,
    memory_index: MemoryIndex,
    edits: MemoryLog,
    journal: Journal,
    reader: Reader,
    old_files: OldFiles,
    locks: Locks,
) -> Outcome:
    """Take out the entries that the ids name; those that are gone already are an error.

    Raises:
        EntryIdError: An id names no entry, or is the beginning of several.
        WorkspaceError: A file cannot be read or written; its old text is whole.
    """
    if command.is_hard:
        return _erase(
            command,
            memory_turns,
            memory_index,
            edits,
            journal,
            reader=reader,
            old=old_files,
            locks=locks,
        )
    return memory_turns.edit(command, lambda memory: _forget(command, memory, edits))


def _erase(
    command: MemoryForget,
    memory_turns: MemoryTurns,
    memory_index: MemoryIndex,
    edits: MemoryLog,
    journal: Journal,
    *,
    reader: Reader,
    old: OldFiles,
    locks: Locks,
) -> Outcome:
    """Leave no copy; what is left when it fails half way is erased by the next run."""
    done: list[tuple[AgentMemory, Erasure, Erased]] = []

    def attempt(memory: AgentMemory) -> Outcome:
        entries = memory.find(command.ids)
        erasure = erasure_of(entries, memory.agent.id)
        if command.dry_run:
            held = in_old_files(memory, erasure, reader=reader, old=old)
            return _planned(command, memory, entries, held)
        with no_cleanup(memory, reader=reader, old=old, locks=locks):
            journal.promise(memory.root, erasure, memory.now, home=memory.home.path)
            try:
                reader.forget()
                erased = erase(memory, erasure, edits, reader=reader, old=old)
            except MemconsoleError as error:
                journal.failed(memory.root, erasure, told(str(error), erasure))
                error.hint = f"{error.hint} What is left of it is erased by the next run.".lstrip()
                raise
        done.append((memory, erasure, erased))
        return _done(command, memory, entries, erased.wrote, erased)

    outcome = memory_turns.edit(command, attempt, is_indexed=False)
    if not isinstance(outcome, Forgotten):
        return outcome
    return _rebuilt(outcome, *done[-1], memory_index=memory_index, journal=journal)


def _rebuilt(
    outcome: Forgotten,
    memory: AgentMemory,
    erasure: Erasure,
    erased: Erased,
    *,
    memory_index: MemoryIndex,
    journal: Journal,
) -> Outcome:
    """Build the index anew, so that nothing of what was forgotten for good is left in it."""
    state, notice = memory_index.refresh(memory, is_full=True, with_talks=erased.is_in_talks)
    details = {**outcome.details, "index": state}
    if notice is None:
        journal.kept(memory.root, erasure)
        return replace(outcome, details=details)
    journal.failed(memory.root, erasure, told(notice.message, erasure))
    return Failed(
        outcome.command,
        "index-not-rebuilt",
        f"the files are clean, but the search index still holds what was forgotten: "
        f"{notice.message}",
        hint="The next run that writes into the workspace builds it anew.",
        details=details,
    )


def _forget(command: MemoryForget, memory: AgentMemory, edits: MemoryLog) -> Outcome:
    entries = memory.find(command.ids)
    if command.dry_run:
        return _planned(command, memory, entries)
    at = memory.now
    made: list[FileEdit] = []
    wrote: list[Written] = []
    for path, group in groupby(entries, key=lambda one: one.path):
        gone = tuple(group)
        archived, added = _archive(path, gone, memory, at)
        edit, written = _forget_in(path, gone, memory)
        made += (edit, archived)
        wrote += (written, added)
    ids = tuple(dict.fromkeys(one.id for one in entries))
    edits.add(MemoryAction(0, memory.real, ActionKind.FORGET, at, ids, tuple(made)))
    return _done(command, memory, entries, wrote)


def _forget_in(
    path: str, entries: Sequence[MemoryEntry], memory: AgentMemory
) -> tuple[FileEdit, Written]:
    """Take entries out of one file."""
    wanted = {one.id for one in entries}
    stood = memory.path_state(path)
    made: list[FileEdit] = []

    def make(seen: WorkspaceText | None) -> str:
        text = "" if seen is None else seen.text
        found = [one for one in entries_of(path, text) if one.id in wanted]
        if {one.id for one in found} != wanted:
            raise ConcurrentEditError(str(memory.root / path))
        after, edit = without(path, text, found, stood)
        made[:] = [edit]
        return after

    written = memory.change(path, make)[2]
    return made[0], written


def _archive(
    path: str, entries: Sequence[MemoryEntry], memory: AgentMemory, at: datetime
) -> tuple[FileEdit, Written]:
    """Add entries to the archive of the month, each under a comment that says where it stood."""
    local = local_time(at, memory.zone)
    seen = memory.read(path)
    pieces = pieces_of("" if seen is None else seen.text)
    parts = []
    for one in entries:
        block = "\n".join(piece.text for piece in pieces[one.line - 1 : one.end_line])
        words = f"mc:forgotten={local.isoformat(timespec='seconds')} mc:id={one.id}"
        place = f"mc:path={_word(path)} mc:line={one.line}"
        parts.append(f"<!-- {words} {place} -->\n{memory.masked(block)}\n\n")
    archive = f"{ARCHIVE}/forgotten-{local:%Y-%m}.md"
    return memory.append(archive, "".join(parts), header=f"# Forgotten — {local:%Y-%m}\n\n")


def _planned(
    command: MemoryForget,
    memory: AgentMemory,
    entries: Sequence[MemoryEntry],
    held: Sequence[OldFile | TakenFile] = (),
) -> Planned:
    told = "; ".join(memory.entry_line(one) for one in entries)
    rest = ", and no copy is kept" if command.is_hard else ""
    if held:
        rest += f", nor in {plural(len(held), 'old file')}"
    rest += f"; {_NOT_OURS}" * command.is_hard
    wrote = []
    for path, group in groupby(entries, key=lambda one: one.path):
        seen = memory.read(path)
        after = without(path, "" if seen is None else seen.text, tuple(group))[0]
        wrote.append(Written(path, len(after.encode(errors="replace"))))
    return Planned(
        command,
        f"would forget {told}{rest}",
        tuple(wrote),
        {
            "entries": [dict(memory.row(one)) for one in entries],
            "hard": command.is_hard,
            **_old_files(held),
        },
    )


def _old_files(held: Sequence[OldFile | TakenFile]) -> dict[str, Detail]:
    names: list[Detail] = [str(one.path) for one in held]
    return {"old_files": names} if names else {}


def _done(
    command: MemoryForget,
    memory: AgentMemory,
    entries: Sequence[MemoryEntry],
    wrote: Sequence[Written],
    erased: Erased | None = None,
) -> Forgotten:
    """Say what was done; never what the entries said: the run log is kept."""
    places = ", ".join(f"{one.id} ({one.path}:{one.line})" for one in entries)
    end = "`memconsole memory undo` brings it back" if erased is None else _end(erased)
    ids: list[Detail] = list(dict.fromkeys(one.id for one in entries))
    is_secret = any(memory.masked(one.text) != one.text for one in entries)
    notices = (
        (
            Notice(
                "secrets-masked",
                "what was forgotten held something like a secret, and can still be undone; "
                "`memory undo`, then `memory forget --hard` leaves no copy",
                agent=memory.agent.id,
            ),
        )
        if is_secret and not command.is_hard
        else ()
    )
    return Forgotten(
        command,
        f"{memory.agent.id} forgot {places}; {end}",
        tuple(wrote),
        {
            "ids": ids,
            "hard": command.is_hard,
            **_old_files(() if erased is None else erased.old),
        },
        notices,
    )


def _end(erased: Erased) -> str:
    """Say where copies of ours were, and where some are left."""
    where = f", nor of {', '.join(erased.gone)}, where nothing stands any more" * bool(erased.gone)
    if erased.old:
        many = plural(len(erased.old), "old file")
        where += f"; {many} held it, in what cleanup packed or took or in our state"
    if erased.kept:
        kept = ", ".join(erased.kept)
        where += f"; the same text is still remembered of {kept}, another memory: forget it there"
    return f"no copy of ours is left of this workspace{where}; {_NOT_OURS}"


_NOT_OURS: Final = (
    "the platform's own transcripts and index stay as they are, and so do your exports and reports"
)


def _word(text: str) -> str:
    """Return what may stand in a comment: one word that cannot end it."""
    return "_".join(text.split()).replace(">", "_").replace("<", "_")
