"""`recover`: captures sessions that ended before everything in them was captured."""

from __future__ import annotations

from memconsole.domain.commands.command import Command, CommandSpec
from memconsole.domain.commands.outcomes import Reported
from memconsole.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Recover(Command):
    """Capture sessions that ended before everything in them was captured.

    Attributes:
        session_key: What ended of this session only: its key, or the id of one that has ended.
    """

    session_key: str | None = None

    def words(self) -> list[str]:
        """Return the arguments of the call that does the same."""
        session = () if self.session_key is None else ("--session", self.session_key)
        return ["--agent", self.agent.id, *session]


@dataclass(frozen=True, slots=True)
class Recovered(Reported):
    """Sessions that had ended uncaptured are in memory now."""


RECOVER = CommandSpec(
    kind=Recover,
    name="recover",
    runner="recover.run:recover",
    title="Recover",
    about="session_key",
    help="Capture what was said in sessions that ended before it was captured",
    undo="not needed: files are only added to",
)
