"""What of an index is published: chunks as other hosts may read them, and which documents may go.

An index is named by its agent and by what it holds. What was published of a chunk is told by a hash
of everything in it that can change; its text never does without another number.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from memconsole.domain.fleet.wire import Copied, Freshness

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime

    from memconsole.domain.agents import HomeRef


MEMORY: Final = "memory"
TALKS: Final = "talks"
LEVELS: Final = ("nothing", "figures", MEMORY, TALKS)
"""What `fleet.publish` may say, from the least on; each holds what is before it."""

_MOST_PATH = 4096
_SESSIONS = "sessions/"


class PublishedDocument(NamedTuple):
    """One file, or one session.

    Attributes:
        path: As hits show it, masked.
    """

    path: str
    modified_at: datetime | None
    is_archived: bool


class PublishedChunk(NamedTuple):
    """One chunk on its way out, masked.

    Attributes:
        words: Folded words of its text, then of its headings and its document, by blanks.
        tokens: Packed; None where they are of another model than everybody's, or would tell more
            than the text.
        vector: In eight-bit numbers; None likewise.
    """

    id: int
    document: int
    hash: int
    start_line: int
    end_line: int
    at: datetime | None
    on_path: bool
    tags: tuple[str, ...]
    heading: str
    text: str
    words: str
    tokens: bytes | None
    vector: bytes | None


class Frequencies(NamedTuple):
    """In how many chunks of an index each token is.

    Attributes:
        chunks: Of the index when that was counted.
        unit: What the counts are divided by, so that they fit into 16 bits.
        counts: Two bytes a token, the lower one first.
    """

    chunks: int
    unit: int
    counts: bytes


class CopiedIndex(NamedTuple):
    """One index as its host published it.

    Attributes:
        home: Whose it is.
        agents: All that search in it.
        chunks: How many there are.
        words: Of all chunks together.
        epoch_chunks: Over how many its tokens were counted; 0 where they were not.
        seen: When its home was looked at last by the server's clock, and how new that is.
    """

    number: int
    home: HomeRef
    agents: tuple[str, ...]
    is_talk: bool
    model: str
    chunks: int
    words: int
    epoch_chunks: int
    seen: Copied


class Searched(NamedTuple):
    """Which hosts of a fleet were searched.

    Attributes:
        hosts: Those that may be searched, by name, with how new the copy of each is; None for one
            that published nothing to search.
    """

    hosts: Mapping[str, Copied | None]

    @property
    def behind(self) -> dict[str, Copied]:
        """Those whose copy is of some time ago."""
        return {
            name: one
            for name, one in self.hosts.items()
            if one is not None and one.freshness is not Freshness.LIVE
        }

    @property
    def known(self) -> int:
        """How many of them there was something to search of."""
        return sum(one is not None for one in self.hosts.values())


class OutgoingIndex(Protocol):
    """One open index of this host, as it may leave; masked.

    Attributes:
        stamp: Another one says that something may have changed.
        model: What made its vectors.
    """

    stamp: str
    model: str

    def documents(self) -> Mapping[int, PublishedDocument]:
        """Return its documents by their numbers."""

    def hashes(self) -> Mapping[int, tuple[int, int]]:
        """Return by the number of each chunk its document and the hash of all that may change."""

    def chunks(self, ids: Iterable[int]) -> Iterator[PublishedChunk]:
        """Yield certain chunks; those that are gone are left out."""

    def frequencies(self) -> Frequencies | None:
        """Return how common tokens are; None where it has none."""


class Shelf(NamedTuple):
    """One index of this host that may be published.

    Attributes:
        agent: Whose name it bears.
        agents: All that search in it.
        rule: Changes with what may leave it.
        allows: Whether the document of a path may leave.
        open: Opens it for one reading; FileNotFoundError where there is none.
    """

    agent: str
    is_talk: bool
    agents: tuple[str, ...]
    rule: str
    allows: Callable[[str], bool]
    open: Callable[[], AbstractContextManager[OutgoingIndex]]


def is_excluded(path: str, patterns: Iterable[str]) -> bool:
    """Tell whether a path is one of those, or lies in one; `*` stands for anything."""
    return any(
        fnmatchcase(path, one) or path.startswith(f"{one.rstrip('/')}/") or path == one
        for one in patterns
    )


def session_of(path: str) -> str:
    """Return the number of the session that a document is."""
    return path.removeprefix(_SESSIONS).partition("#")[0]


def lines_of(found: Iterable[tuple[int, int, str]]) -> dict[int, str]:
    """Return the lines that chunks hold, by number; chunks overlap.

    Args:
        found: First line, last line and text of each.
    """
    lines: dict[int, str] = {}
    for start, end, text in found:
        parts = text.split("\n")
        if len(parts) != end - start + 1:  # a long line was cut into pieces
            parts = [text.replace("\n", " ")]
        for number, line in enumerate(parts, start):
            if len(line) >= len(lines.get(number, "")):
                lines[number] = line
    return lines


def wanted(publish: str) -> Sequence[bool]:
    """Return which indexes a level lets out: False is memory, True is talks."""
    place = LEVELS.index(publish)
    return [False, True][: max(0, place - 1)]
