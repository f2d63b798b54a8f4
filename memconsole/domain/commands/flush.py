"""`flush`: saves a session before the platform compacts it."""

from __future__ import annotations

from enum import StrEnum

from memconsole.domain.commands.command import Command, CommandSpec, Subject
from memconsole.domain.commands.outcomes import Reported
from memconsole.lazy_dataclass import dataclass


class FlushBefore(StrEnum):
    """What a session is saved before; an operator saves it when they like."""

    NOTHING = ""
    COMPACTION = "compaction"
    RESET = "reset"


@dataclass(frozen=True, slots=True)
class Flush(Command):
    """Save one session now.

    Attributes:
        key: Session key; must name exactly one live session.
        before: What is about to happen to it.
    """

    key: str
    before: FlushBefore = FlushBefore.NOTHING

    def words(self) -> list[str]:
        """Return the arguments of the call that does the same."""
        return [self.key]


@dataclass(frozen=True, slots=True)
class Flushed(Reported):
    """A session was saved before it is compacted."""


FLUSH = CommandSpec(
    kind=Flush,
    name="flush",
    runner="flush:flush",
    title="Flush",
    help="Save a session before the platform compacts it",
    subject=Subject.SESSION,
    about="key",
    undo="not needed: observations and the daily log only grow",
)
