"""`reindex`: brings an agent's search index up to date."""

from __future__ import annotations

from memconsole.domain.commands.command import Command, CommandSpec, flags
from memconsole.domain.commands.outcomes import Reported
from memconsole.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Reindex(Command):
    """Bring an agent's search index up to date.

    Attributes:
        is_full: Build it anew, whatever has changed.
        with_sessions: Its sessions as well; None as configured.
    """

    is_full: bool = False
    with_sessions: bool | None = None

    def words(self) -> list[str]:
        """Return the arguments of the call that does the same."""
        chosen = flags(full=self.is_full, sessions=bool(self.with_sessions))
        return ["--agent", self.agent.id, *chosen]


@dataclass(frozen=True, slots=True)
class Reindexed(Reported):
    """A search index is up to date; `notices` say what is odd about the indexed documents."""


REINDEX = CommandSpec(
    kind=Reindex,
    name="reindex",
    runner="search.reindex:reindex",
    title="Reindex",
    help="Bring an agent's search index up to date",
    key="i",
    does="brings the search index up to date",
    force="is_full",
    undo="not needed: an index holds nothing of its own and can be made again at any time",
)
