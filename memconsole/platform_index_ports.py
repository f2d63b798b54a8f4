"""What the engine asks of the platform's own search indexes, as protocols; never written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from memconsole.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from memconsole.domain.agents import Agent, Home
    from memconsole.domain.platform_candidates import PlatformChunk, WordsFound
    from memconsole.domain.platform_index import Contents, IndexedFile, IndexFacts
    from memconsole.domain.platform_words import Plan
    from memconsole.domain.settings import SearchSettings

T = TypeVar("T")


class OpenPlatformIndex(Protocol):
    """One index of the platform in one state; raises `StoreError` where it cannot be read.

    No sources means all of them.
    """

    facts: IndexFacts

    def contents(self) -> Contents:
        """Return its memory part: files and chunks."""

    def with_words(
        self, plan: Plan, limit: int, sources: Sequence[str] = ()
    ) -> Sequence[WordsFound]:
        """Return the best chunks that hold what a plan wants."""

    def with_names(
        self, plan: Plan, limit: int, sources: Sequence[str] = ()
    ) -> Sequence[WordsFound]:
        """Return the first chunks of files with such names; none where names are no words."""

    def nearest(
        self, vector: Sequence[float], limit: int, sources: Sequence[str] = ()
    ) -> Sequence[tuple[PlatformChunk, float]]:
        """Return the chunks nearest to a vector with their cosines, the nearest first."""


class PlatformIndexes(Protocol):
    """The platform's own search indexes, whatever era."""

    def read(self, agent: Agent, home: Home, reading: Callable[[OpenPlatformIndex], T]) -> T | None:
        """Run one reading of an agent's index; it may run several times. None without an index.

        Raises:
            StoreError: There is one, and it cannot be read.
        """

    def hashes(
        self, workspace: Path, paths: Iterable[str], known: Iterable[IndexedFile] = ()
    ) -> Mapping[str, str]:
        """Return the platform's hash of each file of a workspace that is there.

        Files of the size and time that the index knows are not read again.
        """


@dataclass(frozen=True, slots=True)
class PlatformIndexPorts:
    """What only asks why an agent does not see a note.

    Attributes:
        embed: Makes the vector of a query with the provider of the settings; raises
            `EmbeddingError`.
    """

    indexes: PlatformIndexes
    embed: Callable[[SearchSettings, str], Sequence[float]]
