"""The one writer of Markdown: whole replacements and appends, nothing in between.

A replacement is the old text or the new one at every moment, an append leaves the old bytes as they
are; a kill, a full disk or a size limit changes neither promise. The engine holds the workspace's
lock around every call; others (people, the agent, other tools) hold nothing and are respected.
Before anything is touched the journal knows what is about to be done (`intents.py`).

Decisions: a daily log in UTF-16 is continued in UTF-16, a file that is no text is refused, but an
erasure takes lines out around single bytes that are no UTF-8; an existing log keeps its mode, a
replaced file gets 0600 or stays stricter; hard links are refused, because the other name may lie
anywhere.

In which encoding a text file can be continued, as far as its first and NUL bytes tell.
"""

from __future__ import annotations

import codecs
import hashlib
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from memconsole.adapters.workspace.containment import failed, missing_folders, open_place, refused
from memconsole.adapters.workspace.pool_text import UNKNOWN, decode, is_narrow
from memconsole.domain.commands.outcomes import Written
from memconsole.domain.memory.edits import PathState
from memconsole.domain.memory.files import MAX_READ_BYTES, WorkspaceText
from memconsole.domain.memory.intents import Intent, IntentKind
from memconsole.errors import ConcurrentEditError, WorkspaceError
from memconsole.system.atomic_file import clean_leftovers, temporary_name
from memconsole.system.folders import adopt
from memconsole.text.markdown import addition

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import BinaryIO, Protocol

    from memconsole.adapters.workspace.containment import Place


if TYPE_CHECKING:

    class Intentions(Protocol):
        """Where the writer says what it is about to do."""

        def intend(self, intent: Intent) -> int | None:
            """Write an intent down; None where nobody would take it back."""

        def drop(self, number: int | None) -> None:
            """Strike out an intent of which nothing was done."""


FILE_MODE = 0o600

_PIECE_BYTES = 64 * 1024
_TAIL_BYTES = 64 * 1024
"""End of a file that decides its line ending; a multiple of 4, so that characters stay whole."""


def _unobserved(step: str) -> None:
    del step


class DiskWorkspace:
    """Reads and writes text files of workspaces on disk.

    Args:
        steps: Called with a word after each step of a write; a test can end the process there.
        journal: Is told before each write; without one nothing is taken back after a kill.
    """

    def __init__(
        self, steps: Callable[[str], None] = _unobserved, journal: Intentions | None = None
    ) -> None:
        self.steps = steps
        self._journal = journal

    def read(self, root: Path, relative: str) -> WorkspaceText | None:
        """Read a text file with the version it had; None when it does not exist.

        Bytes that are no text come as U+FFFD.

        Raises:
            WorkspaceError: It cannot be read, is over 16 MB, or lies outside the workspace.
        """
        with open_place(root, relative, creates=False) as place:
            return None if place is None else _read(place)

    def replace(
        self,
        root: Path,
        relative: str,
        text: str,
        *,
        seen: WorkspaceText | None,
        is_final: bool = False,
    ) -> Written:
        """Replace a file whole; see the port for the promises.

        Raises:
            ConcurrentEditError: The file is not the one that was seen; it was left alone.
            WorkspaceError: Refused or failed; the old file is whole.
        """
        old = _look(root, relative)
        if old.status is not None and old.status.st_size and not text.strip():
            raise refused(root / relative, "an empty text would replace it")
        data = text.encode("utf-8", errors="replace")
        return self._replace(root, relative, data, seen, old, is_final=is_final)

    def edit(
        self,
        root: Path,
        relative: str,
        text: str,
        *,
        seen: WorkspaceText | None,
        mode: int | None = None,
        erases: bool = False,
    ) -> Written:
        """Do the same in the encoding of the file, which may be left empty: an operator says so.

        Raises:
            ConcurrentEditError: The file is not the one that was seen; it was left alone.
            WorkspaceError: Refused or failed; the old file is whole.
        """
        old = _look(root, relative)
        data = text.encode("utf-8", errors="replace")
        if old.data is not None:
            data = _in_its_encoding(root / relative, old.data, text, erases=erases)
        return self._replace(root, relative, data, seen, old, mode=mode)

    def _replace(
        self,
        root: Path,
        relative: str,
        data: bytes,
        seen: WorkspaceText | None,
        old: _Old,
        *,
        is_final: bool = False,
        mode: int | None = None,
    ) -> Written:
        if mode is None:
            held = FILE_MODE if old.status is None else old.status.st_mode
            mode = (held & FILE_MODE) or FILE_MODE
        with temporary_name() as name:
            number = None if is_final else self._replacing(root, relative, data, old, name)
            with open_place(root, relative, creates=True) as place:
                assert place is not None  # folders are made
                try:
                    self._swap(place, name, data, mode, lambda: _read(place) == seen)
                except ConcurrentEditError:
                    self._drop(number)  # what stands there is not ours
                    raise
                _verify_replaced(place, data)
        return _written(relative, len(data), mode)

    def _replacing(
        self, root: Path, relative: str, data: bytes, old: _Old, name: str
    ) -> int | None:
        if self._journal is None:
            return None

        stood = _standing(root, relative, old)
        kind = IntentKind.REPLACE
        return self._journal.intend(Intent(relative, kind, old.data, data, 0, stood, name))

    def _drop(self, number: int | None) -> None:
        if self._journal is not None:
            self._journal.drop(number)

    def put(self, root: Path, relative: str, data: bytes, *, mode: int, now: bytes | None) -> None:
        """Put bytes in the place of a file that is known by its own, with a mode of its own.

        Raises:
            ConcurrentEditError: The file does not hold `now`; it was left alone.
            WorkspaceError: Refused or failed; the old file is whole.
        """
        with temporary_name() as name, open_place(root, relative, creates=True) as place:
            assert place is not None  # folders are made
            self._swap(place, name, data, mode, lambda: bytes_of(place) == now)

    def _swap(
        self, place: Place, name: str, data: bytes, mode: int, is_same: Callable[[], bool]
    ) -> None:
        """Fill a temporary file and let it take the place, if that is what it was."""
        clean_leftovers(place.folder)
        old = _status_to_write(place)
        with _telling(place), self._temporary(place, name) as descriptor:
            self._fill(descriptor, data, mode, old or os.fstat(place.folder))
            if not is_same():
                raise ConcurrentEditError(str(place.path))
            self.steps("compared")
            os.replace(name, place.name, src_dir_fd=place.folder, dst_dir_fd=place.folder)
            self.steps("replaced")
            place.sync_folder()
            self.steps("folder-synced")

    def append(self, root: Path, relative: str, entry: str, *, header: str) -> Written:
        """Append an entry in the file's own line ending; `header` starts a new file."""
        found = _look(root, relative, with_data=False)
        if found.status is None:
            data = (header + entry).encode("utf-8", errors="replace")
            self._appending(root, relative, 0, data, found)
        with open_place(root, relative, creates=True) as place:
            assert place is not None  # folders are made
            clean_leftovers(place.folder)
            old = _status_to_write(place)
            flags = os.O_RDWR | os.O_APPEND | (0 if old else os.O_CREAT | os.O_EXCL)
            descriptor = place.open(flags)
            try:
                with _telling(place):
                    if old is None:
                        os.fchmod(descriptor, FILE_MODE)
                        adopt(descriptor, os.fstat(place.folder))
                    self.steps("opened")
                    size = os.fstat(descriptor).st_size
                    data = _addition(place, descriptor, size, entry, header)
                    if found.status is not None:
                        self._appending(root, relative, size, data, found)
                    self._append(place, descriptor, size, data, is_new=old is None)
                mode = os.fstat(descriptor).st_mode & 0o777
            finally:
                os.close(descriptor)
        return _written(relative, len(data), mode)

    def _appending(self, root: Path, relative: str, offset: int, data: bytes, old: _Old) -> None:
        if self._journal is None:
            return

        stood = _standing(root, relative, old)
        intent = Intent(relative, IntentKind.APPEND, None, data, offset, stood)
        self._journal.intend(intent)

    @contextmanager
    def _temporary(self, place: Place, name: str) -> Iterator[int]:
        """Make an empty file beside the target; it is gone afterwards, whatever happens."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(name, flags, FILE_MODE, dir_fd=place.folder)
        try:
            self.steps("temporary-made")
            yield descriptor
        finally:
            os.close(descriptor)
            place.remove(name)

    def _fill(self, descriptor: int, data: bytes, mode: int, owner: os.stat_result) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]
        self.steps("temporary-written")
        os.fchmod(descriptor, mode)
        adopt(descriptor, owner)
        os.fsync(descriptor)
        self.steps("temporary-synced")

    def _append(
        self, place: Place, descriptor: int, size: int, data: bytes, *, is_new: bool
    ) -> None:
        """Write once; on any failure take back what is certainly ours."""
        try:
            written = os.write(descriptor, data)
            self.steps("written")
            _check_whole(place, written, len(data))
            os.fsync(descriptor)
            self.steps("synced")
        except BaseException:
            _take_back(place, descriptor, size, data, is_new=is_new)
            raise
        if is_new:
            place.sync_folder()
        _verify_appended(place, descriptor, data)


class _Old(NamedTuple):
    """A file as it is before a write."""

    status: os.stat_result | None = None
    data: bytes | None = None
    has_folder: bool = True


def _look(root: Path, relative: str, *, with_data: bool = True) -> _Old:
    with open_place(root, relative, creates=False) as place:
        if place is None:
            return _Old(has_folder=False)
        status = _status_to_write(place)
        return _Old(status, bytes_of(place) if with_data and status is not None else None)


def path_state(root: Path, relative: str) -> PathState:
    """Return what stands at a path, and what has to be made to write there."""
    return _standing(root, relative, _look(root, relative, with_data=False))


def _standing(root: Path, relative: str, old: _Old) -> PathState:
    mode = None if old.status is None else old.status.st_mode & 0o7777
    return PathState(mode, () if old.has_folder else missing_folders(root, relative))


def _written(relative: str, size: int, mode: int) -> Written:
    return Written(relative, size, f"{mode:04o}")


def _read(place: Place) -> WorkspaceText | None:
    found = _bytes_and_time(place)
    if found is None:
        return None
    data, modified = found
    version = (modified, len(data), hashlib.sha256(data).hexdigest())

    return WorkspaceText(decode(data)[0], version)


def bytes_of(place: Place) -> bytes | None:
    """Return what a file holds; None when there is none.

    Raises:
        WorkspaceError: It cannot be read, or is over 16 MB.
    """
    found = _bytes_and_time(place)
    return None if found is None else found[0]


def _bytes_and_time(place: Place) -> tuple[bytes, int] | None:
    status = place.status()
    if status is None:
        return None
    if status.st_size > MAX_READ_BYTES:
        raise refused(place.path, f"it holds more than {MAX_READ_BYTES >> 20} MB")
    descriptor = place.open(os.O_RDONLY)
    with _telling(place), os.fdopen(descriptor, "rb") as file:
        return _content(file), os.fstat(descriptor).st_mtime_ns


def _content(file: BinaryIO) -> bytes:
    """Return what a file holds, a byte more than the limit at most.

    In pieces: to ask for the limit at once allocates all of it, and once such a block was freed the
    C library gives memory back to the system no more.
    """
    pieces: list[bytes] = []
    left = MAX_READ_BYTES + 1
    while left > 0 and (piece := file.read(min(left, _PIECE_BYTES))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def _in_its_encoding(path: Path, old: bytes, text: str, *, erases: bool) -> bytes:
    """Return a text as the file at hand would hold it; one whose bytes are no text is refused."""
    was, encoding = decode(old)
    if encoding != UNKNOWN:
        data = encoded_like(text, old[:4])
    else:
        data = _around(old, was, text) if erases else None
    if data is None:
        raise refused(path, "it holds bytes that are no text")
    return data


def _around(old: bytes, was: str, text: str) -> bytes | None:
    """Return what stays of a file in UTF-8, each line with the bytes in it that are no text.

    None where it cannot be told which bytes a line had.
    """
    mark = codecs.BOM_UTF8 if old.startswith(codecs.BOM_UTF8) else b""
    held = {"": b""}
    for said, line in zip(was.split("\n"), old.removeprefix(mark).split(b"\n"), strict=False):
        if line.decode("utf-8", "replace") != said or held.setdefault(said, line) != line:
            return None
    lines = text.split("\n")
    return mark + b"\n".join(map(held.__getitem__, lines)) if held.keys() >= set(lines) else None


def _status_to_write(place: Place) -> os.stat_result | None:
    status = place.status()
    if status is not None and status.st_nlink > 1:
        raise refused(place.path, f"it has {status.st_nlink - 1} more names (hard links)")
    return status


@contextmanager
def _telling(place: Place) -> Iterator[None]:
    """Turn what the system refuses into one sentence."""
    try:
        yield
    except OSError as error:
        raise failed(place.path, error) from error


def _addition(place: Place, descriptor: int, size: int, entry: str, header: str) -> bytes:
    head = os.pread(descriptor, 4, 0)
    start = max(0, size - _TAIL_BYTES) & ~3
    tail = os.pread(descriptor, size - start, start)
    encoding = encoding_of(head, tail, size)
    if encoding is None:
        raise refused(place.path, "it holds bytes that are no text")
    added = addition(tail.decode(encoding, errors="replace"), entry, header)
    return added.encode(encoding, errors="replace")


def _check_whole(place: Place, written: int, wanted: int) -> None:
    if written < wanted:
        raise WorkspaceError(
            f"{place.path}: only {written} of {wanted} bytes could be added",
            "The disk is full or a size limit is reached; the half entry was taken back.",
        )


def _take_back(place: Place, descriptor: int, size: int, data: bytes, *, is_new: bool) -> None:
    """Cut off a half-written entry, but only while nothing stands behind it."""
    length = os.fstat(descriptor).st_size
    added = os.pread(descriptor, max(0, length - size), size)
    if added and data.startswith(added):
        os.ftruncate(descriptor, size)
        length = size
    if is_new and not length:
        place.remove()


def _verify_replaced(place: Place, data: bytes) -> None:
    found = _read(place)
    if found is None or found.version[2] != hashlib.sha256(data).hexdigest():
        raise WorkspaceError(
            f"{place.path} is not what was written to it a moment ago",
            "Someone else replaced it right away; the next run looks again.",
        )


def _verify_appended(place: Place, descriptor: int, data: bytes) -> None:
    end = os.lseek(descriptor, 0, os.SEEK_CUR)
    if os.pread(descriptor, len(data), end - len(data)) != data:
        raise WorkspaceError(
            f"{place.path} does not hold the entry that was added a moment ago",
            "Someone else rewrote it right away; the next run looks again.",
        )


_UTF8 = (codecs.BOM_UTF8, "utf-8")
_MARKS = (
    # UTF-32 first: its mark begins with that of UTF-16.
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def encoding_of(head: bytes, tail: bytes, size: int) -> str | None:
    """Return the encoding in which the file can be continued; None when it is no whole text.

    Args:
        head: Its first four bytes.
        tail: Its last bytes.
        size: Its size in bytes.
    """
    for mark, name in _MARKS:
        if head.startswith(mark):
            is_none = size % (4 if "32" in name else 2) or is_narrow(tail[len(mark) :])
            return None if is_none else name
    return None if b"\0" in tail else "utf-8"


def encoded_like(text: str, head: bytes) -> bytes | None:
    """Return the bytes of a text in the encoding of the file it replaces, its mark included.

    Args:
        text: Without a mark.
        head: The first four bytes of the file.

    Returns:
        None when the encoding cannot say it.
    """
    known = ((mark, name) for mark, name in (*_MARKS, _UTF8) if head.startswith(mark))
    mark, name = next(known, (b"", "utf-8"))
    try:
        return mark + text.encode(name)
    except UnicodeEncodeError:
        return None
