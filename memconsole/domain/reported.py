"""What every outcome of a finished or planned command says."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from memconsole.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memconsole.domain.agents import Notice
    from memconsole.domain.commands import Command
    from memconsole.domain.outcomes import Detail, Written


@dataclass(frozen=True, slots=True)
class Reported:
    """Base of the outcomes in which something was done, or would be.

    Attributes:
        message: One sentence without a full stop.
        wrote: Files, in the order they were written.
        details: By stable words, for `--json`.
        notices: What was odd on the way.
    """

    command: Command
    message: str
    wrote: tuple[Written, ...] = ()
    details: Mapping[str, Detail] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()
    duration_ms: int = 0
