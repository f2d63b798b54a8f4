"""Branches: new conversations that the platform makes of what stands earlier in a transcript."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from datetime import datetime

    from memconsole.domain.agents import AgentRef


class BranchState(StrEnum):
    """How far a branch is; `sent` stays when nobody saw its end."""

    SENT = "sent"
    PROVEN = "proven"
    INEFFECTIVE = "ineffective"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Branch:
    """One line of the journal of branches.

    Attributes:
        id: 0 until it is stored.
        key: Of the session that it leaves as it is.
        window: Id of the window that it continues.
        entry: Id of the question before which it ends.
        ended_at: None while it is only sent.
        made: Key of the new session.
    """

    id: int
    agent: AgentRef
    key: str
    window: str
    entry: str
    state: BranchState
    started_at: datetime
    ended_at: datetime | None = None
    made: str | None = None
