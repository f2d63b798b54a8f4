"""Captures sessions that ended before everything in them was captured.

A reset inside the watcher's cooldown, before the next run and without a compaction, leaves words in
an archive that nobody reads. Each ended session whose fingerprint is not known is observed once
more and summarised; what no summary and no checkpoint has reached is kept raw. Never twice: the
fingerprint is stored behind the capture.
"""

from __future__ import annotations

import logging
from dataclasses import field, replace
from functools import partial
from typing import TYPE_CHECKING

from memconsole.domain.agents import Notice
from memconsole.domain.calendar import resolve_zone
from memconsole.domain.checkpoint.rules import is_readable
from memconsole.domain.commands.observe import Observe
from memconsole.domain.commands.outcomes import (
    Failed,
    Planned,
    Skipped,
    SkipReason,
    reason_of,
    status_of,
)
from memconsole.domain.commands.recover import Recovered
from memconsole.domain.commands.summarize import Summarize
from memconsole.domain.recover import RAW_MESSAGES, ended_sessions, render_raw
from memconsole.domain.transcripts.excerpts import take
from memconsole.engine.home.lookup import unreadable
from memconsole.engine.transcripts.ages import dated
from memconsole.engine.transcripts.fingerprint import keys_of
from memconsole.engine.transcripts.segment import read_segment
from memconsole.engine.turn import notices_of_step, settle
from memconsole.errors import SessionNotFoundError, StoreError, TranscriptRefusedError
from memconsole.lazy_dataclass import dataclass
from memconsole.text.figures import plural
from memconsole.text.outgoing import name_out, way_out
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import datetime

    from memconsole.domain.agents import Agent, Home
    from memconsole.domain.commands.command import Command
    from memconsole.domain.commands.outcomes import Detail, Outcome, Written
    from memconsole.domain.commands.recover import Recover
    from memconsole.domain.recover import Ended, EndedSession
    from memconsole.domain.sessions.stored import StoredSession, StoreListing, TranscriptRef
    from memconsole.domain.settings import Settings
    from memconsole.domain.transcripts.records import Message
    from memconsole.engine.transcripts.fingerprint import Fingerprints
    from memconsole.engine.turn import Turns
    from memconsole.ports.platform import Clock, RunLog, SessionStore, Workspace
    from memconsole.ports.state import CaptureLog, RecoveryLog, SummaryLog

logger = logging.getLogger(__name__)


_NAMED = 3
"""Transcripts of unknown sessions that a message names; the rest is counted."""

_HINT = "`memconsole observe --recover ID` takes one of them in, if it was no group's."

_LOOK = "observe"
"""It keeps what is worth remembering, not the session: the other steps decide what is kept."""


@dataclass(frozen=True, slots=True)
class _Run:
    """One recovery on its way."""

    command: Recover
    home: Home
    agent: Agent
    settings: Settings
    turns: Turns
    step: Callable[[Command], Outcome]
    sessions: SessionStore
    workspace: Workspace
    captures: CaptureLog
    summaries: SummaryLog
    recovery: RecoveryLog
    fingerprints: Fingerprints
    clock: Clock


@dataclass(slots=True)
class _Totals:
    """What came of the sessions that were looked at."""

    rows: list[Detail] = field(default_factory=list)
    wrote: list[Written] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    looked_at: int = 0
    found: int = 0
    failed: list[str] = field(default_factory=list)


def recover(
    command: Recover,
    *,
    turns: Turns,
    step: Callable[[Command], Outcome],
    settings: Settings,
    sessions: SessionStore,
    workspace: Workspace,
    captures: CaptureLog,
    summaries: SummaryLog,
    recovery: RecoveryLog,
    fingerprints: Fingerprints,
    runs: RunLog,
    clock: Clock,
) -> Outcome:
    """Look at the sessions that ended, and capture those that nobody captured to their end.

    Raises:
        SessionNotFoundError: There is nothing of the session that was named.
        StoreError: None of its sessions can be read.
        StateError: Our own database cannot be read or written; nothing was done.
    """
    home, agent = turns.place(command)
    runs.require_readable()  # what was captured is recorded there
    run = _Run(
        command=command,
        home=home,
        agent=agent,
        settings=settings,
        turns=turns,
        step=step,
        sessions=sessions,
        workspace=workspace,
        captures=captures,
        summaries=summaries,
        recovery=recovery,
        fingerprints=fingerprints,
        clock=clock,
    )
    listing = sessions.sessions(agent)
    if not is_readable(listing) and not listing.sessions:
        raise unreadable(agent.id, listing)
    if not command.dry_run:
        fingerprints.note_keys(agent, keys_of(listing.sessions))
    ended, totals = _ended(run, listing), _Totals()
    for session in ended.sessions:
        _look(run, session, totals)
    return _outcome(run, ended, totals)


def _ended(run: _Run, listing: StoreListing) -> Ended:
    """Return what has ended, of the session that was named if one was.

    Raises:
        SessionNotFoundError: There is nothing of that name.
    """
    known = run.recovery.keys(run.agent.ref)
    listing = _meant(listing, run.command.session_key, known)
    ended = ended_sessions(run.agent, listing, known, partial(dated, run.sessions))
    return replace(ended, nameless=tuple(_uncaptured(run, ended, listing)))


def _meant(listing: StoreListing, name: str | None, known: Mapping[str, str]) -> StoreListing:
    """Leave what has this session key, is known to have had it, or has this id; all without one.

    Raises:
        SessionNotFoundError: There is nothing of that name.
    """
    if name is None:
        return listing

    def is_meant(stored: StoredSession) -> bool:
        key = known.get(stored.session_id or "") if stored.key is None else stored.key.text
        return name in (stored.session_id, key)

    found = tuple(filter(is_meant, listing.sessions))
    if not found:
        raise SessionNotFoundError(name)
    return replace(listing, sessions=found)


def _uncaptured(run: _Run, ended: Ended, listing: StoreListing) -> Iterator[str]:
    """Yield the transcripts of nobody that no `observe --recover` took in to their present end."""
    refs = {ref.session_id: ref for one in listing.sessions if (ref := one.transcript) is not None}
    for name in ended.nameless:
        try:
            is_known = name in refs and run.fingerprints.is_captured(run.agent.ref, refs[name])
        except StoreError as error:
            logger.warning("%s", error)
            is_known = False
        if not is_known:
            yield name


def _look(run: _Run, session: EndedSession, totals: _Totals) -> None:
    """Capture one session, if its end is not known."""
    ref = session.stored.transcript
    assert ref is not None  # ended sessions have one
    known = run.recovery.fingerprints(run.agent.ref, ref.session_id)
    print_ = _print(run, session, ref, known, totals)
    if print_ is None:
        return
    totals.looked_at += 1
    if print_ in known:
        return
    steps = list(_capture(run, session, ref, print_))
    is_kept = any(_is_kept(outcome) for name, outcome in steps if name != _LOOK)
    if not (is_kept and all(_found_nothing(outcome) for _, outcome in steps)):
        totals.found += 1
        totals.rows.append(_row(session, ref, steps))
    if run.command.dry_run:
        return
    for name, outcome in steps:
        totals.wrote += getattr(outcome, "wrote", ())
        totals.notices += notices_of_step(name, outcome)
    if is_kept:
        _remember(run, ref, print_)
    else:
        totals.failed.append(f"{session.key}: {steps[-1][1].message}")


def _print(
    run: _Run, session: EndedSession, ref: TranscriptRef, known: frozenset[str], totals: _Totals
) -> str | None:
    """Return a session's fingerprint; an unreadable transcript is told of once until it changes."""
    unreadable = f"unreadable {ref.size_bytes} {ref.modified_at}"
    if unreadable in known:
        return None
    try:
        return run.fingerprints.take(ref, is_previous=session.is_previous)
    except StoreError as error:
        logger.warning("%s", error)
        code = error.code if isinstance(error, TranscriptRefusedError) else "transcript-damaged"
        said = Notice(code, str(error), str(ref.path), run.agent.id)
        totals.notices.append(said)
        if not run.command.dry_run:
            _remember(run, ref, unreadable)
        return None


def _is_kept(outcome: Outcome) -> bool:
    """Whether a step left nothing to capture; a held lock leaves all of it."""
    return _found_nothing(outcome) or not isinstance(outcome, Skipped | Failed)


def _found_nothing(outcome: Outcome) -> bool:
    nothing = (SkipReason.NOTHING_NEW, SkipReason.TOO_SMALL)
    return isinstance(outcome, Skipped) and outcome.reason in nothing


def _capture(
    run: _Run, session: EndedSession, ref: TranscriptRef, print_: str
) -> Iterator[tuple[str, Outcome]]:
    """Yield (step, outcome): observations, the summary, and the words that neither has."""
    dry_run = run.command.dry_run
    look = Observe(
        run.agent.ref, recover_id=ref.session_id, is_previous=session.is_previous, dry_run=dry_run
    )
    yield _LOOK, run.step(look)
    order = Summarize(
        run.agent.ref,
        session.key,
        session_id=ref.session_id,
        reason="recovery",
        is_previous=session.is_previous,
        dry_run=dry_run,
    )
    summary = run.step(order)
    yield "summary", summary
    if isinstance(summary, Failed) or _found_nothing(summary):
        rest = settle(run.command, lambda: _keep_raw(run, session, ref, print_))
        if not _found_nothing(rest):
            yield "raw", rest


def _keep_raw(run: _Run, session: EndedSession, ref: TranscriptRef, print_: str) -> Outcome:
    """Append what nothing has captured yet to the daily log of the day it was said on."""
    segment = read_segment(run.sessions, ref, wanted=RAW_MESSAGES, is_previous=session.is_previous)
    messages = _behind(segment.messages, _captured_until(run, ref))
    if not messages:
        return Skipped(run.command, SkipReason.NOTHING_NEW, "all of it was captured before")
    if run.command.dry_run:
        return Planned(run.command, f"would keep {plural(len(messages), 'message')} unchanged")
    said = take(messages, way_out(redacts=run.settings.redact)).spoken
    zone = resolve_zone(run.settings.timezone, run.home.config.user_timezone).zone
    path, entry, header = render_raw(name_out(ref.session_id), said, run.clock.now(), zone)

    def attempt() -> Outcome:
        wrote = run.workspace.append(run.agent.workspace, path, entry, header=header)
        _remember(run, ref, print_)
        return Recovered(
            run.command, f"{plural(len(said), 'message')} kept as said", wrote=(wrote,)
        )

    return run.turns.hold(run.agent, attempt)


def _captured_until(run: _Run, ref: TranscriptRef) -> datetime | None:
    """Return the time up to which a summary or a checkpoint has the words of a session."""
    agent = run.agent.ref
    summary = run.summaries.last(agent, ref.session_id)
    checkpoint = run.captures.last(agent, ref.session_id)
    times = (
        None if summary is None else summary.until,
        None if checkpoint is None else checkpoint.at,
    )
    return max((one for one in times if one is not None), default=None)


def _behind(messages: Sequence[Message], until: datetime | None) -> Sequence[Message]:
    """Return the messages behind a time; one without a time belongs to the one before it."""
    place = 0
    for number, one in enumerate(messages, start=1):
        if until is not None and one.at is not None and one.at <= until:
            place = number
    return messages[place:]


def _remember(run: _Run, ref: TranscriptRef, print_: str) -> None:
    run.fingerprints.remember(run.agent.ref, ref.session_id, print_)


def _row(session: EndedSession, ref: TranscriptRef, steps: list[tuple[str, Outcome]]) -> Detail:
    captured: list[Detail] = [
        {"step": name, "status": status_of(outcome), "reason": reason_of(outcome)}
        for name, outcome in steps
    ]
    return {"session_id": ref.session_id, "session_key": session.key, "captured": captured}


def _left(ended: Ended) -> str:
    """Return what is said of transcripts that nobody can be given."""
    number = len(ended.nameless)
    if not number:
        return ""
    one = "1 ended transcript is left out, because nobody knows whose it is"
    many = f"{number} ended transcripts are left out, because nobody knows whose they are"
    shown = ", ".join(one_line(name)[:80] for name in ended.nameless[:_NAMED])
    more = f" and {number - _NAMED} more" if number > _NAMED else ""
    return f"{one if number == 1 else many}: {shown}{more}"


def _outcome(run: _Run, ended: Ended, totals: _Totals) -> Outcome:
    details: dict[str, Detail] = {
        "looked_at": totals.looked_at,
        "sessions": totals.rows,
        "nameless": len(ended.nameless),
        "nameless_ids": list(ended.nameless),
    }
    left = _left(ended)
    if not totals.found:
        number = plural(totals.looked_at, "ended session")
        nothing = f"{number} of {run.agent.id}: nothing is missing"
        return Skipped(
            run.command,
            SkipReason.NOTHING_NEW,
            f"{nothing}; {left}" if left and totals.looked_at else left or nothing,
            hint=_HINT if left else "",
            details=details,
            notices=tuple(totals.notices),
        )
    also = f"; {left}" if left else ""
    number = plural(totals.found, "ended session")
    if run.command.dry_run:
        return Planned(
            run.command,
            f"would capture {number} of {run.agent.id}{also}",
            details=details,
            notices=tuple(totals.notices),
        )
    if totals.failed:
        return Failed(
            run.command,
            "not-captured",
            f"{len(totals.failed)} of {number} could not be captured: {totals.failed[0]}",
            hint="The transcripts are unchanged; the next run tries again.",
            details=details,
        )
    return Recovered(
        run.command,
        f"{number} of {run.agent.id} captured after the fact{also}",
        wrote=tuple(totals.wrote),
        details=details,
        notices=tuple(dict.fromkeys(totals.notices)),
    )
