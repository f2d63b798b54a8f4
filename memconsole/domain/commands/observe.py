"""`observe`: adds what is worth remembering to an agent's observations."""

from __future__ import annotations

from memconsole.domain.commands.command import Command, CommandSpec, flags
from memconsole.domain.commands.outcomes import Reported
from memconsole.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Observe(Command):
    """Add what is worth remembering in an agent's sessions to observations.md.

    Attributes:
        session_key: This session only.
        is_flush: Look further back, also at what was looked at: the session is about to be cut.
        recover_id: Id of a session that has ended; its last hours.
        is_previous: Of that session, what was said before its last reset in place.
    """

    session_key: str | None = None
    is_flush: bool = False
    recover_id: str | None = None
    is_previous: bool = False

    def words(self) -> list[str]:
        """Return the arguments of the call that does the same."""
        return [
            *("--agent", self.agent.id),
            *(() if self.session_key is None else ("--session", self.session_key)),
            *flags(flush=self.is_flush),
            *(() if self.recover_id is None else ("--recover", self.recover_id)),
        ]


@dataclass(frozen=True, slots=True)
class Observed(Reported):
    """Observations were added and seen on disk."""


OBSERVE = CommandSpec(
    kind=Observe,
    name="observe",
    runner="observe.run:observe",
    title="Observe",
    help="Add what is worth remembering in an agent's sessions to observations.md",
    key="b",
    does="notes what is worth remembering",
    about="session_key",
    force="is_flush",
    undo="not needed: lines are only added; a line that should not stay can be deleted by hand",
)
