"""Sets what the checks of the platform's configuration found wrong: `config fix`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.engine.config_check.service import ConfigService

if TYPE_CHECKING:
    from memconsole.domain.commands.config_fix import ConfigFix
    from memconsole.domain.commands.outcomes import Outcome
    from memconsole.domain.settings import Settings
    from memconsole.engine.home.reader import Reader
    from memconsole.ports.bundle import Ports


def fix(command: ConfigFix, *, all_ports: Ports, reader: Reader, settings: Settings) -> Outcome:
    """Set what was found wrong; see `ConfigService.fix`."""
    return ConfigService(all_ports, reader, settings).fix(command)
