"""Packs and deletes transcripts that no store knows (port `OldTranscripts`).

The one place that changes anything below the platform's sessions folders; the engine decides what,
and only with `cleanup.enabled`. A file is packed beside itself, read back and compared before it
goes; one that changed meanwhile, that a run holds, that is a link or somebody else's stays.
"""

from __future__ import annotations

import codecs
import gzip
import hashlib
import os
import re
import shutil
import stat
import zlib
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memconsole.adapters.sessions.names import FileKind, read_name
from memconsole.domain.upkeep import OldFile

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO

    from memconsole.domain.agents import Agent

_PACKED = re.compile(r"(?P<name>[^/]+\.jsonl(?:\.[^/]+)?)\.gz", re.DOTALL)
_KINDS = (FileKind.TRANSCRIPT, FileKind.ARCHIVE)
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class ChangedFileError(OSError):
    """It is not what was looked at."""


class DiskOldTranscripts:
    """Answers the port `OldTranscripts`."""

    def packed(self, agent: Agent) -> tuple[OldFile, ...]:
        """Return what was packed of an agent's transcripts; none when they cannot be listed."""
        found: list[OldFile] = []
        with suppress(OSError):
            for entry in os.scandir(agent.sessions_dir):
                match = _PACKED.fullmatch(entry.name)
                name = None if match is None else read_name(match["name"])
                status = entry.stat(follow_symlinks=False)
                if name is None or name.kind not in _KINDS or not name.session_id:
                    continue
                if stat.S_ISREG(status.st_mode):
                    at = datetime.fromtimestamp(status.st_mtime, UTC)
                    path = agent.sessions_dir / entry.name
                    found.append(OldFile(path, name.session_id, status.st_size, at, is_packed=True))
        return tuple(sorted(found, key=lambda one: one.path))

    def texts(self, agent: Agent, file: OldFile) -> Iterator[tuple[int, str]]:
        """Yield the text of a packed transcript, each piece with the line in which it begins.

        Raises:
            OSError: It cannot be read, is no gzip file, or is not what was looked at.
        """
        decoder, number = codecs.getincrementaldecoder("utf-8")("replace"), 1
        try:
            with _opened(agent, file) as source, gzip.GzipFile(fileobj=source) as packed:
                for data in _pieces(packed):
                    text = decoder.decode(data)
                    yield number, text
                    number += text.count("\n")
        except (EOFError, zlib.error) as error:
            raise OSError(5, "it cannot be unpacked", str(file.path)) from error

    def compress(self, agent: Agent, file: OldFile) -> int:
        """Put `<name>.gz` in the place of a transcript; return how much smaller it is.

        Raises:
            OSError: It cannot be done, or the file is not what was looked at; it is as it was.
        """
        target = file.path.with_name(f"{file.path.name}.gz")
        temporary = file.path.with_name(f".{file.path.name}.gz.memconsole")
        with _opened(agent, file) as source:
            before = os.fstat(source.fileno())
            try:
                temporary.unlink(missing_ok=True)
                if os.path.lexists(target):  # of a run that was killed before its last step, or not
                    _require_packed(source, target)
                else:
                    _pack(source, temporary, before)
                _require_same(file.path, before)
                if temporary.exists():
                    temporary.rename(target)
            finally:
                temporary.unlink(missing_ok=True)
        file.path.unlink()
        _sync(target.parent)
        return before.st_size - target.stat().st_size

    def delete(self, agent: Agent, file: OldFile) -> int:
        """Delete a packed transcript; return its bytes.

        Raises:
            OSError: It cannot be done, or the file is not what was looked at.
        """
        with _opened(agent, file) as source:
            before = os.fstat(source.fileno())
            _require_same(file.path, before)
            file.path.unlink()
        return before.st_size


def _opened(agent: Agent, file: OldFile) -> BinaryIO:
    """Open a file for reading, if it is what was looked at and may go."""
    folder = os.path.realpath(agent.sessions_dir)
    if os.path.realpath(file.path.parent) != folder:
        raise ChangedFileError(1, "it is not in the sessions folder")
    if os.path.lexists(f"{file.path}.lock"):
        raise ChangedFileError(1, "a run holds it")
    source = os.fdopen(os.open(file.path, _READ), "rb")
    status = os.fstat(source.fileno())
    is_it = stat.S_ISREG(status.st_mode) and status.st_size == file.size_bytes
    if not is_it or status.st_nlink != 1 or status.st_uid != os.geteuid():
        source.close()
        raise ChangedFileError(1, "it is not what was looked at")
    return source


def _pack(source: BinaryIO, path: Path, before: os.stat_result) -> None:
    """Write the packed file, 0600 and as old as its source, and compare what it holds."""
    with os.fdopen(os.open(path, _NEW, 0o600), "w+b") as target:
        with gzip.GzipFile("", "wb", 6, target, mtime=int(before.st_mtime)) as packed:
            shutil.copyfileobj(source, packed, 1024 * 1024)
        target.flush()
        os.fsync(target.fileno())
        target.seek(0)
        source.seek(0)
        with gzip.GzipFile(fileobj=target) as packed:
            if _hash(_pieces(packed)) != _hash(_pieces(source)):
                raise ChangedFileError(1, "it changed while it was packed")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def _require_packed(source: BinaryIO, path: Path) -> None:
    """Refuse what lies in the packed file's place, unless it holds the source whole.

    Raises:
        OSError: It holds something else, or cannot be read.
    """
    other = FileExistsError(17, "it is packed already")
    with os.fdopen(os.open(path, _READ), "rb") as target:
        if not stat.S_ISREG(os.fstat(target.fileno()).st_mode):
            raise other
        try:
            with gzip.GzipFile(fileobj=target) as packed:
                found = _hash(_pieces(packed))
        except (OSError, EOFError, zlib.error) as error:
            raise other from error
    if found != _hash(_pieces(source)):
        raise other


def _require_same(path: Path, before: os.stat_result) -> None:
    now = path.lstat()
    known = (before.st_ino, before.st_size, before.st_mtime_ns)
    if (now.st_ino, now.st_size, now.st_mtime_ns) != known:
        raise ChangedFileError(1, "it changed meanwhile")


def _pieces(file: BinaryIO | gzip.GzipFile) -> Iterator[bytes]:
    while piece := file.read(1024 * 1024):
        yield piece


def _hash(pieces: Iterator[bytes]) -> bytes:
    digest = hashlib.blake2b()
    for piece in pieces:
        digest.update(piece)
    return digest.digest()


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
