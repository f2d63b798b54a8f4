"""Every view of our own database, made at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.adapters.state.captures import (
    StateCaptures,
    StateFlushes,
    StateHandovers,
    StateObserver,
    StateRecovery,
    StateSummaries,
    StateTaken,
)
from memconsole.adapters.state.events import StateEvents
from memconsole.adapters.state.journal import StateJournal
from memconsole.adapters.state.memory import StateConsolidation, StateMemory, StateReflections
from memconsole.adapters.state.rotations import StateBranches, StateRotations
from memconsole.adapters.state.runs import StateJobs, StateRunLog, StateSamples

if TYPE_CHECKING:
    from memconsole.adapters.state.database import StateDatabase


class StateViews:
    """What is kept in `state.db`, by the name of its port.

    Args:
        database: Opened by each view when it is asked.
        mark: Of the home, where the database serves the schedulers of several.
    """

    def __init__(self, database: StateDatabase, mark: str = "") -> None:
        self.runs = StateRunLog(database)
        self.samples = StateSamples(database)
        self.events = StateEvents(database)
        self.captures = StateCaptures(database)
        self.summaries = StateSummaries(database)
        self.handovers = StateHandovers(database)
        self.recovery = StateRecovery(database)
        self.taken = StateTaken(database)
        self.observer = StateObserver(database)
        self.edits = StateMemory(database)
        self.consolidation = StateConsolidation(database)
        self.flushes = StateFlushes(database)
        self.reflections = StateReflections(database)
        self.rotations = StateRotations(database)
        self.branches = StateBranches(database)
        self.jobs = StateJobs(database, mark)
        self.journal = StateJournal(database)
