"""The logs of our own database, twice: as they are, and as the engine's tests have them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.adapters.state.alerts import StateAlerts
from memconsole.adapters.state.captures import (
    StateCaptures,
    StateFlushes,
    StateHandovers,
    StateObserver,
    StateRecovery,
    StateSummaries,
    StateTaken,
)
from memconsole.adapters.state.database import StateDatabase
from memconsole.adapters.state.events import StateEvents
from memconsole.adapters.state.memory import StateConsolidation, StateMemory, StateReflections
from memconsole.adapters.state.rotations import StateBranches, StateRotations
from memconsole.adapters.state.runs import StateJobs, StateRunLog, StateSamples
from tests.doubles.bundle import World

if TYPE_CHECKING:
    from pathlib import Path

    from memconsole.ports.alerts import AlertStore
    from memconsole.ports.jobs import JobStore
    from memconsole.ports.platform import BranchLog, RotationLog, RunLog, SampleStore
    from memconsole.ports.state import (
        CaptureLog,
        ConsolidationLog,
        EventLog,
        FlushLog,
        HandoverLog,
        MemoryLog,
        ObserverLog,
        RecoveryLog,
        ReflectionLog,
        SummaryLog,
        TakenLog,
    )

KINDS = ("state.db", "doubles")


@dataclass(frozen=True)
class Logs:
    """One of each."""

    alerts: AlertStore
    captures: CaptureLog
    consolidation: ConsolidationLog
    edits: MemoryLog
    flushes: FlushLog
    handovers: HandoverLog
    jobs: JobStore
    observer: ObserverLog
    recovery: RecoveryLog
    reflections: ReflectionLog
    rotations: RotationLog
    branches: BranchLog
    runs: RunLog
    samples: SampleStore
    events: EventLog
    summaries: SummaryLog
    taken: TakenLog


def stored_in(folder: Path) -> Logs:
    """Return the logs of a database in this folder."""
    database = StateDatabase(folder, PrivateCopies())
    return Logs(
        alerts=StateAlerts(database),
        captures=StateCaptures(database),
        consolidation=StateConsolidation(database),
        edits=StateMemory(database),
        flushes=StateFlushes(database),
        handovers=StateHandovers(database),
        jobs=StateJobs(database),
        observer=StateObserver(database),
        recovery=StateRecovery(database),
        reflections=StateReflections(database),
        rotations=StateRotations(database),
        branches=StateBranches(database),
        runs=StateRunLog(database),
        samples=StateSamples(database),
        events=StateEvents(database),
        summaries=StateSummaries(database),
        taken=StateTaken(database),
    )


def doubled(*, is_unwritable: bool = False) -> Logs:
    """Return the doubles of a world."""
    world = World()
    doubles = {name: getattr(world, name) for name in Logs.__dataclass_fields__}
    doubles["alerts"] = world.alerts.store
    for double in doubles.values():
        double.is_unwritable = is_unwritable
    return Logs(**doubles)


@pytest.fixture(params=KINDS)
def logs(request: pytest.FixtureRequest, tmp_path: Path) -> Logs:
    """Both, which promise the same."""
    return stored_in(tmp_path / "state") if request.param == "state.db" else doubled()


@pytest.fixture(params=KINDS)
def closed_logs(request: pytest.FixtureRequest, tmp_path: Path) -> Logs:
    """Logs that nobody can write."""
    (tmp_path / "state").write_text("a file where the folder should be")
    if request.param == "state.db":
        return stored_in(tmp_path / "state")
    return doubled(is_unwritable=True)
