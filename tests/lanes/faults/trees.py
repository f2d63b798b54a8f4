"""What lies below a home, so that two runs at two times can be compared."""

from __future__ import annotations

import gzip
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memconsole.adapters.sqlite.choice import library

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

Texts = dict[str, frozenset[bytes]]
"""Contents by path below the home, both without times: copies of one time are one path."""

_TIME = re.compile(rb"\d\d:\d\d(?::\d\d(?:\.\d+)?)?|\b\d+ ms\b|[\d.]+ %|(?<=disk \| )[\d.]+")
_STAMP = re.compile(r"(?<=\d{8}[-T])\d{6}(?:-\d+)?")
_TEMPORARY = re.compile(r"\.tmp$|\.rotating$|/private-|\.building$")
_DATABASES = (".db", ".sqlite", "-wal", "-shm", "-journal", ".building")
_LOCKS = "/locks/"


@dataclass(frozen=True, slots=True)
class Tree:
    """One home as it was at one moment.

    Attributes:
        texts: Every file that is no database and no lock, and not empty.
        names: Every file and folder, without times.
        platform: Bytes of the platform's files, the workspace left out.
    """

    texts: Mapping[str, frozenset[bytes]]
    names: frozenset[str]
    platform: Mapping[str, bytes]

    @property
    def temporary(self) -> list[str]:
        """Names of files that are there for the time of a run only."""
        return sorted(filter(is_temporary, self.names))


def is_temporary(name: str) -> bool:
    """Whether a file of that name is there for the time of a run only."""
    return _TEMPORARY.search(name) is not None


def look(home: Path) -> Tree:
    """Read a home."""
    texts: dict[str, set[bytes]] = {}
    names: set[str] = set()
    platform: dict[str, bytes] = {}
    for path, is_file in _walk(home):
        relative = path.relative_to(home).as_posix()
        name = _STAMP.sub("TIME", relative)
        names.add(name)
        if not is_file:
            continue
        data = path.read_bytes()
        if relative.startswith(".openclaw/") and not relative.startswith(".openclaw/workspace/"):
            platform[relative.removeprefix(".openclaw/")] = data
        # A file that was made and not written holds nothing that could be half or twice.
        if data and not relative.endswith(_DATABASES) and _LOCKS not in f"/{relative}":
            texts.setdefault(name, set()).add(_TIME.sub(b"TIME", data))
    frozen = {name: frozenset(found) for name, found in texts.items()}
    return Tree(frozen, frozenset(names), platform)


def holders(home: Path, words: str) -> list[str]:
    """Return the files that hold some words anywhere in their bytes, packed or not."""
    data = words.encode()
    found = (path for path, is_file in _walk(home) if is_file and data in _unpacked(path))
    return sorted(path.relative_to(home).as_posix() for path in found)


def _unpacked(path: Path) -> bytes:
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


def broken_databases(home: Path) -> list[str]:
    """Return the databases of ours that do not stand SQLite's own check."""
    module = library().module
    broken = []
    for path, is_file in _walk(home / ".local"):
        if is_file and path.suffix in (".db", ".sqlite") and path.stat().st_size:
            connection = module.connect(str(path), timeout=1, isolation_level=None, uri=False)
            row = connection.execute("PRAGMA integrity_check").fetchone()
            connection.close()
            if row != ("ok",):
                broken.append(f"{path.name}: {row}")
    return broken


def _walk(folder: Path) -> Iterator[tuple[Path, bool]]:
    for path in sorted(folder.rglob("*")):
        yield path, path.is_file() and not path.is_symlink()
