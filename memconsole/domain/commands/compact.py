"""`compact`: has the Gateway compact a session, after saving its work."""

from __future__ import annotations

from memconsole.domain.commands.command import Command, CommandSpec, Subject, flags
from memconsole.domain.commands.outcomes import Reported
from memconsole.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Compact(Command):
    """Ask for the compaction of one session.

    Attributes:
        key: Session key; must name exactly one live session.
        instructions: What the summary should heed; refused where the release takes none.
        is_truncation_forced: Also where the release only cuts lines off.
    """

    key: str
    instructions: str | None = None
    is_truncation_forced: bool = False

    def words(self) -> list[str]:
        """Return the arguments of the call that does the same."""
        asked = [] if self.instructions is None else ["--instructions", self.instructions]
        return [self.key, *asked, *flags(force_truncate=self.is_truncation_forced)]


@dataclass(frozen=True, slots=True)
class Compacted(Reported):
    """A session was saved and compacted, and its new summary says something."""


COMPACT = CommandSpec(
    kind=Compact,
    name="compact",
    runner="compaction.run:compact",
    title="Compact",
    help="Ask the Gateway to compact a session, after saving its work",
    key="K",
    does="compacts a session, saved first",
    subject=Subject.SESSION,
    about="key",
    is_destructive=True,
    needs_gateway=True,
    stages=("checkpoint", "observations", "compaction", "proof"),
    undo="not possible: the model sees a summary from now on; the transcript keeps every turn",
)
