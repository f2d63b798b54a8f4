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
from memconsole.engine.checkpoint.run import checkpoint
from memconsole.engine.observe.run import observe
from memconsole.engine.summarize import summarize
from memconsole.engine.transcripts.fingerprint import remember_end
from memconsole.engine.turn import notices_of_step, settle
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memconsole.domain.agents import Notice
    from memconsole.domain.commands.command import Command
    from memconsole.domain.commands.outcomes import Detail, Outcome, Written
    from memconsole.domain.settings import Settings
    from memconsole.engine.home.reader import Reader
    from memconsole.engine.rotation.target import Target
    from memconsole.ports.bundle import Ports
    from memconsole.ports.platform import Clock


@dataclass(frozen=True, slots=True)
class Prologue:
    """What was saved of one session, for the proof.

    Attributes:
        outcome: Of the checkpoint; None for talk that is never copied into memory.
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
        saved = ((name, status_of(one), one.duration_ms or 0) for name, one in self.steps)
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
    target: Target, *, ports: Ports, reader: Reader, settings: Settings, is_ending: bool = True
) -> Prologue:
    """Take a checkpoint of this session, unless its class is never captured; then the rest.

    Args:
        target: The session.
        ports: What the engine asks.
        reader: For the disk.
        settings: Everything that was set.
        is_ending: The talk begins anew afterwards, and so is summarised; a compaction goes on.
    """
    if not target.view.is_capturable:
        return Prologue(None)
    command = Checkpoint(target.agent.ref, session_key=target.key, is_urgent=True)
    saved = _timed(
        command,
        ports.clock,
        lambda: checkpoint(command, ports=ports, reader=reader, settings=settings),
    )
    others = tuple(_others(target, ports, reader, settings, is_ending=is_ending))
    if any(isinstance(one, Summarized) for _, one in others) and target.view.transcript is not None:
        remember_end(ports, target.agent.ref, target.view.transcript)
    return Prologue(saved, others)


def _others(
    target: Target, ports: Ports, reader: Reader, settings: Settings, *, is_ending: bool
) -> Iterator[tuple[str, Outcome]]:
    """Yield what is captured beside the checkpoint."""
    flush = Observe(target.agent.ref, session_key=target.key, is_flush=True)
    yield (
        "observe",
        _timed(
            flush,
            ports.clock,
            lambda: observe(flush, ports=ports, reader=reader, settings=settings),
        ),
    )
    if is_ending:
        summary = Summarize(target.agent.ref, target.key, reason="rotation")
        yield (
            "summary",
            _timed(
                summary,
                ports.clock,
                lambda: summarize(summary, ports=ports, reader=reader, settings=settings),
            ),
        )


def _timed(command: Command, clock: Clock, run: Callable[[], Outcome]) -> Outcome:
    start_s = clock.monotonic()
    outcome = settle(command, run)
    return replace(outcome, duration_ms=round((clock.monotonic() - start_s) * 1000))
