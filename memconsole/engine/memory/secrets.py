"""Looks for secrets in memory files and transcripts, and remembers how many memory files hold.

Nothing of the platform's is written. What cannot be read is told: "none found" is said of what was
looked into, and of nothing else.
"""

from __future__ import annotations

import logging
import os
from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole.domain.agents import UNREADABLE, Notice
from memconsole.domain.memory.secrets import (
    NO_LINE,
    FoundSecret,
    SecretCounts,
    SecretsFound,
    counts_of,
    counts_text,
    file_stamp,
    spots,
)
from memconsole.domain.sessions.stored import TranscriptKind
from memconsole.engine.home.lookup import agents_of
from memconsole.errors import MemconsoleError, StateError, TranscriptRefusedError
from memconsole.lazy_dataclass import dataclass
from memconsole.text.outgoing import name_out
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from memconsole.domain.agents import Agent
    from memconsole.domain.sessions.stored import TranscriptRef
    from memconsole.domain.settings import Settings
    from memconsole.engine.home.reader import Reader
    from memconsole.ports.alerts import StatusFile
    from memconsole.ports.host import OldTranscripts
    from memconsole.ports.platform import Clock, MemoryReader, SessionStore

logger = logging.getLogger(__name__)

_NOT_READ = frozenset({"store-unreadable", "store-newer", *TranscriptRefusedError.CODES})


@dataclass(slots=True)
class SecretService:
    """Secrets in what agents wrote down and said.

    Attributes:
        reader: For the home.
        memory: The memory files.
        sessions: The transcripts.
        old: Files of ended sessions.
        counts: Remembers how many secrets memory files hold, for health.
        settings: Read-only, nothing is remembered.
        clock: The time.
    """

    reader: Reader
    memory: MemoryReader
    sessions: SessionStore
    old: OldTranscripts
    counts: StatusFile
    settings: Settings
    clock: Clock

    def find(
        self,
        agent_id: str | None = None,
        *,
        with_transcripts: bool = False,
        advance: Callable[[], None] = lambda: None,
    ) -> SecretsFound:
        """Look into every memory file, and into every transcript where that is wanted.

        Args:
            agent_id: Only this agent's.
            with_transcripts: Also what was said: of every era, archived and parked.
            advance: Called before each file.

        Raises:
            UnknownAgentError: There is no such agent.
            HomeNotFoundError: The platform home does not exist.
            HomeUnreadableError: It exists and cannot be listed.
        """
        home = self.reader.home()
        agents = agents_of(home, agent_id)
        look = _Look(advance)
        counts: dict[str, SecretCounts] = {}
        for agent in agents:
            root = name_out(os.path.realpath(agent.workspace))
            if agent.workspace_doubt or not agent.workspace_exists:
                look.miss_all(agent)
            elif root not in counts:
                counts[root] = SecretCounts(self.clock.now(), dict(self._of_memory(agent, look)))
        files = look.files
        for agent in agents if with_transcripts else ():
            self._of_transcripts(agent, look)
        self._remember(counts)
        told = look.files - files if with_transcripts else None
        return SecretsFound(tuple(look.items), tuple(look.unread), files, told)

    def _of_memory(self, agent: Agent, look: _Look) -> Iterator[tuple[str, tuple[str, int]]]:
        for one in self.memory.texts(agent.workspace):
            if one.unread:
                look.miss(agent, one.path, one.unread)
                continue
            found = FoundSecret(agent.id, name_out(one.path), one.modified_at)
            named = look.at_name(found, one.path)
            number = look.into(agent, found, one.pieces)
            if number is not None:
                stamp = file_stamp(one.size_bytes, one.modified_at)
                yield name_out(one.path), (stamp, number + named)
        for file in self.old.own(agent):
            if file.is_packed:  # by cleanup: no memory any more, and still there
                found = FoundSecret(agent.id, str(file.path), file.modified_at)
                look.into(agent, found, self.old.texts(agent, file))

    def _of_transcripts(self, agent: Agent, look: _Look) -> None:
        listing = self.sessions.sessions(agent)
        look.unread += [one for one in listing.notices if one.code in _NOT_READ]
        refs = dict.fromkeys(
            ref
            for one in listing.sessions
            if one.transcript is not None
            for ref in _files_of(one.transcript)
        )
        for ref in refs:
            found = FoundSecret(agent.id, str(ref.path), ref.modified_at, ref.session_id)
            if ref.kind in (TranscriptKind.FILE, TranscriptKind.PACKED_FILE):
                look.at_name(found, ref.path.name)
            look.into(agent, found, self.sessions.texts(ref))
        read = {ref.path for ref in refs}
        for file in self.old.found(agent):
            if file.path not in read:
                found = FoundSecret(agent.id, str(file.path), file.modified_at, file.session_id)
                look.at_name(found, file.path.name)
                look.into(agent, found, self.old.texts(agent, file))

    def _remember(self, counts: dict[str, SecretCounts]) -> None:
        if self.settings.ui.read_only:
            return
        try:
            self.counts.write(counts_text(counts_of(self.counts.read()) | counts))
        except StateError as error:
            logger.warning("health is not told of it: %s", error)


class _Look:
    """Collects what one look finds."""

    def __init__(self, advance: Callable[[], None]) -> None:
        self.items: list[FoundSecret] = []
        self.unread: list[Notice] = []
        self.files = 0
        self._advance = advance

    def at_name(self, place: FoundSecret, name: str) -> int:
        """Look at the name of a file and of the folders before it; return how many it holds."""
        found = [replace(place, spot=spot) for spot in spots([(NO_LINE, name)])]
        self.items += found
        return len(found)

    def into(
        self, agent: Agent, place: FoundSecret, pieces: Iterable[tuple[int, str]]
    ) -> int | None:
        """Look into one file; return how many secrets it holds, None where that is not known."""
        self._advance()
        before = len(self.items)
        try:
            self.items += (replace(place, spot=spot) for spot in spots(pieces))
        except FileNotFoundError:
            return None
        except (MemconsoleError, OSError) as error:
            self.miss(agent, place.path, str(error))
            return None
        self.files += 1
        return len(self.items) - before

    def miss(self, agent: Agent, path: str, why: str) -> None:
        """Note what could not be looked into."""
        message = one_line(f"{path} was not looked into: {why}")
        self.unread.append(Notice(UNREADABLE, message, path, agent.id))

    def miss_all(self, agent: Agent) -> None:
        """Note that a workspace is not there; one that nobody named need not be."""
        if agent.is_configured is not False:
            self.unread.append(Notice("workspace-missing", agent.workspace_trouble, agent=agent.id))


def _files_of(ref: TranscriptRef) -> Iterator[TranscriptRef]:
    """Yield a transcript, and the file beside a database that may hold more of it."""
    yield replace(ref, extra=None)
    if ref.extra is not None:
        yield replace(ref, kind=TranscriptKind.FILE, path=ref.extra, extra=None, generation=None)
