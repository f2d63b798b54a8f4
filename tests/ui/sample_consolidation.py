"""What consolidation would do to the memory of the sample home."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from memconsole.domain.consolidate.decay import Decayed
from memconsole.domain.consolidate.promotion import Parts, Proposal
from memconsole.domain.consolidate.text import ConsolidationPreview
from memconsole.domain.memory.entries import entries_of
from memconsole.domain.memory.observations import Kind, Observation, Priority
from tests.ui import sample

if TYPE_CHECKING:
    from memconsole.domain.memory.entries import MemoryEntry

MAIN = sample.ref("main")
DAY = "memory/2026-01-20.md"
DISK, SYNC = entries_of(
    DAY,
    "## 09:10 - Note\n\n- [bold]Mira[/bold] orders disks\n\n## 10:00 - Note\n\n- Sync at 06:00\n",
)
STRONG = Parts(0.92, 0.8, 1.0, 0.95, 0.5, 0.67)


def proposal(note: MemoryEntry, text: str, parts: Parts) -> Proposal:
    """A note that was found again and again."""
    last = sample.NOW - timedelta(hours=5)
    return Proposal(note, text, parts, 8, 5, 3, last)


def decayed(number: int, priority: Priority, text: str, score: float) -> Decayed:
    """An observation of which little is left."""
    day = sample.NOW.date() - timedelta(12)
    seen = Observation(priority, text, day, "09:00", Kind.EVENT, 6.0, id=f"o-{number:08x}")
    return Decayed(seen, f"o-{number:08x}", 10 + number, score, 12)


PREVIEW = ConsolidationPreview(
    agent=MAIN,
    shown="a" * 64,
    archived=(
        decayed(1, Priority.LOW, "The tea was cold", 0.0),
        decayed(2, Priority.MEDIUM, "The sync waited 41 s for a lock", 2.5),
    ),
    high=(decayed(3, Priority.HIGH, "Two keys for every deployment", 2.0),),
    hook="archived: tea, sync, lock",
    tokens_before=6_200,
    tokens_after=4_100,
    token_target=5_000,
    proposals=(
        proposal(DISK, "- 2026-01-20: [bold]Mira[/bold] orders disks", STRONG),
        proposal(SYNC, "- 2026-01-20: Sync at 06:00", replace(STRONG, frequency=0.5)),
    ),
    notes=("searches are remembered since 3 days only",),
)
