"""Resets one session, and proves it (mission §5, A13).

Found, not busy, saved, looked at again, written into the journal, sent once, looked at again. An
answer that is lost is settled by looking; whatever was sent is never sent a second time.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from memconsole.domain.outcomes import Failed, Rotated, Skipped, SkipReason
from memconsole.domain.rotation import (
    BREAKER,
    Identity,
    Rotation,
    RotationState,
    free_again_at,
    is_proven,
    is_tripped,
    of_live,
)
from memconsole.engine.rotate import skip_of
from memconsole.engine.rotation_prologue import save_first
from memconsole.engine.rotation_target import find_target, look_again
from memconsole.errors import GatewayCallError, GatewayUnavailableError, StateError

if TYPE_CHECKING:
    from memconsole.domain.commands import Rotate
    from memconsole.domain.outcomes import Detail, Outcome
    from memconsole.domain.settings import RotationSettings, Settings
    from memconsole.engine.ports_bundle import Ports
    from memconsole.engine.reader import Reader
    from memconsole.engine.rotation_prologue import Prologue
    from memconsole.engine.rotation_target import Target

logger = logging.getLogger(__name__)

UNANSWERED = timedelta(minutes=2)
"""After this a reset whose answer was lost, and that changed nothing, is taken for ineffective."""

_JOURNAL_ROWS = 20


@dataclass(frozen=True, slots=True)
class _Work:
    """What one rotation needs on its way."""

    command: Rotate
    ports: Ports
    reader: Reader
    settings: Settings

    def target(self) -> Target:
        return find_target(
            self.command.agent,
            self.command.key,
            ports=self.ports,
            reader=self.reader,
            threshold_tokens=self.command.threshold_tokens,
        )

    @property
    def rules(self) -> RotationSettings:
        return self.settings.for_agent(self.command.agent.id).rotation


def rotate(command: Rotate, *, ports: Ports, reader: Reader, settings: Settings) -> Outcome:
    """Start one session anew, if it is due, free, saved, and nobody else is at it.

    Raises:
        GatewayUnavailableError: The Gateway is not reachable or refuses us.
        GatewayMismatchError: It serves another home.
        SessionNotFoundError: It does not know the key; nothing was sent.
        LockedError: Another process rotates this session.
        StateError: The journal cannot be written; nothing was sent.
    """
    work = _Work(command, ports, reader, settings)
    with ports.locks.session(command.agent.home, command.key):
        ports.gateway.require()
        target = work.target()
        refused = _settle(work, target) or _why_not(work, target)
        if refused is not None:
            return refused
        prologue = save_first(target, ports=ports, reader=reader, settings=settings)
        if not prologue.is_saved and work.rules.require_capture:
            return _not_saved(work, target, prologue)
        target = work.target()
        if target.live.is_busy and not command.is_active_forced:
            return _busy(work, target)
        return _reset(work, target, prologue)


def _settle(work: _Work, target: Target) -> Skipped | None:
    """Find out what became of a reset whose answer nobody saw; never send a second one for it."""
    journal = work.ports.rotations
    recent = journal.recent(target.agent.ref, target.key, limit=_JOURNAL_ROWS)
    now = work.ports.clock.now()
    for one in recent:
        if one.state is not RotationState.SENT:
            continue
        if is_proven(one.before, target.before):
            journal.finish(one.id, RotationState.PROVEN, target.before, now)
        elif now - one.started_at >= UNANSWERED:
            journal.finish(one.id, RotationState.INEFFECTIVE, target.before, now)
        else:
            return _skipped(
                work,
                target,
                SkipReason.IN_FLIGHT,
                "a reset of it was sent a moment ago and is not answered yet; none is sent twice",
                "Look at it again in two minutes.",
            )
    return None


def _why_not(work: _Work, target: Target) -> Skipped | None:
    view = target.view
    if not view.session_class.is_rotated or not (view.is_due or work.command.is_forced):
        return skip_of(view, work.command)
    if target.live.is_busy and not work.command.is_active_forced:
        return _busy(work, target)
    if work.command.is_forced:
        return None
    recent = work.ports.rotations.recent(target.agent.ref, target.key, limit=_JOURNAL_ROWS)
    if is_tripped(recent):
        return _skipped(
            work,
            target,
            SkipReason.BREAKER,
            f"the last {BREAKER} resets of it had no effect",
            "Look at the Gateway's log; `--force` tries once more.",
        )
    free_at = free_again_at(recent, work.rules.min_interval)
    if free_at is not None and work.ports.clock.now() < free_at:
        return _skipped(
            work,
            target,
            SkipReason.TOO_SOON,
            f"it was rotated less than {work.rules.min_interval} ago",
            "`--force` passes rotation.min_interval.",
        )
    return None


def _reset(work: _Work, target: Target, prologue: Prologue) -> Outcome:
    """Write the journal, send once, look, and say what is proven."""
    ports, now = work.ports, work.ports.clock.now
    number = ports.rotations.begin(
        Rotation(
            id=0,
            agent=target.agent.ref,
            key=target.key,
            state=RotationState.SENT,
            started_at=now(),
            before=target.before,
            threshold=target.view.threshold,
        )
    )
    try:
        answer = ports.gateway.reset(target.key, target.live.session_id)
    except (GatewayCallError, GatewayUnavailableError) as error:
        ports.rotations.finish(number, RotationState.REFUSED, None, now())
        if isinstance(error, GatewayCallError) and error.reason == "session-changed":
            return _skipped(
                work,
                target,
                SkipReason.CHANGED,
                "it changed while it was being saved, and was left alone",
                "The next run looks at it again.",
            )
        raise
    try:
        after = look_again(target, of_live(answer.entry), ports=ports, reader=work.reader)
    except (GatewayCallError, GatewayUnavailableError) as error:
        return _unknown(work, target, prologue, error)
    return _judged(work, target, prologue, number, after)


def _judged(
    work: _Work, target: Target, prologue: Prologue, number: int, after: Identity
) -> Outcome:
    proven = is_proven(target.before, after)
    state = RotationState.PROVEN if proven else RotationState.INEFFECTIVE
    try:
        work.ports.rotations.finish(number, state, after, work.ports.clock.now())
    except StateError as error:  # the reset is done: its proof must not be lost with the journal
        logger.warning("the rotation was not recorded: %s", error)
    details = _details(target, prologue, after, proven=proven)
    if not proven:
        return Failed(
            work.command,
            "reset-ineffective",
            f"{target.key}: the gateway answered, and nothing was reset",
            hint="Nothing was lost. Look at the Gateway's log; after three times it is left alone.",
            details=details,
        )
    saved = "" if prologue.outcome is not None else ", without capture"
    return Rotated(
        work.command,
        f"{target.key} was reset at {target.before.tokens} tokens, now {after.tokens or 0}{saved}",
        wrote=prologue.wrote,
        details=details,
        notices=prologue.notices,
    )


def _unknown(
    work: _Work,
    target: Target,
    prologue: Prologue,
    error: GatewayCallError | GatewayUnavailableError,
) -> Failed:
    """The Gateway went away: the journal keeps the reset open, and the next run looks."""
    return Failed(
        work.command,
        error.code,
        f"{target.key}: a reset was sent, and the gateway went away before it could be seen",
        hint="Its work is saved. The next rotation looks first and sends nothing twice.",
        details=_details(target, prologue, None, proven=False),
    )


def _details(
    target: Target, prologue: Prologue, after: Identity | None, *, proven: bool
) -> dict[str, Detail]:
    return {
        "threshold": target.view.threshold,
        "tokens": target.before.tokens,
        "proof": {
            "before": target.before.as_details(),
            "after": None if after is None else after.as_details(),
            "proven": proven,
            "captured": prologue.captured,
        },
    }


def _not_saved(work: _Work, target: Target, prologue: Prologue) -> Failed:
    said = "" if prologue.outcome is None else prologue.outcome.message
    return Failed(
        work.command,
        "not-captured",
        f"{target.key} was not reset, because its work could not be saved: {said}",
        hint="Mend that first, or set rotation.require_capture to false.",
        details=_details(target, prologue, None, proven=False),
    )


def _busy(work: _Work, target: Target) -> Skipped:
    return _skipped(
        work,
        target,
        SkipReason.BUSY,
        "a run is going on, which a reset would break off",
        "The next run takes it; --force-active breaks the run off.",
    )


def _skipped(work: _Work, target: Target, reason: SkipReason, because: str, hint: str) -> Skipped:
    details: dict[str, Detail] = {
        "threshold": target.view.threshold,
        "tokens": target.before.tokens,
    }
    return Skipped(work.command, reason, f"{target.key}: {because}", hint=hint, details=details)
