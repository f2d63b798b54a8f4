"""Which folders to watch below the roots, and which events in them matter.

Watching everything below a home or a workspace would cost a watch for every folder of a checkout
that happens to lie there, and a host has only so many. So of a root are watched: the folder itself,
all of its `memory/`, and `agents/<id>` with `sessions/` and `agent/`.
"""

from __future__ import annotations

import os
import re
import stat
from enum import Enum, auto
from typing import TYPE_CHECKING, Final, TypeAlias

from memconsole.domain.memory.files import is_memory_folder
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

RawEvent: TypeAlias = tuple[int, str]
"""(kind, absolute path) with the kinds of watchfiles."""

ADDED: Final = 1
MODIFIED: Final = 2
DELETED: Final = 3

_INTERESTING: Final = re.compile(
    r"sessions\.json$"
    r"|(?:openclaw|moltbot|clawdbot)\.json$"
    r"|(?!.*\.trajectory\.jsonl).*\.jsonl(?!.*\.(?:lock|tmp)$)"
    r"|.*\.sqlite(?:-wal)?$"
    r"|.*\.[mM][dD]$"
)


class _Kind(Enum):
    """What a folder is, which says what of it matters."""

    ROOT = auto()
    AGENTS = auto()
    AGENT = auto()
    MEMORY = auto()
    LEAF = auto()


@dataclass(frozen=True, slots=True)
class Folders:
    """What to watch at one moment.

    Attributes:
        folders: Folders in which every interesting name matters: real path → as they were asked
            for. One real folder may have been asked for under several names.
        files: Single files that matter: real path → as asked for.
        marks: What each root was: identity of a folder, `file`, or None when it was missing.
    """

    folders: Mapping[str, tuple[Path, ...]]
    files: Mapping[str, Path]
    marks: Mapping[Path, object]

    @property
    def watched(self) -> tuple[str, ...]:
        """Real paths of all folders that must be watched."""
        return tuple({**dict.fromkeys(self.folders), **dict.fromkeys(map(_above, self.files))})

    def changed(self, events: Iterable[RawEvent]) -> set[Path]:
        """Return the paths that matter, as they were asked for."""
        found: set[Path] = set()
        for _, path in events:
            if path in self.files:
                found.add(self.files[path])
            folder, _, name = path.rpartition("/")
            if folder in self.folders and is_interesting(name):
                found.update(given / name for given in self.folders[folder])
        return found

    def is_broken_by(self, events: Iterable[RawEvent]) -> bool:
        """Whether a watched folder went: its watch is dead even if there is a new one."""
        return any(kind == DELETED and path in self.folders for kind, path in events)

    def may_grow_by(self, events: Iterable[RawEvent]) -> bool:
        """Whether a folder came that may have to be watched."""
        return any(
            kind == ADDED and path.rpartition("/")[0] in self.folders and os.path.isdir(path)  # noqa: PTH112
            for kind, path in events
        )


def is_interesting(name: str) -> bool:
    """Whether a file of this name can change what we show."""
    return _INTERESTING.match(name) is not None


def find_folders(roots: Iterable[Path]) -> Folders:
    """Look at the roots and below; a root that is missing is noted as such."""
    folders: dict[str, tuple[Path, ...]] = {}
    files: dict[str, Path] = {}
    marks = marks_of(roots)
    for root, mark in marks.items():
        if mark is None:
            continue
        real = os.path.realpath(root)
        if mark == "file":
            files[os.path.abspath(root)] = files[real] = root  # noqa: PTH100 - links stay links
            continue
        kind = _Kind.MEMORY if root.name == "memory" else _Kind.ROOT
        for folder, given in _below(real, root, kind):
            folders[folder] = (*folders.get(folder, ()), given)
    return Folders(folders, files, marks)


def marks_of(roots: Iterable[Path]) -> dict[Path, object]:
    """Return what each root is now: cheap, for looking again and again."""
    return {root: _mark(root) for root in roots}


def _mark(root: Path) -> object:
    try:
        status = root.stat()
    except (OSError, ValueError):
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISDIR(status.st_mode) else "file"


def _below(root: str, given: Path, kind: _Kind) -> Iterator[tuple[str, Path]]:
    """Yield a folder and those below it that matter; links may not lead in circles."""
    waiting = [(root, given, kind)]
    seen: set[str] = set()
    while waiting:
        folder, given, kind = waiting.pop()
        real = os.path.realpath(folder) if os.path.islink(folder) else folder  # noqa: PTH114
        if real not in seen and os.path.isdir(real):  # noqa: PTH112
            seen.add(real)
            yield real, given
            inside = _inside(real, kind)
            waiting += [(f"{real}/{name}", given / name, inner) for name, inner in inside]


def _inside(real: str, kind: _Kind) -> Iterator[tuple[str, _Kind]]:
    match kind:
        case _Kind.ROOT:
            yield from (("agents", _Kind.AGENTS), ("memory", _Kind.MEMORY))
        case _Kind.AGENTS:
            yield from ((name, _Kind.AGENT) for name in _sub_folders(real))
        case _Kind.AGENT:
            yield from (("agent", _Kind.LEAF), ("sessions", _Kind.LEAF))
        case _Kind.MEMORY:
            yield from ((name, _Kind.MEMORY) for name in _sub_folders(real))
        case _Kind.LEAF:
            return


def _sub_folders(real: str) -> list[str]:
    try:
        with os.scandir(real) as entries:
            return [
                entry.name
                for entry in entries
                if is_memory_folder(entry.name) and (entry.is_dir() or entry.is_symlink())
            ]
    except OSError:
        return []


def _above(path: str) -> str:
    return os.path.dirname(path)  # noqa: PTH120
