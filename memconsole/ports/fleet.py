"""The homes of a fleet, each asked by the command line of the host that owns it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from memconsole.domain.agents import HomeRef
    from memconsole.domain.figures import Fact
    from memconsole.domain.fleet.chunks import Frequencies, PublishedChunk, PublishedDocument
    from memconsole.domain.fleet.letters import LetterState, Received
    from memconsole.domain.fleet.publishing import Published
    from memconsole.domain.fleet.shapes import Json
    from memconsole.domain.fleet.wire import Heard


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


class FleetCopy(Protocol):
    """The published copy of one home."""

    def publish(self, facts: Sequence[Fact], shelves: Sequence[Shelf] = ()) -> Published:
        """Bring the copy to what is now, and say that this host lives.

        What is there of other indexes than these is deleted. Long work is done by and by: what is
        owed still is told.

        Raises:
            SourceAwayError: The server is away; nothing is lost, the next time brings it.
            FleetHeldError: Another process publishes this home.
            FleetError: The server refuses.
        """

    def close(self) -> None:
        """Give the home free."""


class LetterBox(Protocol):
    """The letters of one host."""

    def open(self, wait_s: float) -> tuple[Received, ...]:
        """Return the letters that have no end yet; waits for one that long when there is none.

        Raises:
            SourceAwayError: The server is away.
            FleetError: The server refuses.
        """

    def begin(self, letter_id: str) -> bool:
        """Note that a letter is being carried out; False when it has an end already."""

    def finish(self, letter_id: str, state: LetterState, code: int, outcome: Json) -> None:
        """Tell what came of a letter."""

    def close(self) -> None:
        """End the connection."""


class FleetSource(Protocol):
    """One home of this or of another host."""

    @property
    def home(self) -> HomeRef:
        """Its host and its path."""

    def ask(self, words: Sequence[str], text: str = "") -> Heard:
        """Run one command there, answered in JSON; blocks until it has ended.

        Args:
            words: The command with its own options.
            text: What it reads from its standard input.

        Raises:
            SourceAwayError: It could not be reached, or did not answer in time.
        """
