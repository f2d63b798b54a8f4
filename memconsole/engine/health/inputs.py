"""One look at health: what its checks may ask, each thing read once however many ask."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from memconsole.domain.compaction import CompactionEvidence
    from memconsole.domain.search.indexing import IndexStatus, Source
    from memconsole.domain.settings import Settings
    from memconsole.domain.settings.sections import HealthSettings
    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot
    from memconsole.ports.bundle import HealthPorts, SearchNeeds
    from memconsole.ports.platform import Journal, RotationLog, RunLog, Workspace
    from memconsole.ports.state import CaptureLog, EventLog


@dataclass(frozen=True)
class HealthInputs:
    """What the checks of one report share; what is dear is read when a check asks for it.

    Attributes:
        search: What a look at the platform's own indexes asks.
        health: Gives what only health asks.
        evidence: Of the platform's compactions.
        indexes: State of every search index, by agent and source.
    """

    runs: RunLog
    rotations: RotationLog
    captures: CaptureLog
    events: EventLog
    workspace: Workspace
    journal: Journal
    search: SearchNeeds
    health: Callable[[], HealthPorts]
    settings: Settings
    snapshot: ConsoleSnapshot
    now: datetime
    evidence: Callable[[], CompactionEvidence]
    indexes: Callable[[], Mapping[tuple[str, Source], IndexStatus]]

    @property
    def rules(self) -> HealthSettings:
        """The thresholds."""
        return self.settings.health

    @functools.cached_property
    def own(self) -> HealthPorts:
        """What only health asks."""
        return self.health()
