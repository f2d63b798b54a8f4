"""Resets one session, and proves it.

Found, not busy, saved, looked at again, written into the journal, sent once, looked at again. An
answer that is lost is settled by looking; whatever was sent is never sent a second time.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import TYPE_CHECKING

from memconsole.domain.commands.outcomes import Failed, Skipped, SkipReason, status_of
from memconsole.domain.commands.rotate import Rotated
from memconsole.domain.rotation import (
    DEFERRALS,
    Rotation,
    RotationState,
    deferrals,
    is_another,
    is_proven,
    of_live,
)
from memconsole.engine.rotation.plan import JOURNAL_ROWS, hold_of, plan_of, skip_of
from memconsole.engine.rotation.prologue import save_first
from memconsole.engine.rotation.target import PATIENCE_S
from memconsole.errors import GatewayCallError, GatewayUnavailableError, StateError
from memconsole.lazy_dataclass import dataclass
from memconsole.text.figures import short_kilo

if TYPE_CHECKING:
    from collections.abc import Callable

    from memconsole.domain.commands.command import Command
    from memconsole.domain.commands.outcomes import Detail, Outcome
    from memconsole.domain.commands.rotate import Rotate
    from memconsole.domain.rotation import Identity
    from memconsole.domain.sessions.stored import StoredSession
    from memconsole.domain.settings import Settings
    from memconsole.domain.settings.sections import RotationSettings
    from memconsole.engine.home.reader import Reader
    from memconsole.engine.rotation.prologue import Prologue
    from memconsole.engine.rotation.target import Target, Targets
    from memconsole.engine.transcripts.fingerprint import Fingerprints
    from memconsole.engine.turn import StepLog
    from memconsole.ports.platform import Clock, Gateway, Locks, RotationLog


logger = logging.getLogger(__name__)

UNANSWERED = timedelta(minutes=2)
"""After this a reset whose answer was lost, and that changed nothing, is taken for ineffective."""


@dataclass(frozen=True, slots=True)
class _Run:
    """One rotation on its way."""

    command: Rotate
    settings: Settings
    targets: Targets
    gateway: Gateway
    rotations: RotationLog
    clock: Clock
    steps: StepLog

    def target(self) -> Target:
        command = self.command
        limit = command.threshold_tokens
        return self.targets.find(command.agent, command.key, threshold_tokens=limit)

    @property
    def rules(self) -> RotationSettings:
        return self.settings.for_agent(self.command.agent.id).rotation

    def recent(self, target: Target) -> tuple[Rotation, ...]:
        return self.rotations.recent(target.agent.ref, target.key, limit=JOURNAL_ROWS)

    def note(self, target: Target, state: RotationState, prologue: Prologue | None = None) -> int:
        """Write it into the journal; raises `StateError` when that cannot be done."""
        steps = () if prologue is None else prologue.steps
        return self.rotations.begin(
            Rotation(
                id=0,
                agent=target.agent.ref,
                key=target.key,
                state=state,
                started_at=self.clock.now(),
                before=target.before,
                threshold=target.view.threshold,
                captured=tuple((name, status_of(one)) for name, one in steps),
            )
        )


def rotate(
    command: Rotate,
    *,
    locks: Locks,
    gateway: Gateway,
    rotations: RotationLog,
    targets: Targets,
    reader: Reader,
    step: Callable[[Command], Outcome],
    fingerprints: Fingerprints,
    settings: Settings,
    clock: Clock,
    steps: StepLog,
) -> Outcome:
    """Start one session anew, if it is due, free, saved, and nobody else is at it.

    A dry run is the plan from disk: nothing is written, sent or asked.

    Raises:
        GatewayUnavailableError: The Gateway is not reachable or refuses us.
        GatewayMismatchError: It serves another home.
        SessionNotFoundError: It does not know the key; nothing was sent.
        LockedError: Another process rotates this session.
        StateError: The journal cannot be written; nothing was sent.
    """
    if command.dry_run:
        return plan_of(command, rotations, clock, reader, settings)
    run = _Run(command, settings, targets, gateway, rotations, clock, steps)
    with locks.session(command.agent.home.path, command.key):
        settings.require("gateway")
        gateway.require()
        target = run.target()
        refused = _settle(run, target) or _why_not(run, target)
        if refused is not None:
            return refused
        prologue = save_first(target, step=step, fingerprints=fingerprints)
        if not prologue.is_saved and run.rules.require_capture:
            return not_saved(command, target, prologue)
        target = run.target()
        return _defer(run, target) or _reset(run, target, prologue)


def _settle(run: _Run, target: Target) -> Skipped | None:
    """Find out what became of a reset whose answer nobody saw; never send a second one for it.

    Nobody knows how late this is: the new session may have grown past the count of the old one.
    """
    journal, now = run.rotations, run.clock.now()
    for one in run.recent(target):
        if one.state is not RotationState.SENT:
            continue
        if is_another(one.before, target.before):
            journal.finish(one.id, RotationState.PROVEN, target.before, now)
        elif now - one.started_at >= UNANSWERED:
            journal.finish(one.id, RotationState.INEFFECTIVE, target.before, now)
        else:
            return left_alone(
                run.command,
                target,
                SkipReason.IN_FLIGHT,
                "a reset of it was sent a moment ago and is not answered yet; none is sent twice",
                "Look at it again in two minutes.",
            )
    return None


def _why_not(run: _Run, target: Target) -> Skipped | None:
    view = target.view
    if not view.session_class.is_rotated or not (view.is_due or run.command.is_forced):
        return skip_of(view, run.command)
    if (deferred := _defer(run, target)) is not None or run.command.is_forced:
        return deferred
    held = hold_of(run.recent(target), run.rules, run.clock.now())
    if held is None:
        return None
    return left_alone(run.command, target, held.reason, held.because, held.hint)


def _defer(run: _Run, target: Target) -> Skipped | None:
    """Leave a busy session to the next run, unless its run may be broken off; None when it is free.

    With `rotation.force_active` that is after two deferrals, which the journal counts.
    """
    if not target.is_busy or run.command.is_active_forced:
        return None
    if not run.rules.force_active:
        return busy(run.command, target, None)
    before = deferrals(run.recent(target))
    if before >= DEFERRALS:
        return None
    try:
        run.note(target, RotationState.DEFERRED)
    except StateError as error:
        logger.warning("the deferral was not recorded: %s", error)
    return busy(run.command, target, before + 1)


def _reset(run: _Run, target: Target, prologue: Prologue) -> Outcome:
    """Write the journal, send once, look, and say what is proven."""
    clock = run.clock
    number = run.note(target, RotationState.SENT, prologue)
    sent_s = clock.monotonic()
    try:
        with run.steps.doing("reset") as doing:
            answer = run.gateway.reset(target.key, target.live.session_id)
            doing.status = "unanswered" if answer.is_lost else "done"
    except (GatewayCallError, GatewayUnavailableError) as error:
        run.rotations.finish(number, RotationState.REFUSED, None, clock.now())
        if isinstance(error, GatewayCallError) and error.reason == "session-changed":
            return left_alone(
                run.command,
                target,
                SkipReason.CHANGED,
                "it changed while it was being saved, and was left alone",
                "The next run looks at it again.",
            )
        raise
    prologue = prologue.then("reset", doing.status, sent_s, clock)
    looked_s = clock.monotonic()
    try:
        again = f"the gateway is asked again for {PATIENCE_S:.0f} s" if answer.is_lost else ""
        with run.steps.doing("proof", again) as doing:
            after = run.targets.look_again(target, of_live(answer.entry))
            doing.status = "done" if is_proven(target.before, after) else "failed"
    except (GatewayCallError, GatewayUnavailableError) as error:
        prologue = prologue.then("proof", "failed", looked_s, clock)
        return reset_unseen(run.command, target, prologue, error)
    prologue = prologue.then("proof", doing.status, looked_s, clock)
    return _judged(run, target, prologue, number, after)


def _judged(run: _Run, target: Target, prologue: Prologue, number: int, after: Identity) -> Outcome:
    proven = is_proven(target.before, after)
    state = RotationState.PROVEN if proven else RotationState.INEFFECTIVE
    try:
        run.rotations.finish(number, state, after, run.clock.now())
    except StateError as error:  # the reset is done: its proof must not be lost with the journal
        logger.warning("the rotation was not recorded: %s", error)
    if not proven:
        return reset_ineffective(run.command, target, prologue, after)
    return reset_done(run.command, target, prologue, after, run.targets.on_disk(target))


def reset_done(
    command: Rotate,
    target: Target,
    prologue: Prologue,
    after: Identity,
    stored: StoredSession | None,
) -> Rotated:
    """It is proven; a run that was going on until then is broken off.

    What was chosen for the session alone is compared with what stands in its store now.
    """
    chosen = target.view.stored.overrides
    kept = None if stored is None else stored.overrides
    named = {one: f"{one} {value}" for one, value in chosen.items()}
    gone = [] if kept is None else [named[one] for one in chosen if kept.get(one) != chosen[one]]
    stays = [] if kept is None else [named[one] for one in chosen if kept.get(one) == chosen[one]]
    lost = f"; its own {' and '.join(gone)} did not outlast the reset" if gone else ""
    lost += f"; it keeps its own {' and '.join(stays)}" if stays else ""
    saved = "" if prologue.outcome is not None else ", without capture"
    broken = "; the run that was going on was broken off" if target.is_busy else ""
    return Rotated(
        command,
        f"{target.key} was reset at {short_kilo(target.before.tokens)}, "
        f"now {short_kilo(after.tokens or 0)}{saved}{broken}{lost}",
        wrote=prologue.wrote,
        details={
            **_details(target, prologue, after, proven=True),
            "overrides": {"before": {**chosen}, "after": None if kept is None else {**kept}},
        },
        notices=prologue.notices,
    )


def reset_ineffective(
    command: Rotate, target: Target, prologue: Prologue, after: Identity
) -> Failed:
    """It was answered, and nothing came of it."""
    return Failed(
        command,
        "reset-ineffective",
        f"{target.key}: the gateway answered, and nothing was reset",
        hint="Nothing was lost. Look at the Gateway's log; after three times it is left alone.",
        details=_details(target, prologue, after, proven=False),
    )


def reset_unseen(
    command: Rotate,
    target: Target,
    prologue: Prologue,
    error: GatewayCallError | GatewayUnavailableError,
) -> Failed:
    """The Gateway went away: the journal keeps the reset open, and the next run looks."""
    return Failed(
        command,
        error.code,
        f"{target.key}: a reset was sent, and the gateway went away before it could be seen",
        hint="Its work is saved. The next rotation looks first and sends nothing twice.",
        details=_details(target, prologue, None, proven=False),
    )


def not_saved(command: Rotate, target: Target, prologue: Prologue) -> Failed:
    """Nothing is reset whose work could not be saved."""
    return Failed(
        command,
        "not-captured",
        f"{target.key} was not reset, because its work could not be saved: {prologue.said}",
        hint="Mend that first, or set rotation.require_capture to false.",
        details=_details(target, prologue, None, proven=False),
    )


def busy(command: Rotate, target: Target, deferred: int | None) -> Skipped:
    """It waits for the end of a run.

    Args:
        command: The rotation.
        target: The session.
        deferred: How often it was deferred in a row, this time included; None when runs are never
            broken off by themselves.
    """
    if deferred is None:
        hint = "The next run takes it; --force-active breaks the run off."
    elif deferred < DEFERRALS:
        hint = f"The next run takes it; deferred {deferred} of {DEFERRALS} times."
    else:
        hint = "The next run takes it, and breaks off what goes on (rotation.force_active)."
    because = "a run is going on, which a reset would break off"
    return left_alone(command, target, SkipReason.BUSY, because, hint)


def left_alone(
    command: Rotate, target: Target, reason: SkipReason, because: str, hint: str
) -> Skipped:
    """It is not taken this time."""
    details: dict[str, Detail] = {
        "threshold": target.view.threshold,
        "tokens": target.before.tokens,
    }
    return Skipped(command, reason, f"{target.key}: {because}", hint=hint, details=details)


def _details(
    target: Target, prologue: Prologue, after: Identity | None, *, proven: bool
) -> dict[str, Detail]:
    return {
        "threshold": target.view.threshold,
        "tokens": target.before.tokens,
        "broke_off_run": target.is_busy and after is not None,
        "steps": prologue.durations,
        "proof": {
            "before": target.before.as_details(),
            "after": None if after is None else after.as_details(),
            "proven": proven,
            "captured": prologue.captured,
        },
    }
