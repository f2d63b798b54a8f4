"""Tells monitoring how things are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole import __version__
from memconsole.domain.checkpoint.rules import is_readable
from memconsole.domain.cleanup import OldFigures, Step, counted
from memconsole.domain.commands.cleanup import CLEANUP
from memconsole.domain.fleet.publishing import standing_of
from memconsole.domain.metrics import families, of_publishing
from memconsole.domain.settings import usable
from memconsole.engine.cleanup.read import OURS, left_over
from memconsole.errors import MemconsoleError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from memconsole.domain.agents import Agent
    from memconsole.domain.cleanup import OldKind
    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot
    from memconsole.engine.home.reader import Reader
    from memconsole.engine.search.service import SearchService
    from memconsole.ports.bundle import HealthPorts
    from memconsole.ports.platform import RunLog
    from memconsole.ports.state import TakenLog

_RUNS = 200
"""Of cleanups that are looked at: one of each agent and night, for the agents of a large home."""


class MetricsService:
    """Metrics for monitoring.

    Args:
        health: Where they go, the last runs of jobs, and old files.
        reader: For the home.
        snapshot: Takes a reading of everything.
        search: Tells the state of the indexes.
        taken: What cleanup took away.
        runs: When it ran.
    """

    def __init__(
        self,
        health: HealthPorts,
        reader: Reader,
        *,
        snapshot: Callable[[], ConsoleSnapshot],
        search: SearchService,
        taken: TakenLog,
        runs: RunLog,
    ) -> None:
        self._sink = health.metrics
        self._fleet = health.fleet
        self._jobs = health.jobs
        self._old = health.transcripts
        self._reader = reader
        self._snapshot = snapshot
        self._search = search
        self._taken = taken
        self._runs = runs

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
        indexes, old = usable(self._search.indexes, None) or {}, dict(self._old_figures())
        found = families(snapshot, records, indexes, old, version=__version__)
        if (standing := standing_of(self._fleet.read())) is not None:
            found += of_publishing(standing, snapshot.taken_at)
        self._sink.publish(found)
        return sum(len(one.samples) for one in found)

    def _old_figures(self) -> Iterator[tuple[str, OldFigures]]:
        """Yield what there is for cleanup of each agent, and of ours under no name."""
        home = self._reader.home()
        runs = self._runs.runs(limit=_RUNS, home=str(home.path), command=CLEANUP.name)
        last = {one.agent or "": one.ended_at for one in reversed(runs) if one.status != "failed"}
        for agent in (*home.agents, None):
            taken = self._taken.of(OURS if agent is None else agent.ref)
            kept = [one.size_bytes for one in taken if one.step is Step.DELETE and one.is_done]
            name = "" if agent is None else agent.id
            figures = (len(kept), sum(kept)), last.get(name)
            yield name, OldFigures(self._found(agent), *figures)

    def _found(self, agent: Agent | None) -> Mapping[OldKind, tuple[int, int]] | None:
        """Count what cleanup looks at; None where the stores cannot say what is in use."""
        files = list(self._old.own(agent))
        if agent is not None:
            try:
                listing = self._reader.listing(agent)
            except MemconsoleError:
                return None
            if not is_readable(listing):
                return None
            files += left_over(self._old, agent, listing.sessions)
        return counted(files)
