"""Removes every copy of forgotten entries in what is ours: `memory forget --hard`.

What our state remembers is told apart by the path of the workspace. A home that was moved leaves
what was remembered under its old path: where nothing stands any more, nobody can undo it, and it is
erased as well. A path where something stands is another's memory: it keeps its text, and is named.
"""

from __future__ import annotations

import logging
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from memconsole.domain.consolidate.text import DREAMS, parts_of
from memconsole.domain.index_md import INDEX
from memconsole.domain.memory.blocks import pieces_of
from memconsole.domain.memory.edits import without
from memconsole.domain.memory.entries import ACTIVE_CONTEXT, bare, entries_of, normalised
from memconsole.domain.memory.intents import Erasure
from memconsole.engine.cleanup.erase import erase_from_old
from memconsole.errors import MemconsoleError, WorkspaceError
from memconsole.system.folders import is_gone
from memconsole.text.compiled import compiled
from memconsole.text.outgoing import let_out
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from memconsole.domain.agents import Agent
    from memconsole.domain.cleanup import OldFile, TakenFile
    from memconsole.domain.commands.outcomes import Written
    from memconsole.domain.memory.edits import MemoryAction
    from memconsole.domain.memory.entries import MemoryEntry
    from memconsole.domain.memory.files import WorkspaceText
    from memconsole.engine.cleanup.read import OldFiles
    from memconsole.engine.home.reader import Reader
    from memconsole.engine.home.workspace import AgentMemory, Memories
    from memconsole.engine.search.reindex import MemoryIndex
    from memconsole.ports.platform import Journal, Locks
    from memconsole.ports.state import MemoryLog

logger = logging.getLogger(__name__)

_FOLDERS: Final = (
    "memory/archive",
    "memory/archive/observations",
    "memory/observation-backups",
)
_LEAST_CHARS: Final = 8
"""Shorter lines are removed only where nothing else stands in the line, and so are days."""

_PATIENCE_S: Final = 5.0
"""How long a cleanup is waited for."""

_DAY: Final = r"\d{4}-\d\d-\d\d(?:[t ][\d:.,+z-]*)?"

Clean: TypeAlias = "Callable[[str, frozenset[str], frozenset[str]], str]"
"""Returns a text without the lines that have certain words or ids."""


def erasure_of(entries: Sequence[MemoryEntry], agent_id: str) -> Erasure:
    """Return what has to be known to find every copy of entries, now or after a kill."""
    lines = (line for one in entries for line in bare(one.text).splitlines())
    return Erasure(
        agent=agent_id,
        paths=tuple(dict.fromkeys(one.path for one in entries)),
        ids=frozenset(one.id for one in entries),
        words=frozenset(said for line in lines if (said := normalised(line))),
    )


class Erased(NamedTuple):
    """What an erasure did.

    Attributes:
        wrote: Files of the workspace.
        gone: Paths where no workspace stands any more, and of which something was erased.
        kept: Other workspaces of which our state holds the same text still.
        old: Files that held it, packed, taken away or in our state folder.
    """

    wrote: list[Written]
    gone: tuple[str, ...]
    kept: tuple[str, ...]
    old: tuple[OldFile | TakenFile, ...] = ()

    @property
    def is_in_talks(self) -> bool:
        """Whether an index of sessions may hold it."""
        return any(not one.kind.is_ours for one in self.old)


def erase(
    memory: AgentMemory, erasure: Erasure, edits: MemoryLog, *, reader: Reader, old: OldFiles
) -> Erased:
    """Remove entries, lines with their words from our files, and what could be undone of them.

    What is gone already is passed over, so that it can be done again after a kill.

    Raises:
        ConcurrentEditError: Somebody edits a file at the same time, twice in a row.
        WorkspaceError: A file cannot be read or written.
        StateError: What could be undone cannot be removed.
    """
    words, ids = erasure.words, erasure.ids
    places = in_old_files(
        memory, erasure, reader=reader, old=old, clean=lambda text: _scrubbed(text, words, ids)
    )
    wrote = [it for path in erasure.paths if (it := _cut(memory, path, ids)) is not None]
    for path in _ours(memory):
        seen = memory.read(path)
        clean = _clean_report if path.casefold() == DREAMS.casefold() else _scrubbed
        if seen is None or clean(seen.text, words, ids) == seen.text:
            continue

        def make(now: WorkspaceText | None, clean: Clean = clean) -> str:
            return clean("" if now is None else now.text, words, ids)

        wrote.append(memory.change(path, make, erases=True)[2])
    return Erased(wrote, *_erase_records(memory, erasure, edits), places)


def in_old_files(
    memory: AgentMemory,
    erasure: Erasure,
    *,
    reader: Reader,
    old: OldFiles,
    clean: Callable[[str], str] | None = None,
) -> tuple[OldFile | TakenFile, ...]:
    """Return which old files hold what shall be gone; with `clean` they hold it no more.

    Raises:
        StateError: A file cannot be looked into or changed.
    """
    agents = _agents(memory, reader)
    return erase_from_old(agents, old, holds=lambda line: _has(line, erasure.words), clean=clean)


@contextmanager
def no_cleanup(
    memory: AgentMemory, *, reader: Reader, old: OldFiles, locks: Locks
) -> Iterator[None]:
    """Let no cleanup pack or take away old files, in which an erasure looks, for the block.

    Raises:
        LockedError: One is at work.
        StateError: The state folder cannot be written.
    """
    folders = [old.settings.state_dir, *(one.sessions_dir for one in _agents(memory, reader))]
    with ExitStack() as stack:
        for folder in dict.fromkeys(one.resolve() for one in folders):
            stack.enter_context(locks.workspace(folder, _PATIENCE_S))
        yield


def _agents(memory: AgentMemory, reader: Reader) -> list[Agent]:
    return [one for one in reader.home().agents if str(one.workspace.resolve()) == memory.real]


def _erase_records(
    memory: AgentMemory, erasure: Erasure, edits: MemoryLog
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Remove what our state holds; return the paths of `Erased`."""

    def clean(block: str) -> str:
        return _scrubbed(block, erasure.words, erasure.ids)

    def held(place: str) -> list[int]:
        actions = edits.actions(place)
        return [one.id for one in actions if _holds(one, erasure.words, erasure.ids)]

    own = {memory.real, str(memory.root), str(memory.home.path)}
    others = sorted(
        place
        for place in edits.places() - own
        if held(place) or any(clean(block) != block for block in edits.blocks(place))
    )
    gone = tuple(place for place in others if is_gone(place))
    places = (*own, *gone)
    edits.erase([number for place in places for number in held(place)], places, clean)
    return gone, tuple(place for place in others if place not in gone)


def finish(
    promised: Sequence[Erasure],
    agent: Agent,
    *,
    memories: Memories,
    memory_index: MemoryIndex,
    edits: MemoryLog,
    journal: Journal,
    reader: Reader,
    old_files: OldFiles,
    locks: Locks,
) -> None:
    """Finish erasures of runs that ended half way, the index included, under the workspace's lock.

    What cannot be done now stays promised, for the next run.

    Args:
        promised: What shall be gone.
        agent: Whose run it is, in the place of an agent that works there no more.
        memories: For the files.
        memory_index: Is built anew.
        edits: What could be undone of it.
        journal: Where it is promised.
        reader: For the agents that there are.
        old_files: What was packed or taken away.
        locks: Those of cleanup.
    """
    known = {one.id for one in _agents(memories.of(agent.id), reader)}
    for erasure in promised:
        try:
            memory = memories.of(erasure.agent if erasure.agent in known else agent.id)
            with (
                no_cleanup(memory, reader=reader, old=old_files, locks=locks),
                journal.turn(memory.root, is_forward=True),
            ):
                erase(memory, erasure, edits, reader=reader, old=old_files)
            reader.forget()
            # The run that was killed may have come as far as the transcripts.
            _, notice = memory_index.refresh(memory, is_full=True, with_talks=True)
            if notice is None:
                journal.kept(agent.workspace, erasure)
                continue
            why = told(notice.message, erasure)
        except MemconsoleError as error:
            why = told(str(error), erasure)
        except Exception as error:  # the edge of another run: this one has something to save
            logger.exception("a bug in an erasure")
            why = f"{type(error).__name__} inside memconsole: the log tells more"
        logger.warning("an erasure is not finished yet: %s", why)
        journal.failed(agent.workspace, erasure, why)


def told(why: str, erasure: Erasure) -> str:
    """Return why an erasure failed, in one masked line that says nothing of what shall be gone."""
    said = normalised(why)
    if any(word in said for word in erasure.words):
        return "the reason itself says what shall be gone"
    return let_out(one_line(why))


def _cut(memory: AgentMemory, path: str, ids: frozenset[str]) -> Written | None:
    """Take entries out of the file they are in; None when none of them is there any more."""
    seen = memory.read(path)
    if seen is None or not any(one.id in ids for one in entries_of(path, seen.text)):
        return None

    def make(now: WorkspaceText | None) -> str:
        text = "" if now is None else now.text
        return without(path, text, [one for one in entries_of(path, text) if one.id in ids])[0]

    return memory.change(path, make, erases=True)[2]


def _ours(memory: AgentMemory) -> list[str]:
    names = [
        f"{folder}/{name}"
        for folder in _FOLDERS
        for name in memory.folders.names(memory.root, folder)
        if name.casefold().endswith(".md")
    ]
    found = []
    for path in (ACTIVE_CONTEXT, INDEX, DREAMS, DREAMS.lower(), *names):
        try:
            if memory.read(path) is not None:
                found.append(path)
        except WorkspaceError:
            if path in names:
                raise
    return found


def _scrubbed(text: str, words: frozenset[str], ids: frozenset[str]) -> str:
    return "".join(
        piece.text + piece.end
        for piece in pieces_of(text)
        if not _has(piece.text, words) and not any(one in piece.text for one in ids)
    )


def _clean_report(text: str, words: frozenset[str], ids: frozenset[str]) -> str:
    """Return DREAMS.md with our report scrubbed; the rest is a diary of others."""
    parts = parts_of(text)
    if parts is None:
        return text
    before, block, after = parts
    return f"{before}{_scrubbed(block, words, ids)}{after}"


def _has(line: str, words: frozenset[str]) -> bool:
    said = normalised(line)
    return any(
        said.lstrip("-*+ ") == one
        or (len(one) >= _LEAST_CHARS and one in said and not compiled(_DAY).fullmatch(one))
        for one in words
    )


def _holds(action: MemoryAction, words: frozenset[str], ids: frozenset[str]) -> bool:
    if ids & set(action.entries):
        return True
    texts = (
        part for edit in action.edits for span in edit.spans for part in (span.removed, span.added)
    )
    return any(_has(line, words) for text in texts for line in text.splitlines())
