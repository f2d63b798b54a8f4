"""Sets what the checks of the platform's configuration found wrong: `config fix`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memconsole.domain.commands.config_fix import ConfigFix
    from memconsole.domain.commands.outcomes import Outcome
    from memconsole.engine.config_check.service import ConfigService


def fix(command: ConfigFix, *, config: ConfigService) -> Outcome:
    """Set what was found wrong; see `ConfigService.fix`."""
    return config.fix(command)
