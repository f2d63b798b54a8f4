"""How far the observer has read, without a database (port `ObserverLog`)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memconsole.errors import StateError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from memconsole.domain.agents import AgentRef
    from memconsole.domain.observe.rules import Cursor


@dataclass
class FakeObserver:
    """How far the observer has read."""

    run: tuple[str, datetime] | None = None
    stored: dict[str, Cursor] = field(default_factory=dict)
    is_unwritable: bool = False

    def last(self, agent: AgentRef) -> tuple[str, datetime] | None:
        return self.run

    def cursors(self, agent: AgentRef) -> Mapping[str, Cursor]:
        return dict(self.stored)

    def advance(
        self, agent: AgentRef, hash_: str, cursors: Mapping[str, Cursor], at: datetime
    ) -> None:
        if self.is_unwritable:
            raise StateError("the state folder cannot be written")
        self.run = (hash_, at)
        self.stored.update(cursors)
