"""Gathers old files, of an agent or ours: what is due for each, and why it stays where it must.

What is not known is left alone: a session whose key nobody remembers (it may be a group's), and
every file that was not captured to its end.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from memconsole.domain.agents import AgentRef, HomeRef
from memconsole.domain.checkpoint.rules import is_readable, named
from memconsole.domain.cleanup import Captured, OldKind, Step, own_steps_due, steps_due, why_in_use
from memconsole.domain.observe.rules import MAX_LINES
from memconsole.domain.recover import whole
from memconsole.domain.sessions.keys import classify, key_of
from memconsole.domain.sessions.stored import (
    SessionState,
    StoredSession,
    TranscriptKind,
    TranscriptRef,
    TranscriptState,
)
from memconsole.engine.transcripts.ages import dated, last_words
from memconsole.engine.transcripts.tail import read_tail
from memconsole.errors import StateError, StoreError, TranscriptRefusedError, WorkspaceError
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from memconsole.domain.agents import Agent
    from memconsole.domain.cleanup import OldFile, TakenFile
    from memconsole.domain.commands.cleanup import Cleanup
    from memconsole.domain.sessions.stored import StoreListing
    from memconsole.domain.settings import Settings
    from memconsole.engine.transcripts.fingerprint import Fingerprints
    from memconsole.ports.bundle import HealthPorts
    from memconsole.ports.host import OldTranscripts
    from memconsole.ports.platform import Clock, SessionStore, Workspace
    from memconsole.ports.state import (
        ObserverLog,
        RecoveryLog,
        ReflectionLog,
        SummaryLog,
        TakenLog,
    )


OURS = AgentRef(HomeRef(""), "")
"""Stands for our state folder and our logs, in the place of an agent."""


@dataclass(frozen=True, slots=True)
class DueFile:
    """One file for which something is due.

    Attributes:
        stored: The session that its records belong to; None of ours.
        why_not: Why it stays; None when it may go.
    """

    file: OldFile
    step: Step
    stored: StoredSession | None = None
    key: str | None = None
    captured: Captured | None = None
    why_not: str | None = None


@dataclass(frozen=True, slots=True)
class OldFiles:
    """Looks at what is left of the sessions of an agent."""

    settings: Settings
    sessions: SessionStore
    recovery: RecoveryLog
    observer: ObserverLog
    summaries: SummaryLog
    fingerprints: Fingerprints
    reflections: ReflectionLog
    taken: TakenLog
    workspace: Workspace
    health: Callable[[], HealthPorts]
    clock: Clock

    @property
    def files(self) -> OldTranscripts:
        """The files themselves."""
        return self.health().transcripts

    @property
    def now(self) -> datetime:
        """The time."""
        return self.clock.now()

    def is_over(self, one: TakenFile) -> bool:
        """Whether nobody can bring a file back any more."""
        return self.looked(one).waited_s >= self.settings.cleanup.grace.total_seconds()

    def looked(self, one: TakenFile) -> TakenFile:
        """Return what was done to a file with the time that it waited up to now."""
        return one.waiting(self.now, self.clock.monotonic())

    def found(self, agent: Agent, listed: Sequence[StoredSession]) -> list[OldFile]:
        """Return every file that no session of the stores is read from."""
        return left_over(self.files, agent, listed)

    def aged(
        self, agent: Agent, listed: Sequence[StoredSession]
    ) -> tuple[list[OldFile], Mapping[Path, StoredSession]]:
        """Return these files as old as their newest messages, and their sessions by path."""
        loose = {
            one.transcript.path: one
            for one in listed
            if one.transcript is not None and one.is_loose
        }
        found = self.found(agent, listed)
        stored = [loose.get(one.path) or _alone(agent, one) for one in found]
        # What we packed is as old as its file says: nobody has to unpack it for that.
        plain = [one for file, one in zip(found, stored, strict=True) if not file.is_packed_by_us]
        spoken = iter(dated(self.sessions, plain))
        known = {
            file.path: one if file.is_packed_by_us else next(spoken)
            for file, one in zip(found, stored, strict=True)
        }
        files = [
            replace(file, modified_at=known[file.path].spoke_at or file.modified_at)
            for file in found
        ]
        return files, known

    def due(
        self,
        command: Cleanup,
        agent: Agent,
        files: Sequence[OldFile],
        stored: Mapping[Path, StoredSession],
        listed: Sequence[StoredSession],
    ) -> Iterator[DueFile]:
        """Yield what is due, the largest file first, and why it stays where it must."""
        by_id: defaultdict[str | None, list[StoredSession]] = defaultdict(list)
        for one in listed:
            by_id[one.session_id].append(one)
        known = self.recovery.keys(agent.ref)
        rules, older_than = self.settings.cleanup, command.older_than
        fresh = self._fresh(agent.ref)
        for file, step in steps_due(files, self.now, rules, older_than).items():
            if file.path in fresh:
                continue  # what was packed can be brought back for a while
            session = stored[file.path]
            key = None if session.key is None else session.key.text
            key = key or known.get(file.session_id)
            captured, why = None, why_in_use(file, by_id[file.session_id])
            if why is None and not command.takes_uncaptured:
                is_read = _is_read(file, by_id[file.session_id])
                captured, why = self._captured(agent, file, session, key, is_read=is_read)
            yield DueFile(file, step, session, key, captured, why)

    def _fresh(self, agent: AgentRef) -> frozenset[Path]:
        """Return packed files that can still be unpacked by an undo."""
        return frozenset(
            Path(f"{one.path}.gz")
            for one in self.taken.of(agent)
            if one.step is Step.COMPRESS and not self.is_over(one)
        )

    def own(self, agent: Agent | None, *, is_whole: bool = False) -> tuple[OldFile, ...]:
        """Return our archives and copies in an agent's workspace, or what lies in our state folder.

        Nothing of a workspace that is not there, or only guessed. With `is_whole` an OSError says
        that a folder cannot be listed.
        """
        if agent is not None and (agent.workspace_doubt or not agent.workspace_exists):
            return ()
        return self.files.own(agent, is_whole=is_whole)

    def own_due(
        self, command: Cleanup, agent: Agent | None, files: Sequence[OldFile]
    ) -> Iterator[DueFile]:
        """Yield what is due of ours, the largest file first, and why it stays where it must."""
        undoable = None
        if agent is not None:
            record = self.reflections.last(str(agent.workspace.resolve()))
            undoable = None if record is None else agent.workspace / record.backup
        fresh = self._fresh(OURS if agent is None else agent.ref)
        rules, older_than = self.settings.cleanup, command.older_than
        for file, step in own_steps_due(files, self.now, rules, older_than).items():
            if file.path in fresh:
                continue
            why = "`reflect --undo` puts it back" if file.path == undoable else file.refusal
            yield DueFile(file, step, why_not=why or None)

    def why_in_use(self, file: OldFile, listing: StoreListing) -> str | None:
        """Return why a file stays that might have gone before; None when it still may go."""
        if not is_readable(listing):
            return "the stores cannot be read whole any more"
        if file.path in _in_use(listing.sessions):
            return "a session is read from it now"
        own = [one for one in listing.sessions if one.session_id == file.session_id]
        return why_in_use(file, own)

    def _captured(
        self,
        agent: Agent,
        file: OldFile,
        stored: StoredSession,
        key: str | None,
        *,
        is_read: bool,
    ) -> tuple[Captured | None, str | None]:
        """Return how it is known that nothing would be lost, and why it stays where it is not.

        Its observations say more than a summary, so what can be captured on the way is.
        """
        ref = stored.transcript
        assert ref is not None  # it has a file
        try:
            known = self.recovery.fingerprints(agent.ref, ref.session_id)
            why = _why_not(agent, stored, file, key, is_read=is_read)
            if (why is None or known) and (end := self.fingerprints.end(ref)) in known:
                if self._is_whole(agent, ref, known, end):
                    return Captured.TO_ITS_END, None
                why = self.why_partial(agent, ref) or why
            if why is None and (why := self.why_partial(agent, ref)) is None:
                return Captured.ON_THE_WAY, None
            may_be = is_read or file.kind.is_copy  # or the summary is of another file
            if may_be and self._is_summarised(agent, stored, ref):
                return Captured.SUMMARY, None
        except StateError as error:
            return None, str(error)
        except StoreError as error:
            return Captured.NOT, str(error)
        return Captured.NOT, why

    def _is_whole(self, agent: Agent, ref: TranscriptRef, known: frozenset[str], end: str) -> bool:
        """Whether a capture of a session's end took in all before it.

        What an older release captured says nothing of that: then it must fit into one capture.
        """
        if whole(end) in known:
            return True
        cursor = self.observer.cursors(agent.ref).get(ref.session_id)
        is_told = cursor is not None and cursor.is_whole is not None
        return not is_told and self.why_partial(agent, ref) is None

    def why_partial(self, agent: Agent, ref: TranscriptRef) -> str | None:
        """Return why a capture of a session's end leaves out what nobody has looked at before.

        What one capture takes in whole needs no proof that others looked at it.
        """
        cursor = self.observer.cursors(agent.ref).get(ref.session_id)
        if cursor is not None and cursor.is_whole:
            return None
        tail = read_tail(self.sessions, ref, wanted=MAX_LINES)
        times = [one.at for one in tail.messages if one.at is not None]
        lookback = self.settings.observer.recover_lookback
        if tail.is_whole and (not times or times[-1] - times[0] < lookback):
            return None
        if cursor is not None:
            return f"only its end was captured: `observe --recover {ref.session_id}` took no more"
        return f"it is longer than one capture: `observe --recover {ref.session_id}` takes its end"

    def _is_summarised(self, agent: Agent, stored: StoredSession, ref: TranscriptRef) -> bool:
        """Whether a summary that is still there reaches to the newest message of a transcript."""
        summary = self.summaries.last(agent.ref, ref.session_id)
        if summary is None or not self._is_there(agent, summary.path):
            return False
        newest = last_words(self.sessions, [stored]).get(id(ref))
        return newest is not None and summary.until >= newest

    def _is_there(self, agent: Agent, path: str) -> bool:
        try:
            return self.workspace.read(agent.workspace, path) is not None
        except WorkspaceError:
            return False


def left_over(
    files: OldTranscripts, agent: Agent, listed: Iterable[StoredSession]
) -> list[OldFile]:
    """Return every file of an agent that no session of its stores is read from."""
    in_use = _in_use(listed)
    return [one for one in files.found(agent) if one.path not in in_use]


def _in_use(listed: Iterable[StoredSession]) -> frozenset[Path]:
    """Return the files that sessions of the stores are read from."""
    refs = [(one, one.transcript) for one in listed if not one.is_loose]
    own = {ref.path for _, ref in refs if ref is not None}
    beside = {
        ref.extra
        for one, ref in refs
        if ref is not None and ref.extra is not None and one.state is SessionState.LIVE
    }
    return frozenset(own | beside)


def refused_by(listing: StoreListing) -> frozenset[Path]:
    """Return the files that entries name and that we do not read: the platform may all the same."""
    refusals = (one.refusal for one in listing.sessions if one.refusal is not None)
    told = (
        one for one in (*listing.notices, *refusals) if one.code in TranscriptRefusedError.CODES
    )
    return frozenset(Path(one.path) for one in told if one.path)


def _is_read(file: OldFile, known: Sequence[StoredSession]) -> bool:
    """Whether a capture of its session reads this file; of several it reads the fullest."""
    one = named(known, file.session_id)
    ref = None if one is None else one.transcript
    return one is None or (ref is not None and file.path in (ref.path, ref.extra))


def _alone(agent: Agent, file: OldFile) -> StoredSession:
    """Return a file as a session that no store lists: copies, and all but one of its archives."""
    kind = TranscriptKind.PACKED_FILE if file.is_packed else TranscriptKind.FILE
    is_dated = file.kind in (OldKind.RESET, OldKind.DELETED, OldKind.PARKED)
    ref = TranscriptRef(
        agent.ref, file.session_id, kind, file.path, file.size_bytes, file.modified_at
    )
    return StoredSession(
        agent=agent.ref,
        key=None,
        session_id=file.session_id,
        state=SessionState.ARCHIVED,
        transcript_state=TranscriptState.PRESENT,
        transcript=ref,
        updated_at=file.modified_at if is_dated else None,
        archive_reason=file.kind.value,
        is_loose=True,
    )


def _why_not(
    agent: Agent, stored: StoredSession, file: OldFile, key: str | None, *, is_read: bool
) -> str | None:
    """Return why a transcript that was not captured cannot be captured now; None when it can."""
    if stored.archive_reason == OldKind.DELETED:
        return "it was deleted on purpose, and never captured"
    if file.kind.is_copy:
        return "it is not known that everything in this copy was captured"
    if not is_read:
        return "another file of its session is what is captured, and not this one"
    if key is None:
        return f"nobody knows whose it is; `observe --recover {file.session_id}` captures it"
    kind = classify(stored.key or key_of(agent, key), stored.chat_type)
    if not kind.may_be_captured(groups=stored.captures_groups):
        return "what is said in sessions of its kind is never captured"
    return None
