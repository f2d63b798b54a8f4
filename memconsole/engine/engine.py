"""One engine behind console, command line and scheduler: a reading, a command, and services.

What is asked about a subject is asked of its service. Each is made when it is first asked for, and
its module is loaded then: `status` has to answer at once. Everything blocks, and may be called from
any thread.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from memconsole.engine.home.live import LiveView
from memconsole.engine.home.reader import Reader
from memconsole.engine.snapshot.record import ReadingService
from memconsole.engine.snapshot.snapshot import Snapshots

if TYPE_CHECKING:
    from collections.abc import Callable

    from memconsole.domain.agents import AgentRef
    from memconsole.domain.commands.command import Command
    from memconsole.domain.commands.outcomes import Follower, Outcome
    from memconsole.domain.settings import Settings
    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot
    from memconsole.engine.alerts import AlertService
    from memconsole.engine.bootstrap import BootstrapService
    from memconsole.engine.config_check.service import ConfigService
    from memconsole.engine.consolidate.read import ConsolidationService
    from memconsole.engine.due import DueService
    from memconsole.engine.health.service import HealthService
    from memconsole.engine.hooks import HookService
    from memconsole.engine.logs import LogService
    from memconsole.engine.memory.secrets import SecretService
    from memconsole.engine.memory.service import MemoryService
    from memconsole.engine.metrics import MetricsService
    from memconsole.engine.platform_search.explain import PlatformSearchService
    from memconsole.engine.rotation.service import RotationService
    from memconsole.engine.runs import RunService
    from memconsole.engine.search.service import SearchService
    from memconsole.engine.sessions.service import SessionService
    from memconsole.engine.snapshot.snapshot import SoFar
    from memconsole.engine.watches import Watches
    from memconsole.ports.bundle import Ports
    from memconsole.ports.platform import StopSignal


class Engine:
    """One engine over one set of ports.

    Attributes:
        home: Whose memory it is.
        readings: Keeps what snapshots found out.
        gateway: The platform's Gateway.
    """

    def __init__(self, ports: Ports, settings: Settings) -> None:
        self.settings = settings
        self._ports = ports
        self._reader = Reader(
            settings,
            platform=ports.platform,
            sessions=ports.sessions,
            memory=ports.memory,
            read_before=ports.read_before,
            clock=ports.clock,
        )
        self._live = LiveView(ports.gateway, ports.origin)
        self._snapshots = Snapshots(
            self._reader,
            samples=ports.samples,
            events=ports.events,
            captures=ports.captures,
            recovery=ports.recovery,
            runs=ports.runs,
            scheduler=ports.scheduler,
            alerts=ports.alerts,
            clock=ports.clock,
        )
        self.home = self._reader.homes
        self.readings = ReadingService(
            ports.samples,
            ports.recovery,
            self._reader,
            events=ports.events,
            captures=ports.captures,
            clock=ports.clock,
            locks=lambda: ports.health().locks,
        )
        self.gateway = ports.gateway

    def of(self, agent_id: str) -> tuple[Engine, str]:
        """Return who looks after an agent, and its id there; over several homes they differ."""
        return self, agent_id

    def snapshot(
        self,
        changed: frozenset[AgentRef] | None = None,
        *,
        with_pools: bool = True,
        agent_id: str | None = None,
        with_outlook: bool = False,
        so_far: SoFar | None = None,
    ) -> ConsoleSnapshot:
        """Take one reading of everything.

        Args:
            changed: Agents whose files changed; the others are taken from the last reading
                without a look. None looks at all of them.
            with_pools: False leaves the memory pools out (`agents`, `sessions`).
            agent_id: Only this agent.
            with_outlook: Also tell when each session was saved, and what happens to it next.
            so_far: Told after each agent, for who shows a large home while it is read.

        Raises:
            HomeNotFoundError: The platform home does not exist.
            HomeUnreadableError: It exists, and none of its stores can be read.
            UnknownAgentError: There is no such agent.
        """
        return self._snapshots.take(
            self._live,
            changed,
            with_pools=with_pools,
            agent_id=agent_id,
            min_compaction_ms=self.settings.min_compaction_ms,
            settings=self.settings if with_outlook else None,
            so_far=so_far,
        )

    def run(
        self,
        command: Command,
        *,
        progress: Callable[[int, int], None] | None = None,
        cancel: StopSignal | None = None,
        job: str | None = None,
        follower: Follower | None = None,
    ) -> Outcome:
        """Run one command; expected failures come back as `Failed`, bugs are raised.

        Args:
            command: What to do.
            progress: Told how many steps are done, and of how many, by commands of many steps.
            cancel: Ends such a command early, at a place where nothing is half done.
            job: The scheduler's job that it is a part of.
            follower: Told each step when it begins and when it ends, and then the whole account.
        """
        from memconsole.engine.dispatch import Attended, run_command  # noqa: PLC0415

        return run_command(
            command,
            ports=self._ports,
            reader=self._reader,
            settings=self.settings,
            attended=Attended(progress, cancel, job, follower),
        )

    @cached_property
    def sessions(self) -> SessionService:
        """Single sessions."""
        from memconsole.engine.sessions.service import SessionService  # noqa: PLC0415

        ports = self._ports
        return SessionService(
            self._reader,
            self._snapshots,
            self._live,
            self.settings,
            sessions=ports.sessions,
            captures=ports.captures,
            summaries=ports.summaries,
            recovery=ports.recovery,
            flushes=ports.flushes,
            observer=ports.observer,
            clock=ports.clock,
        )

    @cached_property
    def search(self) -> SearchService:
        """Our own search."""
        from memconsole.engine.search.service import SearchService  # noqa: PLC0415

        return SearchService(self._ports, self.home, self.settings)

    @cached_property
    def platform_search(self) -> PlatformSearchService:
        """The agents' own search."""
        from memconsole.engine.platform_search.explain import PlatformSearchService  # noqa: PLC0415

        return PlatformSearchService(self._ports, self.gateway, self.home, self.settings)

    @cached_property
    def memory(self) -> MemoryService:
        """What agents wrote down."""
        from memconsole.engine.memory.service import MemoryService  # noqa: PLC0415

        return MemoryService(
            self._reader,
            workspace=self._ports.workspace,
            memory=self._ports.memory,
            captures=self._ports.captures,
            samples=self._ports.samples,
            clock=self._ports.clock,
        )

    @cached_property
    def consolidation(self) -> ConsolidationService:
        """What may leave long-term memory, and what may come."""
        from memconsole.engine.consolidate.read import ConsolidationService  # noqa: PLC0415
        from memconsole.engine.home.workspace import Memories  # noqa: PLC0415

        ports = self._ports
        memories = Memories(
            self._reader, self.settings, ports.workspace, ports.folders, ports.clock
        )
        return ConsolidationService(memories, ports.consolidation)

    @cached_property
    def bootstrap(self) -> BootstrapService:
        """What starting sessions are given."""
        from memconsole.engine.bootstrap import BootstrapService  # noqa: PLC0415

        ports = self._ports
        return BootstrapService(
            self._reader,
            self.settings,
            workspace=ports.workspace,
            sessions=ports.sessions,
            recovery=ports.recovery,
            handovers=ports.handovers,
            search=ports.search,
            clock=ports.clock,
        )

    @cached_property
    def rotation(self) -> RotationService:
        """Plans of rotation."""
        from memconsole.engine.rotation.service import RotationService  # noqa: PLC0415

        ports = self._ports
        return RotationService(
            rotations=ports.rotations,
            samples=ports.samples,
            sessions=ports.sessions,
            clock=ports.clock,
            reader=self._reader,
            settings=self.settings,
            locks=ports.locks,
        )

    @cached_property
    def due(self) -> DueService:
        """Commands that are due without anybody asking for them."""
        from memconsole.engine.due import DueService  # noqa: PLC0415

        ports = self._ports
        return DueService(
            self._reader,
            self.settings,
            workspace=ports.workspace,
            captures=ports.captures,
            flushes=ports.flushes,
            reflections=ports.reflections,
            clock=ports.clock,
        )

    @cached_property
    def watches(self) -> Watches:
        """Makes watches of changed files."""
        from memconsole.engine.watches import Watches  # noqa: PLC0415

        ports = self._ports
        return Watches(
            self._reader,
            self.settings,
            search=ports,
            sessions=ports.sessions,
            clock=ports.clock,
        )

    @cached_property
    def config(self) -> ConfigService:
        """The platform's configuration and its compactions."""
        from memconsole.engine.config_check.service import ConfigService  # noqa: PLC0415

        ports = self._ports
        return ConfigService(
            snapshots=self._snapshots,
            gateway=ports.gateway,
            origin=ports.origin,
            sessions=ports.sessions,
            config_file=ports.config_file,
            reader=self._reader,
            settings=self.settings,
        )

    @cached_property
    def alerts(self) -> AlertService:
        """What is wrong, and who knows of it."""
        from memconsole.engine.alerts import AlertService  # noqa: PLC0415

        return AlertService(self._ports.alerts(), self.home, self.settings, self._ports.clock)

    @cached_property
    def health(self) -> HealthService:
        """Everything that keeps memory safe."""
        from memconsole.engine.health.service import HealthService  # noqa: PLC0415

        ports = self._ports
        return HealthService(
            self._reader,
            self._snapshots,
            self.settings,
            config=self.config,
            search=self.search,
            alerts=self.alerts,
            gateway=ports.gateway,
            origin=ports.origin,
            runs=ports.runs,
            rotations=ports.rotations,
            workspace=ports.workspace,
            journal=ports.journal,
            needs=ports,
            health=ports.health,
            status_file=ports.alerts().status_file,
            clock=ports.clock,
        )

    @cached_property
    def runs(self) -> RunService:
        """What was run."""
        from memconsole.engine.runs import RunService  # noqa: PLC0415

        return RunService(self._ports.runs, self.home)

    @cached_property
    def logs(self) -> LogService:
        """Logs that are rotated."""
        from memconsole.engine.logs import LogService  # noqa: PLC0415

        return LogService(self._reader, self.settings, logs=self._ports.health().logs)

    @cached_property
    def secrets(self) -> SecretService:
        """Secrets in what agents wrote down and said."""
        from memconsole.engine.memory.secrets import SecretService  # noqa: PLC0415

        ports, health = self._ports, self._ports.health()
        return SecretService(
            self._reader,
            memory=ports.memory,
            sessions=ports.sessions,
            old=health.transcripts,
            counts=health.secrets,
            settings=self.settings,
            clock=ports.clock,
        )

    @cached_property
    def metrics(self) -> MetricsService:
        """What monitoring is told."""
        from memconsole.engine.metrics import MetricsService  # noqa: PLC0415

        return MetricsService(
            self._ports.health(),
            self._reader,
            snapshot=self.snapshot,
            search=self.search,
            taken=self._ports.taken,
            runs=self._ports.runs,
        )

    @cached_property
    def hooks(self) -> HookService:
        """Memconsole's hooks inside the platform."""
        from memconsole.engine.hooks import HookService  # noqa: PLC0415

        return HookService(
            self._ports.hooks(),
            config_file=self._ports.config_file,
            home=self._reader.home,
            gateway=self.gateway,
            settings=self.settings,
        )
