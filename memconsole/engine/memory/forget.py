"""Takes entries out of memory: `memory forget`.

What goes is in the archive before its file changes, and a run that ends half way is taken back.
With `--hard` no copy stays in anything that is ours: neither archives nor backups nor records of
what could be undone, and the index is built anew; a run that ends half way is finished by the next.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final

from memconsole.domain.agents import Notice
from memconsole.domain.calendar import local_time
from memconsole.domain.commands.memory_forget import Forgotten
from memconsole.domain.commands.outcomes import Planned, Written
from memconsole.domain.memory.blocks import pieces_of
from memconsole.domain.memory.edits import ActionKind, MemoryAction, edit_of, without
from memconsole.domain.memory.entries import entries_of
from memconsole.errors import ConcurrentEditError, MemconsoleError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from memconsole.domain.commands.memory_forget import MemoryForget
    from memconsole.domain.commands.outcomes import Detail, Outcome
    from memconsole.domain.memory.edits import FileEdit
    from memconsole.domain.memory.entries import MemoryEntry
    from memconsole.domain.memory.records import WorkspaceText
    from memconsole.engine.home.workspace import Bench

ARCHIVE: Final = "memory/archive"


def forget(command: MemoryForget, bench: Bench) -> Outcome:
    """Take out the entries that the ids name; those that are gone already are an error.

    Raises:
        EntryIdError: An id names no entry, or is the beginning of several.
        ConcurrentEditError: Somebody edits a file at the same time, twice in a row.
        WorkspaceError: A file cannot be read or written; its old text is whole.
        StateError: It cannot be remembered for undoing.
    """
    entries = bench.find(command.ids)
    if command.dry_run:
        return _planned(command, bench, entries)
    if command.is_hard:
        from memconsole.engine.erasure import erase, erasure_of  # noqa: PLC0415

        erasure = erasure_of(entries, bench.agent.id)
        bench.ports.journal.promise(bench.root, erasure)
        try:
            return _done(command, bench, entries, erase(bench, erasure))
        except MemconsoleError as error:
            error.hint = f"{error.hint} What is left of it is erased by the next run.".lstrip()
            raise
    at = bench.ports.clock.now()
    edits: list[FileEdit] = []
    wrote: list[Written] = []
    for path, group in groupby(entries, key=lambda one: one.path):
        gone = tuple(group)
        archived, added = _archive(path, gone, bench, at)
        edit, written = _forget_in(path, gone, bench)
        edits += (edit, archived)
        wrote += (written, added)
    ids = tuple(dict.fromkeys(one.id for one in entries))
    bench.ports.edits.add(MemoryAction(0, bench.real, ActionKind.FORGET, at, ids, tuple(edits)))
    return _done(command, bench, entries, wrote)


def _forget_in(path: str, entries: Sequence[MemoryEntry], bench: Bench) -> tuple[FileEdit, Written]:
    """Take entries out of one file."""
    wanted = {one.id for one in entries}
    stood = bench.standing(path)
    made: list[FileEdit] = []

    def make(seen: WorkspaceText | None) -> str:
        text = "" if seen is None else seen.text
        found = [one for one in entries_of(path, text) if one.id in wanted]
        if {one.id for one in found} != wanted:
            raise ConcurrentEditError(str(bench.root / path))
        after, edit = without(path, text, found, stood)
        made[:] = [edit]
        return after

    written = bench.change(path, make)[2]
    return made[0], written


def _archive(
    path: str, entries: Sequence[MemoryEntry], bench: Bench, at: datetime
) -> tuple[FileEdit, Written]:
    """Add entries to the archive of the month, each under a comment that says where it stood."""
    local = local_time(at, bench.zone)
    seen = bench.read(path)
    pieces = pieces_of("" if seen is None else seen.text)
    parts = []
    for one in entries:
        block = "\n".join(piece.text for piece in pieces[one.line - 1 : one.end_line])
        words = f"mc:forgotten={local.isoformat(timespec='seconds')} mc:id={one.id}"
        place = f"mc:path={_word(path)} mc:line={one.line}"
        parts.append(f"<!-- {words} {place} -->\n{bench.masked(block)}\n\n")
    archive = f"{ARCHIVE}/forgotten-{local:%Y-%m}.md"
    old, stood = bench.read(archive), bench.standing(archive)
    wrote = bench.ports.workspace.append(
        bench.root, archive, "".join(parts), header=f"# Forgotten — {local:%Y-%m}\n\n"
    )
    new = bench.read(archive)
    before = None if old is None else old.text
    return edit_of(archive, before, "" if new is None else new.text, stood), wrote


def _planned(command: MemoryForget, bench: Bench, entries: Sequence[MemoryEntry]) -> Planned:
    told = "; ".join(bench.told(one) for one in entries)
    rest = ", and no copy is kept" if command.is_hard else ""
    wrote = []
    for path, group in groupby(entries, key=lambda one: one.path):
        seen = bench.read(path)
        after = without(path, "" if seen is None else seen.text, tuple(group))[0]
        wrote.append(Written(path, len(after.encode(errors="replace"))))
    return Planned(
        command,
        f"would forget {told}{rest}",
        tuple(wrote),
        {"entries": [dict(bench.row(one)) for one in entries], "hard": command.is_hard},
    )


def _done(
    command: MemoryForget,
    bench: Bench,
    entries: Sequence[MemoryEntry],
    wrote: Sequence[Written],
) -> Forgotten:
    """Say what was done; never what the entries said: the run log is kept."""
    places = ", ".join(f"{one.id} ({one.path}:{one.line})" for one in entries)
    end = (
        "no copy of ours is left under this path of the workspace"
        if command.is_hard
        else "`memconsole memory undo` brings it back"
    )
    ids: list[Detail] = list(dict.fromkeys(one.id for one in entries))
    is_secret = any(bench.masked(one.text) != one.text for one in entries)
    notices = (
        (
            Notice(
                "secrets-masked",
                "what was forgotten held something like a secret, and can still be undone; "
                "`memory undo`, then `memory forget --hard` leaves no copy",
                agent=bench.agent.id,
            ),
        )
        if is_secret and not command.is_hard
        else ()
    )
    return Forgotten(
        command,
        f"{bench.agent.id} forgot {places}; {end}",
        tuple(wrote),
        {"ids": ids, "hard": command.is_hard},
        notices,
    )


def _word(text: str) -> str:
    """Return what may stand in a comment: one word that cannot end it."""
    return "_".join(text.split()).replace(">", "_").replace("<", "_")
