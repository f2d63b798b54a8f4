"""Captures talks that ended before everything in them was captured (mission §14).

A reset inside the watcher's cooldown, before the next run and without a compaction, leaves words in
an archive that nobody reads. Each ended talk whose fingerprint is not known is observed once more
and summarised; when nothing else works its messages are kept raw. Never twice: the fingerprint is
stored behind the capture.
"""

from __future__ import annotations

import logging
from dataclasses import field
from typing import TYPE_CHECKING

from memconsole.domain.agents import Notice
from memconsole.domain.commands import Observe, Summarize
from memconsole.domain.days import resolve_zone
from memconsole.domain.excerpts import take
from memconsole.domain.outcomes import (
    Failed,
    Planned,
    Recovered,
    Skipped,
    SkipReason,
    notices_of,
    reason_of,
    status_of,
)
from memconsole.domain.recovery import RAW_MESSAGES, ended_talks, render_raw
from memconsole.domain.sessions import SessionState
from memconsole.engine.fingerprints import take_fingerprint
from memconsole.engine.lookup import find_agent
from memconsole.engine.observe import observe
from memconsole.engine.segment import read_segment
from memconsole.engine.settle import settle
from memconsole.engine.summarize import summarize
from memconsole.engine.turn import no_workspace
from memconsole.errors import StoreError
from memconsole.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memconsole.domain.agents import Agent, Home
    from memconsole.domain.commands import Recover
    from memconsole.domain.outcomes import Detail, Outcome, Written
    from memconsole.domain.recovery import Ended, EndedTalk
    from memconsole.domain.sessions import StoreListing, TranscriptRef
    from memconsole.domain.settings import Settings
    from memconsole.engine.ports_bundle import Ports
    from memconsole.engine.reader import Reader

logger = logging.getLogger(__name__)


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
        StateError: Our own database cannot be written; nothing was done.
    """
    home = reader.home()
    agent = find_agent(home, command.agent.id)
    if (missing := no_workspace(command, agent)) is not None:
        return missing
    scene = _Scene(command, home, agent, ports, reader, settings)
    listing = ports.sessions.sessions(agent)
    if not command.dry_run:
        ports.recovery.note(agent.ref, _live_keys(listing), ports.clock.now())
    ended = ended_talks(agent, listing, ports.recovery.keys(agent.ref))
    tally = _Tally()
    for talk in ended.talks:
        _look(scene, talk, tally)
    return _told(scene, ended, tally)


def _live_keys(listing: StoreListing) -> dict[str, str]:
    return {
        one.session_id: one.key.text
        for one in listing.sessions
        if one.state is SessionState.LIVE and one.session_id is not None and one.key is not None
    }


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
    tally.found += 1
    if scene.command.dry_run:
        tally.rows.append(_row(talk, ref, []))
        return
    steps = list(_capture(scene, talk, ref))
    tally.rows.append(_row(talk, ref, steps))
    for _, outcome in steps:
        tally.wrote += getattr(outcome, "wrote", ())
        tally.notices += notices_of(outcome)
    if any(_is_kept(outcome) for name, outcome in steps if name != _LOOK):
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
        said = Notice("transcript-damaged", str(error), str(ref.path), scene.agent.id)
        tally.notices.append(said)
        if not scene.command.dry_run:
            _remember(scene, ref, unreadable)
        return None


def _is_kept(outcome: Outcome) -> bool:
    """Whether a step left nothing to capture; a held lock leaves all of it."""
    if isinstance(outcome, Skipped):
        return outcome.reason in (SkipReason.NOTHING_NEW, SkipReason.TOO_SMALL)
    return not isinstance(outcome, Failed)


def _capture(scene: _Scene, talk: EndedTalk, ref: TranscriptRef) -> Iterator[tuple[str, Outcome]]:
    """Yield (step, outcome): observations, the summary, and the raw words when there is none."""
    look = Observe(scene.agent.ref, recover_id=ref.session_id, is_previous=talk.is_previous)
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
    )
    summary = settle(
        order,
        lambda: summarize(order, ports=scene.ports, reader=scene.reader, settings=scene.settings),
    )
    yield "summary", summary
    is_known = isinstance(summary, Skipped) and summary.reason is SkipReason.NOTHING_NEW
    if isinstance(summary, Failed) or is_known:
        yield "raw", settle(scene.command, lambda: _keep_raw(scene, talk, ref))


def _keep_raw(scene: _Scene, talk: EndedTalk, ref: TranscriptRef) -> Recovered:
    """Append the last messages as they are to the daily log of the day they were said on."""
    ports = scene.ports
    segment = read_segment(ports.sessions, ref, wanted=RAW_MESSAGES, is_previous=talk.is_previous)
    from memconsole.domain.redaction import mask  # noqa: PLC0415

    said = take(segment.messages, mask if scene.settings.redact else str).spoken
    zone = resolve_zone(scene.settings.timezone, scene.home.config.user_timezone).zone
    path, entry, header = render_raw(ref.session_id, said, ports.clock.now(), zone)
    with ports.locks.workspace(scene.agent.workspace):
        wrote = ports.workspace.append(scene.agent.workspace, path, entry, header=header)
    return Recovered(scene.command, f"{len(said)} messages kept as they are", wrote=(wrote,))


def _remember(scene: _Scene, ref: TranscriptRef, print_: str) -> None:
    scene.ports.recovery.remember(scene.agent.ref, ref.session_id, print_, scene.ports.clock.now())


def _row(talk: EndedTalk, ref: TranscriptRef, steps: list[tuple[str, Outcome]]) -> Detail:
    captured: list[Detail] = [
        {"step": name, "status": status_of(outcome), "reason": reason_of(outcome)}
        for name, outcome in steps
    ]
    return {"session_id": ref.session_id, "session_key": talk.key, "captured": captured}


def _told(scene: _Scene, ended: Ended, tally: _Tally) -> Outcome:
    details: dict[str, Detail] = {
        "looked_at": tally.looked_at,
        "sessions": tally.rows,
        "nameless": ended.nameless,
    }
    left = (
        f"; {ended.nameless} ended transcripts have no key that is known, and may be a group's"
        if ended.nameless
        else ""
    )
    if not tally.found:
        number = f"{tally.looked_at} ended talks" if tally.looked_at != 1 else "1 ended talk"
        message = f"{number} of {scene.agent.id}: nothing is missing{left}"
        return Skipped(
            scene.command,
            SkipReason.NOTHING_NEW,
            message,
            hint="`summarize KEY --session-id ID` takes one of them." if left else "",
            details=details,
            notices=tuple(tally.notices),
        )
    number = "1 ended talk" if tally.found == 1 else f"{tally.found} ended talks"
    if scene.command.dry_run:
        return Planned(
            scene.command,
            f"would capture {number} of {scene.agent.id}{left}",
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
        f"{number} of {scene.agent.id} captured after the fact{left}",
        wrote=tuple(tally.wrote),
        details=details,
        notices=tuple(dict.fromkeys(tally.notices)),
    )
