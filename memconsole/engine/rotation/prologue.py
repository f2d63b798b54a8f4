"""Saves a session before it is reset or compacted: what is not saved is not touched.

A session counts as saved when its checkpoint or its summary is written. A step that
fails is named in the proof and never keeps a session from its reset when another one saved it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole.domain.commands.checkpoint import Checkpoint
from memconsole.domain.commands.observe import Observe
from memconsole.domain.commands.outcomes import Skipped, SkipReason, status_of
from memconsole.domain.commands.summarize import Summarize, Summarized
from memconsole.engine.turn import notices_of_step
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable

    from memconsole.domain.agents import Notice
    from memconsole.domain.commands.command import Command
    from memconsole.domain.commands.outcomes import Detail, Outcome, Written
    from memconsole.engine.rotation.target import Target
    from memconsole.engine.transcripts.fingerprint import Fingerprints
    from memconsole.ports.platform import Clock


@dataclass(frozen=True, slots=True)
class Prologue:
    """What was saved of one session, for the proof.

    Attributes:
        outcome: Of the checkpoint; None for a session that is never copied into memory.
        others: (step, outcome) of what was captured beside it, in order.
        later: (step, status, milliseconds) of what was done after it.
    """

    outcome: Outcome | None
    others: tuple[tuple[str, Outcome], ...] = ()
    later: tuple[tuple[str, str, int], ...] = ()

    @property
    def is_saved(self) -> bool:
        """Whether nothing is lost by a reset: saved now, saved already, or never to be saved."""
        if any(isinstance(one, Summarized) for _, one in self.others):
            return True
        match self.outcome:
            case None:
                return True
            case Skipped(reason=reason):
                return reason is SkipReason.NOTHING_NEW
            case _:
                return status_of(self.outcome) == "done"

    @property
    def said(self) -> str:
        """What the checkpoint said; nothing where none is ever taken."""
        return "" if self.outcome is None else self.outcome.message

    @property
    def steps(self) -> tuple[tuple[str, Outcome], ...]:
        """Every step with its outcome, the checkpoint first."""
        return () if self.outcome is None else (("checkpoint", self.outcome), *self.others)

    @property
    def captured(self) -> list[Detail]:
        """`captured` of a proof."""
        return [{"step": name, "status": status_of(outcome)} for name, outcome in self.steps]

    @property
    def durations(self) -> list[Detail]:
        """Every step from the checkpoint to the proof, with what it took."""
        saved = ((name, status_of(one), one.duration_ms) for name, one in self.steps)
        return [
            {"step": name, "status": status, "duration_ms": took}
            for name, status, took in (*saved, *self.later)
        ]

    def then(self, step: str, status: str, since_s: float, clock: Clock) -> Prologue:
        """Return the same with one more step that has just ended.

        Args:
            step: Its name.
            status: How it ended.
            since_s: `clock.monotonic()` at its start.
            clock: The clock.
        """
        took = round((clock.monotonic() - since_s) * 1000)
        return replace(self, later=(*self.later, (step, status, took)))

    @property
    def wrote(self) -> tuple[Written, ...]:
        """Files that were written."""
        return tuple(file for _, one in self.steps for file in getattr(one, "wrote", ()))

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What was odd about the transcript, and the steps that failed, each once."""
        found = (notice for name, one in self.steps for notice in notices_of_step(name, one))
        return tuple(dict.fromkeys(found))


def save_first(
    target: Target,
    *,
    step: Callable[[Command], Outcome],
    fingerprints: Fingerprints,
    is_ending: bool = True,
) -> Prologue:
    """Take a checkpoint of this session, unless its class is never captured; then the rest.

    Args:
        target: The session.
        step: Runs a command as a part of this one.
        fingerprints: Remembers that it was captured.
        is_ending: The session begins anew afterwards, and so is summarised; a compaction goes on.
    """
    if not target.view.is_capturable:
        return Prologue(None)
    agent, key = target.agent.ref, target.key
    saved = step(Checkpoint(agent, session_key=key, is_urgent=True))
    others = [("observe", step(Observe(agent, session_key=key, is_flush=True)))]
    if is_ending:
        others.append(("summary", step(Summarize(agent, key, reason="rotation"))))
    if any(isinstance(one, Summarized) for _, one in others) and target.view.transcript is not None:
        fingerprints.remember_end(agent, target.view.transcript)
    return Prologue(saved, tuple(others))
