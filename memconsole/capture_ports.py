"""What captures beside the checkpoint need to remember, as protocols."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from memconsole.domain.agents import AgentRef
    from memconsole.domain.captures import SummaryRecord


class SummaryLog(Protocol):
    """Which sessions have a summary (`state.db`); never read back from the files (A10)."""

    def last(self, agent: AgentRef, session_id: str) -> SummaryRecord | None:
        """Return the newest summary of a session."""

    def prepare(self) -> None:
        """Make sure that a record can be stored, before anything is written for it (A24).

        Raises:
            StateError: The state folder cannot be written, or a newer memconsole made it.
        """

    def add(self, record: SummaryRecord) -> None:
        """Store one summary, after the write it describes (A12).

        Raises:
            StateError: It cannot be stored.
        """
