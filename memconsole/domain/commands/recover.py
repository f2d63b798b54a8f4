"""`recover`: captures sessions that ended before everything in them was captured."""

from __future__ import annotations

from memconsole.domain.commands.command import Command, CommandSpec
from memconsole.domain.commands.outcomes import Reported
from memconsole.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Recover(Command):
    """Capture sessions that ended before everything in them was captured."""


@dataclass(frozen=True, slots=True)
class Recovered(Reported):
    """Sessions that had ended uncaptured are in memory now."""


RECOVER = CommandSpec(
    kind=Recover,
    name="recover",
    runner="recover.run:recover",
    title="Recover",
    help="Capture what was said in sessions that ended before it was captured",
    undo="not needed: files are only added to",
)
