"""`restore`: hands an earlier window of a session over to its next start."""

from __future__ import annotations

from memconsole.domain.commands.command import Command, CommandSpec, Subject
from memconsole.domain.commands.outcomes import Reported
from memconsole.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Restore(Command):
    """Write what an earlier window of a session was about, for its next start.

    Attributes:
        key: Session key.
        window: Id of the window, or its beginning; None for the newest that has ended.
    """

    key: str
    window: str | None = None

    def words(self) -> list[str]:
        """Return the arguments of the call that does the same."""
        return [self.key, *(() if self.window is None else ("--window", self.window))]


@dataclass(frozen=True, slots=True)
class HandedOver(Reported):
    """The hand-over stands in memory, and the next start is given it."""


RESTORE = CommandSpec(
    kind=Restore,
    name="restore",
    runner="sessions.restore:restore",
    title="Restore",
    help="Hand an earlier window of a session over to its next start",
    subject=Subject.SESSION,
    about="key",
    is_reviewed=True,
    is_undoable=True,
    undo="u takes the hand-over away again, and so does `memconsole memory undo`",
)
