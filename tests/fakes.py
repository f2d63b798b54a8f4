"""Fakes that satisfy the ports by shape: the engine's world without disk, clock or platform."""

from __future__ import annotations

import hashlib
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from memconsole.domain.agents import Agent, AgentRef, Era, Home, Origin, PlatformConfig, Storage
from memconsole.domain.commands.outcomes import Written
from memconsole.domain.memory.files import MARKER_TAGS, Pool
from memconsole.domain.memory.records import WorkspaceText
from memconsole.domain.sessions.stored import StoreListing
from memconsole.domain.snapshot.snapshot import SchedulerStatus
from memconsole.domain.transcripts.records import Entry, EntryKind, Tail, UsageMark
from memconsole.errors import (
    ConcurrentEditError,
    LockedError,
    StateError,
    StoreError,
    WorkspaceError,
)
from memconsole.ports.bundle import HealthPorts, ModelPorts, Ports
from memconsole.ports.search import PlatformIndexPorts, SearchPorts
from tests.fake_alerts import FakeAlerts, FakeLogs, FakeMetrics
from tests.fake_cleanup import FakeOldTranscripts
from tests.fake_config import FakeConfigFile
from tests.fake_consolidation import FakeConsolidation
from tests.fake_gateway import FakeGateway, FakeRotations
from tests.fake_observer import FakeObserver
from tests.fake_platform_index import FakePlatformIndexes
from tests.memory_fakes import (
    FakeCron,
    FakeEdits,
    FakeFlushes,
    FakeHooks,
    FakeHost,
    FakeJobs,
    FakeLockList,
    FakeModel,
    FakeRecovery,
    FakeReflections,
    FakeSummaries,
)
from tests.record_fakes import (
    FakeCaptures,
    FakeFolders,
    FakeJournal,
    FakeRuns,
    FakeSamples,
)
from tests.search_fakes import FakeDocuments, FakeIndex

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memconsole.domain.memory.files import Marker
    from memconsole.domain.sessions.stored import StoredSession, TranscriptRef

NOW = datetime(2026, 1, 26, 13, 20, tzinfo=UTC)
"""Where every fake clock starts."""

HOME = Path("/home/operator/.openclaw")


class FakeClock:
    """Stands still until it is moved."""

    def __init__(self, at: datetime = NOW) -> None:
        self.at = at
        self.seconds = 0.0

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return self.seconds

    def advance(self, step: timedelta) -> None:
        """Move wall clock and stopwatch."""
        self.at += step
        self.seconds += step.total_seconds()


def fake_agent(
    agent_id: str = "main", *, workspace: Path | None = None, **changes: object
) -> Agent:
    """Return a configured agent whose workspace exists."""
    folder = HOME / "agents" / agent_id
    values: dict[str, object] = {
        "ref": AgentRef(str(HOME), agent_id),
        "name": None,
        "workspace": workspace or HOME / f"workspace-{agent_id}",
        "workspace_exists": True,
        "folder": folder,
        "sessions_dir": folder / "sessions",
        "store_file": folder / "sessions" / "sessions.json",
        "database": folder / "agent" / "openclaw-agent.sqlite",
        "is_configured": True,
        **changes,
    }
    return Agent(**values)  # type: ignore[arg-type]  # names are checked by the dataclass itself


class FakePlatform:
    """Knows the agents it was given."""

    def __init__(self, *agents: Agent, config: PlatformConfig | None = None) -> None:
        self.agents = agents
        self.config = config or PlatformConfig()

    def read(self) -> Home:
        return Home(HOME, self.config, self.agents, Era(), (), NOW)


class FakeStore:
    """Sessions and transcripts held in memory.

    Attributes:
        listings: By agent id.
        transcripts: Entries in stored order, by session id.
        broken: Session ids whose transcript raises `StoreError`.
    """

    def __init__(self) -> None:
        self.listings: dict[str, StoreListing] = {}
        self.transcripts: dict[str, list[Entry]] = {}
        self.broken: set[str] = set()
        self.revision = 0

    def hold(
        self, *sessions: StoredSession, storage: Storage = Storage.FILES, **listing: object
    ) -> None:
        """List these sessions for the agent of the first one."""
        made = StoreListing(tuple(sessions), storage, **listing)  # type: ignore[arg-type]
        self.listings[sessions[0].agent.id] = made
        self.revision += 1

    def sessions(self, agent: Agent) -> StoreListing:
        listing = self.listings.get(agent.id, StoreListing((), Storage.NONE))
        return replace(listing, fingerprint=self.revision)

    def fingerprint(self, agent: Agent) -> object:
        return self.revision

    def backward(self, ref: TranscriptRef, *, limit_bytes: int) -> Iterator[Entry]:
        passed = 0
        for entry in reversed(self._entries(ref)):
            if passed >= limit_bytes:
                return
            passed += entry.size_bytes
            yield entry

    def counted(
        self, refs: Sequence[TranscriptRef], *, limit_bytes: int, expected: int
    ) -> Iterator[tuple[TranscriptRef, Iterator[Entry]]]:
        for ref in refs:
            yield ref, self.backward(ref, limit_bytes=limit_bytes)

    def forward(self, ref: TranscriptRef) -> Iterator[Entry]:
        yield from self._entries(ref)

    @contextmanager
    def keep_open(self) -> Iterator[None]:
        yield

    def _entries(self, ref: TranscriptRef) -> list[Entry]:
        if ref.session_id in self.broken:
            raise StoreError(f"{ref.path} cannot be read: it is a fake that was broken")
        return self.transcripts.get(ref.session_id, [])


class FakeUsages:
    """Remembers ends of transcripts by home."""

    def __init__(self) -> None:
        self.kept: dict[str, dict[UsageMark, Tail]] = {}
        self.loads = 0

    def load(self, home: str) -> Mapping[UsageMark, Tail]:
        self.loads += 1
        return self.kept.get(home, {})

    def store(self, home: str, tails: Mapping[UsageMark, Tail]) -> None:
        self.kept[home] = dict(tails)


def talk(*texts: str, start: datetime = NOW - timedelta(minutes=30)) -> list[Entry]:
    """Return a chain of messages, the user first, one a minute."""
    entries = []
    for number, text in enumerate(texts):
        entry = Entry(
            EntryKind.MESSAGE,
            id=f"{number:08x}",
            parent_id=f"{number - 1:08x}" if number else None,
            has_parent=True,
            at=start + timedelta(minutes=number),
            role="assistant" if number % 2 else "user",
            text=text,
            position=number * 1000,
            size_bytes=1000,
        )
        entries.append(entry)
    return entries


class FakeWorkspace:
    """A folder of texts by (root, relative path).

    Attributes:
        undo: What the journal would take back: file, text before, text after.
        edits: Texts that someone else writes right before a replacement, by path, one a call.
        refused: Paths whose writing fails, with the reason.
        unreadable: Paths whose reading fails, with the reason.
    """

    def __init__(self) -> None:
        self.files: dict[tuple[Path, str], str] = {}
        self.undo: list[tuple[tuple[Path, str], str | None, str | None]] = []
        self.edits: dict[str, list[str]] = {}
        self.refused: dict[str, str] = {}
        self.unreadable: dict[str, str] = {}
        self.writes: list[str] = []

    def put(self, root: Path, relative: str, text: str | None) -> None:
        """Write or remove a file, so that it can be taken back."""
        self.undo.append(((root, relative), self.files.pop((root, relative), None), text))
        if text is not None:
            self.files[root, relative] = text

    def take_back(self) -> None:
        """Undo what nobody has changed since."""
        for file, before, after in reversed(self.undo):
            if self.files.get(file) == after:
                self.files.pop(file, None)
                if before is not None:
                    self.files[file] = before

    def text(self, root: Path, relative: str) -> str | None:
        """Return what a file holds now."""
        return self.files.get((root, relative))

    def read(self, root: Path, relative: str) -> WorkspaceText | None:
        self._contain(relative)
        if relative in self.unreadable:
            raise WorkspaceError(f"{relative}: {self.unreadable[relative]}")
        text = self.files.get((root, relative))
        return None if text is None else WorkspaceText(text, _version(text))

    def replace(
        self,
        root: Path,
        relative: str,
        text: str,
        *,
        seen: WorkspaceText | None,
        is_final: bool = False,
    ) -> Written:
        self._refuse(relative)
        if self.edits.get(relative):
            self.files[root, relative] = self.edits[relative].pop(0)
        if self.read(root, relative) != seen:
            raise ConcurrentEditError(relative)
        self.put(root, relative, text)
        if is_final:
            self.undo.pop()
        self.writes.append(relative)
        return Written(relative, len(text.encode()))

    def edit(
        self,
        root: Path,
        relative: str,
        text: str,
        *,
        seen: WorkspaceText | None,
        mode: int | None = None,
    ) -> Written:
        return self.replace(root, relative, text, seen=seen)

    def append(self, root: Path, relative: str, entry: str, *, header: str) -> Written:
        self._refuse(relative)
        old = self.files.get((root, relative), "")
        gap = "" if not old or old.endswith("\n") else "\n"
        added = (gap if old else header) + entry
        self.put(root, relative, old + added)
        self.writes.append(relative)
        return Written(relative, len(added.encode()))

    def _refuse(self, relative: str) -> None:
        self._contain(relative)
        if relative in self.refused:
            raise WorkspaceError(f"{relative}: {self.refused[relative]}")

    def _contain(self, relative: str) -> None:
        if PurePosixPath(relative).is_absolute() or ".." in PurePosixPath(relative).parts:
            raise WorkspaceError(f"{relative} lies outside the workspace")


def _version(text: str) -> tuple[int, int, str]:
    data = text.encode()
    return 0, len(data), hashlib.sha256(data).hexdigest()


class FakeLocks:
    """Remembers what is held; `held_by` names other owners by root."""

    def __init__(self) -> None:
        self.held_by: dict[Path, str] = {}
        self.taken: list[Path] = []
        self.patience = 0.0
        self.is_unwritable = False

    @contextmanager
    def workspace(self, root: Path, patience: float = 0) -> Iterator[None]:
        self.patience = patience
        if self.is_unwritable:
            raise StateError("the state folder cannot be written")
        if root in self.held_by:
            raise LockedError(f"workspace {root}", self.held_by[root])
        self.held_by[root] = "this test"
        self.taken.append(root)
        try:
            yield
        finally:
            del self.held_by[root]

    @contextmanager
    def session(self, home: str, key: str) -> Iterator[None]:
        with self.workspace(Path(home) / key):
            yield


class FakeMemory:
    """Empty pools, unless others were put in by workspace."""

    def __init__(self) -> None:
        self.pools: dict[Path, Pool] = {}
        self.marked: dict[Path, tuple[Marker, ...]] = {}

    def pool(
        self, workspace: Path, agents: tuple[str, ...], *, config: PlatformConfig, now: datetime
    ) -> Pool:
        if workspace in self.pools:
            return self.pools[workspace]
        return Pool(
            agents=agents,
            root=workspace,
            exists=True,
            files=0,
            size_bytes=0,
            tokens=0,
            markers=dict.fromkeys(MARKER_TAGS, 0),
            items=(),
            by_category=(),
            limits=(),
            notices=(),
            active_context_at=None,
            read_at=now,
        )

    def fingerprint(self, workspace: Path) -> object:
        return id(self.pools.get(workspace))

    def markers(self, workspace: Path) -> tuple[Marker, ...]:
        return self.marked.get(workspace, ())


class FakeScheduler:
    """Nobody runs jobs, unless told otherwise."""

    def __init__(self, status: SchedulerStatus | None = None) -> None:
        self.current = status or SchedulerStatus()

    def status(self) -> SchedulerStatus:
        return self.current


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
        self.captures = FakeCaptures()
        self.summaries = FakeSummaries()
        self.recovery = FakeRecovery()
        self.reflections = FakeReflections()
        self.folders = FakeFolders(self.workspace)
        self.journal = FakeJournal(self.workspace)
        self.observer = FakeObserver()
        self.flushes = FakeFlushes()
        self.edits = FakeEdits()
        self.consolidation = FakeConsolidation()
        self.scheduler = FakeScheduler()
        self.gateway = FakeGateway(NOW)
        self.host = FakeHost()
        self.lock_list = FakeLockList()
        self.cron = FakeCron()
        self.jobs = FakeJobs()
        self.model = FakeModel()
        self.hooks = FakeHooks()
        self.rotations = FakeRotations()
        self.clock = FakeClock()
        self.index = FakeIndex()
        self.documents = FakeDocuments()
        self.platform_index = FakePlatformIndexes()
        self.config_file = FakeConfigFile()
        self.alerts = FakeAlerts()
        self.logs = FakeLogs()
        self.metrics = FakeMetrics()
        self.old_transcripts = FakeOldTranscripts()
        self.usages = FakeUsages()

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
            usages=self.usages,
            captures=self.captures,
            summaries=self.summaries,
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
            ),
            alerts=lambda: self.alerts.ports,
            llm=lambda: ModelPorts(self.model, self.model),
            hooks=lambda: self.hooks,
        )
