"""Finds the files of a memory pool: once per real file, and nothing outside the workspace.

Which files are memory:

- `MEMORY.md`, `memory.md` and `USER.md` of the workspace itself, spelled so;
- below `memory/` every file whose name ends with `.md` in any letter case, archives and backups
  included; not in folders that begin with a dot, in `node_modules`, or in bins and shadow folders
  of file servers;
- a real file counts once, whatever names it has; its real name wins over a link to it;
- links are followed as long as they stay in the workspace, and never up into their own folder;
- names of editors' and archivers' side files (`._x.md`, `.#x.md`) are no memory.
"""

from __future__ import annotations

import os
import stat
from collections import deque
from dataclasses import field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from memconsole.domain.memory.files import is_memory_folder
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable

Version: TypeAlias = tuple[int, int, int, int, int]
"""Device, inode, both times in ns, size: changes whenever the content of a file may have."""

ROOT_FILES: Final = ("MEMORY.md", "memory.md", "USER.md")
MEMORY_FOLDER: Final = "memory"
INDEX_FILE: Final = "memory/INDEX.md"

LINK_OUT: Final = "link leads out of the workspace"
NO_FILE: Final = "no file, but a pipe, a socket or a device"
LINK_NOWHERE: Final = "link leads nowhere"

_SIDE_FILES: Final = ("._", ".#", ".fuse_hidden", ".nfs")
_PLAIN_ROOT_FILES: Final = ("MEMORY.md", "USER.md")
"""`memory.md` may be the first of them on a disk that folds letter case."""


@dataclass(frozen=True, slots=True)
class FoundFile:
    """One name that looks like memory.

    Attributes:
        path: Relative to the workspace, with `/`; undecodable bytes as surrogates.
        real: Absolute path without links, to read from.
        status: Of the real file; of the link itself when it is not followed.
        because: Why it does not count; None when it does.
    """

    path: str
    real: str
    status: os.stat_result
    because: str | None = None

    @property
    def version(self) -> Version:
        """What a cached reading of this file is good for."""
        return version_of(self.status)

    @property
    def modified_at(self) -> datetime | None:
        """The file's time, aware UTC; None for one that no calendar holds."""
        try:
            return datetime.fromtimestamp(self.status.st_mtime, UTC)
        except (OverflowError, ValueError, OSError):
            return None


@dataclass(frozen=True, slots=True)
class Scan:
    """One walk through a workspace.

    Attributes:
        root: The workspace by real path.
        exists: It is a folder.
        files: The pool's files, by path.
        beside: Other files of the workspace that were asked for, by name.
        unread: (path, reason) of what could not be looked at.
    """

    root: Path
    exists: bool
    files: tuple[FoundFile, ...] = ()
    beside: tuple[FoundFile, ...] = ()
    unread: tuple[tuple[str, str], ...] = ()

    @property
    def mark(self) -> tuple[object, ...]:
        """Equal for two scans only when pools made from them would be equal."""
        found = (*self.files, *self.beside)
        versions = hash(tuple((file.path, file.version, file.because) for file in found))
        return (str(self.root), self.exists, len(found), versions, self.unread)


def version_of(status: os.stat_result) -> Version:
    """Return the version of a file from its status."""
    return (
        status.st_dev,
        status.st_ino,
        status.st_mtime_ns,
        status.st_ctime_ns,
        status.st_size,
    )


def scan(workspace: Path, beside: Iterable[str] = ()) -> Scan:
    """Walk a workspace; what cannot be looked at is named, never an error.

    Args:
        workspace: May be a link, and may be missing.
        beside: Names of other files in the workspace's own folder to look for.
    """
    try:
        root = os.path.realpath(workspace)
        exists = stat.S_ISDIR(os.stat(root).st_mode)  # noqa: PTH116 - hot paths stay strings
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return Scan(workspace, exists=False)
    except OSError as error:
        unread = tuple((name, reason_of(error)) for name in ("MEMORY.md", f"{MEMORY_FOLDER}/"))
        return Scan(workspace, exists=False, unread=unread)
    if not exists:
        return Scan(workspace, exists=False)
    pool = _Walk(root)
    pool.run((*ROOT_FILES, MEMORY_FOLDER))
    others = _Walk(root)
    others.run(beside)
    return Scan(
        root=Path(root),
        exists=True,
        files=tuple(sorted(pool.found, key=lambda file: file.path)),
        beside=tuple(file for file in others.found if file.because is None),
        unread=tuple(sorted(pool.unread)),
    )


def find_plain(workspace: Path, path: Path) -> FoundFile | None:
    """Return one file of the pool without a walk, as `scan` would.

    None means that only a walk can tell: it is gone, is a link or has several names, or does not
    look like memory.
    """
    root = os.path.realpath(workspace)
    try:
        relative = path.relative_to(workspace)
        status = os.lstat(path)
    except (ValueError, OSError):
        return None
    real = os.path.join(root, relative)  # noqa: PTH118
    is_plain = stat.S_ISREG(status.st_mode) and status.st_nlink == 1
    if not is_plain or os.path.realpath(path) != real:
        return None
    *folders, name = relative.parts
    if not folders:
        return FoundFile(name, real, status) if name in _PLAIN_ROOT_FILES else None
    is_left_out = not all(map(is_memory_folder, folders))
    if folders[0] != MEMORY_FOLDER or is_left_out or name.startswith(_SIDE_FILES):
        return None
    return FoundFile("/".join(relative.parts), real, status) if name[-3:].lower() == ".md" else None


@dataclass(slots=True)
class _Walk:
    """Breadth first: everything real, then the links that were met on the way."""

    root: str
    found: list[FoundFile] = field(default_factory=list)
    unread: list[tuple[str, str]] = field(default_factory=list)
    _names: dict[tuple[int, int], str] = field(default_factory=dict)
    _folders: set[tuple[int, int]] = field(default_factory=set)
    _waiting: deque[tuple[str, str]] = field(default_factory=deque)
    _links: deque[tuple[str, str]] = field(default_factory=deque)

    def run(self, names: Iterable[str]) -> None:
        """Look at these names of the workspace, and at everything below them."""
        for name in names:
            path = os.path.join(self.root, name)  # noqa: PTH118
            try:
                self._look(name, path, os.lstat(path))
            except FileNotFoundError:
                continue
            except OSError as error:
                self._note(name, error)
        while self._waiting or self._links:
            if self._waiting:
                self._list(*self._waiting.popleft())
            else:
                self._follow(*self._links.popleft())

    def _list(self, folder: str, real: str) -> None:
        try:
            with os.scandir(real) as entries:
                inside = sorted(entries, key=lambda entry: entry.name)
        except FileNotFoundError:
            return
        except OSError as error:
            self._note(f"{folder}/", error)
            return
        for entry in inside:
            path = f"{folder}/{entry.name}"
            try:
                if _may_matter(entry):
                    self._look(path, entry.path, entry.stat(follow_symlinks=False))
            except FileNotFoundError:
                continue
            except OSError as error:
                self._note(path, error)

    def _look(self, path: str, real: str, status: os.stat_result) -> None:
        if stat.S_ISLNK(status.st_mode):
            self._links.append((path, real))
        elif stat.S_ISREG(status.st_mode):
            self._add(path, real, status)
        elif stat.S_ISDIR(status.st_mode) and path.partition("/")[0] == MEMORY_FOLDER:
            self._enter(path, real, status)
        elif path.lower().endswith(".md") and not stat.S_ISDIR(status.st_mode):
            self.found.append(FoundFile(path, real, status, NO_FILE))

    def _enter(self, path: str, real: str, status: os.stat_result) -> None:
        if _identity(status) not in self._folders:
            self._folders.add(_identity(status))
            self._waiting.append((path, real))

    def _add(self, path: str, real: str, status: os.stat_result) -> None:
        if not path.lower().endswith(".md"):
            return
        first = self._names.setdefault(_identity(status), path)
        if first == path:
            self.found.append(FoundFile(path, real, status))
        elif first.lower() != path.lower():  # else one file on a disk that folds letter case
            self.found.append(FoundFile(path, real, status, f"same file as {first}"))

    def _follow(self, path: str, link: str) -> None:
        real = os.path.realpath(link)
        is_inside = real.startswith(os.path.join(self.root, ""))  # noqa: PTH118
        try:
            status = os.stat(real)  # noqa: PTH116
        except OSError:
            self._refuse(path, link, LINK_NOWHERE if is_inside else LINK_OUT)
            return
        folder = os.path.realpath(os.path.dirname(link))  # noqa: PTH120
        if not is_inside and real != self.root:
            self._refuse(path, link, LINK_OUT, is_folder=stat.S_ISDIR(status.st_mode))
        elif not f"{folder}/".startswith(f"{real}/"):
            self._look(path, real, status)

    def _refuse(self, path: str, link: str, because: str, *, is_folder: bool = False) -> None:
        if is_folder or path.lower().endswith(".md"):
            try:
                status = os.lstat(link)
            except OSError:
                return
            self.found.append(FoundFile(path, link, status, because))

    def _note(self, path: str, error: OSError) -> None:
        self.unread.append((path, reason_of(error)))


def reason_of(error: OSError) -> str:
    """Return what the system says of a failure."""
    return error.strerror or type(error).__name__


def _may_matter(entry: os.DirEntry[str]) -> bool:
    name = entry.name
    if entry.is_file(follow_symlinks=False):
        return name[-3:].lower() == ".md" and not name.startswith(_SIDE_FILES)
    return is_memory_folder(name)


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino
