"""`checkpoint`: saves an agent's current work."""

from __future__ import annotations

from memconsole.domain.commands.command import Command, CommandSpec, flags
from memconsole.domain.commands.outcomes import Reported
from memconsole.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Checkpoint(Command):
    """Save an agent's current work to ACTIVE_CONTEXT.md and the daily log.

    Attributes:
        session_key: A certain session instead of the newest eligible one.
        is_forced: Ignore `stale_after` and the dedup window, and write what is written already.
        is_urgent: What comes next ends the session or cuts it: ignore `stale_after` and the dedup
            window, but write nothing twice.
    """

    session_key: str | None = None
    is_forced: bool = False
    is_urgent: bool = False

    def words(self) -> list[str]:
        """Return the arguments of the call that does the same."""
        session = [] if self.session_key is None else ["--session", self.session_key]
        return ["--agent", self.agent.id, *session, *flags(force=self.is_forced)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpointed(Reported):
    """A checkpoint was written and seen on disk.

    Attributes:
        session_id: The session whose work was saved.
        is_logged: A daily entry was added; False when it would have repeated the last one.
    """

    session_id: str
    is_logged: bool


CHECKPOINT = CommandSpec(
    kind=Checkpoint,
    name="checkpoint",
    runner="checkpoint.run:checkpoint",
    title="Checkpoint",
    help="Save an agent's current work to ACTIVE_CONTEXT.md and the daily log",
    key="c",
    does="saves what the agent is working on",
    about="session_key",
    force="is_forced",
    takes_newest=True,
    undo="not needed: the daily log only grows, the next checkpoint renews ACTIVE_CONTEXT.md",
)
