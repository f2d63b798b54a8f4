"""What every double of our own database shares: nobody can write to it, or a record stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memconsole.errors import StateError

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass
class Unwritable:
    """Refuses to be written to while a test says so.

    Attributes:
        recorded: Called for a record that stands for what was written into a workspace.
    """

    is_unwritable: bool = field(default=False, kw_only=True)
    recorded: Callable[[], None] = field(default=lambda: None, kw_only=True)

    def _record(self) -> None:
        self._check()
        self.recorded()

    def _check(self) -> None:
        if self.is_unwritable:
            raise StateError("the state folder cannot be written")
