"""Every view of our own database, made at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.stores.state_captures import StateCaptures
from memconsole.stores.state_consolidation import StateConsolidation
from memconsole.stores.state_flushes import StateFlushes
from memconsole.stores.state_jobs import StateJobs
from memconsole.stores.state_journal import StateJournal
from memconsole.stores.state_memory import StateMemory
from memconsole.stores.state_observer import StateObserver
from memconsole.stores.state_records import StateRunLog, StateSamples
from memconsole.stores.state_recovery import StateRecovery
from memconsole.stores.state_reflections import StateReflections
from memconsole.stores.state_rotations import StateRotations
from memconsole.stores.state_summaries import StateSummaries

if TYPE_CHECKING:
    from memconsole.stores.state import StateDatabase


class StateViews:
    """What is kept in `state.db`, by the name of its port.

    Args:
        database: Opened by each view when it is asked.
    """

    def __init__(self, database: StateDatabase) -> None:
        self.runs = StateRunLog(database)
        self.samples = StateSamples(database)
        self.captures = StateCaptures(database)
        self.summaries = StateSummaries(database)
        self.recovery = StateRecovery(database)
        self.observer = StateObserver(database)
        self.edits = StateMemory(database)
        self.consolidation = StateConsolidation(database)
        self.flushes = StateFlushes(database)
        self.reflections = StateReflections(database)
        self.rotations = StateRotations(database)
        self.jobs = StateJobs(database)
        self.journal = StateJournal(database)
