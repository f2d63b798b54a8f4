"""A workspace's memory pool: files, sizes, markers, and what names of files and folders tell.

Bins and shadow folders of file servers hold deleted or derived files. Copies that a sync tool made
of a conflict are memory until a person settles which of the two is right.
"""

from __future__ import annotations

from dataclasses import field
from datetime import UTC, timedelta
from typing import TYPE_CHECKING, Final

from memconsole.domain.agents import UNREADABLE
from memconsole.lazy_dataclass import dataclass
from memconsole.text.compiled import compiled
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date, datetime
    from pathlib import Path

    from memconsole.domain.agents import Notice


MARKER_TAGS = (
    "DECISION",
    "GOTCHA",
    "SOLUTION",
    "PATTERN",
    "TRADEOFF",
    "FACT",
    "PREFERENCE",
    "TODO",
)
"""The eight observation markers, in the order they are shown."""

MAX_READ_BYTES = 16 * 1024 * 1024
"""Larger memory files count by size only."""

_SOME_UNREAD = 4
_FEW_UNREAD = 16
"""So many characters may be unreadable, and one in four: accents of another encoding."""


def is_text(text: str) -> bool:
    """Whether a file that was decoded is one that people wrote: a picture, say, is none."""
    unread = text.count("\ufffd")
    return "\0" not in text and (unread <= _FEW_UNREAD or unread * _SOME_UNREAD <= len(text))


@dataclass(frozen=True, slots=True)
class Marker:
    """One marked line.

    Attributes:
        path: Relative to the workspace, with `/`.
        line: 1-based.
        text: The line without its bullet, as written.
    """

    tag: str
    path: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class WorkspaceText:
    """A text file as it was read, with the version to compare before replacing it.

    Attributes:
        version: (mtime_ns, size, sha256 of the bytes).
    """

    text: str
    version: tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class PoolItem:
    """One file of the pool.

    Attributes:
        path: Relative to the workspace, with `/`.
        tokens: Estimated by script, comments left out; from the size of a text that is not read.
        is_generated: Written by memconsole whole (INDEX.md, ACTIVE_CONTEXT.md).
        is_counted: Part of the pool's totals.
        because: Why it is not counted, or what is odd about it.
        markers: Markers by tag, zeros left out.
        modified_at: File time, aware UTC.
        title: First heading; None without one, and for a text that is not read.
        encoding: `utf-8`, `utf-8-sig`, `utf-16`, `utf-32`; `unknown` when bytes had to be
            replaced, or the text was not read.
    """

    path: str
    size_bytes: int
    tokens: int
    is_generated: bool
    is_counted: bool
    because: str | None = None
    markers: Mapping[str, int] = field(default_factory=dict)
    modified_at: datetime | None = None
    encoding: str = "utf-8"
    title: str | None = None


@dataclass(frozen=True, slots=True)
class Category:
    """Files of one kind."""

    name: str
    files: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Limit:
    """A file that the platform loads at start, against what it would cut.

    Attributes:
        chars: Characters of the file.
        limit: Characters that reach the prompt.
    """

    path: str
    chars: int
    limit: int

    @property
    def is_over(self) -> bool:
        """Whether the platform cuts the file."""
        return self.chars > self.limit


@dataclass(frozen=True, slots=True)
class PoolDay:
    """How large the pool of an agent was when it was last looked at on one day, in UTC.

    Attributes:
        markers: Markers by tag.
    """

    agent_id: str
    day: date
    size_bytes: int
    tokens: int
    markers: Mapping[str, int]


def trend_since(now: datetime) -> date:
    """Return the first day whose size is shown: a quarter of a year ago."""
    return (now - timedelta(days=90)).astimezone(UTC).date()


def trends(days: Iterable[PoolDay]) -> dict[str, tuple[PoolDay, ...]]:
    """Return the days of each agent, oldest first; none of an agent of whom one alone is known."""
    found: dict[str, list[PoolDay]] = {}
    for one in sorted(days, key=lambda one: one.day):
        found.setdefault(one.agent_id, []).append(one)
    return {agent: tuple(own) for agent, own in found.items() if len(own) > 1}


def marked_since(days: Sequence[PoolDay]) -> str:
    """Return how the markers grew from the first day to the last, such as `+3 DECISION, -1 TODO`.

    Empty where there are as many of each as there were.
    """
    first, last = days[0].markers, days[-1].markers
    tags = dict.fromkeys((*MARKER_TAGS, *last, *first))
    grown = ((tag, last.get(tag, 0) - first.get(tag, 0)) for tag in tags)
    return ", ".join(f"{number:+d} {tag}" for tag, number in grown if number)


@dataclass(frozen=True, slots=True)
class MemoryText:
    """The whole text of one memory file, however long it is.

    Attributes:
        path: Relative to the workspace, with `/`.
        pieces: The text, piece by piece, each with the line in which it begins.
        unread: Why it is not read; empty when it is.
    """

    path: str
    size_bytes: int = 0
    modified_at: datetime | None = None
    pieces: Iterable[tuple[int, str]] = ()
    unread: str = ""


@dataclass(frozen=True, slots=True)
class Pool:
    """Memory of one workspace; several agents may share it.

    Attributes:
        agents: Ids of the agents that use it, sorted.
        root: The workspace by real path.
        exists: False when the workspace is missing: nothing was looked at.
        files: Counted files. size_bytes and tokens are their sums.
        markers: All eight tags, zeros included.
        active_context_at: File time of ACTIVE_CONTEXT.md, when there is one.
        read_at: When the folder was read.
        trend: Days that are known of it, oldest first, for who shows them; none before two.
        doubt: Why `root` is only a guess, and nothing of it is shown; None when it is none.
    """

    agents: tuple[str, ...]
    root: Path
    exists: bool
    files: int
    size_bytes: int
    tokens: int
    markers: Mapping[str, int]
    items: tuple[PoolItem, ...]
    by_category: tuple[Category, ...]
    limits: tuple[Limit, ...]
    notices: tuple[Notice, ...]
    active_context_at: datetime | None
    read_at: datetime
    trend: tuple[PoolDay, ...] = ()
    doubt: Notice | None = None

    @property
    def is_known(self) -> bool:
        """Whether its sums say anything: of what could not be looked at they are 0."""
        unread = any(one.code == UNREADABLE for one in self.notices)
        return self.doubt is None and (self.files > 0 or not unread)


EMOJI = {
    "DECISION": "🟤",
    "GOTCHA": "🔴",
    "SOLUTION": "🟡",
    "PATTERN": "🔵",
    "TRADEOFF": "⚖️",
    "FACT": "🟢",
    "PREFERENCE": "🟣",
    "TODO": "⚪",
}
"""What stands before a marker; markers are counted by their tag alone."""


_NO_MEMORY: Final = frozenset(
    {
        "node_modules",
        "#recycle",
        "#snapshot",
        "~snapshot",
        "@recycle",
        "@eadir",
        "$recycle.bin",
        "__macosx",
        "lost+found",
    }
)
_CONFLICT: Final = r"(?i)\.sync-conflict-\d{8}-|\((?:[^()]* )?conflicted copy\b|\(case conflict\b"


def is_memory_folder(name: str) -> bool:
    """Tell whether a folder below `memory/` may hold memory, by its own name."""
    return not name.startswith(".") and name.lower() not in _NO_MEMORY


def is_conflict_copy(path: str) -> bool:
    """Tell whether a sync tool left this file beside the one it is a second version of."""
    return "conflict" in path.lower() and compiled(_CONFLICT).search(path) is not None


def is_utf8(name: str) -> bool:
    """Tell whether a file name can be stored and printed: one that is not has surrogates."""
    return name.isascii() or compiled("[\ud800-\udfff]").search(name) is None


def shown_name(name: str) -> str:
    r"""Return a file name on one line, with `\xff` for each byte that is no UTF-8."""
    return one_line(name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace"))
