"""Packs old files, takes them away, and brings them back: long as all go by the same hands.

Answers the port `OldTranscripts`, the one place that changes anything below the platform's sessions
folders; the engine decides what. Ours are archives and copies in a workspace, whose lock is held,
copies of the configuration, and parts of logs. Every name is opened in the folder that was opened,
and no link is followed. A file is packed beside itself, read back and compared before it goes; one
that changed meanwhile, that a run holds, that is a link or somebody else's stays. What is taken
away lies in a folder of ours until it is purged.
"""

from __future__ import annotations

import codecs
import errno
import gzip
import os
import re
import shutil
import stat
import zlib
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from memconsole.adapters.sessions.files.folder import IMPORT_FOLDER, is_anothers
from memconsole.adapters.sessions.names import (
    PACKED,
    FileKind,
    FileName,
    read_import_name,
    read_name,
)
from memconsole.adapters.transcripts.packing import PACK_ERRORS, unpacked_pieces
from memconsole.domain.cleanup import OUR_NAMES, OldFile, OldKind, Step
from memconsole.system.atomic_file import (
    NEW,
    claim,
    clean_leftovers,
    remove,
    temporary_name,
)
from memconsole.system.folders import open_folder, open_state_folder, sync_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path
    from typing import BinaryIO

    from memconsole.domain.agents import Agent
    from memconsole.domain.cleanup import TakenFile

FOLDER = "taken"
"""In our own state folder: what was taken away and may still come back."""

_KINDS = {
    FileKind.TRANSCRIPT: OldKind.ORPHAN,
    FileKind.BACKUP: OldKind.BACKUP,
    FileKind.CHECKPOINT: OldKind.CHECKPOINT,
}
_ARCHIVES = {
    None: OldKind.ORPHAN,
    "reset": OldKind.RESET,
    "deleted": OldKind.DELETED,
    "imported": OldKind.PARKED,
}
_MEMORY_FOLDERS = (
    (("memory", "archive"), OldKind.ARCHIVE),
    (("memory", "archive", "observations"), OldKind.ARCHIVE),
    (("memory", "observation-backups"), OldKind.OBSERVATIONS),
)
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_LONGEST_WINDOW = 128 * 1024 * 1024
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_PIECE_BYTES = 1024 * 1024


_HELD = "a lock of the platform names it, or its session"


class ChangedFileError(OSError):
    """It is not what was looked at."""

    def __init__(self, words: str) -> None:
        super().__init__(errno.EPERM, words)


class _Room(NamedTuple):
    """A folder that we fill, step by step from its root, and a pattern of the names we give."""

    root: Path
    steps: tuple[str, ...]
    kind: OldKind
    names: str

    @property
    def path(self) -> Path:
        return self.root.joinpath(*self.steps)

    def open(self) -> AbstractContextManager[int]:
        return open_folder(self.root, *self.steps)


class DiskOldTranscripts:
    """Answers the port `OldTranscripts`.

    Args:
        state_dir: Ours, for what is taken away.
        logs: Logs of ours that lie somewhere else.
    """

    def __init__(self, state_dir: Path, *, logs: Iterable[Path] = ()) -> None:
        self._state_dir = state_dir
        self._logs = tuple(logs)

    def found(self, agent: Agent, *, is_whole: bool = False) -> tuple[OldFile, ...]:
        """Return what may be left of ended sessions: every transcript, archive and copy.

        Links, pipes and names that mean nothing are left out; so is a folder of another agent.
        """
        found: list[OldFile] = []
        for folder, read in _folders(agent):
            with _listed(folder, open_folder(folder), is_whole=is_whole) as listed:
                entries = {one.name: one for one in listed}
                found += _old_files(folder, entries, read)
        return tuple(sorted(found, key=lambda one: one.path))

    def own(self, agent: Agent | None, *, is_whole: bool = False) -> tuple[OldFile, ...]:
        """Return the archives and copies in an agent's workspace; for None, those of our state.

        Links, pipes and names that we do not give are left out.
        """
        found: list[OldFile] = []
        for room in self._own_rooms(agent):
            named = re.compile(f"(?:{room.names})(?P<packed>{re.escape(PACKED)})?")
            with _listed(room.path, room.open(), is_whole=is_whole) as listed:
                for entry in listed:
                    if (match := named.fullmatch(entry.name)) is None:
                        continue
                    read = FileName(FileKind.OTHER, is_packed=bool(match["packed"]))
                    if (file := _old_file(room.path, entry, read, room.kind)) is not None:
                        found.append(file)
        return tuple(sorted(found, key=lambda one: one.path))

    def _own_rooms(self, agent: Agent | None) -> Iterator[_Room]:
        """Yield the folders that we fill ourselves."""
        if agent is not None:
            for names, kind in _MEMORY_FOLDERS:
                yield _Room(agent.workspace, names, kind, OUR_NAMES[kind])
            return
        state = self._state_dir
        yield _Room(state, ("backups",), OldKind.CONFIG, OUR_NAMES[OldKind.CONFIG])
        part = OUR_NAMES[OldKind.LOG].removeprefix(".+")
        for name in ("logs", "health"):
            yield _Room(state, (name,), OldKind.LOG, rf".+\.log{part}")
        for log in self._logs:
            yield _Room(log.parent, (), OldKind.LOG, re.escape(log.name) + part)

    @contextmanager
    def _folder(self, agent: Agent | None, path: Path) -> Iterator[int]:
        """Open the folder of a file, which must be one of the agent's own, or of ours.

        Raises:
            OSError: It is not, or cannot be opened.
        """
        if agent is not None and path.parent in [folder for folder, _ in _folders(agent)]:
            with open_folder(path.parent) as opened:
                yield opened
            return
        room = next((one for one in self._own_rooms(agent) if one.path == path.parent), None)
        if room is None:
            raise ChangedFileError("it is not in the sessions folder")
        with room.open() as opened:
            yield opened

    def texts(
        self, agent: Agent | None, file: OldFile, *, is_exact: bool = False
    ) -> Iterator[tuple[int, str]]:
        """Yield the text of a file, unpacked, each piece with the line in which it begins."""
        with (
            self._folder(agent, file.path) as folder,
            _opened(folder, file, reads=True) as source,
        ):
            errors = "surrogateescape" if is_exact else "replace"
            yield from _texts(source, str(file.path), errors)

    def kept_texts(self, kept: str) -> Iterator[tuple[int, str]]:
        """Yield the text of what was taken away, in the same way; of what is gone, nothing."""
        with open_state_folder(self._state_dir, FOLDER) as ours:
            if _is_there(ours, kept):
                with _plain(ours, kept) as source:
                    yield from _texts(source, kept, "replace")

    def rewrite(self, agent: Agent | None, file: OldFile, text: Iterable[str] | None) -> None:
        """Give a file of ours another text, packed as it was, or none: then it is deleted.

        A transcript that we packed is private then; it is not unpacked any more.
        """
        name = file.path.name
        with self._folder(agent, file.path) as folder, _opened(folder, file) as source:
            before = os.fstat(source.fileno())
            if text is None:
                os.unlink(name, dir_fd=folder)
                sync_folder(folder)
                return
            made = (piece.encode("utf-8", "surrogateescape") for piece in text)

            def fill(target: BinaryIO) -> None:
                if file.is_packed:
                    with gzip.GzipFile(
                        "", "wb", 6, target, mtime=int(file.modified_at.timestamp())
                    ) as packed:
                        packed.writelines(made)
                else:
                    target.writelines(made)
                target.flush()
                _require_same(folder, name, before)

            clean_leftovers(folder)
            mode = file.mode if file.kind.is_ours else 0o600
            _write(folder, name, fill, mode, file.file_ns, replaces=True)
            sync_folder(folder)

    def compress(self, agent: Agent | None, file: OldFile) -> int:
        """Put `<name>.gz` in the place of a file, as old as its newest message; return its size."""
        target = f"{file.plain_path.name}{PACKED}"
        with self._folder(agent, file.path) as folder, _opened(folder, file, held=True) as source:
            clean_leftovers(folder)
            before = os.fstat(source.fileno())
            if is_packed := _is_there(folder, target):  # of a run that was killed, or not
                _require_packed(folder, source, target)
            else:
                _pack(folder, source, target, file.modified_at)
            try:
                _require_same(folder, file.path.name, before)
            except OSError:
                if not is_packed:
                    remove(folder, target)
                raise
            sync_folder(folder)
            os.unlink(file.path.name, dir_fd=folder)
            sync_folder(folder)
            return os.stat(target, dir_fd=folder, follow_symlinks=False).st_size

    def take(self, agent: Agent | None, file: OldFile, kept: str) -> None:
        """Move a file into our own folder, 0600.

        Raises:
            OSError: It cannot be done, or the file is not what was looked at; it is as it was.
        """
        with (
            self._folder(agent, file.path) as folder,
            open_state_folder(self._state_dir, FOLDER) as ours,
            _opened(folder, file, held=True) as source,
        ):
            before = os.fstat(source.fileno())
            _require_same(folder, file.path.name, before)
            if _is_there(ours, kept):
                raise FileExistsError(errno.EEXIST, "something else has its name in our folder")
            try:
                os.rename(file.path.name, kept, src_dir_fd=folder, dst_dir_fd=ours)
                os.chmod(kept, 0o600, dir_fd=ours)
            except OSError as error:
                if error.errno != errno.EXDEV:
                    raise
                _copy(source, ours, kept, 0o600, before.st_mtime_ns)
                try:
                    _require_same(folder, file.path.name, before)
                    sync_folder(ours)  # another disk: no order holds between the two
                except OSError:
                    remove(ours, kept)
                    raise
                os.unlink(file.path.name, dir_fd=folder)
            sync_folder(ours)
            sync_folder(folder)

    def bring_back(self, agent: Agent | None, taken: TakenFile) -> None:
        """Unpack what was packed, or put back what was taken away, with mode and time as it was.

        What was brought back already, by a run that was killed, is no failure.

        Raises:
            OSError: It cannot be done, or something else has its name; nothing was changed.
        """
        name = taken.path.name
        with self._folder(agent, taken.path) as folder:
            clean_leftovers(folder)
            if self._is_back(folder, taken):
                return
            if taken.step is Step.COMPRESS:
                with _plain(folder, f"{name}{PACKED}") as source:
                    _bring(folder, taken, lambda: _unpacked(source))
                sync_folder(folder)
                remove(folder, f"{name}{PACKED}")
            else:
                with open_state_folder(self._state_dir, FOLDER) as ours:
                    with _plain(ours, taken.kept) as source:
                        _bring(folder, taken, lambda: _pieces(source))
                    sync_folder(folder)
                    remove(ours, taken.kept)
            sync_folder(folder)

    def _is_back(self, folder: int, taken: TakenFile) -> bool:
        """Whether a file stands where it was, and nothing is kept of it any more."""
        if not _is_as_it_was(folder, taken):
            return False
        if taken.step is Step.COMPRESS:
            return not _is_there(folder, f"{taken.path.name}{PACKED}")
        with open_state_folder(self._state_dir, FOLDER) as ours:
            return not _is_there(ours, taken.kept)

    def is_done(self, agent: Agent | None, taken: TakenFile) -> bool:
        """Tell whether a step was done to its end that nobody wrote down."""
        with self._folder(agent, taken.path) as folder:
            if _is_as_it_was(folder, taken):
                return False
            if taken.step is Step.COMPRESS:
                return _is_there(folder, f"{taken.path.name}{PACKED}")
        with open_state_folder(self._state_dir, FOLDER) as ours:
            return _is_there(ours, taken.kept)

    def purge(self, kept: str) -> None:
        """Delete what was taken away; it may be gone already."""
        with open_state_folder(self._state_dir, FOLDER) as ours:
            clean_leftovers(ours)
            remove(ours, kept)


@contextmanager
def _listed(
    path: Path, opening: AbstractContextManager[int], *, is_whole: bool
) -> Iterator[Sequence[os.DirEntry[str]]]:
    """List a folder; one that is missing is empty. Any other error says nothing of what is in it.

    Raises:
        OSError: It cannot be listed, with `is_whole`.
    """
    with ExitStack() as stack:
        listed: list[os.DirEntry[str]] = []
        try:
            listed += stack.enter_context(os.scandir(stack.enter_context(opening)))
        except (FileNotFoundError, NotADirectoryError):
            pass
        except OSError as error:
            if is_whole:
                raise OSError(error.errno, error.strerror, str(path)) from error
        yield listed


def _folders(agent: Agent) -> Iterator[tuple[Path, Callable[[str], FileName]]]:
    """Yield the folders of the agent alone, with the reading of their names."""
    # Beside a store that several agents share lie their imports, and each knows its own alone.
    beside = () if agent.store_agents else (agent.store_file.parent.parent,)
    parks = dict.fromkeys((*beside, agent.folder))
    pairs = [(agent.sessions_dir, read_name)]
    pairs += [(one / IMPORT_FOLDER, read_import_name) for one in parks]
    for folder, read in pairs:
        if not is_anothers(agent, folder):
            yield folder, read


def _old_files(
    folder: Path, entries: Mapping[str, os.DirEntry[str]], read: Callable[[str], FileName]
) -> Iterator[OldFile]:
    for entry in entries.values():
        name = read(entry.name)
        is_archive = name.kind is FileKind.ARCHIVE
        kind = _ARCHIVES.get(name.reason) if is_archive else _KINDS.get(name.kind)
        if kind is not None and name.session_id:
            file = _old_file(folder, entry, name, kind)
            if file is not None:
                is_held = not entries.keys().isdisjoint(_locks(entry.name, name.session_id))
                yield replace(file, refusal=_HELD) if is_held else file


def _locks(name: str, session_id: str) -> tuple[str, ...]:
    """Return the names of the platform's locks that keep a file as it is."""
    return f"{name}.lock", f"{session_id}.jsonl.lock"


def _old_file(
    folder: Path, entry: os.DirEntry[str], name: FileName, kind: OldKind
) -> OldFile | None:
    try:
        status = entry.stat(follow_symlinks=False)
        at = name.archived_at or datetime.fromtimestamp(status.st_mtime, UTC)
    except (OSError, ValueError, OverflowError):
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    return OldFile(
        folder / entry.name,
        os.fsencode(name.session_id or "").decode("utf-8", "replace"),
        status.st_size,
        at,
        is_packed=name.is_packed,
        kind=kind,
        refusal=_refusal(status),
        mode=stat.S_IMODE(status.st_mode),
        file_ns=status.st_mtime_ns,
    )


def _refusal(status: os.stat_result) -> str:
    """Return why a file is not ours to move; empty when it is."""
    if status.st_nlink != 1:
        return "it has a second name"
    return "it belongs to another user" if status.st_uid != os.geteuid() else ""


@contextmanager
def _opened(
    folder: int, file: OldFile, *, held: bool = False, reads: bool = False
) -> Iterator[BinaryIO]:
    """Open a file for reading, if it is what was looked at.

    Args:
        folder: Descriptor.
        file: As it was listed.
        held: Only if no run holds it.
        reads: Nothing happens to it, so it may have a second name, or be another user's.
    """
    is_held = held and not file.kind.is_ours
    if is_held and any(_is_there(folder, one) for one in _locks(file.path.name, file.session_id)):
        raise ChangedFileError("a run holds it")
    with _plain(folder, file.path.name, reads=reads) as source:
        status = os.fstat(source.fileno())
        if (status.st_size, status.st_mtime_ns) != (file.size_bytes, file.file_ns):
            raise ChangedFileError("it changed since it was looked at")
        yield source


@contextmanager
def _plain(folder: int, name: str, *, reads: bool = False) -> Iterator[BinaryIO]:
    """Open an ordinary file; if more happens to it than that it is read, of ours, with one name."""
    with os.fdopen(os.open(name, _READ, dir_fd=folder), "rb") as source:
        status = os.fstat(source.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise ChangedFileError("it is no ordinary file")
        if not reads and (refusal := _refusal(status)):
            raise ChangedFileError(refusal)
        yield source


def _is_there(folder: int, name: str) -> bool:
    return _status(folder, name) is not None


def _is_as_it_was(folder: int, taken: TakenFile) -> bool:
    now = _status(folder, taken.path.name)
    was = (taken.size_bytes, taken.modified_ns)
    return now is not None and (now.st_size, now.st_mtime_ns) == was


def _status(folder: int, name: str) -> os.stat_result | None:
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _pack(folder: int, source: BinaryIO, name: str, at: datetime) -> None:
    """Write the packed file, 0600, and compare what it holds."""

    def fill(target: BinaryIO) -> None:
        with gzip.GzipFile("", "wb", 6, target, mtime=int(at.timestamp())) as packed:
            shutil.copyfileobj(source, packed, _PIECE_BYTES)
        target.flush()
        target.seek(0)
        source.seek(0)
        if not _is_same(_unpacked(target), _pieces(source)):
            raise ChangedFileError("it changed while it was packed")

    _write(folder, name, fill, 0o600, int(at.timestamp() * 1e9))


def _require_packed(folder: int, source: BinaryIO, name: str) -> None:
    """Refuse what lies in the packed file's place, unless it holds the source whole.

    Raises:
        OSError: It holds something else, or cannot be read.
    """
    other = FileExistsError(errno.EEXIST, "something else has the name of the packed file")
    try:
        with _plain(folder, name) as target:
            is_same = _is_same(_unpacked(target), _pieces(source))
    except (OSError, EOFError, zlib.error) as error:
        raise other from error
    if not is_same:
        raise other


def _bring(folder: int, taken: TakenFile, pieces: Callable[[], Iterator[bytes]]) -> None:
    """Write a file as it was, unless it is there already; nothing is written over."""

    def fill(target: BinaryIO) -> None:
        for piece in pieces():
            target.write(piece)
        target.flush()
        if os.fstat(target.fileno()).st_size != taken.size_bytes:
            raise ChangedFileError("what was kept of it is not whole")

    try:
        if not _is_there(folder, taken.path.name):
            _write(folder, taken.path.name, fill, taken.mode, taken.modified_ns)
            return
        with _plain(folder, taken.path.name) as there:
            is_same = _is_same(_pieces(there), pieces())
    except (EOFError, zlib.error) as error:
        raise OSError(errno.EIO, "what was kept of it cannot be unpacked") from error
    if not is_same:
        raise FileExistsError(errno.EEXIST, "something else has its name now")


def _copy(source: BinaryIO, folder: int, name: str, mode: int, time_ns: int) -> None:
    """Copy a file into another folder, and compare the copy."""

    def fill(target: BinaryIO) -> None:
        source.seek(0)
        shutil.copyfileobj(source, target, _PIECE_BYTES)
        target.flush()
        target.seek(0)
        source.seek(0)
        if not _is_same(_pieces(target), _pieces(source)):
            raise ChangedFileError("it changed while it was copied")

    _write(folder, name, fill, mode, time_ns)


def _write(
    folder: int,
    name: str,
    fill: Callable[[BinaryIO], None],
    mode: int,
    time_ns: int,
    *,
    replaces: bool = False,
) -> None:
    """Write a new file under a name that nothing has, or that it takes over, whole or not at all.

    It is owned by whom its source was: a file of another user is never packed or taken.
    """
    with temporary_name() as temporary:
        descriptor = os.open(temporary, (NEW & ~os.O_WRONLY) | os.O_RDWR, 0o600, dir_fd=folder)
        try:
            with os.fdopen(descriptor, "w+b") as target:
                fill(target)
                os.fchmod(target.fileno(), mode)
                os.utime(target.fileno(), ns=(time_ns, time_ns))
                os.fsync(target.fileno())
            if replaces:
                os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
            else:
                claim(folder, temporary, name)
        finally:
            remove(folder, temporary)


def _require_same(folder: int, name: str, before: os.stat_result) -> None:
    now = os.stat(name, dir_fd=folder, follow_symlinks=False)
    known = (before.st_ino, before.st_size, before.st_mtime_ns)
    if (now.st_ino, now.st_size, now.st_mtime_ns) != known:
        raise ChangedFileError("it changed meanwhile")


def _pieces(file: BinaryIO | gzip.GzipFile) -> Iterator[bytes]:
    while piece := file.read(_PIECE_BYTES):
        yield piece


def _texts(source: BinaryIO, name: str, errors: str) -> Iterator[tuple[int, str]]:
    """Yield a text, unpacked whatever packed it, each piece with the line in which it begins."""
    decoder, number = codecs.getincrementaldecoder("utf-8")(errors), 1
    try:
        for data in _unpacked_by_anyone(source):
            text = decoder.decode(data)
            yield number, text
            number += text.count("\n")
    except (EOFError, MemoryError, *PACK_ERRORS) as error:
        raise OSError(errno.EIO, "it cannot be unpacked", name) from error


def _unpacked_by_anyone(source: BinaryIO) -> Iterator[bytes]:
    magic = source.read(4)
    source.seek(0)
    if magic.startswith(_GZIP):
        return _unpacked(source)
    if magic == _ZSTD:
        read = partial(source.read, _PIECE_BYTES)
        return unpacked_pieces(read, _PIECE_BYTES, window_bytes=_LONGEST_WINDOW)
    return _pieces(source)


def _unpacked(file: BinaryIO) -> Iterator[bytes]:
    file.seek(0)
    with gzip.GzipFile(fileobj=file) as packed:
        yield from _pieces(packed)


def _is_same(one: Iterable[bytes], other: Iterable[bytes]) -> bool:
    return all(left == right for left, right in zip_longest(one, other))
