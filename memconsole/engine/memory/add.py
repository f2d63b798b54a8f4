"""Writes one thing down, unless it stands there already: `memory add`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from memconsole.domain.calendar import daily_log, local_day, local_time
from memconsole.domain.commands.memory import Layer, Remembered
from memconsole.domain.commands.outcomes import Planned, Skipped, SkipReason, Written
from memconsole.domain.memory.edits import ActionKind, MemoryAction, edit_of, inserted
from memconsole.domain.memory.entries import LONG_TERM, USER, bare, entries_of
from memconsole.domain.memory.similarity import ALIKE, features, is_same
from memconsole.errors import UsageError
from memconsole.lazy_dataclass import dataclass
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from memconsole.domain.commands.memory import MemoryAdd
    from memconsole.domain.commands.outcomes import Detail, Outcome
    from memconsole.domain.memory.entries import MemoryEntry
    from memconsole.domain.memory.files import WorkspaceText
    from memconsole.engine.home.workspace import AgentMemory
    from memconsole.engine.memory.turns import MemoryTurns
    from memconsole.ports.state import MemoryLog

MOST_CHARS: Final = 4_000

_TITLES: Final = {LONG_TERM: "Memory", USER: "User"}
_STRUCTURE: Final = re.compile(r"#{1,6}(?:\s|$)|[-+*](?:\s|$)|>|```|~~~|\d{1,9}[.)](?:\s|$)")


@dataclass(frozen=True, slots=True)
class _Note:
    """What shall stand where.

    Attributes:
        said: The words with their marker.
        entry: What is appended to a daily log; empty for a line of another file.
        line: The line of another file.
        section: Heading above it there.
    """

    path: str
    said: str
    line: str
    section: str = ""
    entry: str = ""
    header: str = ""

    def grown(self, seen: WorkspaceText | None) -> str:
        """Return a file with the line in it."""
        before = None if seen is None else seen.text
        return inserted(before, _TITLES.get(self.path, "Memory"), self.section, self.line)


def add(command: MemoryAdd, *, memory_turns: MemoryTurns, edits: MemoryLog) -> Outcome:
    """Add the text to its file; the index learns of it with the next look.

    Raises:
        UsageError: There is no text, or far too much.
        WorkspaceError: It cannot be written; the old text is whole.
    """
    return memory_turns.edit(command, lambda memory: _add(command, memory, edits), is_indexed=False)


def _add(command: MemoryAdd, memory: AgentMemory, edits: MemoryLog) -> Outcome:
    note = _note(command, memory)
    twin = None if command.is_forced else _twin(note, memory)
    if twin is not None:
        return Skipped(
            command,
            SkipReason.DUPLICATE,
            f"{twin.path}:{twin.line} says the same already: {twin.id}",
            hint="`--force` adds it anyway.",
            details={"id": twin.id, "path": twin.path, "line": twin.line},
        )
    if command.dry_run:
        return _planned(command, note, memory)
    stood = memory.path_state(note.path)
    before, after, wrote = _write(note, memory)
    entry = _added(note, before, after)
    edit = edit_of(note.path, before, after, stood)
    at = memory.now
    edits.add(MemoryAction(0, memory.real, ActionKind.ADD, at, (entry.id,), (edit,)))
    return Remembered(
        command,
        f"{memory.agent.id} has it in {entry.path}:{entry.line} as {entry.id}",
        (wrote,),
        _details(entry),
    )


def _note(command: MemoryAdd, memory: AgentMemory) -> _Note:
    text = one_line(memory.masked(command.text)).replace("<!--", "\\<!--")
    if not text:
        raise UsageError("there is nothing to add", hint="Give the text as one argument.")
    if len(text) > MOST_CHARS:
        raise UsageError(
            f"the text has {len(text)} characters, and an entry takes {MOST_CHARS}",
            hint="Write a file of its own below memory/ instead.",
        )
    at = memory.now
    day = local_day(at, memory.zone)
    tag = "" if command.tag is None else f"[{command.tag}] "
    if command.layer is Layer.DAILY:
        said = tag + ("\\" if not tag and _STRUCTURE.match(text) else "") + text
        clock = f"{local_time(at, memory.zone):%H:%M}"
        return _Note(
            path=daily_log(day),
            said=said,
            line=f"- {said}",
            entry=f"## {clock} - Note{_whose(memory)}\n\n- {said}\n",
            header=f"# {memory.agent.id} — {day}\n\n",
        )
    section = one_line(memory.masked(command.section)).lstrip("# ").replace("<!--", "\\<!--")
    if not section:
        raise UsageError("a section has a name", hint="Leave --section out for Notes.")
    path = USER if command.layer is Layer.USER else memory.spelled(LONG_TERM)
    return _Note(path, tag + text, f"- {day}: {tag}{text}", section)


def _whose(memory: AgentMemory) -> str:
    """Name the agent in a log that several agents share."""
    sharing = [one for one in memory.home.agents if str(one.workspace.resolve()) == memory.real]
    return f" ({memory.agent.id})" if len(sharing) > 1 else ""


def _twin(note: _Note, memory: AgentMemory) -> MemoryEntry | None:
    """Return what says the same in the same layer: what is curated, or the log of the day."""
    new = features(bare(note.said))
    for path in dict.fromkeys((note.path,) if note.entry else (note.path, LONG_TERM, USER)):
        found = memory.read(path)
        for entry in () if found is None else entries_of(path, found.text):
            if is_same(new, features(bare(entry.text)), at_least=ALIKE):
                return entry
    return None


def _write(note: _Note, memory: AgentMemory) -> tuple[str | None, str, Written]:
    if not note.entry:
        return memory.change(note.path, note.grown)
    seen = memory.read(note.path)
    before = None if seen is None else seen.text
    wrote = memory.workspace.append(
        memory.root, note.path, _gap(before) + note.entry, header=note.header
    )
    after = memory.read(note.path)
    return before, "" if after is None else after.text, wrote


def _gap(before: str | None) -> str:
    """Return the blank line above a note, where there is none."""
    if not before:
        return ""
    return "" if before.endswith(("\n\n", "\r\n\r\n", "\r\r")) else "\n"


def _added(note: _Note, before: str | None, after: str) -> MemoryEntry:
    """Return the entry that was not there before; of several that are alike the last one."""
    known = {one.line for one in entries_of(note.path, before or "")}
    found = [one for one in entries_of(note.path, after) if bare(one.text) == bare(note.said)]
    fresh = [one for one in found if one.line not in known]
    return (fresh or found or entries_of(note.path, after))[-1]


def _planned(command: MemoryAdd, note: _Note, memory: AgentMemory) -> Planned:
    seen = memory.read(note.path)
    before = None if seen is None else seen.text
    head = note.header if not before else _gap(before)
    after = f"{before or ''}{head}{note.entry}" if note.entry else note.grown(seen)
    entry = _added(note, before, after)
    size = len(after.encode()) - (len((before or "").encode()) if note.entry else 0)
    return Planned(
        command,
        f"would add it to {entry.path}:{entry.line} as {entry.id}",
        (Written(note.path, size),),
        {**_details(entry), "text": note.line},
    )


def _details(entry: MemoryEntry) -> dict[str, Detail]:
    return {"id": entry.id, "path": entry.path, "line": entry.line}
