"""`summarize`: writes the summary of one session into memory."""

from __future__ import annotations

from memconsole.domain.commands.command import Command, CommandSpec, Subject
from memconsole.domain.commands.outcomes import Reported
from memconsole.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Summarize(Command):
    """Write the summary of one session into memory, once.

    Attributes:
        key: Session key, live or not any more; None when only the id is known.
        session_id: A certain session of the key; None means its present one.
        reason: One of `SummaryReason`.
        is_previous: What was said before the last reset in place instead of what came after.
    """

    key: str | None
    session_id: str | None = None
    reason: str = "manual"
    is_previous: bool = False

    def words(self) -> list[str]:
        """Return the arguments of the call that does the same."""
        name = self.key or self.session_id or ""
        by_id = self.key is not None and self.session_id is not None
        which = ["--session-id", self.session_id or ""] if by_id else []
        return [name, *which, "--reason", self.reason]


@dataclass(frozen=True, slots=True)
class Summarized(Reported):
    """The summary of a session was written and seen on disk."""


SUMMARIZE = CommandSpec(
    kind=Summarize,
    name="summarize",
    runner="summarize:summarize",
    title="Summarise",
    help="Write the summary of a session into memory, once",
    subject=Subject.SESSION,
    about="key",
    undo="not needed: the summary is a file of its own, or stands behind a divider",
)
