"""The files of one agent's sessions: transcripts, archives, parked imports, and locks of runs.

Nothing here opens a transcript: what a file is, its exact name says.
"""

from __future__ import annotations

import os
import stat
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from memconsole.adapters.sessions.files.run_locks import SUFFIX, held_since
from memconsole.adapters.sessions.names import (
    FileKind,
    FileName,
    is_uuid,
    read_import_name,
    read_name,
)
from memconsole.domain.agents import Notice, moved_places
from memconsole.domain.sessions.stored import TranscriptKind, TranscriptRef
from memconsole.lazy_dataclass import dataclass
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from memconsole.domain.agents import Agent, AgentRef


IMPORT_FOLDER = "session-sqlite-import-archive"
_USUAL_PACKING = 8
"""How much smaller zstd makes a transcript, roughly; only to compare sizes."""

_TRANSCRIPTS = frozenset({FileKind.TRANSCRIPT, FileKind.CHECKPOINT})
"""What an entry may name; a release can go back to a snapshot."""

SessionName: TypeAlias = tuple[str, str | None]
"""(session id, topic) by the file's name."""


@dataclass(frozen=True, slots=True, eq=False)
class SessionFile:
    """One regular file; equal to itself alone.

    Attributes:
        folder: Where it lies.
        filename: Its name there.
        name: What the name says.
        modified_ns: File time in nanoseconds since the epoch.
        stamp: Device, inode, size and both times of change.
    """

    folder: Path
    filename: str
    name: FileName
    size_bytes: int
    modified_ns: int
    stamp: tuple[int, ...] = ()

    @property
    def path(self) -> Path:
        """Where it is."""
        return self.folder / self.filename

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
        try:
            return datetime.fromtimestamp(self.modified_ns / 1e9, UTC)
        except (ValueError, OverflowError, OSError):
            return None

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
            stamp=self.stamp or None,
        )


Status: TypeAlias = tuple[int, int, int, int, int]
"""Device, inode, size and both times of change of a file."""


@dataclass(frozen=True, slots=True)
class FolderScan:
    """What lies in one folder, by names and status alone; nothing was opened but locks of runs.

    Attributes:
        read: Reads the names of this folder.
        files: What may be session files, by name: name, status, and where a link leads.
        held: Transcripts that a run is writing to, and when it began.
        failed: Why it was not listed: what the system says, or the folder of another agent.
    """

    folder: Path
    read: Callable[[str], FileName]
    files: tuple[tuple[str, Status, str | None], ...] = ()
    held: tuple[tuple[str, datetime], ...] = ()
    failed: OSError | str | None = None

    @property
    def stamp(self) -> tuple[object, ...]:
        """Changes when a session file comes, goes, grows or is written."""
        error = self.failed.errno if isinstance(self.failed, OSError) else self.failed
        return self.files, self.held, error

    @property
    def newest_ns(self) -> int | None:
        """Newest change of its files; None where more than their status decides."""
        is_plain = self.failed is None or isinstance(self.failed, FileNotFoundError)
        if self.held or not is_plain or any(link for _, _, link in self.files):
            return None
        return max((max(status[3:]) for _, status, _ in self.files), default=0)


def scanned(agent: Agent) -> tuple[FolderScan, ...]:
    """Look at the folders in which an agent's session files lie."""
    return tuple(_scan(agent, folder, read) for folder, read in _folders(agent))


class SessionFolder:
    """The files of the folders in which an agent's session files lie.

    Attributes:
        backups: Files that repeat a transcript's past.
        notices: Folders that cannot be listed.
        strays: Links that lead out of the agent's folders; what is behind them is not looked at.
        has_looked_elsewhere: Whether a place outside of the folders had a say.
    """

    def __init__(self, agent: Agent, scans: Iterable[FolderScan] | None = None) -> None:
        self.backups = 0
        self.has_looked_elsewhere = False
        self.notices: tuple[Notice, ...] = ()
        self.strays: tuple[Notice, ...] = ()
        self._agent = agent
        self._by_name: dict[str, SessionFile] = {}
        self._transcripts: dict[SessionName, SessionFile] = {}
        self._archives: dict[SessionName, list[SessionFile]] = {}
        self._topics: dict[str, dict[str, None]] = {}
        self._moved: dict[Path, tuple[Path, ...]] = {}
        self._held: dict[str, datetime] = {}
        self._links_out: dict[str, Notice] = {}
        self._roots = frozenset(
            os.path.realpath(folder)
            for folder in _own_folders(agent)
            if not is_anothers(agent, folder)
        )
        self._shared = os.path.realpath(agent.store_file.parent)
        for scan in scanned(agent) if scans is None else scans:
            self._take(scan)

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
        """Return the transcript of this name in the agent's own folders, wherever the path is."""
        return self._by_name.get(_base_name(session_file))

    def links_out(self, session_file: str) -> Notice | None:
        """Return what is to be said of a link of this name that leads out of the folders."""
        return self._links_out.get(_base_name(session_file))

    def elsewhere(self, session_file: str) -> tuple[SessionFile, bool] | None:
        """Return the regular `.jsonl` file that a `sessionFile` means outside of the folders.

        The path as it is first: where it exists it is no path of another machine. Then its tail
        in this home.

        Returns:
            The file, and whether it may be the agent's: it lies below its own folders, or was
            found by the rules for moved homes and is not another agent's. None when there is none.
        """
        filename = _base_name(session_file)
        path = Path(session_file.replace("\0", ""))
        if read_name(filename).kind not in _TRANSCRIPTS or not path.is_absolute():
            return None
        self.has_looked_elsewhere = True
        if (here := _look_at(path.parent, filename)) is not None:
            return here, self._is_own(here.path)
        places = (_look_at(one, filename) for one in self._places(path.parent))
        mapped = next((one for one in places if one is not None), None)
        return None if mapped is None else (mapped, self._may_be_mapped(mapped.path))

    def _is_own(self, path: Path) -> bool:
        """Whether a file really lies in the agent's folders; a moved store's has other folders."""
        real = os.path.realpath(path)
        if os.path.dirname(real) == self._shared:  # noqa: PTH120
            return True
        return any(os.path.commonpath((real, root)) == root for root in self._roots)

    def _may_be_mapped(self, path: Path) -> bool:
        """Whether a file found by its tail is this agent's, or lies in nobody's session folder."""
        if self._is_own(path):
            return True
        real, home = Path(os.path.realpath(path)), Path(os.path.realpath(self._agent.ref.home.path))
        is_anothers = home / "agents" in real.parents or real.parts[-4:-3] == ("agents",)
        return home.parent in real.parents and not is_anothers

    def held_since(self, session_id: str | None, file: SessionFile | None) -> datetime | None:
        """Return when the run began that writes a session's transcript; None without a run.

        Its first run has yet to make the transcript.
        """
        names = {f"{session_id}.jsonl", *(() if file is None else (file.filename,))}
        return min((at for name, at in self._held.items() if name in names), default=None)

    def groups(self) -> Iterator[list[SessionFile]]:
        """Yield all transcripts and archives by session, the fullest of each first."""
        for session, transcript in self._transcripts.items():
            archives = self._archives.get(session)
            yield [transcript] if archives is None else _fullest_first(transcript, *archives)
        for session, archives in self._archives.items():
            if session not in self._transcripts:
                yield _fullest_first(*archives)

    def _take(self, scan: FolderScan) -> None:
        """Keep the files of one folder."""
        folder, error = scan.folder, scan.failed
        if isinstance(error, str):
            self.notices = (*self.notices, anothers(self._agent, folder))
        elif error is not None and not isinstance(error, FileNotFoundError | NotADirectoryError):
            message = f"{one_line(str(folder))} cannot be listed: {(error.strerror or '').lower()}"
            notice = Notice("store-unreadable", message, str(folder), self._agent.id)
            self.notices = (*self.notices, notice)
        for filename, status, link in scan.files:
            name = scan.read(filename)
            if name.session_id is None:
                continue
            file = SessionFile(folder, filename, name, status[2], status[3], status)
            if link is None or self._is_own(file.path):
                self._keep(file)
            else:
                stray = _link_out(self._agent, file.path)
                self._links_out.setdefault(filename, stray)
                self.strays = (*self.strays, stray)
        self._held.update(scan.held)

    def _keep(self, file: SessionFile) -> None:
        kind, session = file.name.kind, file.session
        self.backups += kind.is_copy
        if session[1] is not None and not kind.is_copy:
            self._topics.setdefault(session[0], {})[session[1]] = None
        if kind in _TRANSCRIPTS:
            self._by_name.setdefault(file.filename, file)
        if kind is FileKind.TRANSCRIPT:
            self._transcripts.setdefault(session, file)
        elif kind is FileKind.ARCHIVE:
            self._archives.setdefault(session, []).append(file)

    def _places(self, folder: Path) -> tuple[Path, ...]:
        """Return where a folder of another machine may be here; looked for once."""
        known = self._moved.get(folder)
        if known is None:
            places = moved_places(folder, Path(self._agent.ref.home.path))
            known = tuple(place for place in dict.fromkeys(places) if _is_folder(place))
            self._moved[folder] = known
        return known


def is_anothers(agent: Agent, folder: Path) -> bool:
    """Whether a folder below an agent's own is really a folder of another agent of its home.

    A folder may be moved out of the home behind a link, as long as no other agent has the same.
    """
    if agent.folder not in folder.parents:
        return False  # a store that the configuration moved may be shared
    real, agents = Path(os.path.realpath(folder)), Path(os.path.realpath(agent.folder.parent))
    if agents in real.parents:
        return real.relative_to(agents).parts[0] != agent.folder.name
    inside = folder.relative_to(agent.folder)
    try:
        others = [one for one in agents.iterdir() if one.name != agent.folder.name]
    except OSError:
        return False
    return any(os.path.realpath(one / inside) == str(real) for one in others)


def anothers(agent: Agent, folder: Path) -> Notice:
    """Return the notice of a folder that is really another agent's."""
    message = (
        f"{one_line(str(folder))} is a link to the sessions of another agent"
        f" ({one_line(os.path.realpath(folder))}); it is not opened for agent {one_line(agent.id)}"
    )
    return Notice("transcript-outside", message, str(folder), agent.id)


def _base_name(session_file: str) -> str:
    """Return the last part of a path, which may be one of Windows."""
    return session_file.replace("\\", "/").rpartition("/")[2]


def _fullest_first(*files: SessionFile) -> list[SessionFile]:
    return sorted(files, key=lambda one: one.fullness, reverse=True)


def _folders(agent: Agent) -> Iterator[tuple[Path, Callable[[str], FileName]]]:
    """Yield the agent's folders with the reading of their names, the store's own first."""
    store = agent.store_file.parent
    if store != agent.sessions_dir:
        yield store, _read_moved_name
    yield agent.sessions_dir, read_name
    for folder in dict.fromkeys((store.parent, agent.folder)):
        yield folder / IMPORT_FOLDER, read_import_name


def _own_folders(agent: Agent) -> Iterator[Path]:
    """Yield the folders that hold session files of this agent, and nothing else."""
    yield agent.sessions_dir
    for folder in dict.fromkeys((agent.store_file.parent.parent, agent.folder)):
        yield folder / IMPORT_FOLDER


def _read_moved_name(name: str) -> FileName:
    """Read a name in the folder of a moved store, which may hold other people's files too."""
    found = read_name(name)
    is_ours = found.session_id is not None and is_uuid(found.session_id)
    return found if is_ours else FileName(FileKind.OTHER)


def _scan(agent: Agent, folder: Path, read: Callable[[str], FileName]) -> FolderScan:
    if is_anothers(agent, folder):
        return FolderScan(folder, read, failed=os.path.realpath(folder))
    files: list[tuple[str, Status, str | None]] = []
    held: list[tuple[str, datetime]] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith(SUFFIX):
                    if (since := held_since(folder / entry.name)) is not None:
                        held.append((entry.name.removesuffix(".lock"), since))
                elif _NAMED in entry.name and (info := _regular(entry)) is not None:
                    link = os.path.realpath(entry.path) if entry.is_symlink() else None
                    files.append((entry.name, status_of(info), link))
    except OSError as error:
        return FolderScan(folder, read, failed=error)
    return FolderScan(folder, read, tuple(sorted(files)), tuple(sorted(held)))


def _link_out(agent: Agent, path: Path) -> Notice:
    message = (
        f"{one_line(str(path))} is a link that leads out of the session folders of agent"
        f" {one_line(agent.id)}; it is not opened"
    )
    return Notice("transcript-outside", message, str(path), agent.id)


def _regular(entry: os.DirEntry[str]) -> os.stat_result | None:
    """Look at a file behind its links; None for pipes, folders and what has gone."""
    try:
        return entry.stat() if entry.is_file() else None
    except OSError:
        return None


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def _look_at(folder: Path, filename: str) -> SessionFile | None:
    try:
        info = (folder / filename).stat()
    except OSError:
        return None
    if not stat.S_ISREG(info.st_mode):
        return None
    return _file(folder, filename, read_name(filename), info)


def _file(folder: Path, filename: str, name: FileName, info: os.stat_result) -> SessionFile:
    return SessionFile(folder, filename, name, info.st_size, info.st_mtime_ns, status_of(info))


def status_of(info: os.stat_result) -> Status:
    """Return what tells two states of a file apart."""
    return info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns


_NAMED = ".jsonl"
"""Stands in the name of every file of a session; see `names`."""
