"""Branches a new session off an earlier window, through the Gateway: `restore --branch`.

Found on disk, looked up on the Gateway, written into the journal, sent once, looked at. The session
itself stays as it is. An answer that is lost is settled by looking; nothing is sent a second time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.checkpoint.rules import label_of
from memconsole.domain.commands.outcomes import Failed, Planned, Skipped, SkipReason
from memconsole.domain.commands.restore import Branched
from memconsole.domain.gateway import UNKNOWN_METHOD, Verdict
from memconsole.domain.rotation import is_another, of_live
from memconsole.domain.sessions.branches import Branch, BranchState
from memconsole.domain.sessions.stored import SessionState, TranscriptKind
from memconsole.domain.sessions.windows import BEFORE_RESET
from memconsole.engine.home.lookup import find_agent
from memconsole.engine.rotation.run import UNANSWERED
from memconsole.engine.rotation.target import PATIENCE_S
from memconsole.engine.sessions.windows import chosen, stored_windows
from memconsole.engine.transcripts.segment import read_segment
from memconsole.errors import GatewayCallError, GatewayUnavailableError, SessionNotFoundError
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from memconsole.domain.commands.outcomes import Detail, Outcome
    from memconsole.domain.commands.restore import Restore
    from memconsole.domain.gateway import BranchAnswer, LiveSession
    from memconsole.domain.rotation import Identity
    from memconsole.domain.sessions.stored import StoredSession
    from memconsole.domain.settings import Settings
    from memconsole.engine.home.reader import Reader
    from memconsole.engine.rotation.target import Target, Targets
    from memconsole.engine.steps import StepLog
    from memconsole.ports.platform import BranchLog, Clock, Gateway, Locks, SessionStore
    from memconsole.ports.state import RecoveryLog

_WANTED = 200
_JOURNAL_ROWS = 20


@dataclass(frozen=True, slots=True)
class _Point:
    """Where a branch leaves a session.

    Attributes:
        window: Id of the window that it continues.
        entry: Id of the window's last question: the platform gives a branch what is before it.
        label: What the session is called.
    """

    window: str
    entry: str
    label: str

    @property
    def details(self) -> dict[str, Detail]:
        return {"window": self.window, "entry": self.entry}


@dataclass(frozen=True, slots=True)
class Branching:
    """Makes branches."""

    locks: Locks
    gateway: Gateway
    branches: BranchLog
    targets: Targets
    reader: Reader
    sessions: SessionStore
    recovery: RecoveryLog
    settings: Settings
    clock: Clock
    steps: StepLog

    def branch(self, command: Restore) -> Outcome:
        """Have a new session made of an earlier window; a dry run looks at the disk alone.

        Raises:
            UsageError: The session has no such window.
            GatewayUnavailableError: The Gateway is not reachable or refuses us.
            GatewayMismatchError: It serves another home.
            SessionNotFoundError: It does not know the key; nothing was sent.
            LockedError: Another process works on this session.
            StateError: The journal cannot be written; nothing was sent.
        """
        point = self._point(command)
        if not isinstance(point, _Point):
            return point
        if command.dry_run:
            said = (
                f"would ask the gateway for a new session of what {point.label} was about before "
                "its last reset, up to its last question; the session stays as it is"
            )
            return Planned(command, said, (), {"session_key": command.key, **point.details})
        with self.locks.session(command.agent.home.path, command.key):
            self.settings.require("gateway")
            self.gateway.require()
            target = self.targets.find(command.agent, command.key)
            return self._settled(command, target, point) or self._asked(command, target, point)

    def _point(self, command: Restore) -> _Point | Outcome:
        agent = find_agent(self.reader.home(), command.agent.id)
        listed = self.reader.sessions(self.reader.home(), agent).listing.sessions
        found = stored_windows(listed, command.key, self.recovery.keys(agent.ref))
        if not found:
            raise SessionNotFoundError(command.key)
        stored, is_before = (
            (found[0], True) if command.window is None else chosen(found, command.window)
        )
        return _refused(command, stored, is_before=is_before) or self._question(command, stored)

    def _question(self, command: Restore, stored: StoredSession) -> _Point | Skipped:
        assert stored.transcript is not None  # refused otherwise
        segment = read_segment(self.sessions, stored.transcript, wanted=_WANTED, is_previous=True)
        asked = [one.id for one in segment.messages if one.role == "user" and one.id is not None]
        label = label_of(stored)
        if len(asked) < 2:
            said = f"nothing that could be gone on with stands before the last reset of {label}"
            return Skipped(command, SkipReason.NOTHING_NEW, said)
        return _Point(f"{stored.session_id}{BEFORE_RESET}", asked[-1], label)

    def _settled(self, command: Restore, target: Target, point: _Point) -> Outcome | None:
        """Find out what became of a branch whose answer nobody saw; a busy session waits."""
        now = self.clock.now()
        for one in self.branches.recent(command.agent, command.key, limit=_JOURNAL_ROWS):
            if one.state is not BranchState.SENT or one.entry != point.entry:
                continue
            if (made := self._made(target, point, None)) is not None:
                self.branches.finish(one.id, BranchState.PROVEN, made.key, now)
                return _done(
                    command, "was made already", _details(target, point, made, target.before)
                )
            if now - one.started_at < UNANSWERED:
                because = "a branch was asked for a moment ago and is not answered yet"
                hint = "Look at it again in two minutes; none is sent twice."
                return _left(command, target, SkipReason.IN_FLIGHT, because, hint)
            self.branches.finish(one.id, BranchState.INEFFECTIVE, None, now)
        if target.is_busy:
            because = "a run is going on, and the platform branches off nothing meanwhile"
            return _left(command, target, SkipReason.BUSY, because, "Try again when it has ended.")
        return None

    def _asked(self, command: Restore, target: Target, point: _Point) -> Outcome:
        clock = self.clock
        sent = BranchState.SENT
        number = self.branches.begin(
            Branch(0, command.agent, command.key, point.window, point.entry, sent, clock.now())
        )
        try:
            with self.steps.doing("branch") as doing:
                answer = self.gateway.branch(target.key, point.entry)
                doing.status = "unanswered" if answer.is_lost else "done"
        except (GatewayCallError, GatewayUnavailableError) as error:
            self.branches.finish(number, BranchState.REFUSED, None, clock.now())
            if isinstance(error, GatewayCallError) and error.reason == UNKNOWN_METHOD:
                return _unsupported(
                    command,
                    f"the gateway's release has no sessions.fork: {point.label} stays as it is",
                )
            raise
        try:
            with self.steps.doing("proof") as doing:
                after, made = self._look(target, point, answer)
                doing.status = "failed" if made is None else "done"
        except (GatewayCallError, GatewayUnavailableError) as error:
            return Failed(
                command,
                error.code,
                f"{target.key}: a branch was asked for, and the gateway went away before it could "
                "be seen",
                hint="Call it again: it looks first, and sends nothing twice.",
                details=_details(target, point, None, None),
            )
        state = BranchState.INEFFECTIVE if made is None else BranchState.PROVEN
        self.branches.finish(number, state, None if made is None else made.key, clock.now())
        if made is None:
            return Failed(
                command,
                "branch-ineffective",
                f"{target.key}: the gateway answered, and no new session is there",
                hint="Nothing was lost. Look at the Gateway's log.",
                details=_details(target, point, None, after),
            )
        return _done(command, "goes on", _details(target, point, made, after))

    def _look(
        self, target: Target, point: _Point, answer: BranchAnswer
    ) -> tuple[Identity, LiveSession | None]:
        after = of_live(self.gateway.find(target.key, patience_s=PATIENCE_S))
        return after, self._made(target, point, answer.key)

    def _made(self, target: Target, point: _Point, key: str | None) -> LiveSession | None:
        """Return the branch as the Gateway lists it: it names what it was branched off.

        Args:
            target: The session.
            point: Where the branch leaves it.
            key: Of the branch, where the answer told it; else one that the journal does not know.
        """
        reading = self.gateway.read()
        if reading.status.verdict != Verdict.UP:
            status = reading.status
            raise GatewayUnavailableError(
                f"the gateway {status.does}", status.hint or "", verdict=status.verdict
            )
        recent = self.branches.recent(target.agent.ref, target.key, limit=_JOURNAL_ROWS)
        known = {one.made for one in recent}
        for row in reading.sessions.values():
            is_wanted = row.key == key if key is not None else row.key not in known
            is_off_it = row.forked_at == (target.key, point.entry)
            if is_wanted and is_off_it and row.session_id not in {None, target.live.session_id}:
                return row
        return None


def _refused(command: Restore, stored: StoredSession, *, is_before: bool) -> Outcome | None:
    label = label_of(stored)
    if stored.state is not SessionState.LIVE:
        return _unsupported(
            command,
            f"that window of {label} has a transcript of its own, and the platform branches only "
            "off the one that goes on",
        )
    if not is_before:
        because = f"that window of {label} goes on: nothing of it has to be brought back"
        return Skipped(command, SkipReason.NOTHING_NEW, because)
    if stored.transcript is None:
        return Skipped(command, SkipReason.NO_SESSION, f"{label} has no transcript to read")
    if stored.transcript.kind is not TranscriptKind.DATABASE:
        return _unsupported(
            command,
            f"{label} is of a release that keeps sessions in files, and none of those can branch "
            "off what stands before a reset",
        )
    return None


def _unsupported(command: Restore, said: str) -> Failed:
    hint = "Without --branch its next start is given a hand-over of it."
    return Failed(command, "branch-unsupported", said, hint=hint)


def _left(command: Restore, target: Target, reason: SkipReason, because: str, hint: str) -> Skipped:
    return Skipped(command, reason, f"{target.key}: {because}", hint=hint)


def _done(command: Restore, how: str, details: dict[str, Detail]) -> Branched:
    proof = details["proof"]
    assert isinstance(proof, dict)
    branch = proof["branch"]
    assert isinstance(branch, dict)
    said = f"what was said before the last reset of {command.key} {how} as {branch['key']}"
    return Branched(command, said, (), details)


def _details(
    target: Target, point: _Point, made: LiveSession | None, after: Identity | None
) -> dict[str, Detail]:
    is_kept = after is not None and not is_another(target.before, after)
    row: dict[str, Detail] = {} if made is None else {"key": made.key, **of_live(made).as_details()}
    return {
        "session_key": target.key,
        **point.details,
        "proof": {
            "before": target.before.as_details(),
            "after": None if after is None else after.as_details(),
            "branch": row or None,
            "proven": made is not None and is_kept,
        },
    }
