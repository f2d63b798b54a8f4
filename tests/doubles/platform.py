"""Doubles of the platform and of the workspace, one long file as their port is: disk to Gateway."""

from __future__ import annotations

import hashlib
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from memconsole.domain.agents import (
    Agent,
    AgentRef,
    Era,
    Home,
    HomeRef,
    Origin,
    PlatformConfig,
    Storage,
)
from memconsole.domain.commands.outcomes import Run, Written
from memconsole.domain.gateway import (
    BranchAnswer,
    CompactAnswer,
    GatewayStatus,
    LiveReading,
    LiveSession,
    ResetAnswer,
)
from memconsole.domain.memory.files import (
    MARKER_TAGS,
    Marker,
    MemoryText,
    Pool,
    PoolDay,
    WorkspaceText,
)
from memconsole.domain.memory.intents import OpenErasure
from memconsole.domain.sessions.stored import StoredSession, StoreListing, TranscriptRef
from memconsole.domain.snapshot.snapshot import SchedulerStatus
from memconsole.domain.transcripts.records import Entry, EntryKind, Tail, Usage, UsageMark
from memconsole.errors import (
    ConcurrentEditError,
    GatewayUnavailableError,
    LockedError,
    StateError,
    StoreError,
    WorkspaceError,
)
from memconsole.text.markdown import addition
from tests.doubles.unwritable import Unwritable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from memconsole.domain.events import Event, Noted
    from memconsole.domain.memory.intents import Erasure
    from memconsole.domain.rotation import Identity, Rotation, RotationState
    from memconsole.domain.search.agent_view import AgentHit
    from memconsole.domain.sessions.composition import PromptReport
    from memconsole.domain.sessions.tokens import Sample
    from memconsole.domain.sessions.windows import Branch, BranchState
    from memconsole.ports.platform import StopSignal

NOW = datetime(2026, 1, 26, 13, 20, tzinfo=UTC)
"""Where every fake clock starts."""


HOME = Path("/home/operator/.openclaw")

FLAT_STEP = timedelta(minutes=10)
"""Equal counts of a session nearer than this are one sample."""


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
        "ref": AgentRef(HomeRef(str(HOME)), agent_id),
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
        # All agents alike, as far as a test says anything of eras.
        era = self.agents[0].era if self.agents else Era()
        return Home(HOME, self.config, self.agents, era, (), NOW)


class FakeStore:
    """Sessions and transcripts held in memory.

    Attributes:
        listings: By agent id.
        transcripts: Entries in stored order, by session id.
        reports: What the platform noted, by agent id and session key.
        broken: Session ids whose transcript raises `StoreError`.
    """

    def __init__(self) -> None:
        self.listings: dict[str, StoreListing] = {}
        self.transcripts: dict[str, list[Entry]] = {}
        self.broken: set[str] = set()
        self.reports: dict[tuple[str, str], PromptReport] = {}
        self.revision = 0

    def hold(
        self, *sessions: StoredSession, storage: Storage = Storage.FILES, **listing: object
    ) -> None:
        """List these sessions for the agent of the first one; what they said is put in later."""
        made = StoreListing(tuple(sessions), storage, **listing)  # type: ignore[arg-type]
        self.listings[sessions[0].agent.id] = made
        for ref in (one.transcript for one in sessions if one.transcript):
            self.transcripts.setdefault(ref.session_id, [])
        self.revision += 1

    def sessions(self, agent: Agent) -> StoreListing:
        listing = self.listings.get(agent.id, StoreListing((), Storage.NONE))
        return replace(listing, fingerprint=self.fingerprint(agent))

    def fingerprint(self, agent: Agent) -> object:
        return self.revision, *((name, len(held)) for name, held in self.transcripts.items())

    def prompt_report(self, agent: Agent, key: str) -> PromptReport | None:
        return self.reports.get((agent.id, key))

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
            yield ref, map(_without_words, self.backward(ref, limit_bytes=limit_bytes))

    def forward(self, ref: TranscriptRef) -> Iterator[Entry]:
        yield from self._entries(ref)

    def texts(self, ref: TranscriptRef) -> Iterator[tuple[int, str]]:
        for number, entry in enumerate(self._entries(ref), start=1):
            yield number, f"{entry.text}\n"

    @contextmanager
    def keep_open(self) -> Iterator[None]:
        yield

    def _entries(self, ref: TranscriptRef) -> list[Entry]:
        if ref.session_id in self.broken or ref.session_id not in self.transcripts:
            raise StoreError(f"{ref.path} cannot be read: it is broken, or nobody put it in")
        return self.transcripts[ref.session_id]


def _without_words(entry: Entry) -> Entry:
    return replace(entry, text="", thinking_chars=0, attachments=(), tools=())


class FakeReadings:
    """Remembers ends of transcripts and listings by home."""

    def __init__(self) -> None:
        self.kept: dict[str, dict[UsageMark, Tail]] = {}
        self.listings: dict[AgentRef, tuple[Agent, StoreListing]] = {}
        self.loads = 0

    def load(self, home: str) -> Mapping[UsageMark, Tail]:
        self.loads += 1
        return self.kept.get(home, {})

    def listing(self, agent: Agent, fingerprint: Callable[[Agent], object]) -> StoreListing | None:
        known = self.listings.get(agent.ref)
        if known is None or known != (agent, replace(known[1], fingerprint=fingerprint(agent))):
            return None
        return known[1]

    def store(
        self,
        home: str,
        tails: Mapping[UsageMark, Tail],
        listings: Mapping[AgentRef, tuple[Agent, StoreListing]],
    ) -> None:
        self.kept[home] = dict(tails)
        self.listings = {ref: one for ref, one in listings.items() if one[1].newest_ns is not None}

    def forget(self) -> None:
        self.kept, self.listings = {}, {}


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


def answer(tokens: int, *, minutes_ago: int = 0) -> Entry:
    """Return an answer that says how many tokens its prompt had."""
    return Entry(
        EntryKind.MESSAGE,
        id=str(minutes_ago),
        has_parent=True,
        at=NOW - timedelta(minutes=minutes_ago),
        role="assistant",
        text="working on it",
        usage=Usage(total=tokens),
    )


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
        contain(relative)
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
        if not text.strip() and self.text(root, relative):
            raise WorkspaceError(f"{relative} was left alone: an empty text would replace it")
        return self._replace(root, relative, text, seen, is_final=is_final)

    def _replace(
        self,
        root: Path,
        relative: str,
        text: str,
        seen: WorkspaceText | None,
        *,
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
        erases: bool = False,
    ) -> Written:
        return self._replace(root, relative, text, seen)

    def append(self, root: Path, relative: str, entry: str, *, header: str) -> Written:
        self._refuse(relative)
        old = self.files.get((root, relative), "")
        added = addition(old, entry, header)
        self.put(root, relative, old + added)
        self.writes.append(relative)
        return Written(relative, len(added.encode()))

    def _refuse(self, relative: str) -> None:
        contain(relative)
        if relative in self.refused:
            raise WorkspaceError(f"{relative}: {self.refused[relative]}")


def contain(relative: str) -> None:
    """Refuse what is no path inside a workspace."""
    path = PurePosixPath(relative)
    if path.is_absolute() or ".." in path.parts or not path.parts or "\0" in relative:
        raise WorkspaceError(f"{relative!r} was left alone: it lies outside the workspace")


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
        self.held: dict[Path, tuple[MemoryText, ...]] = {}

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

    def texts(self, workspace: Path) -> Iterator[MemoryText]:
        yield from self.held.get(workspace, ())


class FakeScheduler:
    """Nobody runs jobs, unless told otherwise."""

    def __init__(self, status: SchedulerStatus | None = None) -> None:
        self.current = status or SchedulerStatus()

    def status(self) -> SchedulerStatus:
        return self.current


class FakeJournal(Unwritable):
    """Takes back what a turn wrote since its last record, when it ends with an exception.

    Attributes:
        promised: What shall be gone, with the workspace it is promised for.
        told: Since when, and why the last try failed, by what is promised.
    """

    def __init__(self, workspace: FakeWorkspace) -> None:
        super().__init__()
        self.workspace = workspace
        self.promised: list[tuple[Path, Erasure]] = []
        self.told: dict[tuple[Path, Erasure], tuple[datetime, str, str]] = {}
        self._is_forward = False

    @contextmanager
    def turn(self, root: Path, *, is_forward: bool = False) -> Iterator[None]:
        self._check()
        self.workspace.undo.clear()
        self._is_forward = is_forward
        try:
            yield
        except BaseException:
            if not self._is_forward:
                self.workspace.take_back()
            raise

    def close(self, root: Path) -> tuple[Erasure, ...]:
        self._check()
        return tuple(one for place, one in reversed(self.promised) if place == root)

    def promise(self, root: Path, erasure: Erasure, at: datetime, *, home: Path) -> None:
        self._check()
        self.promised.append((root, erasure))
        self.told[root, erasure] = at, "", "" if home == Path() else str(home.resolve())
        self._is_forward = True

    def kept(self, root: Path, erasure: Erasure) -> None:
        self._check()
        self.promised = [one for one in self.promised if one != (root, erasure)]

    def failed(self, root: Path, erasure: Erasure, why: str) -> None:
        if not self.is_unwritable:
            at, _, home = self.told[root, erasure]
            self.told[root, erasure] = at, why, home

    def unfinished(self) -> tuple[OpenErasure, ...]:
        return tuple(OpenErasure(str(one[0]), *self.told[one]) for one in self.promised)


@dataclass
class FakeRuns(Unwritable):
    """The run log as a list, oldest first."""

    stored: list[Run] = field(default_factory=list)
    is_unreadable: bool = False

    def require_readable(self) -> None:
        if self.is_unreadable:
            raise StateError("what was recorded cannot be read")

    def add(self, run: Run) -> int:
        self._check()
        self.stored.append(replace(run, id=len(self.stored) + 1))
        return len(self.stored)

    def runs(
        self,
        *,
        limit: int,
        since: datetime | None = None,
        job: str | None = None,
        home: str | None = None,
        command: str | None = None,
        origin: Origin | None = None,
    ) -> tuple[Run, ...]:
        chosen = [
            run
            for run in sorted(self.stored, key=lambda one: (one.started_at, one.id), reverse=True)
            if (since is None or run.started_at >= since)
            and job in (None, run.job)
            and home in (None, run.home)
            and command in (None, run.command)
            and origin in (None, run.origin)
        ]
        return tuple(chosen[:limit])


@dataclass
class FakeEvents(Unwritable):
    """What happened, oldest first, and what was noted last."""

    stored: list[Event] = field(default_factory=list)
    noted: dict[str, Noted] = field(default_factory=dict)
    first: dict[str, datetime] = field(default_factory=dict)

    def first_look(self, home: str) -> datetime | None:
        return self.first.get(home)

    def events(self, home: str, *, limit: int) -> tuple[Event, ...]:
        found = [one for one in self.stored if one.home == home]
        return tuple(sorted(found, key=lambda one: (one.at, one.id), reverse=True)[:limit])

    def note(
        self, home: str, judge: Callable[[Noted | None], tuple[Noted, Sequence[Event]] | None]
    ) -> None:
        self._check()
        judged = judge(self.noted.get(home))
        if judged is not None:
            self.noted[home], events = judged
            self.first.setdefault(home, self.noted[home].at)
            for one in events:
                self.stored.append(replace(one, id=len(self.stored) + 1))


@dataclass
class FakeSamples(Unwritable):
    """Token samples in the order they came; a count that stays keeps its first and last."""

    stored: list[Sample] = field(default_factory=list)
    pools: dict[tuple[str, str, date], PoolDay] = field(default_factory=dict)

    def add_pools(self, home: str, days: Iterable[PoolDay]) -> None:
        self._check()
        self.pools.update(((home, one.agent_id, one.day), one) for one in days)

    def pool_days(self, home: str, *, since: date) -> tuple[PoolDay, ...]:
        return tuple(one for (of, _, day), one in self.pools.items() if of == home and day >= since)

    def add(self, samples: Iterable[Sample]) -> None:
        self._check()
        for one in samples:
            self._keep(one)

    def samples(self, *, since: datetime) -> tuple[Sample, ...]:
        found = [one for one in self.stored if one.at >= since]
        return tuple(sorted(found, key=lambda one: one.at))

    def _keep(self, new: Sample) -> None:
        found = [one for one in self.stored if one.session_id == new.session_id]
        newest = sorted(found, key=lambda one: one.at)[-2:]
        is_flat = [one.tokens == new.tokens for one in newest]
        if is_flat[-1:] == [True] and abs(new.at - newest[-1].at) < FLAT_STEP:
            return
        if is_flat == [True, True] and new.at > newest[-1].at:
            self.stored.remove(newest[-1])
        self.stored.append(new)


@dataclass
class FakeBranches(Unwritable):
    """The journal of branches as a list, oldest first."""

    stored: list[Branch] = field(default_factory=list)

    def begin(self, branch: Branch) -> int:
        self._check()
        self.stored.append(replace(branch, id=len(self.stored) + 1))
        return len(self.stored)

    def finish(self, number: int, state: BranchState, made: str | None, ended_at: datetime) -> None:
        self._check()
        one = self.stored[number - 1]
        self.stored[number - 1] = replace(one, state=state, made=made, ended_at=ended_at)

    def recent(self, agent: AgentRef, key: str, *, limit: int) -> tuple[Branch, ...]:
        found = [one for one in self.stored if (one.agent, one.key) == (agent, key)]
        return tuple(reversed(found[-limit:]))


@dataclass
class FakeRotations(Unwritable):
    """The journal as a list, oldest first."""

    stored: list[Rotation] = field(default_factory=list)

    def begin(self, rotation: Rotation) -> int:
        self._check()
        self.stored.append(replace(rotation, id=len(self.stored) + 1))
        return len(self.stored)

    def finish(
        self, number: int, state: RotationState, after: Identity | None, ended_at: datetime
    ) -> None:
        self._check()
        self.stored[number - 1] = replace(
            self.stored[number - 1], state=state, after=after, ended_at=ended_at
        )

    def recent(self, agent: AgentRef, key: str, *, limit: int) -> tuple[Rotation, ...]:
        found = [one for one in self.stored if (one.agent, one.key) == (agent, key)]
        return tuple(reversed(found[-limit:]))


class FakeGateway:
    """Switched off, unless sessions were put in; resets in place, as 2026.9 does.

    Attributes:
        rows: Sessions by key.
        verdict: What it answers with; anything but `up` refuses everything.
        version: Its release.
        reason: Why it has that verdict.
        cut_at: Where its list ends early.
        resets: Every (key, expected session id) that was sent; `branches` every (key, message).
        during: Called before a request of that name is answered.
        is_ineffective: It answers ok and does nothing.
        loses: The answers of these requests never arrive, though they are carried out.
        refusal: Raised by a reset or compaction instead of an answer.
        answer: What a compaction answers.
        memory: What its own search finds, whatever is asked; `searches` holds the questions.
        news: What happens before each piece of news.
    """

    def __init__(self, at: datetime) -> None:
        self.scopes: tuple[str, ...] = ()
        self.at = at
        self.rows: dict[str, LiveSession] = {}
        self.verdict = "off"
        self.version = "2026.9.6"
        self.reason: str | None = None
        self.cut_at: tuple[int, int] | None = None
        self.resets: list[tuple[str, str | None]] = []
        self.branches: list[tuple[str, str]] = []
        self.compactions: list[str] = []
        self.instructions: list[str | None] = []
        self.looks: list[str] = []
        self.searches: list[tuple[str, str]] = []
        self.memory: tuple[AgentHit, ...] = ()
        self.during: dict[str, Callable[[], None]] = {}
        self.is_ineffective = False
        self.news: list[Callable[[], None]] = []
        self.loses: set[str] = set()
        self.refusal: Exception | None = None
        self.answer = CompactAnswer(True, summary="## Goal", tokens_before=1, tokens_after=1)

    @property
    def is_off(self) -> bool:
        return self.verdict == "off"

    def hold(self, *rows: LiveSession) -> None:
        """Serve these sessions."""
        self.verdict = "up"
        self.rows = {row.key: row for row in rows}

    def read(self) -> LiveReading:
        self._happen("read")
        is_up = self.verdict == "up"
        return LiveReading(
            self._status(),
            dict(self.rows) if is_up else {},
            self.at if is_up else None,
            cut_at=self.cut_at,
        )

    def listen(self, stop: StopSignal) -> Iterator[None]:
        while not stop.is_set() and self.news:
            self.news.pop(0)()
            yield None

    def provisional(self) -> GatewayStatus:
        return GatewayStatus("late", reason="it was asked a moment ago")

    def require(self) -> GatewayStatus:
        if self.verdict != "up":
            raise GatewayUnavailableError(
                f"the gateway is {self.verdict}", "Look at it.", verdict=self.verdict
            )
        return self._status()

    def find(self, key: str, *, patience_s: float = 0.0) -> LiveSession | None:
        self._happen("find")
        self.require()
        self.looks.append(key)
        return self.rows.get(key)

    def search_memory(self, agent_id: str, query: str, limit: int) -> tuple[AgentHit, ...]:
        self.require()
        if self.refusal is not None:
            raise self.refusal
        self.searches.append((agent_id, query))
        return self.memory[:limit]

    def reset(self, key: str, session_id: str | None) -> ResetAnswer:
        self._happen("reset")
        self.require()
        self.resets.append((key, session_id))
        if self.refusal is not None:
            raise self.refusal
        row = self.rows[key]
        if not self.is_ineffective:
            row = self.rows[key] = replace(row, tokens=0, tokens_fresh=True, status=None)
            row = replace(row, revision=f"r-{len(self.resets)}", started_at=self.at)
        if "reset" in self.loses:
            return ResetAnswer(is_lost=True)
        return ResetAnswer(row)

    def branch(self, key: str, entry: str, *, is_compaction: bool = False) -> BranchAnswer:
        self._happen("branch")
        self.require()
        self.branches.append((key, entry))
        if self.refusal is not None:
            raise self.refusal
        made = f"agent:main:dashboard:b-{len(self.branches)}"
        if not self.is_ineffective:
            row = LiveSession(made, "main", f"s-{made}", updated_at=self.at)
            branched = replace(row, label="Checkpoint branch", parent_key=key)
            self.rows[made] = branched if is_compaction else replace(row, forked_at=(key, entry))
        if "branch" in self.loses:
            return BranchAnswer(is_lost=True)
        return BranchAnswer(made)

    def compact(self, key: str, instructions: str | None = None) -> CompactAnswer:
        self._happen("compact")
        self.require()
        self.compactions.append(key)
        self.instructions.append(instructions)
        if self.refusal is not None:
            raise self.refusal
        return self.answer

    def _happen(self, name: str) -> None:
        self.during.get(name, lambda: None)()

    def _status(self) -> GatewayStatus:
        version = self.version if self.verdict == "up" else None
        url = "ws://127.0.0.1:18789"
        return GatewayStatus(self.verdict, url, version, self.scopes, self.reason)
