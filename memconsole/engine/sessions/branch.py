"""Branches a new session off an earlier window, through the Gateway: `restore --branch`.

Found on disk, looked up on the Gateway, written into the journal, sent once, looked at. The session
itself stays as it is. An answer that is lost is settled by looking; nothing is sent a second time.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from memconsole.domain.checkpoint.rules import label_of
from memconsole.domain.commands.outcomes import Failed, Planned, Skipped, SkipReason
from memconsole.domain.commands.restore import Branched
from memconsole.domain.gateway import UNKNOWN_METHOD, Verdict
from memconsole.domain.rotation import is_another, of_live
from memconsole.domain.sessions.stored import SessionState, TranscriptKind
from memconsole.domain.sessions.windows import BEFORE_RESET, Branch, BranchState, point_name
from memconsole.engine.home.lookup import find_agent
from memconsole.engine.rotation.run import UNANSWERED
from memconsole.engine.rotation.target import PATIENCE_S
from memconsole.engine.sessions.windows import chosen, chosen_point, stored_windows
from memconsole.engine.transcripts.segment import read_segment
from memconsole.errors import GatewayCallError, GatewayUnavailableError, SessionNotFoundError
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from datetime import datetime

    from memconsole.domain.commands.outcomes import Detail, Outcome
    from memconsole.domain.commands.restore import Restore
    from memconsole.domain.gateway import BranchAnswer, LiveSession
    from memconsole.domain.rotation import Identity
    from memconsole.domain.sessions.stored import CompactionPoint, StoredSession
    from memconsole.domain.settings import Settings
    from memconsole.engine.home.reader import Reader
    from memconsole.engine.rotation.target import Target, Targets
    from memconsole.engine.turn import StepLog
    from memconsole.ports.platform import BranchLog, Clock, Gateway, Locks, SessionStore
    from memconsole.ports.state import RecoveryLog

_BRANCH_LABELS = ("(checkpoint)", "checkpoint branch")
"""How the platform's labels of branches off a compaction end."""

_CLOCKS_DIFFER = timedelta(minutes=1)

_WANTED = 200
_JOURNAL_ROWS = 20


@dataclass(frozen=True, slots=True)
class _Point:
    """Where a branch leaves a session.

    Attributes:
        window: Id of the window that it continues.
        entry: Id of the window's last question: the platform gives a branch what is before it. Else
            id of the compaction that ended it: then of all that stood before that.
        label: What the session is called.
        is_compaction: It is the latter.
    """

    window: str
    entry: str
    label: str
    is_compaction: bool = False

    @property
    def ending(self) -> str:
        """Where the window ends, in words."""
        return "before it was compacted" if self.is_compaction else "before its last reset"

    def is_origin_of(self, row: LiveSession, target: Target, asked_at: datetime) -> bool:
        """Whether the Gateway says of a session that it was made of this.

        Of a compaction it names the session only; a branch of it is new and has a label of its own.
        """
        if not self.is_compaction:
            return row.forked_at == (target.key, self.entry)
        is_new = row.updated_at is not None and row.updated_at >= asked_at - _CLOCKS_DIFFER
        is_branch = (row.label or "").lower().endswith(_BRANCH_LABELS)
        return row.parent_key == target.key and is_new and is_branch

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
            end = "" if point.is_compaction else ", up to its last question"
            said = (
                f"would ask the gateway for a new session of what {point.label} was about "
                f"{point.ending}{end}; the session stays as it is"
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
        if command.window is None:
            of_reset = self._before_reset(command, found[0], is_before=True)
            is_there = isinstance(of_reset, _Point) or not found[0].points
            return of_reset if is_there else _before_compaction(found[0], found[0].points[0])
        if (named := chosen_point(found, command.window)) is not None:
            return _before_compaction(*named)
        stored, is_before = chosen(found, command.window)
        return self._before_reset(command, stored, is_before=is_before)

    def _before_reset(
        self, command: Restore, stored: StoredSession, *, is_before: bool
    ) -> _Point | Outcome:
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
            if (made := self._made(target, point, one.started_at, None)) is not None:
                self.branches.finish(one.id, BranchState.PROVEN, made.key, now)
                details = _details(target, point, made, target.before)
                return _done(command, point, "was made already", details)
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
        sent, asked_at = BranchState.SENT, clock.now()
        number = self.branches.begin(
            Branch(0, command.agent, command.key, point.window, point.entry, sent, asked_at)
        )
        try:
            with self.steps.doing("branch") as doing:
                answer = self.gateway.branch(
                    target.key, point.entry, is_compaction=point.is_compaction
                )
                doing.status = "unanswered" if answer.is_lost else "done"
        except (GatewayCallError, GatewayUnavailableError) as error:
            self.branches.finish(number, BranchState.REFUSED, None, clock.now())
            if isinstance(error, GatewayCallError) and error.reason == UNKNOWN_METHOD:
                said = f"the gateway's release has no {error.method}: {point.label} stays as it is"
                return _unsupported(command, said)
            raise
        try:
            with self.steps.doing("proof") as doing:
                after, made = self._look(target, point, asked_at, answer)
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
        return _done(command, point, "goes on", _details(target, point, made, after))

    def _look(
        self, target: Target, point: _Point, asked_at: datetime, answer: BranchAnswer
    ) -> tuple[Identity, LiveSession | None]:
        after = of_live(self.gateway.find(target.key, patience_s=PATIENCE_S))
        return after, self._made(target, point, asked_at, answer.key)

    def _made(
        self, target: Target, point: _Point, asked_at: datetime, key: str | None
    ) -> LiveSession | None:
        """Return the branch as the Gateway lists it: it names what it was branched off.

        Args:
            target: The session.
            point: Where the branch leaves it.
            asked_at: When it was asked for.
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
            is_off_it = point.is_origin_of(row, target, asked_at)
            if is_wanted and is_off_it and row.session_id not in {None, target.live.session_id}:
                return row
        return None


def _before_compaction(stored: StoredSession, point: CompactionPoint) -> _Point:
    return _Point(point_name(stored, point), point.id, label_of(stored), is_compaction=True)


def _refused(command: Restore, stored: StoredSession, *, is_before: bool) -> Outcome | None:
    label = label_of(stored)
    if stored.state is not SessionState.LIVE:
        return _unsupported(
            command,
            f"{'that' if command.window is not None else 'the newest ended'} window of {label} has"
            " a transcript of its own, and the platform branches only off the one that goes on",
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
            "off what stands before a reset; it was not compacted",
        )
    return None


def _unsupported(command: Restore, said: str) -> Failed:
    hint = "Without --branch its next start is given a hand-over of it."
    return Failed(command, "branch-unsupported", said, hint=hint)


def _left(command: Restore, target: Target, reason: SkipReason, because: str, hint: str) -> Skipped:
    return Skipped(command, reason, f"{target.key}: {because}", hint=hint)


def _done(command: Restore, point: _Point, how: str, details: dict[str, Detail]) -> Branched:
    proof = details["proof"]
    assert isinstance(proof, dict)
    branch = proof["branch"]
    assert isinstance(branch, dict)
    said = f"what was said in {command.key} {point.ending} {how} as {branch['key']}"
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
