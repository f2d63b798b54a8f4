"""What the engine needs from outside, as protocols; adapters satisfy them by shape."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import date, datetime
    from pathlib import Path

    from memconsole.domain.agents import Agent, AgentRef, Home, Origin, PlatformConfig
    from memconsole.domain.commands.outcomes import Run, Written
    from memconsole.domain.gateway import (
        BranchAnswer,
        CompactAnswer,
        GatewayStatus,
        LiveReading,
        LiveSession,
        ResetAnswer,
    )
    from memconsole.domain.memory.files import Marker, MemoryText, Pool, PoolDay, WorkspaceText
    from memconsole.domain.memory.intents import Erasure, OpenErasure
    from memconsole.domain.rotation import Identity, Rotation, RotationState
    from memconsole.domain.search.agent_view import AgentHit
    from memconsole.domain.sessions.composition import PromptReport
    from memconsole.domain.sessions.stored import StoreListing, TranscriptRef
    from memconsole.domain.sessions.tokens import Sample
    from memconsole.domain.sessions.windows import Branch, BranchState
    from memconsole.domain.snapshot.snapshot import SchedulerStatus
    from memconsole.domain.transcripts.records import Entry, Tail, UsageMark


class Clock(Protocol):
    """Wall time and a stopwatch."""

    def now(self) -> datetime:
        """Return the wall time, aware UTC (`MEMCONSOLE_NOW` moves it)."""

    def monotonic(self) -> float:
        """Return seconds of a clock that never goes back."""


class Platform(Protocol):
    """The platform home and its configuration."""

    def read(self) -> Home:
        """Read home, configuration and agents.

        Raises:
            HomeNotFoundError: The home does not exist.
            HomeUnreadableError: It exists and cannot be listed.
        """


class SessionStore(Protocol):
    """Sessions and transcripts of one agent, whatever era it is; never written."""

    def sessions(self, agent: Agent) -> StoreListing:
        """List what the agent's stores hold; a store that fails becomes a notice."""

    def fingerprint(self, agent: Agent) -> object:
        """Return a cheap value that changes when a new listing may differ."""

    def prompt_report(self, agent: Agent, key: str) -> PromptReport | None:
        """Return what the platform noted about the beginning of a session's last request.

        None when it noted nothing, or when that cannot be read: the listing says why.
        """

    def backward(self, ref: TranscriptRef, *, limit_bytes: int) -> Iterator[Entry]:
        """Yield entries newest first until `limit_bytes` bytes were passed.

        A last line without its end comes as IN_PROGRESS, an undecodable one as DAMAGED.

        Raises:
            StoreError: The transcript cannot be opened or unpacked.
        """

    def counted(
        self, refs: Sequence[TranscriptRef], *, limit_bytes: int, expected: int
    ) -> Iterator[tuple[TranscriptRef, Iterator[Entry]]]:
        """Yield many transcripts with their entries as `backward` gives them, but without words.

        Cheaper than one `backward` each, for whoever only counts. The order is not that of `refs`.

        Args:
            refs: The transcripts.
            limit_bytes: Bytes of each to pass at most.
            expected: How many of the newest entries are likely to be enough.
        """

    def forward(self, ref: TranscriptRef) -> Iterator[Entry]:
        """Yield all entries in stored order; same kinds and errors as `backward`."""

    def texts(self, ref: TranscriptRef) -> Iterator[tuple[int, str]]:
        """Yield the records as they are stored, piece by piece, whatever they hold.

        Each piece comes with the line in which it begins; of a database with the `seq` of its
        event. `extra` is left out.

        Raises:
            StoreError: The transcript cannot be read, or a record of it is too large.
        """

    def keep_open(self) -> AbstractContextManager[None]:
        """Let many readings of this thread share what they open; for a short block."""


class MemoryReader(Protocol):
    """Reads memory folders; never writes."""

    def pool(
        self, workspace: Path, agents: tuple[str, ...], *, config: PlatformConfig, now: datetime
    ) -> Pool:
        """Read one workspace's pool; files unchanged since the last call are not read again."""

    def fingerprint(self, workspace: Path) -> object:
        """Return a cheap value that changes when a new pool reading may differ."""

    def markers(self, workspace: Path) -> tuple[Marker, ...]:
        """Return every marked line of the counted files, by path and line."""

    def texts(self, workspace: Path) -> Iterator[MemoryText]:
        """Yield every memory file of a workspace, those that cannot be read among them.

        Reading the pieces of one raises OSError; FileNotFoundError when it is gone.
        """


class Workspace(Protocol):
    """The one writer into a workspace."""

    def read(self, root: Path, relative: str) -> WorkspaceText | None:
        """Read a text file with the version it had; None when it does not exist.

        Raises:
            WorkspaceError: It exists and cannot be read, or lies outside the workspace.
        """

    def replace(
        self,
        root: Path,
        relative: str,
        text: str,
        *,
        seen: WorkspaceText | None,
        is_final: bool = False,
    ) -> Written:
        """Replace a file whole: the old text or the new one, never half.

        Args:
            root: The workspace; must exist. A missing folder inside it is created, 0700.
            relative: Path inside it, with `/`.
            text: The new text, line feeds at line ends; written as UTF-8.
            seen: What `read` returned before the text was made; None when there was no file.
            is_final: It may stay whatever becomes of the rest of the turn: writing it once more
                does no harm.

        Raises:
            ConcurrentEditError: The file is not the one that was seen; it was left alone.
            WorkspaceError: Refused or failed; the old file is whole.
        """

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
        """Replace a file as an operator wants it: in its own encoding; it may be left empty.

        Args:
            root: As `replace`.
            relative: As `replace`.
            text: As `replace`.
            seen: As `replace`.
            mode: Permission bits that it had before; None for 0600, or stricter as it is.
            erases: Only takes lines out; single bytes that are no text stay in the others.
        """

    def append(self, root: Path, relative: str, entry: str, *, header: str) -> Written:
        """Append an entry in the file's own line ending; `header` starts a new file.

        Raises:
            WorkspaceError: Refused or failed; the old bytes are still a prefix.
        """


class Journal(Protocol):
    """What is about to be written into workspaces (`state.db`), so that no kill leaves it half."""

    def turn(self, root: Path, *, is_forward: bool = False) -> AbstractContextManager[None]:
        """Let what the block writes into a workspace stand with its record, or not at all.

        An exception takes it back at once, a kill the next run. Each record that is stored in the
        block stands for what was written before it.

        Args:
            root: The workspace, whose lock is held.
            is_forward: What is written is not taken back, because it was promised.

        Raises:
            StateError: Our own database cannot be written; nothing was done.
        """

    def close(self, root: Path) -> tuple[Erasure, ...]:
        """Take back what runs left that ended half way; return what has to be finished.

        Raises:
            StateError: Our own database cannot be written.
        """

    def promise(self, root: Path, erasure: Erasure, at: datetime, *, home: Path) -> None:
        """Store that something shall be gone; from here on the turn is finished, not taken back.

        Args:
            root: The workspace, whose lock is held.
            erasure: What shall be gone.
            at: When that was decided.
            home: Of the agent whose memory it is.

        Raises:
            StateError: It cannot be stored; nothing must be written.
        """

    def kept(self, root: Path, erasure: Erasure) -> None:
        """Strike out one thing that was promised for a workspace: it is done; others stay."""

    def failed(self, root: Path, erasure: Erasure, why: str) -> None:
        """Remember why a promise is not kept yet; where that is refused, the log says so."""

    def unfinished(self) -> tuple[OpenErasure, ...]:
        """Return what is promised, the oldest first; nothing where nobody can look."""


class Locks(Protocol):
    """Advisory OS locks of ours that die with their holder."""

    def workspace(self, root: Path, patience: float = 0) -> AbstractContextManager[None]:
        """Hold the workspace for one run.

        Args:
            root: The workspace.
            patience: Seconds to wait for another run's end.

        Raises:
            LockedError: Another run holds it.
        """

    def session(self, home: str, key: str) -> AbstractContextManager[None]:
        """Hold one session for one rotation or compaction, across processes.

        Raises:
            LockedError: Another run holds it.
        """


class RotationLog(Protocol):
    """The journal of resets (`state.db`): written before one is sent."""

    def begin(self, rotation: Rotation) -> int:
        """Store a reset before it is sent; return its number.

        Raises:
            StateError: It cannot be stored; it must not be sent.
        """

    def finish(
        self, number: int, state: RotationState, after: Identity | None, ended_at: datetime
    ) -> None:
        """Store how a reset ended."""

    def recent(self, agent: AgentRef, key: str, *, limit: int) -> tuple[Rotation, ...]:
        """Return the newest resets of one session first."""


class BranchLog(Protocol):
    """The journal of branches (`state.db`): written before one is asked for."""

    def begin(self, branch: Branch) -> int:
        """Store a branch before it is asked for; return its number.

        Raises:
            StateError: It cannot be stored; it must not be asked for.
        """

    def finish(self, number: int, state: BranchState, made: str | None, ended_at: datetime) -> None:
        """Store what became of it."""

    def recent(self, agent: AgentRef, key: str, *, limit: int) -> tuple[Branch, ...]:
        """Return the newest branches of one session first."""


class RunLog(Protocol):
    """What was run, by whom, with what result (`state.db`)."""

    def add(self, run: Run) -> int:
        """Store one finished run and return its number; `run.id` is ignored."""

    def require_readable(self) -> None:
        """Tell records that cannot be read from records that are not there.

        Raises:
            StateError: They cannot be read.
        """

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
        """Return the newest runs first; of one platform home, or of all."""


class ReadingMemory(Protocol):
    """Listings and ends of transcripts that were read before; losing them costs time alone."""

    def load(self, home: str) -> Mapping[UsageMark, Tail]:
        """Return the ends that are remembered of a home; nothing where it cannot be read."""

    def listing(self, agent: Agent, fingerprint: Callable[[Agent], object]) -> StoreListing | None:
        """Return an agent's listing of the loaded home; None when it may have changed.

        Args:
            agent: As it is now.
            fingerprint: Asks the store for its present one; not called for who is not remembered.
        """

    def store(
        self,
        home: str,
        tails: Mapping[UsageMark, Tail],
        listings: Mapping[AgentRef, tuple[Agent, StoreListing]],
    ) -> None:
        """Remember the readings of a whole home; where that is impossible, nothing happens."""

    def forget(self) -> None:
        """Remove what is remembered, of every home.

        Raises:
            StateError: It cannot be removed.
        """


class SampleStore(Protocol):
    """Token counts and sizes of memories over time (`state.db`).

    Written by console and scheduler only.
    """

    def add(self, samples: Iterable[Sample]) -> None:
        """Store samples; equal consecutive counts of a session are thinned out."""

    def samples(self, *, since: datetime) -> tuple[Sample, ...]:
        """Return all samples since then, oldest first."""

    def add_pools(self, home: str, days: Iterable[PoolDay]) -> None:
        """Store how large pools are; the last look of a day is the one that stays."""

    def pool_days(self, home: str, *, since: date) -> tuple[PoolDay, ...]:
        """Return how large the pools of a home were on each day since then."""


class Gateway(Protocol):
    """The platform's Gateway: what it sees, and what only it may do."""

    @property
    def is_off(self) -> bool:
        """Whether the settings switch it off."""

    def read(self) -> LiveReading:
        """Ask for all sessions; a failure is a status, and is not asked for again at once."""

    def listen(self, stop: StopSignal) -> Iterator[None]:
        """Yield whenever a new reading may differ, until `stop` is set; keeps one connection."""

    def provisional(self) -> GatewayStatus:
        """Return at once what can be said while an answer is awaited."""

    def require(self) -> GatewayStatus:
        """Connect to act; waits a little for one that is starting.

        Raises:
            GatewayUnavailableError: Not reachable, or it refuses us; `code` is the verdict.
        """

    def find(self, key: str, *, patience_s: float = 0.0) -> LiveSession | None:
        """Look for one session by its exact key; None when there is none.

        Raises:
            GatewayUnavailableError: It cannot be asked, also not within `patience_s` seconds.
            GatewayCallError: It refused to say.
        """

    def search_memory(self, agent_id: str, query: str, limit: int) -> tuple[AgentHit, ...]:
        """Ask the agent's own search, best first; raises as `find` does."""

    def reset(self, key: str, session_id: str | None) -> ResetAnswer:
        """Reset one session, sent once; an unknown key would be created: look first.

        Raises:
            GatewayUnavailableError: It is not reachable; nothing was sent.
            GatewayCallError: It refused; nothing was done.
        """

    def branch(self, key: str, entry: str, *, is_compaction: bool = False) -> BranchAnswer:
        """Ask for a new session of what stands before a message of this one, sent once.

        Args:
            key: The session, which stays as it is.
            entry: Id of a person's message on its active path.
            is_compaction: Of what stands before a compaction instead; `entry` is its id.

        Raises:
            GatewayUnavailableError: It is not reachable; nothing was sent.
            GatewayCallError: It refused, or its release has no such method; nothing was done.
        """

    def compact(self, key: str, instructions: str | None = None) -> CompactAnswer:
        """Ask for a compaction of one session, sent once.

        Args:
            key: The session.
            instructions: What the summary should heed.

        Raises:
            GatewayUnavailableError: It is not reachable; nothing was sent.
            GatewayCallError: It refused; nothing was done.
        """


class SchedulerControl(Protocol):
    """Who runs the jobs."""

    def status(self) -> SchedulerStatus:
        """Return the holder of the scheduler's lock, if any."""


class ChangeFeed(Protocol):
    """File events under watched folders, with polling as the fallback."""

    @property
    def polling_because(self) -> str | None:
        """Why files are looked at again and again; None while the host tells of changes."""

    def changes(self, roots: tuple[Path, ...], stop: StopSignal) -> Iterator[frozenset[Path]]:
        """Yield sets of changed paths until `stop` is set."""


class StopSignal(Protocol):
    """Something that can be asked whether to stop; `threading.Event` is one."""

    def is_set(self) -> bool:
        """Return True once the work should end."""
