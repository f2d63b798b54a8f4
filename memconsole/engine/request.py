"""Runs what only the Gateway does: a reset or a compaction of one session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.commands.commands import Compact, Rotate
from memconsole.engine.compaction.run import compact
from memconsole.engine.rotation.run import rotate

if TYPE_CHECKING:
    from memconsole.domain.commands.outcomes import Outcome
    from memconsole.domain.settings import Settings
    from memconsole.engine.home.reader import Reader
    from memconsole.ports.bundle import Ports


def request(
    command: Rotate | Compact, *, ports: Ports, reader: Reader, settings: Settings
) -> Outcome:
    """Ask the Gateway for what a command wants; raises what both of them raise."""
    match command:
        case Rotate():
            return rotate(command, ports=ports, reader=reader, settings=settings)
        case Compact():
            return compact(command, ports=ports, reader=reader, settings=settings)
