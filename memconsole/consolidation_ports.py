"""What consolidation remembers, as a protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime

    from memconsole.domain.search_log import Find


class ConsolidationLog(Protocol):
    """Which notes searches found, and what was proposed of them (`state.db`, mission §20)."""

    def finds(self, workspace: str) -> tuple[Find, ...]:
        """Return what was found in a workspace, the oldest first."""

    def add(self, workspace: str, finds: Sequence[Find], *, keep_since: datetime) -> None:
        """Store what a search found, and let go what is older.

        The same note found by the same query on the same day is one find, with its best score.

        Raises:
            StateError: It cannot be stored.
        """

    def declined(self, workspace: str) -> frozenset[str]:
        """Return the ids of notes that shall not be proposed."""

    def decline(self, workspace: str, entries: Collection[str], at: datetime) -> None:
        """Store that notes shall not be proposed any more.

        Raises:
            StateError: It cannot be stored.
        """

    def last(self, workspace: str) -> tuple[str, datetime] | None:
        """Return the input of the last report, and when it was written."""

    def reported(self, workspace: str, input_hash: str, at: datetime) -> None:
        """Store that a report was written, after the write it describes (A12).

        Raises:
            StateError: It cannot be stored.
        """
