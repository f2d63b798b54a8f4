"""Captures sessions that ended before everything in them was captured.

A reset inside the watcher's cooldown, before the next run and without a compaction, leaves words in
an archive that nobody reads. Each ended session whose fingerprint is not known is observed once
more and summarised; what no summary and no checkpoint has reached is kept raw. Never twice: the
fingerprint is stored behind the capture.
"""

from __future__ import annotations

import logging
from dataclasses import field, replace
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
from memconsole.domain.recover import RAW_MESSAGES, ended_talks, render_raw
from memconsole.domain.transcripts.excerpts import take
from memconsole.engine.home.lookup import find_agent, unreadable
from memconsole.engine.observe.run import observe
from memconsole.engine.summarize import summarize
from memconsole.engine.transcripts.ages import dated
from memconsole.engine.transcripts.fingerprint import (
    is_captured,
    keys_of,
    note_keys,
    take_fingerprint,
)
from memconsole.engine.transcripts.segment import read_segment
from memconsole.engine.turn import in_turn, no_workspace, notices_of_step, settle
from memconsole.errors import StoreError, TranscriptRefusedError
from memconsole.lazy_dataclass import dataclass
from memconsole.text.outgoing import name_out, way_out
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from memconsole.domain.agents import Agent, Home
    from memconsole.domain.commands.outcomes import Detail, Outcome, Written
    from memconsole.domain.commands.recover import Recover
    from memconsole.domain.recover import Ended, EndedTalk
    from memconsole.domain.sessions.stored import StoreListing, TranscriptRef
    from memconsole.domain.settings import Settings
    from memconsole.domain.transcripts.records import Message
    from memconsole.engine.home.reader import Reader
    from memconsole.ports.bundle import Ports

logger = logging.getLogger(__name__)


_NAMED = 3
"""Transcripts of unknown talks that a message names; the rest is counted."""

_HINT = "`memconsole observe --recover ID` takes one of them in, if it was no group's."

_LOOK = "observe"
"""It keeps what is worth remembering, not the talk: what is kept is decided by the other steps."""


@dataclass(frozen=True, slots=True)
class _Scene:
    """What one run works with."""

    command: Recover
    home: Home
    agent: Agent
    ports: Ports
    reader: Reader
    settings: Settings


@dataclass(slots=True)
class _Tally:
    """What came of the talks that were looked at."""

    rows: list[Detail] = field(default_factory=list)
    wrote: list[Written] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    looked_at: int = 0
    found: int = 0
    failed: list[str] = field(default_factory=list)


def recover(command: Recover, *, ports: Ports, reader: Reader, settings: Settings) -> Outcome:
    """Look at the talks that ended, and capture those that nobody captured to their end.

    Raises:
        UnknownAgentError: There is no such agent.
        StoreError: None of its sessions can be read.
        StateError: Our own database cannot be read or written; nothing was done.
    """
    home = reader.home()
    agent = find_agent(home, command.agent.id)
    if (missing := no_workspace(command, agent)) is not None:
        return missing
    ports.runs.require_readable()  # what was captured is recorded there
    scene = _Scene(command, home, agent, ports, reader, settings)
    listing = ports.sessions.sessions(agent)
    if not is_readable(listing) and not listing.sessions:
        raise unreadable(agent.id, listing)
    if not command.dry_run:
        note_keys(ports, agent, keys_of(listing.sessions))
    ended = ended_talks(
        agent,
        listing,
        ports.recovery.keys(agent.ref),
        lambda talks: dated(ports.sessions, talks),
    )
    ended = replace(ended, nameless=tuple(_uncaptured(scene, ended, listing)))
    tally = _Tally()
    for talk in ended.talks:
        _look(scene, talk, tally)
    return _told(scene, ended, tally)


def _uncaptured(scene: _Scene, ended: Ended, listing: StoreListing) -> Iterator[str]:
    """Yield the transcripts of nobody that no `observe --recover` took in to their present end."""
    refs = {ref.session_id: ref for one in listing.sessions if (ref := one.transcript) is not None}
    for name in ended.nameless:
        try:
            is_known = name in refs and is_captured(scene.ports, scene.agent.ref, refs[name])
        except StoreError as error:
            logger.warning("%s", error)
            is_known = False
        if not is_known:
            yield name


def _look(scene: _Scene, talk: EndedTalk, tally: _Tally) -> None:
    """Capture one talk, if its end is not known."""
    ports, ref = scene.ports, talk.stored.transcript
    assert ref is not None  # ended talks have one
    known = ports.recovery.fingerprints(scene.agent.ref, ref.session_id)
    print_ = _print(scene, talk, ref, known, tally)
    if print_ is None:
        return
    tally.looked_at += 1
    if print_ in known:
        return
    steps = list(_capture(scene, talk, ref, print_))
    is_kept = any(_is_kept(outcome) for name, outcome in steps if name != _LOOK)
    if not (is_kept and all(_found_nothing(outcome) for _, outcome in steps)):
        tally.found += 1
        tally.rows.append(_row(talk, ref, steps))
    if scene.command.dry_run:
        return
    for name, outcome in steps:
        tally.wrote += getattr(outcome, "wrote", ())
        tally.notices += notices_of_step(name, outcome)
    if is_kept:
        _remember(scene, ref, print_)
    else:
        tally.failed.append(f"{talk.key}: {steps[-1][1].message}")


def _print(
    scene: _Scene, talk: EndedTalk, ref: TranscriptRef, known: frozenset[str], tally: _Tally
) -> str | None:
    """Return a talk's fingerprint; an unreadable transcript is told of once until it changes."""
    unreadable = f"unreadable {ref.size_bytes} {ref.modified_at}"
    if unreadable in known:
        return None
    try:
        return take_fingerprint(scene.ports, ref, is_previous=talk.is_previous)
    except StoreError as error:
        logger.warning("%s", error)
        code = error.code if isinstance(error, TranscriptRefusedError) else "transcript-damaged"
        said = Notice(code, str(error), str(ref.path), scene.agent.id)
        tally.notices.append(said)
        if not scene.command.dry_run:
            _remember(scene, ref, unreadable)
        return None


def _is_kept(outcome: Outcome) -> bool:
    """Whether a step left nothing to capture; a held lock leaves all of it."""
    return _found_nothing(outcome) or not isinstance(outcome, Skipped | Failed)


def _found_nothing(outcome: Outcome) -> bool:
    nothing = (SkipReason.NOTHING_NEW, SkipReason.TOO_SMALL)
    return isinstance(outcome, Skipped) and outcome.reason in nothing


def _capture(
    scene: _Scene, talk: EndedTalk, ref: TranscriptRef, print_: str
) -> Iterator[tuple[str, Outcome]]:
    """Yield (step, outcome): observations, the summary, and the words that neither has."""
    dry_run = scene.command.dry_run
    look = Observe(
        scene.agent.ref, recover_id=ref.session_id, is_previous=talk.is_previous, dry_run=dry_run
    )
    yield (
        _LOOK,
        settle(
            look,
            lambda: observe(look, ports=scene.ports, reader=scene.reader, settings=scene.settings),
        ),
    )
    order = Summarize(
        scene.agent.ref,
        talk.key,
        session_id=ref.session_id,
        reason="recovery",
        is_previous=talk.is_previous,
        dry_run=dry_run,
    )
    summary = settle(
        order,
        lambda: summarize(order, ports=scene.ports, reader=scene.reader, settings=scene.settings),
    )
    yield "summary", summary
    if isinstance(summary, Failed) or _found_nothing(summary):
        rest = settle(scene.command, lambda: _keep_raw(scene, talk, ref, print_))
        if not _found_nothing(rest):
            yield "raw", rest


def _keep_raw(scene: _Scene, talk: EndedTalk, ref: TranscriptRef, print_: str) -> Outcome:
    """Append what nothing has captured yet to the daily log of the day it was said on."""
    ports = scene.ports
    segment = read_segment(ports.sessions, ref, wanted=RAW_MESSAGES, is_previous=talk.is_previous)
    messages = _behind(segment.messages, _captured_until(scene, ref))
    if not messages:
        return Skipped(scene.command, SkipReason.NOTHING_NEW, "all of it was captured before")
    if scene.command.dry_run:
        return Planned(scene.command, f"would keep {len(messages)} messages as they are")
    said = take(messages, way_out(redacts=scene.settings.redact)).spoken
    zone = resolve_zone(scene.settings.timezone, scene.home.config.user_timezone).zone
    path, entry, header = render_raw(name_out(ref.session_id), said, ports.clock.now(), zone)

    def attempt() -> Outcome:
        wrote = ports.workspace.append(scene.agent.workspace, path, entry, header=header)
        _remember(scene, ref, print_)
        return Recovered(scene.command, f"{len(said)} messages kept as they are", wrote=(wrote,))

    return in_turn(scene.agent, attempt, ports=ports, reader=scene.reader, settings=scene.settings)


def _captured_until(scene: _Scene, ref: TranscriptRef) -> datetime | None:
    """Return the time up to which a summary or a checkpoint has the words of a talk."""
    agent, ports = scene.agent.ref, scene.ports
    summary = ports.summaries.last(agent, ref.session_id)
    checkpoint = ports.captures.last(agent, ref.session_id)
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


def _remember(scene: _Scene, ref: TranscriptRef, print_: str) -> None:
    scene.ports.recovery.remember(scene.agent.ref, ref.session_id, print_, scene.ports.clock.now())


def _row(talk: EndedTalk, ref: TranscriptRef, steps: list[tuple[str, Outcome]]) -> Detail:
    captured: list[Detail] = [
        {"step": name, "status": status_of(outcome), "reason": reason_of(outcome)}
        for name, outcome in steps
    ]
    return {"session_id": ref.session_id, "session_key": talk.key, "captured": captured}


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


def _told(scene: _Scene, ended: Ended, tally: _Tally) -> Outcome:
    details: dict[str, Detail] = {
        "looked_at": tally.looked_at,
        "sessions": tally.rows,
        "nameless": len(ended.nameless),
        "nameless_ids": list(ended.nameless),
    }
    left = _left(ended)
    if not tally.found:
        number = f"{tally.looked_at} ended talks" if tally.looked_at != 1 else "1 ended talk"
        nothing = f"{number} of {scene.agent.id}: nothing is missing"
        return Skipped(
            scene.command,
            SkipReason.NOTHING_NEW,
            f"{nothing}; {left}" if left and tally.looked_at else left or nothing,
            hint=_HINT if left else "",
            details=details,
            notices=tuple(tally.notices),
        )
    also = f"; {left}" if left else ""
    number = "1 ended talk" if tally.found == 1 else f"{tally.found} ended talks"
    if scene.command.dry_run:
        return Planned(
            scene.command,
            f"would capture {number} of {scene.agent.id}{also}",
            details=details,
            notices=tuple(tally.notices),
        )
    if tally.failed:
        return Failed(
            scene.command,
            "not-captured",
            f"{len(tally.failed)} of {number} could not be captured: {tally.failed[0]}",
            hint="The transcripts are unchanged; the next run tries again.",
            details=details,
        )
    return Recovered(
        scene.command,
        f"{number} of {scene.agent.id} captured after the fact{also}",
        wrote=tuple(tally.wrote),
        details=details,
        notices=tuple(dict.fromkeys(tally.notices)),
    )
