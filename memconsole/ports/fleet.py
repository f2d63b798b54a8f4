"""The homes of a fleet, each asked by the command line of the host that owns it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memconsole.domain.agents import HomeRef
    from memconsole.domain.fleet.wire import Heard


class FleetSource(Protocol):
    """One home of this or of another host."""

    @property
    def home(self) -> HomeRef:
        """Its host and its path."""

    def ask(self, words: Sequence[str]) -> Heard:
        """Run one command there, answered in JSON; blocks until it has ended.

        Args:
            words: The command with its own options.

        Raises:
            SourceAwayError: It could not be reached, or did not answer in time.
        """
