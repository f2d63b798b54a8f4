"""What the engine remembers between runs, as protocols over our own database.

Here, and wherever else a port keeps something in that database, what cannot be stored raises
`StateError`; what cannot be read is missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime
    from pathlib import Path

    from memconsole.domain.agents import AgentRef
    from memconsole.domain.checkpoint.rules import Capture
    from memconsole.domain.cleanup import TakenFile
    from memconsole.domain.consolidate.note_hits import NoteHit
    from memconsole.domain.events import Event, Noted
    from memconsole.domain.flush import FlushMark
    from memconsole.domain.memory.edits import MemoryAction, PathState, ReflectionRecord
    from memconsole.domain.observe.rules import Cursor
    from memconsole.domain.summarize.handover import Handover
    from memconsole.domain.summarize.text import SummaryRecord


class CaptureLog(Protocol):
    """What each checkpoint saved (`state.db`); never parsed back from prose."""

    def last(self, agent: AgentRef, session_id: str | None = None) -> Capture | None:
        """Return the newest capture of the agent, or of one of its sessions."""

    def history(self, agent: AgentRef, limit: int) -> tuple[Capture, ...]:
        """Return the newest captures of the agent, the newest first."""

    def latest_by_agent(self, home: str) -> dict[str, Capture]:
        """Return the newest capture of each agent of a home."""

    def last_logged(self, agent: AgentRef, session_id: str | None = None) -> Capture | None:
        """Return the newest capture that added a daily entry, of the agent or of one session."""

    def latest_by_session(self, home: str) -> Mapping[tuple[str, str], datetime]:
        """Return up to which moment each session is saved, by agent and session id.

        Any capture counts: checkpoint, flush, observation, summary and recovery.
        """

    def add(self, capture: Capture) -> None:
        """Store one capture, after the write it describes."""


class SummaryLog(Protocol):
    """Which sessions have a summary (`state.db`); never read back from the files."""

    def last(self, agent: AgentRef, session_id: str) -> SummaryRecord | None:
        """Return the newest summary of a session."""

    def add(self, record: SummaryRecord) -> None:
        """Store one summary, after the write it describes."""


class HandoverLog(Protocol):
    """Which hand-overs wait for the next start of their session (`state.db`)."""

    def waiting(self, agent: AgentRef, key: str) -> Handover | None:
        """Return the newest hand-over of a session that no start was given yet."""

    def of_agent(self, agent: AgentRef) -> tuple[Handover, ...]:
        """Return those that wait for the next starts of an agent's sessions, the newest first."""

    def add(self, handover: Handover) -> None:
        """Store one hand-over, after the write it describes; older ones wait no longer."""

    def given(self, handover: Handover, at: datetime) -> None:
        """Store that a start was given it."""


class TakenLog(Protocol):
    """Which files of ended sessions were packed or taken away and may come back (`state.db`)."""

    def durable(self) -> AbstractContextManager[None]:
        """Put what is stored in the block on the disk at once."""

    def of(self, agent: AgentRef) -> tuple[TakenFile, ...]:
        """Return what was done, or begun, to the files of an agent, the newest first."""

    def add(self, taken: TakenFile) -> TakenFile:
        """Store what is about to be done, and return it with its number."""

    def done(self, taken: TakenFile) -> None:
        """Store that it was done."""

    def looked(self, taken: Iterable[TakenFile]) -> None:
        """Store how long these waited up to now."""

    def drop(self, taken: TakenFile) -> None:
        """Forget it: it was not done, came back, or is gone for good."""


class RecoveryLog(Protocol):
    """Which sessions are captured to their end, and whose they were (`state.db`)."""

    def fingerprints(self, agent: AgentRef, session_id: str) -> frozenset[str]:
        """Return the fingerprints that captures of a session left."""

    def remember(self, agent: AgentRef, session_id: str, fingerprint: str, at: datetime) -> None:
        """Store that a session is captured to the end that has this fingerprint."""

    def keys(self, agent: AgentRef) -> Mapping[str, str]:
        """Return session keys by session id, as they were while the sessions went on."""

    def note(self, agent: AgentRef, keys: Mapping[str, str], at: datetime) -> None:
        """Store the keys of live sessions: an ended transcript may not tell its own any more."""


class ObserverLog(Protocol):
    """How far the observer has read (`state.db`); never read back from the files."""

    def last(self, agent: AgentRef) -> tuple[str, datetime] | None:
        """Return hash of the input and time of the agent's last run."""

    def cursors(self, agent: AgentRef) -> Mapping[str, Cursor]:
        """Return the last observed message of each session, by session id."""

    def advance(
        self, agent: AgentRef, hash_: str, cursors: Mapping[str, Cursor], at: datetime
    ) -> None:
        """Store how far a run has come, after the write it describes."""


class FlushLog(Protocol):
    """The last flush of each session (`state.db`); never read back from prose."""

    def last(self, agent: AgentRef, key: str) -> FlushMark | None:
        """Return the last flush of a session key; None when there was none."""

    def store(self, agent: AgentRef, key: str, mark: FlushMark) -> None:
        """Store a flush, after the writes it describes."""


class WorkspaceFolders(Protocol):
    """Looks into the folders of a workspace, and removes what is ours there."""

    def names(self, root: Path, folder: str) -> tuple[str, ...]:
        """Return the names of the ordinary files in a folder, sorted; none when it is missing.

        Raises:
            WorkspaceError: It lies outside the workspace, or cannot be read.
        """

    def path_state(self, root: Path, relative: str) -> PathState:
        """Return what stands at a path, and what has to be made to write there.

        Raises:
            WorkspaceError: It lies outside the workspace, or something else than a file is there.
        """

    def remove(
        self, root: Path, relative: str, *, folders: Sequence[str] = (), is_final: bool = False
    ) -> None:
        """Remove an ordinary file, which may be gone already, and folders that are empty then.

        Args:
            root: The workspace.
            relative: The file.
            folders: Of the workspace, outermost first.
            is_final: It does not come back, whatever becomes of the rest of the turn.

        Raises:
            WorkspaceError: It lies outside the workspace, or something else has that name.
        """


class MemoryLog(Protocol):
    """What operators did to memory, to be undone (`state.db`)."""

    def actions(self, workspace: str) -> tuple[MemoryAction, ...]:
        """Return the actions in a workspace that were not undone, the newest first."""

    def add(self, action: MemoryAction) -> None:
        """Store one action, after the writes it describes."""

    def undone(self, action: MemoryAction, at: datetime) -> None:
        """Store that an action was taken back."""

    def places(self) -> frozenset[str]:
        """Return the workspaces, by their paths, of which something is stored that holds text."""

    def blocks(self, workspace: str) -> tuple[str, ...]:
        """Return what checkpoints saved of a workspace."""

    def erase(
        self, actions: Collection[int], places: Collection[str], clean: Callable[[str], str]
    ) -> None:
        """Remove actions for good, with what they hold.

        Args:
            actions: Their numbers.
            places: Workspaces whose saved blocks are cleaned, and whose reflections cannot be
                undone any more.
            clean: Takes lines out of a block.

        Raises:
            StateError: They cannot be removed.
        """


class ReflectionLog(Protocol):
    """When observations were consolidated (`state.db`); never read back from prose."""

    def last(self, workspace: str) -> ReflectionRecord | None:
        """Return the newest consolidation of a workspace that was not undone."""

    def add(self, record: ReflectionRecord) -> None:
        """Store one consolidation, after the write it describes."""

    def undone(self, record: ReflectionRecord, at: datetime) -> None:
        """Store that a consolidation was taken back."""


class ConsolidationLog(Protocol):
    """Which notes searches found, and what was proposed of them (`state.db`)."""

    def hits(self, workspace: str) -> tuple[NoteHit, ...]:
        """Return what was found in a workspace, the oldest first."""

    def add(self, workspace: str, hits: Sequence[NoteHit], *, keep_since: datetime) -> None:
        """Store what a search found, and let go what is older.

        The same note found by the same query on the same day is one hit, with its best score.
        """

    def declined(self, workspace: str) -> frozenset[str]:
        """Return the ids of notes that shall not be proposed."""

    def decline(self, workspace: str, entries: Collection[str], at: datetime) -> None:
        """Store that notes shall not be proposed any more."""

    def last(self, workspace: str) -> tuple[str, datetime] | None:
        """Return the input of the last report, and when it was written."""

    def reported(self, workspace: str, input_hash: str, at: datetime) -> None:
        """Store that a report was written, after the write it describes."""


class EventLog(Protocol):
    """What the platform did by itself, as readings told it."""

    def events(self, home: str, *, limit: int) -> tuple[Event, ...]:
        """Return the newest events of a home first; none when they cannot be read."""

    def first_look(self, home: str) -> datetime | None:
        """Return since when a home is looked at; None for never, and when it cannot be read."""

    def note(
        self, home: str, judge: Callable[[Noted | None], tuple[Noted, Sequence[Event]] | None]
    ) -> None:
        """Compare with what was noted last, whoever noted it, and keep both in one step.

        Args:
            home: The platform home.
            judge: Given what was noted last, returns what is noted now and what happened; None
                when somebody looked later already.

        Raises:
            StateError: It cannot be kept.
        """
