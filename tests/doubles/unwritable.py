"""What every double of our own database shares: it can be one that nobody can write to."""

from __future__ import annotations

from dataclasses import dataclass, field

from memconsole.errors import StateError


@dataclass
class Unwritable:
    """Refuses to be written to while a test says so."""

    is_unwritable: bool = field(default=False, kw_only=True)

    def _check(self) -> None:
        if self.is_unwritable:
            raise StateError("the state folder cannot be written")
