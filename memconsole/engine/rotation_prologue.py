"""Saves a session before it is reset or compacted: what is not saved is not touched (A13)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.commands import Checkpoint
from memconsole.domain.outcomes import Failed, Skipped, SkipReason, notices_of, status_of
from memconsole.engine.checkpoint import checkpoint
from memconsole.errors import MemconsoleError

if TYPE_CHECKING:
    from memconsole.domain.agents import Notice
    from memconsole.domain.outcomes import Detail, Outcome, Written
    from memconsole.domain.settings import Settings
    from memconsole.engine.ports_bundle import Ports
    from memconsole.engine.reader import Reader
    from memconsole.engine.rotation_target import Target

STEP = "checkpoint"


class Prologue:
    """What was saved of one session, for the proof.

    Attributes:
        outcome: Of the checkpoint; None for talk that is never copied into memory.
    """

    def __init__(self, outcome: Outcome | None) -> None:
        self.outcome = outcome

    @property
    def is_saved(self) -> bool:
        """Whether nothing is lost by a reset: saved now, saved already, or never to be saved."""
        match self.outcome:
            case None:
                return True
            case Skipped(reason=reason):
                return reason is SkipReason.NOTHING_NEW
            case _:
                return not isinstance(self.outcome, Failed)

    @property
    def captured(self) -> list[Detail]:
        """`captured` of a proof (`cli.md`)."""
        if self.outcome is None:
            return []
        return [{"step": STEP, "status": status_of(self.outcome)}]

    @property
    def wrote(self) -> tuple[Written, ...]:
        """Files that were written."""
        return () if self.outcome is None else getattr(self.outcome, "wrote", ())

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What was odd about the transcript."""
        return () if self.outcome is None else notices_of(self.outcome)


def save_first(target: Target, *, ports: Ports, reader: Reader, settings: Settings) -> Prologue:
    """Take a checkpoint of this session, unless its class is never captured."""
    if not target.view.session_class.is_captured:
        return Prologue(None)
    command = Checkpoint(target.agent.ref, session_key=target.key, is_forced=True)
    try:
        return Prologue(checkpoint(command, ports=ports, reader=reader, settings=settings))
    except MemconsoleError as error:
        return Prologue(Failed(command, error.code, str(error), error.hint))
