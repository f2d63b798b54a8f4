"""`cleanup`: packs old files, later takes them away, and brings them back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.commands.command import Command, CommandSpec, flags, span_word
from memconsole.domain.commands.outcomes import Reported
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from datetime import timedelta


@dataclass(frozen=True, slots=True)
class Cleanup(Command):
    """Pack what is left of an agent's ended sessions, and take away what was packed long ago.

    Its archives and copies in the agent's workspace go the same way; of no agent, copies and parts
    of logs in our state folder.

    Attributes:
        older_than: Age from which a file is packed; None for that of the settings.
        takes_uncaptured: Also what nobody captured.
        is_undo: Bring back what the last cleanup packed and took away.
    """

    older_than: timedelta | None = None
    takes_uncaptured: bool = False
    is_undo: bool = False

    def words(self) -> list[str]:
        """Return the arguments of the call that does the same."""
        span = () if self.older_than is None else ("--older-than", span_word(self.older_than))
        given = flags(uncaptured=self.takes_uncaptured, undo=self.is_undo)
        whose = ("--agent", self.agent.id) if self.agent.id else ("--own",)
        return [*whose, *span, *given, *([] if self.dry_run else ["--yes"])]


@dataclass(frozen=True, slots=True)
class CleanedUp(Reported):
    """Files were packed or taken away, or came back: `files` and `totals` in `details`."""


CLEANUP = CommandSpec(
    kind=Cleanup,
    name="cleanup",
    runner="cleanup.run:clean_up",
    title="Clean up",
    help="Pack old files of agents and of memconsole, and take away what was packed long ago",
    force="takes_uncaptured",
    span="older_than",
    is_destructive=True,
    is_also_ours=True,
    undo="u brings them back until `cleanup.grace` is over, and so does "
    "`memconsole cleanup --undo`",
)
