"""The files of one agent's sessions: transcripts, archives, parked imports (formats §4).

Nothing here opens a transcript: what a file is, its exact name says.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from memconsole.domain.agents import Notice
from memconsole.domain.moved import moved_places
from memconsole.domain.plain import one_line
from memconsole.domain.sessions import TranscriptKind, TranscriptRef
from memconsole.stores.entry_fields import instant
from memconsole.stores.names import FileKind, FileName, is_uuid, read_import_name, read_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from memconsole.domain.agents import Agent, AgentRef

IMPORT_FOLDER = "session-sqlite-import-archive"
_USUAL_PACKING = 8
"""How much smaller zstd makes a transcript, roughly; only to compare sizes."""

SessionName: TypeAlias = tuple[str, str | None]
"""(session id, topic) by the file's name."""


@dataclass(frozen=True, slots=True)
class SessionFile:
    """One regular file.

    Attributes:
        modified_ns: File time in nanoseconds since the epoch.
    """

    path: Path
    name: FileName
    size_bytes: int
    modified_ns: int

    @property
    def session(self) -> SessionName:
        """Which session it belongs to."""
        return self.name.session_id or "", self.name.topic

    @property
    def session_id(self) -> str:
        """The id as text, even where the bytes of the name are none."""
        return os.fsencode(self.name.session_id or "").decode("utf-8", "replace")

    @property
    def modified_at(self) -> datetime | None:
        """File time, aware UTC; None when it is no real date."""
        return instant(self.modified_ns / 1e6)

    @property
    def fullness(self) -> tuple[int, int]:
        """Orders the files of one session: the fullest holds most of it, of equals the newest."""
        return self.size_bytes * (_USUAL_PACKING if self.name.is_packed else 1), self.modified_ns

    def ref(self, agent: AgentRef, session_id: str | None = None) -> TranscriptRef:
        """Return it as a transcript; `session_id` is the one that an entry gives it."""
        return TranscriptRef(
            agent=agent,
            session_id=session_id or self.session_id,
            kind=TranscriptKind.PACKED_FILE if self.name.is_packed else TranscriptKind.FILE,
            path=self.path,
            size_bytes=self.size_bytes,
            modified_at=self.modified_at,
        )


class SessionFolder:
    """One scan of the folders in which an agent's session files lie.

    Attributes:
        backups: Files that repeat a transcript's past.
        notices: Folders that cannot be listed.
    """

    def __init__(self, agent: Agent) -> None:
        self.backups = 0
        self.notices: tuple[Notice, ...] = ()
        self._agent = agent
        self._by_name: dict[str, SessionFile] = {}
        self._transcripts: dict[SessionName, SessionFile] = {}
        self._archives: dict[SessionName, list[SessionFile]] = {}
        self._topics: dict[str, dict[str, None]] = {}
        self._moved: dict[Path, tuple[Path, ...]] = {}
        for folder, read in _folders(agent):
            self._scan(folder, read)

    @property
    def is_empty(self) -> bool:
        """Whether neither a transcript nor an archive was found."""
        return not self._transcripts and not self._archives

    def transcript(self, session_id: str, topic: str | None = None) -> SessionFile | None:
        """Return `<id>.jsonl`, or the file of one topic."""
        return self._transcripts.get((session_id, topic))

    def archive(self, session_id: str, topic: str | None = None) -> SessionFile | None:
        """Return the fullest archive of a session."""
        found = self._archives.get((session_id, topic), ())
        return max(found, key=lambda one: one.fullness, default=None)

    def topics(self, session_id: str) -> tuple[str, ...]:
        """Return the topics of an id for which there is a file; nearly always none or one."""
        return tuple(self._topics.get(session_id, ()))

    def named(self, session_file: str) -> SessionFile | None:
        """Resolve the `sessionFile` of an entry; None when no such transcript can be found.

        Its name in our own folders first, for the path is that of the machine which wrote it;
        then the path; then its tail in this home (A25). Only regular `.jsonl` files are taken.
        """
        path = Path(session_file.replace("\0", ""))
        if read_name(path.name).kind not in (FileKind.TRANSCRIPT, FileKind.CHECKPOINT):
            return None
        own = self._by_name.get(path.name)
        if own is not None or not path.is_absolute():
            return own
        places = (path.parent, *self._places(path.parent))
        return next((found for one in places if (found := _look_at(one / path.name))), None)

    def groups(self) -> Iterator[list[SessionFile]]:
        """Yield all transcripts and archives by session, the fullest of each first."""
        for session in {**self._transcripts, **self._archives}:
            transcript = self._transcripts.get(session)
            files = [*self._archives.get(session, ()), *([transcript] if transcript else [])]
            yield sorted(files, key=lambda one: one.fullness, reverse=True)

    def _scan(self, folder: Path, read: Callable[[str], FileName]) -> None:
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    name = read(entry.name)
                    if name.session_id is not None and (file := _regular(entry, name)):
                        self._keep(file)
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            message = f"{one_line(str(folder))} cannot be listed: {(error.strerror or '').lower()}"
            notice = Notice("store-unreadable", message, str(folder), self._agent.id)
            self.notices = (*self.notices, notice)

    def _keep(self, file: SessionFile) -> None:
        session_id, topic = file.session
        if topic is not None and not file.name.kind.is_copy:
            self._topics.setdefault(session_id, {})[topic] = None
        if file.name.kind is FileKind.ARCHIVE:
            self._archives.setdefault(file.session, []).append(file)
            return
        self.backups += file.name.kind.is_copy
        self._by_name.setdefault(file.path.name, file)
        if file.name.kind is FileKind.TRANSCRIPT:
            self._transcripts.setdefault(file.session, file)

    def _places(self, folder: Path) -> tuple[Path, ...]:
        """Return where a folder of another machine may be here; looked for once."""
        known = self._moved.get(folder)
        if known is None:
            places = moved_places(folder, Path(self._agent.ref.home))
            known = tuple(place for place in dict.fromkeys(places) if _is_folder(place))
            self._moved[folder] = known
        return known


def folder_stamp(agent: Agent) -> object:
    """Return a value that changes when a session file comes, goes, grows or is written."""
    stamps = []
    for folder, read in _folders(agent):
        try:
            with os.scandir(folder) as entries:
                found = [entry for entry in entries if read(entry.name).session_id is not None]
                files = [file for entry in found if (file := _regular(entry, _UNREAD))]
        except OSError as error:
            stamps.append(frozenset({(folder.name, error.errno, 0)}))
            continue
        stamps.append(
            frozenset((file.path.name, file.size_bytes, file.modified_ns) for file in files)
        )
    return tuple(stamps)


_UNREAD = FileName(FileKind.OTHER)


def _folders(agent: Agent) -> Iterator[tuple[Path, Callable[[str], FileName]]]:
    """Yield the agent's folders with the reading of their names, the store's own first."""
    store = agent.store_file.parent
    if store != agent.sessions_dir:
        yield store, _read_moved_name
    yield agent.sessions_dir, read_name
    for folder in dict.fromkeys((store.parent, agent.folder)):
        yield folder / IMPORT_FOLDER, read_import_name


def _read_moved_name(name: str) -> FileName:
    """Read a name in the folder of a moved store, which may hold other people's files too."""
    found = read_name(name)
    is_ours = found.session_id is not None and is_uuid(found.session_id)
    return found if is_ours else _UNREAD


def _regular(entry: os.DirEntry[str], name: FileName) -> SessionFile | None:
    try:
        if not entry.is_file():
            return None
        info = entry.stat()
    except OSError:
        return None
    return SessionFile(Path(entry.path), name, info.st_size, info.st_mtime_ns)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def _look_at(path: Path) -> SessionFile | None:
    try:
        info = path.stat()
    except OSError:
        return None
    if not stat.S_ISREG(info.st_mode):
        return None
    return SessionFile(path, read_name(path.name), info.st_size, info.st_mtime_ns)
