"""`config fix`: sets what the checks found wrong in the platform's configuration."""

from __future__ import annotations

from memconsole.domain.commands.command import Command, CommandSpec, flags
from memconsole.domain.commands.outcomes import Reported
from memconsole.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ConfigFix(Command):
    """Set what `config check` found wrong. It is about a home: the id of its agent is empty."""

    def words(self) -> list[str]:
        """Return the arguments of the call that does the same."""
        return flags(apply=not self.dry_run)


@dataclass(frozen=True, slots=True)
class ConfigFixed(Reported):
    """The platform's configuration was changed, and read again.

    Attributes:
        wrote: The copy from before, then the configuration.
    """


CONFIG_FIX = CommandSpec(kind=ConfigFix, name="config fix", runner="config_check.service:fix")
