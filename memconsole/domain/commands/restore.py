"""`restore`: hands an earlier window of a session over to its next start, or branches it off."""

from __future__ import annotations

from dataclasses import replace

from memconsole.domain.commands.command import Command, CommandSpec, Subject, flags
from memconsole.domain.commands.outcomes import Reported
from memconsole.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Restore(Command):
    """Write what an earlier window of a session was about, for its next start.

    Attributes:
        key: Session key.
        window: Id of the window, or its beginning; None for the newest that has ended.
        is_branch: The Gateway makes a new session of it instead.
    """

    key: str
    window: str | None = None
    is_branch: bool = False

    @property
    def is_undoable(self) -> bool:
        """Whether `memory undo` takes it back: a branch is the platform's."""
        return not self.is_branch

    def words(self) -> list[str]:
        """Return the arguments of the call that does the same."""
        window = () if self.window is None else ("--window", self.window)
        return [self.key, *window, *flags(branch=self.is_branch)]


@dataclass(frozen=True, slots=True)
class HandedOver(Reported):
    """The hand-over stands in memory, and the next start is given it."""


@dataclass(frozen=True, slots=True)
class Branched(Reported):
    """A new session goes on where the window ended, and that is proven: `proof` in `details`."""


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

BRANCH = replace(
    RESTORE,
    title="Branch",
    help="Have the Gateway make a new session of an earlier window",
    given={"is_branch": True},
    is_undoable=False,
    needs_gateway=True,
    undo="the new session stays until the platform is asked to delete it",
)
"""`restore --branch`, as the console offers it."""
