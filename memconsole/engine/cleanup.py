"""Packs what is left of ended sessions, takes it away much later, and brings it back: `cleanup`.

What is not known is left alone: an agent whose stores cannot be read whole, a session whose key
nobody remembers (it may be a group's), and every file that was not captured to its end. What is
about to be done to a file is recorded before, and settled by the next run where one was killed.
"""

from __future__ import annotations

import logging
import os
from collections import Counter, defaultdict
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from memconsole.domain.checkpoint.rules import is_readable
from memconsole.domain.commands.cleanup import CleanedUp
from memconsole.domain.commands.observe import Observe
from memconsole.domain.commands.outcomes import Failed, Planned, Skipped, SkipReason, Written
from memconsole.domain.recover import SILENT
from memconsole.domain.sessions.keys import classify, key_of
from memconsole.domain.sessions.stored import (
    SessionState,
    StoredSession,
    TranscriptKind,
    TranscriptRef,
    TranscriptState,
)
from memconsole.domain.upkeep import (
    Captured,
    Cleaning,
    OldFile,
    OldKind,
    Step,
    TakenFile,
    steps_due,
    why_in_use,
)
from memconsole.engine.home.lookup import find_agent
from memconsole.engine.transcripts.ages import dated, last_words
from memconsole.errors import StateError, StoreError
from memconsole.lazy_dataclass import dataclass
from memconsole.text.figures import plural, size_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from memconsole.domain.agents import Agent
    from memconsole.domain.commands.cleanup import Cleanup
    from memconsole.domain.commands.command import Command
    from memconsole.domain.commands.outcomes import Detail, Outcome
    from memconsole.domain.settings import Settings
    from memconsole.engine.home.reader import Reader
    from memconsole.engine.transcripts.fingerprint import Fingerprints
    from memconsole.ports.bundle import HealthPorts
    from memconsole.ports.host import OldTranscripts
    from memconsole.ports.platform import Clock, Locks, SessionStore, StopSignal
    from memconsole.ports.state import RecoveryLog, SummaryLog, TakenLog

logger = logging.getLogger(__name__)


def clean_up(
    command: Cleanup,
    *,
    reader: Reader,
    settings: Settings,
    sessions: SessionStore,
    recovery: RecoveryLog,
    summaries: SummaryLog,
    fingerprints: Fingerprints,
    taken: TakenLog,
    health: Callable[[], HealthPorts],
    locks: Locks,
    clock: Clock,
    step: Callable[[Command], Outcome],
    progress: Callable[[int, int], None] | None = None,
    cancel: StopSignal | None = None,
) -> Outcome:
    """Do what is due for the old files of an agent, or bring back what was done last.

    Raises:
        UnknownAgentError: There is no such agent.
        LockedError: Another cleanup works in the same folder.
        StateError: It cannot be recorded; no file was touched without a record.
    """
    agent = find_agent(reader.home(), command.agent.id)
    run = _Run(
        command,
        agent,
        reader,
        settings,
        sessions,
        recovery,
        summaries,
        fingerprints,
        taken,
        health().transcripts,
        clock.now(),
        step,
        progress,
        cancel,
    )
    with nullcontext() if command.dry_run else locks.workspace(agent.sessions_dir):
        over = run.settle()
        return run.undo() if command.is_undo else run.clean(over)


@dataclass(frozen=True, slots=True)
class _Due:
    """One file for which something is due.

    Attributes:
        stored: The session that its records belong to.
        why_not: Why it stays; None when it may go.
    """

    file: OldFile
    step: Step
    stored: StoredSession
    key: str | None
    captured: Captured | None
    why_not: str | None


@dataclass(frozen=True, slots=True)
class _Run:
    """One cleanup of one agent, and what it works with."""

    command: Cleanup
    agent: Agent
    reader: Reader
    settings: Settings
    sessions: SessionStore
    recovery: RecoveryLog
    summaries: SummaryLog
    fingerprints: Fingerprints
    taken: TakenLog
    files: OldTranscripts
    now: datetime
    step: Callable[[Command], Outcome]
    progress: Callable[[int, int], None] | None
    cancel: StopSignal | None

    # ---- what was begun, and what is over --------------------------------------------------

    def settle(self) -> list[TakenFile]:
        """Bring to an end what a killed run began, and delete what nobody can bring back.

        Returns:
            What was taken away, and is deleted now for good.
        """
        gone = []
        for one in self.taken.of(self.agent.ref):
            if one.is_done and not self._is_over(one):
                continue
            try:
                if not self.command.dry_run:
                    self._settle(one)
            except OSError as error:
                logger.warning("%s is not settled: %s", one.path.name, error.strerror)
                continue
            if one.is_done and one.step is Step.DELETE:
                gone.append(one)
        return gone

    def _settle(self, one: TakenFile) -> None:
        if not one.is_done and self.files.is_done(self.agent, one):
            self.taken.done(one)
            return
        if one.step is Step.DELETE:
            self.files.purge(one.kept)
        self.taken.drop(one)

    def _is_over(self, one: TakenFile) -> bool:
        return self.now - one.at >= self.settings.cleanup.grace

    # ---- bringing back ---------------------------------------------------------------------

    def undo(self) -> Outcome:
        """Bring back what the last cleanup did, as long as its grace time lasts."""
        found = [one for one in self.taken.of(self.agent.ref) if one.is_done]
        found = [one for one in found if not self._is_over(one)]
        last = [one for one in found if one.at == found[0].at]
        if not last:
            message = f"nothing that cleanup did to files of {self.agent.id} can be brought back"
            return Skipped(self.command, SkipReason.NOTHING_NEW, message)
        back = [self._back(one) for one in last]
        many = plural(len(last), "file")
        if self.command.dry_run:
            message = f"would bring {many} of {self.agent.id} back"
            return Planned(self.command, message, details=_details(back, {"files": len(last)}))
        failed = [one for one in back if one.status == "failed"]
        totals: dict[str, Detail] = {"files": len(last), "failed": len(failed)}
        if failed:
            return self._failed(failed, _details(back, totals))
        wrote = tuple(Written(str(one.path), one.size_bytes, f"{one.mode:04o}") for one in last)
        message = f"brought {many} of {self.agent.id} back"
        return CleanedUp(self.command, message, wrote, _details(back, totals))

    def _back(self, one: TakenFile) -> Cleaning:
        file = _as_it_was(one)
        verb = "unpack" if one.step is Step.COMPRESS else "put back"
        if self.command.dry_run:
            return Cleaning(file, None, one.step, "planned", f"would {verb} it")
        try:
            self.files.bring_back(self.agent, one)
        except OSError as error:
            return Cleaning(file, None, one.step, "failed", _stays(error))
        self.taken.drop(one)
        done = "unpacked" if one.step is Step.COMPRESS else "put back"
        return Cleaning(file, None, one.step, "done", done, after_bytes=one.size_bytes)

    # ---- packing and taking away -----------------------------------------------------------

    def clean(self, over: Sequence[TakenFile]) -> Outcome:
        """Do what is due, the largest file first; one that fails stops no other.

        Args:
            over: What was deleted for good before, or would be.
        """
        listing = self.reader.listing(self.agent)
        if not is_readable(listing):
            why = f"the stores of {self.agent.id} cannot be read whole: any file may be in use"
            return Skipped(self.command, SkipReason.UNREADABLE, why)
        files, stored = self._old(listing.sessions)
        due = list(self._due(files, stored, listing.sessions))
        done = []
        for number, one in enumerate(due):
            if self.cancel is not None and self.cancel.is_set():
                break
            done.append(self._cleaned(one))
            if self.progress is not None:
                self.progress(number + 1, len(due))
        totals = self._totals(files, done, listing.sessions)
        return self._outcome(done, {**totals, "bytes_deleted": sum(it.size_bytes for it in over)})

    def _old(
        self, listed: Sequence[StoredSession]
    ) -> tuple[list[OldFile], Mapping[Path, StoredSession]]:
        """Return what is no live transcript, each as old as its newest message."""
        loose = {
            one.transcript.path: one
            for one in listed
            if one.transcript is not None and one.is_loose
        }
        in_use = _in_use(listed)
        found = [one for one in self.files.found(self.agent) if one.path not in in_use]
        stored = [loose.get(one.path) or _alone(self.agent, one) for one in found]
        ages = dated(self.sessions, stored)
        files = [
            file
            if file.path.suffix == ".gz"
            else replace(file, modified_at=one.spoke_at or file.modified_at)
            for file, one in zip(found, ages, strict=True)
        ]
        return files, {file.path: one for file, one in zip(files, ages, strict=True)}

    def _due(
        self,
        files: Sequence[OldFile],
        stored: Mapping[Path, StoredSession],
        listed: Sequence[StoredSession],
    ) -> Iterator[_Due]:
        by_id: defaultdict[str | None, list[StoredSession]] = defaultdict(list)
        for one in listed:
            by_id[one.session_id].append(one)
        rules, older_than = self.settings.cleanup, self.command.older_than
        fresh = {
            Path(f"{one.path}.gz")
            for one in self.taken.of(self.agent.ref)
            if one.step is Step.COMPRESS and not self._is_over(one)
        }
        for file, step in steps_due(files, self.now, rules, older_than).items():
            if file.path in fresh:
                continue  # what was packed can be brought back for a while
            session = stored[file.path]
            key = None if session.key is None else session.key.text
            key = key or self.recovery.keys(self.agent.ref).get(file.session_id)
            captured, why = None, why_in_use(file, by_id[file.session_id])
            if why is None and not self.command.takes_uncaptured:
                captured, why = self._captured(file, session, key)
            yield _Due(file, step, session, key, captured, why)

    def _captured(
        self, file: OldFile, stored: StoredSession, key: str | None
    ) -> tuple[Captured | None, str | None]:
        """Return how it is known that nothing would be lost, and why it stays where it is not."""
        ref = stored.transcript
        assert ref is not None  # it has a file
        if file.path.suffix == ".gz":
            if self.recovery.fingerprints(self.agent.ref, file.session_id):
                return Captured.TO_ITS_END, None
            return Captured.NOT, "it is not known that its session was captured"
        try:
            if self.fingerprints.is_captured(self.agent.ref, ref):
                return Captured.TO_ITS_END, None
            if self._is_summarised(stored, ref):
                return Captured.SUMMARY, None
        except (StoreError, StateError) as error:
            return None, str(error)
        why = _why_not(self.agent, stored, file, key)
        return (Captured.ON_THE_WAY, None) if why is None else (Captured.NOT, why)

    def _is_summarised(self, stored: StoredSession, ref: TranscriptRef) -> bool:
        """Whether a summary reaches to the newest message of a transcript."""
        summary = self.summaries.last(self.agent.ref, ref.session_id)
        if summary is None:
            return False
        newest = last_words(self.sessions, [stored]).get(id(ref))
        return newest is not None and summary.until >= newest

    def _cleaned(self, due: _Due) -> Cleaning:
        """Do a step, unless there is a reason not to."""
        file, step = due.file, due.step
        made = Cleaning(file, due.key, step, "skipped", due.why_not or "", due.captured)
        if due.why_not is not None:
            return replace(made, after_bytes=file.size_bytes)
        if self.command.dry_run:
            first = "capture it and " if due.captured is Captured.ON_THE_WAY else ""
            verb = "pack it" if step is Step.COMPRESS else "take it away"
            return replace(made, status="planned", message=f"would {first}{verb}")
        if due.captured in _NOT_REMEMBERED and (why := self._capture(due)) is not None:
            return replace(made, message=why, captured=Captured.NOT, after_bytes=file.size_bytes)
        try:
            left = self._packed(file) if step is Step.COMPRESS else self._taken(file)
        except OSError as error:
            made = replace(made, message=_stays(error), after_bytes=file.size_bytes)
            return replace(made, status="failed")
        message = f"packed to {size_words(left)}" if step is Step.COMPRESS else "taken away"
        return replace(made, status="done", message=message, after_bytes=left)

    def _packed(self, file: OldFile) -> int:
        with self._recorded(file, Step.COMPRESS, ""):
            return self.files.compress(self.agent, file)

    def _taken(self, file: OldFile) -> int:
        kept = self._free_name(file)
        with self._recorded(file, Step.DELETE, kept):
            self.files.take(self.agent, file, kept)
        return 0

    def _free_name(self, file: OldFile) -> str:
        """Return a name for our folder, which says nothing of what the file is called."""
        used = {one.kept for one in self.taken.of(self.agent.ref)}
        name = sha256(os.fsencode(file.path)).hexdigest()[:32]
        return next(it for n in count() if (it := f"{name}-{n}") not in used)

    @contextmanager
    def _recorded(self, file: OldFile, step: Step, kept: str) -> Iterator[None]:
        """Record what is done in the block: before it, and that it was done behind it."""
        made = (0, self.agent.ref, self.now, file.path, file.kind, step, kept)
        one = self.taken.add(TakenFile(*made, file.size_bytes, file.mode, file.file_ns))
        try:
            yield
        except OSError:
            if not self.files.is_done(self.agent, one):
                self.taken.drop(one)
                raise
        self.taken.done(one)

    def _capture(self, due: _Due) -> str | None:
        """Capture a transcript to its end, and remember that behind it; return why it was not."""
        ref = due.stored.transcript
        assert ref is not None  # it has a file
        try:
            print_ = self.fingerprints.take(ref) or SILENT
            is_safe = print_ == SILENT or due.captured is Captured.SUMMARY
            if not is_safe and not self._is_observed(ref):
                return "it could not be captured"
            self.fingerprints.remember(self.agent.ref, ref.session_id, print_)
        except (StoreError, StateError) as error:
            return str(error)
        return None

    def _is_observed(self, ref: TranscriptRef) -> bool:
        outcome = self.step(Observe(self.agent.ref, recover_id=ref.session_id))
        if isinstance(outcome, Skipped):
            return outcome.reason in (SkipReason.NOTHING_NEW, SkipReason.TOO_SMALL)
        return not isinstance(outcome, Failed)

    # ---- what came of it -------------------------------------------------------------------

    def _outcome(self, done: Sequence[Cleaning], totals: dict[str, Detail]) -> Outcome:
        details = _details(done, totals)
        acts = [one for one in done if one.status in ("planned", "done")]
        stay = [one for one in done if one.status == "skipped"]
        if failed := [one for one in done if one.status == "failed"]:
            return self._failed(failed, details)
        more = f"; {_staying(stay)}" if stay else ""
        is_plan = self.command.dry_run
        said = " and ".join(_parts(acts, totals["bytes_deleted"], is_plan=is_plan))
        if not said:
            said = f"no file of an ended session of {self.agent.id} may go{more}"
            return Skipped(self.command, SkipReason.NOTHING_NEW, said, _hint(stay), details)
        if is_plan:
            return Planned(self.command, f"would {said}{more}", (), details)
        before, after = totals["bytes_before"], totals["bytes_after"]
        assert isinstance(before, int)
        assert isinstance(after, int)
        said = f"{said}: {size_words(before)} of old files became {size_words(after)}{more}"
        wrote = tuple(
            Written(f"{one.file.path}.gz", one.after_bytes or 0)
            for one in acts
            if one.step is Step.COMPRESS
        )
        return CleanedUp(self.command, said, wrote, details)

    def _totals(
        self, files: Sequence[OldFile], done: Sequence[Cleaning], listed: Sequence[StoredSession]
    ) -> dict[str, Detail]:
        """Return the sizes of all old files, before and after; what is left is looked up anew."""
        took = [one for one in done if one.step is Step.DELETE and one.status == "done"]
        after = None
        if not self.command.dry_run:
            in_use = _in_use(listed)
            left = [one for one in self.files.found(self.agent) if one.path not in in_use]
            after = sum(one.size_bytes for one in left)
        return {
            "files": len(files),
            "bytes_before": sum(one.size_bytes for one in files),
            "bytes_after": after,
            "bytes_kept": sum(one.file.size_bytes for one in took),
            "kept_until": _stamp(self.now + self.settings.cleanup.grace) if took else None,
            **{word: sum(one.status == word for one in done) for word in _STATUS},
        }

    def _failed(self, failed: Sequence[Cleaning], details: dict[str, Detail]) -> Failed:
        first = failed[0]
        more = f", and {len(failed) - 1} more failed" if len(failed) > 1 else ""
        message = f"{first.file.path}: {first.message}{more}"
        return Failed(self.command, "not-written", message, details=details)


_NOT_REMEMBERED = (Captured.ON_THE_WAY, Captured.SUMMARY)
"""What has to be remembered before it is packed: nobody looks into a packed file any more."""

_STATUS = ("planned", "done", "skipped", "failed")


def _in_use(listed: Iterable[StoredSession]) -> frozenset[Path]:
    """Return the files that sessions of the stores are read from."""
    refs = [(one, one.transcript) for one in listed if not one.is_loose]
    named = {ref.path for _, ref in refs if ref is not None}
    beside = {
        ref.extra
        for one, ref in refs
        if ref is not None and ref.extra is not None and one.state is SessionState.LIVE
    }
    return frozenset(named | beside)


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
        updated_at=file.modified_at if is_dated or file.path.suffix == ".gz" else None,
        archive_reason=file.kind.value,
        is_loose=True,
    )


def _why_not(agent: Agent, stored: StoredSession, file: OldFile, key: str | None) -> str | None:
    """Return why a transcript that was not captured cannot be captured now; None when it can."""
    if stored.archive_reason == OldKind.DELETED:
        return "it was deleted on purpose, and never captured"
    if file.kind.is_copy:
        return "it is not known that everything in this copy was captured"
    if key is None:
        return f"nobody knows whose it is; `observe --recover {file.session_id}` captures it"
    kind = classify(stored.key or key_of(agent, key), stored.chat_type)
    if not kind.may_be_captured(groups=stored.captures_groups):
        return "what is said in sessions of its kind is never captured"
    return None


def _parts(acts: Sequence[Cleaning], deleted: Detail, *, is_plan: bool) -> Iterator[str]:
    """Yield what is done, or would be, in words."""
    for step, verb, noun, away in (
        (Step.COMPRESS, "pack" if is_plan else "packed", "file", ""),
        (Step.DELETE, "take" if is_plan else "took", "packed file", " away"),
    ):
        if own := [one.file.size_bytes for one in acts if one.step is step]:
            yield f"{verb} {plural(len(own), noun)} of {size_words(sum(own))}{away}"
    if isinstance(deleted, int) and deleted:
        verb = "delete" if is_plan else "deleted"
        yield f"{verb} {size_words(deleted)} for good that were taken away before"


def _as_it_was(one: TakenFile) -> OldFile:
    at = datetime.fromtimestamp(one.modified_ns / 1e9, UTC)
    return OldFile(one.path, "", one.size_bytes, at, one.step is Step.DELETE, one.kind)


def _stays(error: OSError) -> str:
    return f"it was left alone: {(error.strerror or 'no reason given').lower()}"


def _staying(stay: Sequence[Cleaning]) -> str:
    [(why, _), *others] = Counter(one.message for one in stay).most_common()
    more = f", and {plural(len(others), 'other reason')}" if others else ""
    return f"{plural(len(stay), 'file')} left alone: {why}{more}"


def _hint(stay: Sequence[Cleaning]) -> str:
    if not any(one.captured is Captured.NOT for one in stay):
        return ""
    return "`--uncaptured` takes what nobody captured as well."


def _stamp(at: datetime) -> str:
    return at.isoformat(timespec="seconds")


def _details(done: Sequence[Cleaning], totals: dict[str, Detail]) -> dict[str, Detail]:
    rows: list[Detail] = [
        {
            "path": str(one.file.path),
            "kind": one.file.kind.value,
            "step": one.step.value,
            "status": one.status,
            "message": one.message,
            "session_id": one.file.session_id or None,
            "session_key": one.key,
            "modified_at": _stamp(one.file.modified_at),
            "bytes": one.file.size_bytes,
            "bytes_after": one.after_bytes,
            "captured": None if one.captured is None else one.captured.value,
        }
        for one in done
    ]
    lines: list[Detail] = [_line(one) for one in done if one.status == "planned"]
    return {"diff": lines, "files": rows, "totals": dict(totals)}


def _line(one: Cleaning) -> str:
    """Return a file as a plan lists it."""
    size = size_words(one.file.size_bytes)
    day = f"{one.file.modified_at:%Y-%m-%d}"
    return f"- {one.step:<6} {size:>8}  {one.file.kind:<10} {day}  {one.file.path.name}"
