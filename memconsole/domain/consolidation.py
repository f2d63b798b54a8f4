"""What consolidation would do to one memory, for people to look at first (mission §20)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.values import dataclass

if TYPE_CHECKING:
    from memconsole.domain.agents import AgentRef
    from memconsole.domain.decay import Decayed
    from memconsole.domain.promotion import Proposal


@dataclass(frozen=True, slots=True)
class ConsolidationPreview:
    """A look at one memory; nothing was changed for it.

    Attributes:
        shown: Digest of the observations as they were looked at: `Consolidate` takes it back, so
            that it archives what was shown or nothing.
        archived: Observations that have decayed, in the order of the file.
        high: Lines with 🔴 that go only when the operator says so.
        hook: The line that would stay behind; empty when there is none.
        tokens_before: Of `observations.md` as it is.
        tokens_after: As it would be.
        token_target: What it should come down to.
        proposals: Daily notes that could go into MEMORY.md, the best first.
        notes: Sentences about what keeps consolidation from doing more.
    """

    agent: AgentRef
    shown: str
    archived: tuple[Decayed, ...]
    high: tuple[Decayed, ...]
    hook: str
    tokens_before: int
    tokens_after: int
    token_target: int
    proposals: tuple[Proposal, ...]
    notes: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to archive and nothing to propose."""
        return not (self.archived or self.high or self.proposals)
