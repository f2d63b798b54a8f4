"""What came of consolidation (mission §20)."""

from __future__ import annotations

from typing import TypeAlias

from memconsole.domain.reported import Reported
from memconsole.values import dataclass


@dataclass(frozen=True, slots=True)
class Consolidated(Reported):
    """Observations that had decayed are in the archive, and a line says where."""


@dataclass(frozen=True, slots=True)
class Promoted(Reported):
    """Daily notes that the operator named stand in MEMORY.md."""


@dataclass(frozen=True, slots=True)
class Declined(Reported):
    """Daily notes are not proposed any more."""


@dataclass(frozen=True, slots=True)
class Proposed(Reported):
    """DREAMS.md says what consolidation would do."""


ConsolidationDone: TypeAlias = Consolidated | Promoted | Declined | Proposed
