"""The engine's world without disk, clock or platform: all doubles in one bundle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.agents import Agent, Origin, PlatformConfig
from memconsole.engine.home.reader import Reader
from memconsole.engine.snapshot.snapshot import Snapshots
from memconsole.ports.bundle import HealthPorts, ModelPorts, Ports
from memconsole.ports.search import PlatformIndexPorts, SearchPorts
from tests.doubles.alerts import FakeAlerts, FakeStatusFile
from tests.doubles.host import (
    FakeCron,
    FakeHost,
    FakeLockList,
    FakeLogs,
    FakeMetrics,
    FakeOldTranscripts,
)
from tests.doubles.jobs import FakeJobs
from tests.doubles.model import FakeModel
from tests.doubles.platform import (
    NOW,
    FakeBranches,
    FakeClock,
    FakeEvents,
    FakeGateway,
    FakeJournal,
    FakeLocks,
    FakeMemory,
    FakePlatform,
    FakeReadings,
    FakeRotations,
    FakeRuns,
    FakeSamples,
    FakeScheduler,
    FakeStore,
    FakeWorkspace,
    fake_agent,
)
from tests.doubles.platform_files import FakeConfigFile, FakeHooks
from tests.doubles.search import FakeDocuments, FakeIndex, FakePlatformIndexes
from tests.doubles.state import (
    FakeCaptures,
    FakeConsolidation,
    FakeEdits,
    FakeFlushes,
    FakeFolders,
    FakeHandovers,
    FakeObserver,
    FakeRecovery,
    FakeReflections,
    FakeSummaries,
    FakeTaken,
)

if TYPE_CHECKING:
    from memconsole.domain.settings import Settings
    from memconsole.ports.platform import Platform


class World:
    """All fakes of one engine, each under its port's name."""

    def __init__(self, *agents: Agent, config: PlatformConfig | None = None) -> None:
        self.platform = FakePlatform(*(agents or (fake_agent(),)), config=config)
        self.sessions = FakeStore()
        self.memory = FakeMemory()
        self.workspace = FakeWorkspace()
        self.locks = FakeLocks()
        self.runs = FakeRuns()
        self.samples = FakeSamples()
        self.events = FakeEvents()
        self.captures = FakeCaptures()
        self.summaries = FakeSummaries()
        self.handovers, self.taken = FakeHandovers(), FakeTaken()
        self.reflections = FakeReflections()
        self.folders = FakeFolders(self.workspace)
        self.journal = FakeJournal(self.workspace)
        self.observer = FakeObserver()
        self.flushes = FakeFlushes()
        self.recovery = FakeRecovery(self.captures, self.summaries, self.flushes)
        self.edits = FakeEdits(self.captures, self.reflections)
        self.consolidation = FakeConsolidation()
        for log in (
            self.captures,
            self.summaries,
            self.recovery,
            self.reflections,
            self.observer,
            self.edits,
            self.consolidation,
        ):
            log.recorded = self.workspace.undo.clear
        self.scheduler = FakeScheduler()
        self.gateway = FakeGateway(NOW)
        self.host = FakeHost()
        self.lock_list = FakeLockList()
        self.cron = FakeCron()
        self.jobs = FakeJobs()
        self.model = FakeModel()
        self.hooks = FakeHooks()
        self.rotations = FakeRotations()
        self.branches = FakeBranches()
        self.clock = FakeClock()
        self.index = FakeIndex()
        self.documents = FakeDocuments()
        self.platform_index = FakePlatformIndexes()
        self.config_file = FakeConfigFile()
        self.alerts = FakeAlerts()
        self.logs, self.metrics = FakeLogs(), FakeMetrics()
        self.old_transcripts = FakeOldTranscripts()
        self.secret_counts, self.fleet_standing = FakeStatusFile(), FakeStatusFile()
        self.read_before = FakeReadings()

    @property
    def ports(self) -> Ports:
        """The bundle that an engine takes."""
        return Ports(
            platform=self.platform,
            sessions=self.sessions,
            memory=self.memory,
            workspace=self.workspace,
            locks=self.locks,
            runs=self.runs,
            samples=self.samples,
            events=self.events,
            read_before=self.read_before,
            captures=self.captures,
            summaries=self.summaries,
            handovers=self.handovers,
            taken=self.taken,
            recovery=self.recovery,
            reflections=self.reflections,
            folders=self.folders,
            journal=self.journal,
            observer=self.observer,
            flushes=self.flushes,
            edits=self.edits,
            consolidation=self.consolidation,
            scheduler=self.scheduler,
            gateway=self.gateway,
            rotations=self.rotations,
            branches=self.branches,
            clock=self.clock,
            origin=Origin.CLI,
            search=lambda: SearchPorts(self.index, self.documents),
            platform_index=lambda: PlatformIndexPorts(
                self.platform_index, self.platform_index.embed
            ),
            config_file=lambda: self.config_file,
            health=lambda: HealthPorts(
                self.host,
                self.lock_list,
                self.cron,
                self.jobs,
                self.logs,
                self.metrics,
                self.old_transcripts,
                self.secret_counts,
                self.fleet_standing,
            ),
            alerts=lambda: self.alerts.ports,
            llm=lambda: ModelPorts(self.model, self.model),
            hooks=lambda: self.hooks,
        )


def reader_of(world: World, settings: Settings, platform: Platform | None = None) -> Reader:
    """Return what reads a world, as the engine makes it."""
    return Reader(
        settings,
        platform=platform or world.platform,
        sessions=world.sessions,
        memory=world.memory,
        read_before=world.read_before,
        clock=world.clock,
    )


def snapshots_of(world: World, reader: Reader) -> Snapshots:
    """Return what takes readings of a world, as the engine makes it."""
    return Snapshots(
        reader,
        samples=world.samples,
        captures=world.captures,
        recovery=world.recovery,
        runs=world.runs,
        events=world.events,
        scheduler=world.scheduler,
        alerts=world.ports.alerts,
        clock=world.clock,
    )
