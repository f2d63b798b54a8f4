"""An engine that says what it was told to say."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from memconsole.domain.agents import AgentRef, HomeRef
from memconsole.domain.bootstrap import Bootstrap
from memconsole.domain.commands.account import account_of
from memconsole.domain.commands.checkpoint import Checkpointed
from memconsole.domain.commands.command import name_of
from memconsole.domain.commands.outcomes import Planned, Written
from memconsole.domain.commands.reindex import Reindex
from memconsole.domain.commands.rotate import Rotate
from memconsole.domain.config_check.finding import ConfigReport
from memconsole.domain.consolidate.text import ConsolidationPreview
from memconsole.domain.health import HealthReport
from memconsole.domain.memory.advice import MemoryAdvice
from memconsole.domain.memory.entries import entries_of
from memconsole.domain.sessions.keys import SessionClass
from memconsole.domain.settings import Settings
from memconsole.domain.settings.sections import UiSettings
from memconsole.engine.alerts import AlertService
from memconsole.engine.bootstrap import BootstrapService
from memconsole.engine.config_check.service import ConfigService
from memconsole.engine.consolidate.read import ConsolidationService
from memconsole.engine.health.service import HealthService
from memconsole.engine.home.service import HomeService
from memconsole.engine.hooks import HookService
from memconsole.engine.memory.service import MemoryService
from memconsole.engine.runs import RunService
from memconsole.engine.sessions.service import SessionService
from memconsole.engine.snapshot.record import ReadingService
from memconsole.errors import MemconsoleError, SessionNotFoundError
from tests.doubles.platform import FakeGateway
from tests.doubles.platform_files import FakeConfigFile, FakeHooks
from tests.ui import sample
from tests.ui.fake_search import FakeSearching

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime, timedelta

    from memconsole.domain.agents import Origin
    from memconsole.domain.alerts import AlertStatus
    from memconsole.domain.checkpoint.rules import Capture
    from memconsole.domain.commands.command import Command
    from memconsole.domain.commands.outcomes import Follower, Outcome, Run, Step
    from memconsole.domain.hooks import HookStatus
    from memconsole.domain.memory.entries import MemoryEntry
    from memconsole.domain.memory.files import Marker
    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot, SessionDetail, TranscriptView
    from memconsole.domain.summarize.handover import Handover
    from memconsole.engine.pruning import PruningPreview, PruningRequest
    from memconsole.engine.snapshot.snapshot import SoFar
    from memconsole.ports.jobs import JobControl
    from memconsole.ports.platform import StopSignal


def settings(**ui: object) -> Settings:
    """Return settings for a console in a fixed zone."""
    return Settings(
        state_dir=Path("/nonexistent/memconsole"),
        timezone="Europe/Berlin",
        ui=UiSettings(**{"theme": "calm", **ui}),  # type: ignore[arg-type]  # names are checked by the dataclass itself
    )


class FakeEngine(FakeSearching):
    """Has what the console asks: each service says what the engine was told.

    Attributes:
        reading: What a snapshot returns; an error is raised instead.
        asked: What each snapshot was asked to look at.
        commands: Everything that was run, dry runs included.
        outcomes: What a command returns, by its name; else a plausible one.
        run_gate: Commands that are no dry runs wait for it.
        told: What they tell of their steps before they wait.
        kept: Number of the last run that was written down.
    """

    def __init__(
        self,
        reading: ConsoleSnapshot | MemconsoleError | None = None,
        *,
        ui: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__()
        self.settings = settings(**(ui or {}))
        self.reading = reading or sample.usual()
        self.asked: list[frozenset[AgentRef] | None] = []
        self.commands: list[Command] = []
        self.outcomes: dict[str, Outcome] = {}
        self.told: list[Step] = []
        self.kept = 411
        self.details: dict[str, SessionDetail] = {}
        self.transcripts: dict[str, TranscriptView] = {}
        self.texts: dict[str, str] = {}
        self.captures: tuple[Capture, ...] = ()
        self.marked: tuple[tuple[str, Marker], ...] = ()
        self.advice: MemoryAdvice | MemconsoleError = MemoryAdvice((), 1, 1)
        self.given: tuple[Bootstrap, ...] | MemconsoleError = ()
        nothing = ConsolidationPreview(sample.ref("main"), "", (), (), "", 0, 0, 5_000, ())
        self.consolidated: ConsolidationPreview | MemconsoleError = nothing
        self.startup = Bootstrap(SessionClass.MAIN, (), ())
        self.handovers: tuple[tuple[Handover, Bootstrap], ...] = ()
        self.hook_states: tuple[HookStatus, ...] = ()
        self.pruned: PruningPreview | None = None
        self.wishes: list[PruningRequest] = []
        self.history = sample.runs()
        self.sampled = 0
        self.jobs: JobControl | None = None
        self.health_report = HealthReport((), sample.NOW)
        self.standings: tuple[AlertStatus, ...] = ()
        self.config_report: ConfigReport | MemconsoleError = ConfigReport(())
        self.run_gate = threading.Event()
        self.run_gate.set()
        self.home = FakeHome()
        self.readings = FakeReadings(self)
        self.sessions = FakeSessions(self)
        self.memory = FakeMemory(self)
        self.consolidation = FakeConsolidation(self)
        self.bootstrap = FakeBootstrap(self)
        self.hooks = still_hooks(self)
        self.runs = FakeRuns(self)
        self.health = FakeHealth(self)
        self.alerts = FakeAlerts(self)
        self.config = FakeConfig(self)

    def snapshot(
        self,
        changed: frozenset[AgentRef] | None = None,
        *,
        with_pools: bool = True,
        agent_id: str | None = None,
        with_outlook: bool = False,
        so_far: SoFar | None = None,
    ) -> ConsoleSnapshot:
        self.asked.append(changed)
        if isinstance(self.reading, MemconsoleError):
            raise self.reading
        return self.reading

    @property
    def done(self) -> list[Command]:
        """What was run for good, without the dry runs."""
        return [command for command in self.commands if not command.dry_run]

    def run(
        self,
        command: Command,
        *,
        progress: Callable[[int, int], None] | None = None,
        cancel: StopSignal | None = None,
        job: str | None = None,
        follower: Follower | None = None,
    ) -> Outcome:
        self.commands.append(command)
        if follower is not None:
            for step in self.told:
                follower.moved(step)
        if not command.dry_run:
            self.run_gate.wait(10)
        outcome = self._came(command, progress, cancel)
        if follower is not None:
            done = [one for one in self.told if one.duration_ms is not None]
            self.kept += 1
            follower.kept(account_of(outcome, done, command.spec.stages), self.kept)
        return outcome

    def _came(
        self,
        command: Command,
        progress: Callable[[int, int], None] | None,
        cancel: StopSignal | None,
    ) -> Outcome:
        name = name_of(command)
        if command.dry_run and f"{name} --dry-run" in self.outcomes:
            return self.outcomes[f"{name} --dry-run"]
        if not command.dry_run and name in self.outcomes:
            return self.outcomes[name]
        if isinstance(command, Reindex) and not command.dry_run:
            return self.build(command, progress, cancel)
        wrote = (Written("ACTIVE_CONTEXT.md", 2_150), Written("memory/2026-01-26.md", 480))
        if isinstance(command, Rotate) and command.dry_run:
            return Planned(
                command,
                f"would reset {command.key} at 151.2K of 150K, after a checkpoint of it",
                details={"threshold": 150_000, "tokens": 151_200, "class": "main"},
            )
        if command.dry_run:
            message = f"would save 60 messages of agent:{command.agent.id}:main"
            details = {"read": 412, "damaged": 0, "filtered": 31}
            return Planned(command, message, wrote=wrote, details=details, duration_ms=12)
        return Checkpointed(
            command,
            "saved 60 messages",
            session_id="00000001",
            is_logged=True,
            wrote=wrote,
            duration_ms=31,
        )


class FakeSessions(SessionService):
    """The details and transcripts of the engine."""

    def __init__(self, fake: FakeEngine) -> None:
        self._fake = fake

    def detail(self, name: str, *, with_windows: bool = False) -> SessionDetail:
        if name not in self._fake.details:
            raise SessionNotFoundError(name)
        return self._fake.details[name]

    def transcript(
        self, name: str, *, tail: int | None = None, everything: bool = False
    ) -> TranscriptView:
        if name not in self._fake.transcripts:
            raise SessionNotFoundError(name)
        return self._fake.transcripts[name]

    def pruned(self, name: str, request: PruningRequest) -> PruningPreview:
        self._fake.wishes.append(request)
        if self._fake.pruned is None:
            raise SessionNotFoundError(name)
        return self._fake.pruned


class FakeMemory(MemoryService):
    """The texts of the engine."""

    def __init__(self, fake: FakeEngine) -> None:
        self._fake = fake

    def markers(self, agent_id: str | None = None) -> tuple[tuple[str, Marker], ...]:
        return self._fake.marked

    def checkpoints(self, agent_id: str) -> tuple[Capture, ...]:
        return self._fake.captures

    def text(self, agent_id: str, relative: str) -> str | None:
        return self._fake.texts.get(relative)

    def entries(self, agent_id: str, name: str | None = None) -> tuple[MemoryEntry, ...]:
        return () if name is None else entries_of(name, self._fake.texts.get(name, ""))

    def advice(self, agent_id: str) -> MemoryAdvice:
        if isinstance(self._fake.advice, MemconsoleError):
            raise self._fake.advice
        return self._fake.advice


class FakeConsolidation(ConsolidationService):
    """The preview of the engine."""

    def __init__(self, fake: FakeEngine) -> None:
        self._fake = fake

    def preview(self, agent_id: str) -> ConsolidationPreview:
        if isinstance(self._fake.consolidated, MemconsoleError):
            raise self._fake.consolidated
        return self._fake.consolidated


class FakeBootstrap(BootstrapService):
    """What the engine gives."""

    def __init__(self, fake: FakeEngine) -> None:
        self._fake = fake

    def by_class(self, agent_id: str) -> tuple[Bootstrap, ...]:
        if isinstance(self._fake.given, MemconsoleError):
            raise self._fake.given
        return self._fake.given

    def with_handovers(self, agent_id: str) -> tuple[tuple[Handover, Bootstrap], ...]:
        return self._fake.handovers

    def to_read(
        self, *, workspace: Path | None = None, session_key: str | None = None
    ) -> Bootstrap:
        return self._fake.startup


class FakeRuns(RunService):
    """The history of the engine."""

    def __init__(self, fake: FakeEngine) -> None:
        self._fake = fake

    def newest(
        self,
        *,
        limit: int = 50,
        since: datetime | None = None,
        job: str | None = None,
        origin: Origin | None = None,
    ) -> tuple[Run, ...]:
        return tuple(run for run in self._fake.history if job in (None, run.job))[:limit]


class FakeHealth(HealthService):
    """The report of the engine."""

    def __init__(self, fake: FakeEngine) -> None:
        self._fake = fake

    def report(self, snapshot: ConsoleSnapshot | None = None) -> HealthReport:
        return self._fake.health_report


class FakeAlerts(AlertService):
    """The standings of the engine."""

    def __init__(self, fake: FakeEngine) -> None:
        self._fake = fake

    def standings(self) -> tuple[AlertStatus, ...]:
        return self._fake.standings

    def mute(self, issue: str, span: timedelta | None, *, dry_run: bool = False) -> None:
        until = None if span is None else sample.NOW + span
        self._fake.standings = tuple(
            replace(one, muted_until=until) if one.alert.issue == issue else one
            for one in self._fake.standings
        )


class FakeConfig(ConfigService):
    """The findings of the engine."""

    def __init__(self, fake: FakeEngine) -> None:
        self._fake = fake

    def check(
        self, snapshot: ConsoleSnapshot | None = None, *, recommends: bool = False
    ) -> ConfigReport:
        if isinstance(self._fake.config_report, MemconsoleError):
            raise self._fake.config_report
        return self._fake.config_report


class FakeHome(HomeService):
    """The home of the samples."""

    def __init__(self) -> None:
        pass

    def watched(self) -> tuple[Path, ...]:
        return (sample.HOME,)

    def owners(self, paths: frozenset[Path]) -> frozenset[AgentRef] | None:
        return frozenset(AgentRef(HomeRef(str(sample.HOME)), path.name) for path in paths)


class FakeReadings(ReadingService):
    """Counts what it is given."""

    def __init__(self, fake: FakeEngine) -> None:
        self._fake = fake

    def note_events(self, snapshot: ConsoleSnapshot) -> None:
        pass

    def sample(self, snapshot: ConsoleSnapshot) -> None:
        self._fake.sampled += 1

    def remember(self) -> None:
        pass


class StillHooks(FakeHooks):
    """The hooks of the engine, which nobody changes here."""

    def __init__(self, fake: FakeEngine) -> None:
        super().__init__()
        self._fake = fake

    def status(self, prefix: str, *, asks: bool = False) -> tuple[HookStatus, ...]:
        return self._fake.hook_states


def still_hooks(fake: FakeEngine) -> HookService:
    """Return hooks that are as the engine says, in a home without a configuration."""
    return HookService(
        StillHooks(fake),
        config_file=FakeConfigFile,
        home=lambda: sample.usual().home,
        gateway=FakeGateway(sample.NOW),
        settings=fake.settings,
    )
