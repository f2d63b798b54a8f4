"""A fake of what consolidation remembers."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from memconsole.errors import StateError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import date, datetime

    from memconsole.domain.consolidate.finds import Find


@dataclass
class FakeConsolidation:
    """What searches found by workspace, what was declined, and the last report."""

    found: dict[str, dict[tuple[str, str, date], Find]] = field(default_factory=dict)
    refused: dict[str, set[str]] = field(default_factory=dict)
    reports: dict[str, tuple[str, datetime]] = field(default_factory=dict)
    is_unwritable: bool = False

    def finds(self, workspace: str) -> tuple[Find, ...]:
        return tuple(sorted(self.found.get(workspace, {}).values(), key=lambda one: one.at))

    def add(self, workspace: str, finds: Sequence[Find], *, keep_since: datetime) -> None:
        self._check()
        held = self.found.setdefault(workspace, {})
        for one in finds:
            known = held.setdefault((one.entry, one.query, one.day), one)
            best = max(known.score, one.score)
            held[one.entry, one.query, one.day] = replace(one, score=best)
        self.found[workspace] = {key: one for key, one in held.items() if one.at >= keep_since}

    def declined(self, workspace: str) -> frozenset[str]:
        return frozenset(self.refused.get(workspace, ()))

    def decline(self, workspace: str, entries: Collection[str], at: datetime) -> None:
        self._check()
        self.refused.setdefault(workspace, set()).update(entries)

    def last(self, workspace: str) -> tuple[str, datetime] | None:
        return self.reports.get(workspace)

    def _check(self) -> None:
        if self.is_unwritable:
            raise StateError("the state folder cannot be written")

    def reported(self, workspace: str, input_hash: str, at: datetime) -> None:
        self._check()
        self.reports[workspace] = (input_hash, at)
