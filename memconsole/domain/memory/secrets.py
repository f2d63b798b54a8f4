"""Where secrets stand in files and of which kind they are; the secrets themselves are never kept.

The rules are those of the mask: what it would leave out of a text is a secret, under the name that
the mask gives it. A text is looked at in stretches that overlap, so that a file of any size costs
the memory of one of them.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from memconsole.lazy_dataclass import dataclass
from memconsole.text.compiled import compiled
from memconsole.text.outgoing import kept_in, let_out, name_out
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from memconsole.domain.agents import Notice

STRETCH = 128 * 1024
"""Characters that are looked at in one go, beside those around them."""

AROUND = 4096
"""Characters in front and behind that may tell what a word is; no secret is longer."""

_SHOWN = 40
"""Characters of the masked line on either side of a secret."""

NO_LINE = 0
"""The line of what stands in a file's name."""

_PLACEHOLDER = r"\[redacted:([a-z0-9-]+)\]"
_SCHEMA = 1


class Spot(NamedTuple):
    """One secret of a text.

    Attributes:
        line: From 1; of a record of a database its number there; `NO_LINE` in the file's name.
        kind: As in its placeholder.
        masked: What stands around it, masked.
    """

    line: int
    kind: str
    masked: str


@dataclass(frozen=True, slots=True)
class FoundSecret:
    """One secret of a file.

    Attributes:
        path: Of a memory file relative to its workspace, of a transcript whole.
        modified_at: File time; of a record in a database that of its newest event.
        session_id: Whose transcript it is; None in memory.
    """

    agent: str
    path: str
    modified_at: datetime | None
    session_id: str | None = None
    spot: Spot = Spot(0, "", "")


@dataclass(frozen=True, slots=True)
class SecretsFound:
    """What one look found.

    Attributes:
        unread: What could not be looked into, and why: there may be more secrets.
        files: Memory files that were looked into.
        transcripts: Transcripts that were; None when they were not asked for.
    """

    items: tuple[FoundSecret, ...]
    unread: tuple[Notice, ...]
    files: int
    transcripts: int | None = None


def spots(pieces: Iterable[tuple[int, str]]) -> Iterator[Spot]:
    """Yield the secrets of a text in order.

    Args:
        pieces: The text, piece by piece, each with the line in which it begins.
    """
    parts: list[str] = []
    marks: list[tuple[int, int]] = []
    begin = size = 0
    for number, piece in pieces:
        for start in range(0, len(piece), STRETCH):
            marks.append((size, number + piece.count("\n", 0, start)))
            parts.append(piece[start : start + STRETCH])
            size += len(parts[-1])
            if size < begin + STRETCH + AROUND:
                continue
            text = "".join(parts)
            end = size - AROUND
            yield from _between(text, begin, end, marks)
            cut = max(0, end - AROUND)
            first = _line_at(text, marks, cut)
            marks = [(0, first), *((at - cut, line) for at, line in marks if at > cut)]
            parts, size, begin = [text[cut:]], size - cut, end - cut
    yield from _between("".join(parts), begin, size, marks)


def _line_at(text: str, marks: list[tuple[int, int]], offset: int) -> int:
    at, number = marks[bisect_right(marks, offset, key=lambda one: one[0]) - 1]
    return number + text.count("\n", at, offset)


def _between(text: str, begin: int, end: int, marks: list[tuple[int, int]]) -> Iterator[Spot]:
    found = kept_in(text)
    if not any(begin <= one.start < end for one in found):
        return
    masked = let_out(text, keeps_lines=True).split("\n")
    row, passed, place = 0, 0, 0
    for one in found:
        ahead = text.count("\n", passed, one.start)
        row, passed, place = row + ahead, one.start, 0 if ahead else place
        line = masked[row] if row < len(masked) else ""
        shown, place = _shown(line, one.kind, place)
        if begin <= one.start < end:
            yield Spot(_line_at(text, marks, one.start), one.kind, shown)


def _shown(line: str, kind: str, place: int) -> tuple[str, int]:
    """Return what stands around the next placeholder of a kind, and where to look on."""
    for match in compiled(_PLACEHOLDER).finditer(line, place):
        if match[1] == kind:
            before, behind = line[: match.start()], line[match.end() :]
            left = f"…{before[-_SHOWN:]}" if len(before) > _SHOWN else before
            right = f"{behind[:_SHOWN]}…" if len(behind) > _SHOWN else behind
            return one_line(f"{left}{match[0]}{right}").strip(), match.end()
    return f"[redacted:{kind}]", place


@dataclass(frozen=True, slots=True)
class SecretCounts:
    """What is remembered of the last look into the memory files of a workspace.

    Attributes:
        files: Stamp and number of secrets by path; a path as it may leave (`name_out`).
    """

    at: datetime
    files: Mapping[str, tuple[str, int]]

    def known(self, path: str, stamp: str) -> tuple[int, bool]:
        """Return how many secrets a file held, and whether it is still what was looked into."""
        known, number = self.files.get(name_out(path), ("", 0))
        return number, known == stamp


def file_stamp(size_bytes: int, modified_at: datetime | None) -> str:
    """Return what changes when a file may hold something else."""
    return f"{size_bytes}:{'' if modified_at is None else modified_at.isoformat()}"


def counts_text(counts: Mapping[str, SecretCounts]) -> str:
    """Return what is remembered, by workspace, as a text to be stored."""
    kept = {
        root: {"at": one.at.isoformat(), "files": dict(one.files)} for root, one in counts.items()
    }
    return json.dumps({"schema": _SCHEMA, "workspaces": kept})


def counts_of(text: str | None) -> dict[str, SecretCounts]:
    """Return what was remembered; nothing where it cannot be read: looking again costs time."""
    try:
        stored = json.loads(text or "{}")
        if stored["schema"] != _SCHEMA:
            return {}
        return {
            str(root): SecretCounts(
                datetime.fromisoformat(one["at"]),
                {str(path): (str(it[0]), int(it[1])) for path, it in one["files"].items()},
            )
            for root, one in stored["workspaces"].items()
        }
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
        return {}
