"""What came of a rotation, in words and with its proof (A13, `cli.md`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.outcomes import Failed, Rotated, Skipped, SkipReason
from memconsole.domain.rotation import DEFERRALS

if TYPE_CHECKING:
    from memconsole.domain.commands import Rotate
    from memconsole.domain.outcomes import Detail
    from memconsole.domain.rotation import Identity
    from memconsole.engine.rotation_prologue import Prologue
    from memconsole.engine.rotation_target import Target
    from memconsole.errors import GatewayCallError, GatewayUnavailableError


def reset_done(command: Rotate, target: Target, prologue: Prologue, after: Identity) -> Rotated:
    """It is proven; a run that was going on until then is broken off."""
    saved = "" if prologue.outcome is not None else ", without capture"
    broken = "; the run that was going on was broken off" if target.is_busy else ""
    return Rotated(
        command,
        f"{target.key} was reset at {target.before.tokens} tokens, now {after.tokens or 0}{saved}"
        f"{broken}",
        wrote=prologue.wrote,
        details=_details(target, prologue, after, proven=True),
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
    said = "" if prologue.outcome is None else prologue.outcome.message
    return Failed(
        command,
        "not-captured",
        f"{target.key} was not reset, because its work could not be saved: {said}",
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
