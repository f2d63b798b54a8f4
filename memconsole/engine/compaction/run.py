"""Asks for the compaction of one session, and judges the record that it left in the transcript.

Saved first. On releases whose `sessions.compact` only cuts lines off, it is refused unless that is
wanted. An outer ok proves nothing; a summary that says nothing is a failure that names what to do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.commands.compact import Compacted
from memconsole.domain.commands.outcomes import Failed, Planned, Skipped, SkipReason
from memconsole.domain.compaction import (
    cuts_only,
    explain,
    judge_compaction,
    judge_summary,
    takes_instructions,
)
from memconsole.domain.sessions.stored import SessionState
from memconsole.engine.home.lookup import find_agent
from memconsole.engine.rotation.prologue import save_first
from memconsole.engine.transcripts.tail import read_usage
from memconsole.errors import GatewayCallError, SessionNotFoundError, StoreError
from memconsole.lazy_dataclass import dataclass
from memconsole.text.figures import plural, short_kilo

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from memconsole.domain.commands.command import Command
    from memconsole.domain.commands.compact import Compact
    from memconsole.domain.commands.outcomes import Detail, Outcome
    from memconsole.domain.compaction import Fault
    from memconsole.domain.gateway import CompactAnswer
    from memconsole.domain.settings import Settings
    from memconsole.domain.transcripts.records import Compaction, Tail
    from memconsole.engine.home.reader import Reader
    from memconsole.engine.rotation.prologue import Prologue
    from memconsole.engine.rotation.target import Target, Targets
    from memconsole.engine.transcripts.fingerprint import Fingerprints
    from memconsole.engine.turn import StepLog
    from memconsole.ports.platform import Gateway, Locks, SessionStore


_INSTRUCTIONS = "instructions"
"""The property; a Gateway that does not know it refuses the request and names it."""


def compact(
    command: Compact,
    *,
    locks: Locks,
    gateway: Gateway,
    targets: Targets,
    reader: Reader,
    sessions: SessionStore,
    step: Callable[[Command], Outcome],
    fingerprints: Fingerprints,
    settings: Settings,
    steps: StepLog,
) -> Outcome:
    """Compact one session, if it is free and its work is saved.

    Raises:
        GatewayUnavailableError: The Gateway is not reachable or refuses us.
        GatewayCallError: It refused; nothing was done.
        GatewayMismatchError: It serves another home.
        SessionNotFoundError: It does not know the key; nothing was sent.
        LockedError: Another process is at this session.
    """
    if command.dry_run:
        return _plan(command, reader)
    with locks.session(command.agent.home.path, command.key):
        settings.require("gateway")
        status = gateway.require()
        if (refusal := _refusal(command, status.version)) is not None:
            return refusal
        target = targets.find(command.agent, command.key)
        if target.is_busy:
            return Skipped(
                command,
                SkipReason.BUSY,
                f"{command.key}: a run is going on",
                hint="Try again when it has ended.",
            )
        prologue = save_first(target, step=step, fingerprints=fingerprints, is_ending=False)
        if not prologue.is_saved:
            return _not_saved(command, prologue)
        known_at = last_compaction_at(target, targets, sessions)
        answer = _asked(command, gateway, steps)
        if answer is None:
            return _cannot_instruct(command)
        entry = _looked_for(target, known_at, targets, sessions, steps)
        return _judged(command, target, prologue, answer, entry)


def _not_saved(command: Compact, prologue: Prologue) -> Failed:
    return Failed(
        command,
        "not-captured",
        f"{command.key} was not compacted, because its work could not be saved: {prologue.said}",
    )


def _looked_for(
    target: Target,
    known_at: datetime | None,
    targets: Targets,
    sessions: SessionStore,
    steps: StepLog,
) -> CompactionEntry | None:
    with steps.doing("proof") as doing:
        entry = new_entry(target, known_at, targets, sessions)
        if entry is None:
            doing.status, doing.message = "skipped", "the transcript does not show it yet"
    return entry


def _asked(command: Compact, gateway: Gateway, steps: StepLog) -> CompactAnswer | None:
    """Ask for the compaction; None when the Gateway does not know instructions."""
    with steps.doing("compaction") as doing:
        try:
            answer = gateway.compact(command.key, command.instructions)
        except GatewayCallError as error:
            if command.instructions is None or _INSTRUCTIONS not in str(error):
                raise
            doing.status = "failed"
            return None
        doing.status = _status_of(answer)
        return answer


def _status_of(answer: CompactAnswer) -> str:
    if answer.is_lost:
        return "unanswered"
    return "done" if answer.is_compacted else "skipped"


def _refusal(command: Compact, version: str | None) -> Failed | None:
    """Return why a release cannot do what is wanted; a dry run says the same."""
    if cuts_only(version) and not command.is_truncation_forced:
        return _cuts_only(command, version)
    if command.instructions is not None and takes_instructions(version) is False:
        return _cannot_instruct(command)
    return None


def _plan(command: Compact, reader: Reader) -> Planned | Failed:
    """Say what would be done, from disk alone: by the release that last wrote its configuration.

    Raises:
        SessionNotFoundError: The home has no live session of that key.
    """
    home = reader.home()
    reading = reader.sessions(home, find_agent(home, command.agent.id))
    view = next(
        (
            one
            for one in reader.views(home, reading, {})
            if one.key_text == command.key and one.state is SessionState.LIVE
        ),
        None,
    )
    if view is None:
        raise SessionNotFoundError(command.key)
    version = home.config.last_version
    if version is not None and (refusal := _refusal(command, version)) is not None:
        return refusal
    tokens = view.count.basis if view.count.basis is not None else view.tokens
    first = (
        f"would save {command.key}, then"
        if view.is_capturable
        else f"would, without saving the {view.session_class.value} session of {command.key},"
    )
    size = "an unknown number of tokens" if tokens is None else f"{short_kilo(tokens)} tokens"
    details: dict[str, Detail] = {
        "tokens": tokens,
        "token_state": view.count.state.value,
        "threshold": view.threshold,
        "window": view.window,
        "compactions": view.stored.compactions,
        "class": view.session_class.value,
    }
    more = "" if command.instructions is None else ", with instructions if the Gateway takes them"
    return Planned(command, f"{first} ask for its compaction at {size}{more}", details=details)


def _judged(
    command: Compact,
    target: Target,
    prologue: Prologue,
    answer: CompactAnswer,
    entry: CompactionEntry | None,
) -> Outcome:
    before = target.before.tokens if answer.tokens_before is None else answer.tokens_before
    after = answer.tokens_after
    if after is None and entry is not None:  # 2026.9 writes it down and does not answer it
        after = entry.compaction.tokens_after
    details = {
        **_details(answer, prologue, entry),
        "tokens_before": before,
        "tokens_after": after,
    }
    if answer.is_lost and entry is None:
        return Failed(
            command,
            "answer-lost",
            f"{command.key}: a compaction was asked for, and no answer came",
            hint="Its work is saved. Look at the session before asking again.",
            details=details,
        )
    if not answer.is_compacted and entry is None:
        return Skipped(
            command,
            SkipReason.NOT_COMPACTED,
            f"{command.key} was not compacted: {answer.reason}",
            details=details,
        )
    bad = None if answer.kept_lines is not None else _fault(answer, entry)
    if bad is not None:
        return Failed(
            command,
            "bad-compaction",
            f"{command.key} was compacted, and {bad}",
            hint="The turns are still in its transcript, and its checkpoint is written.",
            details=details,
        )
    doubt = "" if entry is None or entry.why is None else f"; look at it: {entry.why}"
    return Compacted(
        command,
        _words(command, answer, before, after) + doubt,
        wrote=prologue.wrote,
        details=details,
        notices=prologue.notices,
    )


def _details(
    answer: CompactAnswer, prologue: Prologue, entry: CompactionEntry | None
) -> dict[str, Detail]:
    return {
        "kept_lines": answer.kept_lines,
        "archived": answer.archived,
        "captured": prologue.captured,
        "entry": None if entry is None else entry.as_details(),
    }


def _fault(answer: CompactAnswer, entry: CompactionEntry | None) -> str | None:
    """Return what was lost, by the transcript where it is there, else by the answer."""
    if entry is not None:
        return entry.why if entry.is_loss else None
    return judge_summary(answer.summary)


def _words(command: Compact, answer: CompactAnswer, before: int | None, after: int | None) -> str:
    if answer.kept_lines is not None:
        kept = "" if answer.archived is None else f"; all of it is kept as {answer.archived}"
        lines = answer.kept_lines
        return f"{command.key} was cut to its last {plural(lines, 'line')}, without a summary{kept}"
    left = "an unknown number" if after is None else short_kilo(after)
    return f"{command.key} was compacted: {short_kilo(before)} tokens before, {left} after"


def _cuts_only(command: Compact, version: str | None) -> Failed:
    release = "this release" if version is None else f"release {version}"
    return Failed(
        command,
        "truncates-only",
        f"{command.key} was not compacted: sessions.compact of {release} cuts the transcript and "
        "makes no summary",
        hint="Type /compact in the conversation, or cut it with --force-truncate.",
    )


def _cannot_instruct(command: Compact) -> Failed:
    return Failed(
        command,
        "instructions-unsupported",
        f"{command.key} was not compacted: this release takes no instructions for it",
        hint="Type `/compact INSTRUCTIONS` in the conversation itself.",
    )


@dataclass(frozen=True, slots=True)
class CompactionEntry:
    """One compaction as the transcript tells it.

    Attributes:
        at: When the platform wrote it.
        fault: What is wrong with it; None when nothing is.
    """

    at: datetime
    compaction: Compaction
    fault: Fault | None

    @property
    def is_loss(self) -> bool:
        """Whether turns are certainly lost from the context."""
        return self.fault is not None and self.fault.is_loss

    @property
    def why(self) -> str | None:
        """The fault as the end of a sentence."""
        return None if self.fault is None else explain(self.fault, self.compaction)

    def as_details(self) -> dict[str, Detail]:
        """Return `details.entry` of an outcome; never the words of the summary."""
        return {
            "at": self.at.isoformat(),
            "tokens_before": self.compaction.tokens_before,
            "tokens_after": self.compaction.tokens_after,
            "summary_chars": len(self.compaction.summary.strip()),
            "from_hook": self.compaction.is_from_hook,
            "duration_ms": self.compaction.duration_ms,
            "fault": None if self.fault is None else self.fault.value,
        }


def last_compaction_at(target: Target, targets: Targets, sessions: SessionStore) -> datetime | None:
    """Return the time of the compaction that the transcript shows now, if it does."""
    tail = _tail(target, targets, sessions)
    return None if tail is None else tail.last_compaction_at


def new_entry(
    target: Target, known_at: datetime | None, targets: Targets, sessions: SessionStore
) -> CompactionEntry | None:
    """Look for a compaction that was not there before.

    None when the transcript does not show it (yet): then only the answer can be judged. A look that
    fails proves nothing either way.

    Args:
        target: The session.
        known_at: What `last_compaction_at` returned before.
        targets: For where it is now.
        sessions: For the transcript.
    """
    tail = _tail(target, targets, sessions)
    if tail is None or tail.last_compaction is None or tail.last_compaction_at is None:
        return None
    if known_at is not None and tail.last_compaction_at <= known_at:
        return None
    fault = judge_compaction(tail.last_compaction, has_earlier_words=True)
    return CompactionEntry(tail.last_compaction_at, tail.last_compaction, fault)


def _tail(target: Target, targets: Targets, sessions: SessionStore) -> Tail | None:
    found = targets.on_disk(target)
    if found is None or not found.transcript:
        return None
    try:
        return read_usage(sessions, found.transcript)
    except StoreError:
        return None
