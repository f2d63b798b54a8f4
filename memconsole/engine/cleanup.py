"""Packs transcripts that no store knows, and deletes them much later.

What is not known is left alone: an agent whose stores cannot be read whole, a session whose key
nobody remembers (it may be a group's), and every session that was not captured to its end.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from memconsole.domain.checkpoint.rules import is_readable
from memconsole.domain.commands.observe import Observe
from memconsole.domain.commands.outcomes import Failed, Skipped, SkipReason
from memconsole.domain.recover import SILENT
from memconsole.domain.sessions.keys import classify, key_of
from memconsole.domain.sessions.stored import TranscriptKind
from memconsole.domain.upkeep import Cleaning, OldFile, Step, step_due
from memconsole.engine.transcripts.ages import dated
from memconsole.engine.transcripts.fingerprint import Fingerprints
from memconsole.errors import StateError, StoreError
from memconsole.lazy_dataclass import dataclass
from memconsole.text.figures import size_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memconsole.domain.agents import Agent
    from memconsole.domain.commands.command import Command
    from memconsole.domain.commands.outcomes import Outcome
    from memconsole.domain.sessions.keys import SessionKey
    from memconsole.domain.sessions.stored import StoredSession, TranscriptRef
    from memconsole.domain.settings import Settings
    from memconsole.engine.home.reader import Reader
    from memconsole.ports.host import OldTranscripts
    from memconsole.ports.platform import Clock, SessionStore, StopSignal
    from memconsole.ports.state import RecoveryLog

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CleanupRun:
    """What one run works with.

    Attributes:
        settings: `[cleanup]`.
        files: The transcripts themselves.
        step: Runs a command: what was not captured is captured before it is packed.
        dry_run: Only say what would be done.
    """

    reader: Reader
    settings: Settings
    sessions: SessionStore
    recovery: RecoveryLog
    files: OldTranscripts
    clock: Clock
    step: Callable[[Command], Outcome]
    dry_run: bool

    @property
    def fingerprints(self) -> Fingerprints:
        """Tells what was captured."""
        return Fingerprints(self.sessions, self.recovery, self.clock)


def clean_transcripts(run: CleanupRun, cancel: StopSignal | None = None) -> tuple[Cleaning, ...]:
    """Do what is due for the old transcripts of every agent; one that fails stops no other.

    Args:
        run: What it works with.
        cancel: Ends it between two files.
    """
    found: list[Cleaning] = []
    for agent in run.reader.home().agents:
        for one in _of_agent(run, agent):
            found.append(one)
            if cancel is not None and cancel.is_set():
                return tuple(found)
    return tuple(found)


def _of_agent(run: CleanupRun, agent: Agent) -> Iterator[Cleaning]:
    listing = run.reader.listing(agent)
    if not is_readable(listing):
        why = f"the stores of {agent.id} cannot be read whole: any transcript may be in use"
        yield Cleaning(agent.id, None, None, "skipped", why)
        return
    rules, now = run.settings.cleanup, run.clock.now()
    loose = [one for one in listing.sessions if _file_of(agent, one) is not None]
    for stored in dated(run.sessions, loose):
        file = _file_of(agent, stored)
        if file is not None and step_due(file, now, rules) is Step.COMPRESS:
            yield _compressed(run, agent, stored, file)
    live = {one.session_id for one in listing.sessions if not one.is_loose}
    for file in run.files.packed(agent):
        if file.session_id not in live and step_due(file, now, rules) is Step.DELETE:
            yield _deleted(run, agent, file)


def _file_of(agent: Agent, stored: StoredSession) -> OldFile | None:
    """Return a plain file of the sessions folder that no entry of any store names.

    It is as old as its newest message; only where nobody said anything, as its file.
    """
    ref = stored.transcript
    if ref is None or not stored.is_loose or ref.path.parent != agent.sessions_dir:
        return None
    if ref.kind is not TranscriptKind.FILE or ref.extra is not None:
        return None
    at = stored.spoke_at or ref.modified_at
    if ref.size_bytes is None or at is None:
        return None
    return OldFile(ref.path, ref.session_id, ref.size_bytes, at)


def _compressed(run: CleanupRun, agent: Agent, stored: StoredSession, file: OldFile) -> Cleaning:
    why = _why_not(run, agent, stored)
    return _cleaned(run, agent, file, Step.COMPRESS, why)


def _deleted(run: CleanupRun, agent: Agent, file: OldFile) -> Cleaning:
    is_known = bool(run.recovery.fingerprints(agent.ref, file.session_id))
    why = None if is_known else "it is not known that its session was captured"
    return _cleaned(run, agent, file, Step.DELETE, why)


def _cleaned(
    run: CleanupRun, agent: Agent, file: OldFile, step: Step, why_not: str | None
) -> Cleaning:
    """Do a step, unless there is a reason not to."""
    files = run.files
    deed, done = {
        Step.COMPRESS: (files.compress, "packed, {} less"),
        Step.DELETE: (files.delete, "deleted, {}"),
    }[step]
    freed = 0
    if why_not is not None:
        status, message = "skipped", why_not
    elif run.dry_run:
        status, message = "planned", f"would {step} {size_words(file.size_bytes)}"
    else:
        try:
            freed = deed(agent, file)
            status, message = "done", done.format(size_words(freed))
        except OSError as error:
            reason = (error.strerror or "no reason given").lower()
            status, message = "failed", f"it was left alone: {reason}"
    return Cleaning(agent.id, file.path, step, status, message, freed)


def _why_not(run: CleanupRun, agent: Agent, stored: StoredSession) -> str | None:
    """Return why a transcript must stay; one that was not captured is captured first."""
    ref = stored.transcript
    assert ref is not None  # it has a file
    try:
        if run.fingerprints.is_captured(agent.ref, ref):
            return None
        if stored.archive_reason == "deleted":
            return "it was deleted on purpose, and never captured"
        key = stored.key or _remembered_key(run, agent, ref)
        if key is None:
            return f"nobody knows whose it is; `observe --recover {ref.session_id}` captures it"
        if not classify(key, None).may_be_captured(groups=stored.captures_groups):
            return "what is said in sessions of its kind is never captured"
        is_safe = run.dry_run or _is_safe(run, agent, ref)
    except (StoreError, StateError) as error:
        return str(error)
    return None if is_safe else "it could not be captured"


def _remembered_key(run: CleanupRun, agent: Agent, ref: TranscriptRef) -> SessionKey | None:
    key = run.recovery.keys(agent.ref).get(ref.session_id)
    return None if key is None else key_of(agent, key)


def _is_safe(run: CleanupRun, agent: Agent, ref: TranscriptRef) -> bool:
    """Capture a transcript to its end, and remember that behind it; tell whether it worked."""
    print_ = run.fingerprints.take(ref) or SILENT
    if print_ != SILENT and not _is_captured(run, agent, ref):
        return False
    run.fingerprints.remember(agent.ref, ref.session_id, print_)
    return True


def _is_captured(run: CleanupRun, agent: Agent, ref: TranscriptRef) -> bool:
    look = Observe(agent.ref, recover_id=ref.session_id)
    outcome = run.step(look)
    if isinstance(outcome, Skipped):
        return outcome.reason in (SkipReason.NOTHING_NEW, SkipReason.TOO_SMALL)
    return not isinstance(outcome, Failed)
