"""`index-md`: lists what a large memory holds in INDEX.md."""

from __future__ import annotations

from memconsole.domain.commands.command import Command, CommandSpec, flags
from memconsole.domain.commands.outcomes import Reported
from memconsole.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class IndexMd(Command):
    """Write INDEX.md of an agent's workspace.

    Attributes:
        is_forced: Also of a small memory.
    """

    is_forced: bool = False

    def words(self) -> list[str]:
        """Return the arguments of the call that does the same."""
        return ["--agent", self.agent.id, *flags(force=self.is_forced)]


@dataclass(frozen=True, slots=True)
class Catalogued(Reported):
    """INDEX.md says what the memory holds now."""


INDEX_MD = CommandSpec(
    kind=IndexMd,
    name="index-md",
    runner="index_md:index_md",
    title="Write INDEX.md",
    help="List what an agent's memory holds in INDEX.md, where it has grown large",
    force="is_forced",
    undo="not needed: it is made of the other files, and can be made again at any time",
)
