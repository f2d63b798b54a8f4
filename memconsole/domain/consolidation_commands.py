"""What may be asked of consolidation: it is off by default, and previewed first (mission §20)."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from memconsole.values import dataclass

if TYPE_CHECKING:
    from memconsole.domain.agents import AgentRef


@dataclass(frozen=True, slots=True)
class Consolidate:
    """Archive observations whose importance has decayed.

    Attributes:
        shown: Digest of the file that the operator was shown; another one is left alone. None takes
            it as it is.
        is_high_included: Also lines with 🔴.
        dry_run: Say what would go; write nothing.
    """

    agent: AgentRef
    shown: str | None = None
    is_high_included: bool = False
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Promote:
    """Write daily notes into MEMORY.md, each of which the operator names.

    Attributes:
        ids: Of the notes, or beginnings of them.
        dry_run: Say what would be written; write nothing.
    """

    agent: AgentRef
    ids: tuple[str, ...]
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Decline:
    """Propose daily notes for MEMORY.md no more.

    Attributes:
        ids: Of the notes, or beginnings of them.
        dry_run: Say which; remember nothing.
    """

    agent: AgentRef
    ids: tuple[str, ...]
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Propose:
    """Write into DREAMS.md what consolidation would do; nothing else is changed.

    Attributes:
        dry_run: Say what would be written; write nothing.
    """

    agent: AgentRef
    dry_run: bool = False


ConsolidationCommand: TypeAlias = Consolidate | Promote | Decline | Propose
