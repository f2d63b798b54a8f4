"""What only the Gateway does: a reset or a compaction of one session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.commands import Compact, Rotate
from memconsole.engine.compact import compact
from memconsole.engine.rotation_run import rotate

if TYPE_CHECKING:
    from memconsole.domain.outcomes import Outcome
    from memconsole.domain.settings import Settings
    from memconsole.engine.ports_bundle import Ports
    from memconsole.engine.reader import Reader


def request(
    command: Rotate | Compact, *, ports: Ports, reader: Reader, settings: Settings
) -> Outcome:
    """Ask the Gateway for what a command wants; raises what both of them raise."""
    match command:
        case Rotate():
            return rotate(command, ports=ports, reader=reader, settings=settings)
        case Compact():
            return compact(command, ports=ports, reader=reader, settings=settings)
