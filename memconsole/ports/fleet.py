"""The homes of a fleet, each asked by the command line of the host that owns it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from contextlib import AbstractContextManager

    from memconsole.domain.agents import HomeRef
    from memconsole.domain.fleet.chunks import CopiedIndex, Searched, Shelf
    from memconsole.domain.fleet.letters import LetterState, Received
    from memconsole.domain.fleet.members import Look
    from memconsole.domain.fleet.publishing import Published
    from memconsole.domain.fleet.shapes import Json
    from memconsole.domain.fleet.wire import Heard
    from memconsole.domain.published import Fact
    from memconsole.ports.search import IndexReader


class SearchableCopy(Protocol):
    """What homes of a fleet published to be searched.

    Attributes:
        place: The server, as a home is named.
    """

    place: HomeRef

    def open(
        self,
        hosts: Collection[str],
        meant: Callable[[CopiedIndex], bool],
        name: Callable[[CopiedIndex], str],
    ) -> AbstractContextManager[tuple[IndexReader, Searched]]:
        """Open what may be searched of certain indexes.

        Args:
            hosts: Whose.
            meant: Whether an index is.
            name: What hits in it call its agent.

        Raises:
            SourceAwayError: The server is away, or refuses.
        """

    def lines(self, home: HomeRef, agent: str, path: str) -> Mapping[int, str] | None:
        """Return the lines of a document that were published; None when none of it was.

        Raises:
            SourceAwayError: The server is away, or refuses.
        """


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

    def owed(self, facts: Sequence[Fact]) -> int | None:
        """Return how many rows are other than in the copy when it was last seen; None before."""

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

    def ask(
        self,
        words: Sequence[str],
        text: str = "",
        stop: Callable[[], bool] | None = None,
        begun: Callable[[], None] | None = None,
    ) -> Heard:
        """Run one command there, answered in JSON; blocks until it has ended.

        Args:
            words: The command with its own options.
            text: What it reads from its standard input.
            stop: Tells that nobody waits for it any more; what is not begun is taken back then.
            begun: Hears that its host has begun what waited for it.

        Raises:
            SourceAwayError: It could not be reached, or did not answer in time.
        """


class FleetWatch(Protocol):
    """A server in which homes of other hosts publish, and which tells when something has moved."""

    @property
    def name(self) -> str:
        """Where it is, to show."""

    def look(self, wait_s: float) -> Look:
        """Return who is there; waits for a hint that something moved, that long at most.

        Raises:
            SourceAwayError: The server is away; the next look tries again.
            FleetError: It refuses.
        """

    def source(self, number: int) -> FleetSource:
        """Return what answers for a home of the last look."""

    def close(self) -> None:
        """End the connection."""
