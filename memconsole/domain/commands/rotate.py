"""`rotate`: starts a session anew before the platform compacts it."""

from __future__ import annotations

from memconsole.domain.commands.command import Command, CommandSpec, Subject, flags
from memconsole.domain.commands.outcomes import Reported
from memconsole.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Rotate(Command):
    """Start a session anew before the platform compacts it; a dry run is the plan from disk.

    Attributes:
        key: Session key; must name exactly one live session.
        threshold_tokens: Another limit than the configured one, for this run.
        is_forced: Pass threshold, interval and breaker.
        is_active_forced: Break off a run that is going on.
    """

    key: str
    threshold_tokens: int | None = None
    is_forced: bool = False
    is_active_forced: bool = False

    def words(self) -> list[str]:
        """Return the arguments of the call that does the same."""
        limit = self.threshold_tokens
        asked = [] if limit is None else ["--threshold", str(limit)]
        return [self.key, *asked, *flags(force=self.is_forced, force_active=self.is_active_forced)]


@dataclass(frozen=True, slots=True)
class Rotated(Reported):
    """A session was saved and started anew, and that is proven: `proof` in `details`."""


ROTATE = CommandSpec(
    kind=Rotate,
    name="rotate",
    runner="rotation.run:rotate",
    title="Rotate",
    help="Start due sessions anew before the platform compacts them",
    key="R",
    does="starts a session anew, saved first",
    subject=Subject.SESSION,
    about="key",
    force="is_forced",
    is_destructive=True,
    needs_gateway=True,
    stages=("checkpoint", "observations", "summary", "reset", "proof"),
    undo="not possible: the session begins anew; its transcript and its memory are kept",
)
