"""The ports that one engine works with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memconsole.domain.agents import Origin
    from memconsole.ports import alerts as alert_ports
    from memconsole.ports import host as health_ports
    from memconsole.ports import jobs as job_ports
    from memconsole.ports import model as llm_ports
    from memconsole.ports import platform as ports
    from memconsole.ports import platform_files, state
    from memconsole.ports.search import PlatformIndexPorts, SearchPorts


@dataclass(frozen=True, slots=True)
class HealthPorts:
    """What only health asks.

    Attributes:
        secrets: Keeps how many secrets the last look found in memory files.
        fleet: Tells how publishing goes.
    """

    host: health_ports.HostProbe
    locks: health_ports.LockList
    cron: health_ports.CronRuns
    jobs: job_ports.JobStore
    logs: health_ports.LogFiles
    metrics: health_ports.MetricsSink
    transcripts: health_ports.OldTranscripts
    secrets: alert_ports.StatusFile
    fleet: alert_ports.StatusFile


@dataclass(frozen=True, slots=True)
class ModelPorts:
    """The optional language model, and what it cost."""

    model: llm_ports.LanguageModel
    log: llm_ports.ModelLog


@dataclass(frozen=True, slots=True)
class AlertPorts:
    """What only alerting asks.

    Attributes:
        channels: Makes the channels of the settings; the log comes first.
        host_name: Of this computer, for people who look after several.
    """

    store: alert_ports.AlertStore
    channels: Callable[[], Sequence[alert_ports.AlertChannel]]
    status_file: alert_ports.StatusFile
    host_name: str


class SearchNeeds(Protocol):
    """What a search asks; `Ports` has all of it."""

    @property
    def platform(self) -> ports.Platform:
        """The home and its agents."""

    @property
    def sessions(self) -> ports.SessionStore:
        """Transcripts, when they are searched."""

    @property
    def clock(self) -> ports.Clock:
        """The time."""

    @property
    def consolidation(self) -> state.ConsolidationLog:
        """What searches found is kept there, when the settings say so."""

    @property
    def search(self) -> Callable[[], SearchPorts]:
        """Gives indexes and documents."""

    @property
    def platform_index(self) -> Callable[[], PlatformIndexPorts]:
        """Gives the platform's own indexes."""


@dataclass(frozen=True, slots=True)
class Ports:
    """Everything the engine asks; wiring builds it, tests fill it with fakes.

    Attributes:
        search: Gives the ports of search; the commands that do not search never make them.
        platform_index: Gives what only asks how the platform itself would search.
        health: Gives what only health asks.
        config_file: Gives the platform's configuration as a file; only its checks make it.
        alerts: Gives what only alerting asks.
    """

    platform: ports.Platform
    sessions: ports.SessionStore
    memory: ports.MemoryReader
    workspace: ports.Workspace
    locks: ports.Locks
    runs: ports.RunLog
    samples: ports.SampleStore
    events: state.EventLog
    read_before: ports.ReadingMemory
    captures: state.CaptureLog
    summaries: state.SummaryLog
    handovers: state.HandoverLog
    taken: state.TakenLog
    recovery: state.RecoveryLog
    observer: state.ObserverLog
    flushes: state.FlushLog
    reflections: state.ReflectionLog
    edits: state.MemoryLog
    consolidation: state.ConsolidationLog
    folders: state.WorkspaceFolders
    journal: ports.Journal
    scheduler: ports.SchedulerControl
    gateway: ports.Gateway
    rotations: ports.RotationLog
    branches: ports.BranchLog
    clock: ports.Clock
    origin: Origin
    search: Callable[[], SearchPorts]
    platform_index: Callable[[], PlatformIndexPorts]
    config_file: Callable[[], platform_files.ConfigFile]
    health: Callable[[], HealthPorts]
    llm: Callable[[], ModelPorts]
    alerts: Callable[[], AlertPorts]
    hooks: Callable[[], platform_files.HookFolder]
