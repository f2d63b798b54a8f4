"""Saves one session before it is compacted: observations, checkpoint, fingerprint.

Nothing is written to the transcript, and neither Gateway nor model is asked. That a stage is done
is stored behind the writes: a flush that failed is tried again.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from memconsole.domain.commands.checkpoint import Checkpoint
from memconsole.domain.commands.flush import Flush, FlushBefore, Flushed
from memconsole.domain.commands.observe import Observe
from memconsole.domain.commands.outcomes import Failed, Planned, Skipped, SkipReason, status_of
from memconsole.domain.flush import Cycle, crossed, due, limits_of, marked
from memconsole.domain.sessions.stored import SessionState
from memconsole.domain.sessions.tokens import DEFAULT_WINDOW, TokenState
from memconsole.engine.home.lookup import find_agent
from memconsole.engine.rotation.prologue import Prologue
from memconsole.errors import SessionNotFoundError, StateError, TranscriptRefusedError
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from memconsole.domain.agents import Home
    from memconsole.domain.commands.command import Command
    from memconsole.domain.commands.outcomes import Detail, Outcome
    from memconsole.domain.flush import FlushMark, Stage
    from memconsole.domain.settings import Settings
    from memconsole.domain.snapshot.snapshot import SessionView
    from memconsole.engine.home.reader import Reader
    from memconsole.engine.transcripts.fingerprint import Fingerprints
    from memconsole.ports.platform import Clock
    from memconsole.ports.state import FlushLog


@dataclass(frozen=True, slots=True)
class Fill:
    """How far a session has come towards its compaction.

    Attributes:
        reached: Stages at or below its count.
        due: Those of them that were not done in this cycle.
    """

    cycle: Cycle
    last: FlushMark | None
    limits: dict[Stage, int]
    reached: frozenset[Stage]
    due: frozenset[Stage]


def fill_of(view: SessionView, home: Home, *, flushes: FlushLog, settings: Settings) -> Fill:
    """Return how far a session has come, and what was done about it."""
    rules = settings.for_agent(view.agent.id).flush
    limits = limits_of(rules, home.config.reserve_tokens, view.window or DEFAULT_WINDOW)
    stored = view.stored
    cycle = Cycle(view.session_id, stored.compactions, stored.started_at)
    last = flushes.last(view.agent, view.key_text or "")
    reached = crossed(count_of(view), limits)
    return Fill(cycle, last, limits, reached, due(reached, cycle, last))


def count_of(view: SessionView) -> int | None:
    """Return the count that is believed; a stale one only when the transcript has another."""
    if view.count.state is TokenState.STALE:
        return view.count.estimated
    return view.count.basis


logger = logging.getLogger(__name__)

_NOTHING = frozenset(
    {
        SkipReason.TOO_SMALL,
        SkipReason.TOO_FEW_MESSAGES,
        SkipReason.NOTHING_NEW,
        SkipReason.WORKSPACE_MISSING,
    }
)


def flush(
    command: Flush,
    *,
    step: Callable[[Command], Outcome],
    reader: Reader,
    settings: Settings,
    flushes: FlushLog,
    fingerprints: Fingerprints,
    clock: Clock,
) -> Outcome:
    """Save one session now, whatever its stage.

    Raises:
        SessionNotFoundError: The home has no live session of that key.
    """
    home = reader.home()
    view = _view(command, home, reader)
    if not view.is_capturable:
        return Skipped(
            command,
            SkipReason.NOT_CAPTURED,
            f"{view.session_class.value} sessions are never copied into memory",
        )
    fill = fill_of(view, home, flushes=flushes, settings=settings)
    prologue = _captured(command, step)
    details = _details(view, fill, prologue)
    if command.dry_run:
        return _planned(command, prologue, details)
    if (nothing := _nothing_to_save(command, prologue, details)) is not None:
        _remember(view, fill, flushes, clock)
        return nothing
    if not prologue.is_saved:
        return Failed(
            command,
            _why(prologue.outcome),
            f"{command.key} was not saved: {prologue.said}",
            hint="Mend that; it is tried again.",
            details=details,
        )
    if view.transcript is not None:
        fingerprints.remember_end(view.agent, view.transcript)
    _remember(view, fill, flushes, clock)
    return Flushed(
        command,
        f"saved {command.key}{_before(command)}: {_words(prologue)}",
        wrote=prologue.wrote,
        details=details,
        notices=prologue.notices,
    )


def flushes_due(
    views: Iterable[SessionView], home: Home, *, flushes: FlushLog, settings: Settings
) -> Iterator[Flush]:
    """Yield a flush for each session that has reached a stage for the first time in its cycle.

    Args:
        views: Sessions of one reading.
        home: The home they are of.
        flushes: What was flushed before.
        settings: For the stages.
    """
    for view in views:
        is_conversation = view.state is SessionState.LIVE and view.is_capturable
        if not is_conversation or view.key_text is None or view.session_id is None:
            continue
        if fill_of(view, home, flushes=flushes, settings=settings).due:
            yield Flush(view.agent, view.key_text, FlushBefore.COMPACTION)


def _view(command: Flush, home: Home, reader: Reader) -> SessionView:
    reading = reader.sessions(home, find_agent(home, command.agent.id))
    for view in reader.views(home, reading, {}):
        if view.key_text == command.key and view.state is SessionState.LIVE:
            return view
    raise SessionNotFoundError(command.key)


def _captured(command: Flush, step: Callable[[Command], Outcome]) -> Prologue:
    """Observe, then take a checkpoint; one of them that fails does not stop the other."""
    agent, key, dry_run = command.agent, command.key, command.dry_run
    seen = step(Observe(agent, session_key=key, is_flush=True, dry_run=dry_run))
    saved = step(Checkpoint(agent, session_key=key, is_urgent=True, dry_run=dry_run))
    return Prologue(saved, (("observe", seen),))


def _why(outcome: Outcome | None) -> str:
    """Return the code of a failure: that of a transcript that is not the session's own stays."""
    is_refused = isinstance(outcome, Failed) and outcome.code in TranscriptRefusedError.CODES
    return outcome.code if isinstance(outcome, Failed) and is_refused else "not-captured"


def _nothing_to_save(
    command: Flush, prologue: Prologue, details: dict[str, Detail]
) -> Skipped | None:
    """Return a skip where trying again in this cycle would find no more; else None."""
    saved, (_, seen) = prologue.outcome, prologue.others[0]
    if not isinstance(saved, Skipped) or saved.reason not in _NOTHING or status_of(seen) == "done":
        return None
    return Skipped(command, saved.reason, saved.message, hint=saved.hint, details=details)


def _planned(command: Flush, prologue: Prologue, details: dict[str, Detail]) -> Planned:
    said = "; ".join(one.message for _, one in prologue.steps)
    return Planned(command, said, prologue.wrote, details, prologue.notices)


def _remember(view: SessionView, fill: Fill, flushes: FlushLog, clock: Clock) -> None:
    """Store the mark; without it the worst is a second flush."""
    mark = marked(fill.reached, fill.cycle, fill.last, clock.now())
    try:
        flushes.store(view.agent, view.key_text or "", mark)
    except StateError as error:
        logger.warning("the flush was not recorded: %s", error)


def _details(view: SessionView, fill: Fill, prologue: Prologue) -> dict[str, Detail]:
    return {
        "tokens": count_of(view),
        "window": view.window,
        "compactions": view.stored.compactions,
        "stages": [stage.value for stage in sorted(fill.reached)],
        "limits": {stage.value: limit for stage, limit in fill.limits.items()},
        "captured": prologue.captured,
    }


def _before(command: Flush) -> str:
    return f" before its {command.before}" if command.before else ""


def _words(prologue: Prologue) -> str:
    return ", ".join(f"{name} {status_of(one)}" for name, one in prologue.steps)
