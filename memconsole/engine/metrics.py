"""Tells monitoring how things are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole import __version__
from memconsole.domain.metrics import families

if TYPE_CHECKING:
    from collections.abc import Callable

    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot
    from memconsole.engine.search.service import SearchService
    from memconsole.ports.host import MetricsSink
    from memconsole.ports.jobs import JobStore


class MetricsService:
    """Metrics for monitoring.

    Args:
        sink: Where they go.
        jobs: Their last runs.
        snapshot: Takes a reading of everything.
        search: Tells the state of the indexes.
    """

    def __init__(
        self,
        sink: MetricsSink,
        jobs: JobStore,
        *,
        snapshot: Callable[[], ConsoleSnapshot],
        search: SearchService,
    ) -> None:
        self._sink = sink
        self._jobs = jobs
        self._snapshot = snapshot
        self._search = search

    def publish(self) -> int | None:
        """Tell monitoring how things are; return how many samples, None when nobody listens.

        Raises:
            StateError: File or port cannot be had.
            HomeNotFoundError: The platform home does not exist.
            HomeUnreadableError: It exists, and none of its stores can be read.
        """
        if not self._sink.is_wanted:
            return None
        snapshot, records = self._snapshot(), self._jobs.records()
        found = families(snapshot, records, self._search.indexes(), version=__version__)
        self._sink.publish(found)
        return sum(len(one.samples) for one in found)
