"""What edits of memory share: the workspace at hand, its entries, and writing with one retry."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memconsole.domain.calendar import resolve_zone
from memconsole.domain.commands.outcomes import Written
from memconsole.domain.memory.edits import edit_of, is_exact, undone
from memconsole.domain.memory.entries import (
    LONG_TERM,
    USER,
    entries_of,
    has_entries,
    is_id,
    matching,
    may_hold,
)
from memconsole.domain.memory.observations import OBSERVATIONS
from memconsole.engine.home.lookup import find_agent
from memconsole.errors import ConcurrentEditError, EntryIdError, WorkspaceError
from memconsole.lazy_dataclass import dataclass
from memconsole.text.graphemes import cut
from memconsole.text.outgoing import let_out
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from memconsole.domain.agents import Agent, Home
    from memconsole.domain.calendar import Zone
    from memconsole.domain.commands.outcomes import Detail
    from memconsole.domain.memory.edits import FileEdit, PathState
    from memconsole.domain.memory.entries import MemoryEntry
    from memconsole.domain.memory.files import WorkspaceText
    from memconsole.domain.settings import Settings
    from memconsole.engine.home.reader import Reader
    from memconsole.ports.platform import Clock, Workspace
    from memconsole.ports.state import WorkspaceFolders

logger = logging.getLogger(__name__)

_LISTED = 8
_WHOLE_ID = 10
_NEVER = datetime.min.replace(tzinfo=UTC)
_EXCERPT_CHARS = 100


@dataclass(frozen=True, slots=True)
class Memories:
    """Opens the memories of agents, to be worked on."""

    reader: Reader
    settings: Settings
    workspace: Workspace
    folders: WorkspaceFolders
    clock: Clock

    def of(self, agent_id: str) -> AgentMemory:
        """Return the memory of an agent, in the home as it is now.

        Raises:
            UnknownAgentError: There is no such agent.
        """
        home = self.reader.home()
        return self.at(home, find_agent(home, agent_id))

    def at(self, home: Home, agent: Agent) -> AgentMemory:
        """Return the memory of an agent of a home that is at hand."""
        zone = resolve_zone(self.settings.timezone, home.config.user_timezone).zone
        return AgentMemory(home, agent, zone, self.settings.for_agent(agent.id), self)


@dataclass(frozen=True, slots=True)
class AgentMemory:
    """One agent's memory, as it is worked on."""

    home: Home
    agent: Agent
    zone: Zone
    settings: Settings
    memories: Memories

    @property
    def now(self) -> datetime:
        """The time."""
        return self.memories.clock.now()

    @property
    def folders(self) -> WorkspaceFolders:
        """Folders of the workspace, and what stands in them."""
        return self.memories.folders

    @property
    def workspace(self) -> Workspace:
        """The one writer into the workspace."""
        return self.memories.workspace

    @property
    def root(self) -> Path:
        """The workspace."""
        return self.agent.workspace

    @property
    def real(self) -> str:
        """The workspace's real path: what tells one workspace from another."""
        return str(self.agent.workspace.resolve())

    def read(self, relative: str) -> WorkspaceText | None:
        """Return a file of the workspace; None when it does not exist.

        Raises:
            WorkspaceError: It exists and cannot be read.
        """
        return self.workspace.read(self.root, relative)

    def spelled(self, name: str) -> str:
        """Return the name of a file, in small letters where only that one exists.

        Raises:
            WorkspaceError: It exists and cannot be read.
        """
        if self.read(name) is None and self.read(name.lower()) is not None:
            return name.lower()
        return name

    def path_state(self, relative: str) -> PathState:
        """Return what stands at a path before it is changed.

        Raises:
            WorkspaceError: Something else than a file is there.
        """
        return self.folders.path_state(self.root, relative)

    def change(
        self,
        relative: str,
        make: Callable[[WorkspaceText | None], str],
        *,
        mode: int | None = None,
        erases: bool = False,
    ) -> tuple[str | None, str, Written]:
        """Replace a file by what is made of it; somebody's edit meanwhile is taken in, once.

        Args:
            relative: Path inside the workspace.
            make: Returns the new text; called again with a file that changed.
            mode: Permission bits that it had before; None for those of the writer.
            erases: See the port.

        Returns:
            The text before, the text after, and what was written.

        Raises:
            ConcurrentEditError: It was changed at the same time, twice in a row.
            WorkspaceError: It cannot be written; the old text is whole.
        """
        for is_last in (False, True):
            seen = self.read(relative)
            text = make(seen)
            try:
                wrote = self.workspace.edit(
                    self.root, relative, text, seen=seen, mode=mode, erases=erases
                )
            except ConcurrentEditError as error:
                if is_last:
                    raise
                logger.info("%s; looking again", error)
            else:
                return None if seen is None else seen.text, text, wrote
        raise AssertionError("unreachable: the second try returns or raises")

    def append(self, relative: str, text: str, *, header: str) -> tuple[FileEdit, Written]:
        """Add to the end of a file that only grows, such as an archive.

        Args:
            relative: Path inside the workspace.
            text: What is added.
            header: What a new file begins with.

        Returns:
            How it is taken back, and what was written.

        Raises:
            WorkspaceError: It cannot be read or written.
        """
        old, stood = self.read(relative), self.path_state(relative)
        wrote = self.workspace.append(self.root, relative, text, header=header)
        new = self.read(relative)
        before = None if old is None else old.text
        return edit_of(relative, before, "" if new is None else new.text, stood), wrote

    def remove(self, relative: str, seen: WorkspaceText) -> None:
        """Remove a file, unless it is not any more what was seen.

        Raises:
            ConcurrentEditError: Somebody changed it meanwhile.
            WorkspaceError: It cannot be removed.
        """
        now = self.read(relative)
        if now is None or now.version != seen.version:
            raise ConcurrentEditError(str(self.root / relative))
        self.folders.remove(self.root, relative)

    def take_back(self, edit: FileEdit) -> Written | None:
        """Undo one edit; a file that it made goes again, unless others wrote into it.

        Returns:
            What was written; None when there was nothing to undo.

        Raises:
            ConcurrentEditError: It was changed at the same time, twice in a row.
            WorkspaceError: It cannot be written; the old text is whole.
        """
        seen = self.read(edit.path)
        if seen is not None and edit.is_new and is_exact(edit, seen.text):
            self.folders.remove(self.root, edit.path, folders=edit.stood.folders)
            return Written(edit.path, 0)
        now = "" if seen is None else seen.text
        is_gone = seen is None and not edit.is_new  # an empty file comes back as well
        before = undone(edit, now)
        if before is None or (before == now and not is_gone):
            return None

        def make(again: WorkspaceText | None) -> str:
            text = "" if again is None else again.text
            found = undone(edit, text)
            return text if found is None else found

        is_ours = is_exact(edit, now)
        return self.change(edit.path, make, mode=edit.stood.mode if is_ours else None)[2]

    def entries(self, wanted: Sequence[str]) -> Iterator[MemoryEntry]:
        """Yield the entries of the files that may hold certain ids, the newest files first.

        A whole id is of one file, because the path is in it: with the last one found nothing more
        is read.
        """
        sought = set(wanted) if all(len(one) == _WHOLE_ID for one in wanted) else {""}
        for path in self._paths():
            if not may_hold(path, wanted):
                continue
            try:
                found = self.read(path)
            except WorkspaceError as error:
                logger.info("%s", error)
                continue
            entries = () if found is None else entries_of(path, found.text)
            yield from entries
            sought -= {one.id for one in entries}
            if not sought:
                return

    def _paths(self) -> Iterable[str]:
        """Return the files with entries, the newest first."""
        pool = self.memories.reader.pool(self.home, self.agent)
        items = [one for one in pool.items if one.is_counted and has_entries(one.path)]
        items.sort(key=lambda one: one.modified_at or _NEVER, reverse=True)
        return dict.fromkeys((LONG_TERM, USER, OBSERVATIONS, *(one.path for one in items)))

    def find(self, ids: Sequence[str]) -> tuple[MemoryEntry, ...]:
        """Return the entries that ids name, by file and line.

        Raises:
            EntryIdError: One names none, or is the beginning of several.
        """
        wanted = [one.strip().casefold() for one in ids]
        for one in wanted:
            if not is_id(one):
                raise EntryIdError(
                    f"{one!r} is no id of an entry", hint="An id looks like m-1a2b3c4d."
                )
        known = tuple(self.entries(wanted))
        chosen: dict[tuple[str, int], MemoryEntry] = {}
        for one in wanted:
            chosen |= {(it.path, it.line): it for it in self._named(one, known)}
        return tuple(chosen[place] for place in sorted(chosen))

    def _named(self, wanted: str, known: Sequence[MemoryEntry]) -> tuple[MemoryEntry, ...]:
        found = matching(known, wanted)
        if not found:
            raise EntryIdError(
                f"the memory of {self.agent.id} has no entry {wanted!r}",
                hint="`memconsole memory show --all` lists every entry with its id.",
            )
        if len({one.id for one in found}) > 1:
            listed = "; ".join(self.entry_line(one) for one in found[:_LISTED])
            more = f"; and {len(found) - _LISTED} more" if len(found) > _LISTED else ""
            raise EntryIdError(
                f"{wanted!r} begins the ids of {len(found)} entries",
                hint=f"They are: {listed}{more}.",
            )
        return found

    def entry_line(self, entry: MemoryEntry) -> str:
        """Return an entry as one line for people: masked, then cut."""
        said = one_line(self.masked(entry.text))
        return f"{entry.id} {entry.path}:{entry.line} {cut(said, _EXCERPT_CHARS)}"

    def masked(self, text: str) -> str:
        """Return a text without secrets, unless the settings switch that off."""
        return let_out(text, redacts=self.settings.redact)

    def row(self, entry: MemoryEntry) -> dict[str, Detail]:
        """Return an entry for `details`, as the contract has it."""
        return {
            "id": entry.id,
            "path": entry.path,
            "line": entry.line,
            "text": self.masked(entry.text),
            "tags": list(entry.tags),
            "date": entry.date,
        }
