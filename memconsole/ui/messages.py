"""Things that happened elsewhere and that screens want to know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from memconsole.domain.agents import AgentRef
    from memconsole.domain.commands.outcomes import Outcome
    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot


class SnapshotTaken(Message):
    """A reading arrived.

    Attributes:
        took_s: How long it took, which decides how soon the next one may begin.
    """

    def __init__(self, snapshot: ConsoleSnapshot, took_s: float) -> None:
        super().__init__()
        self.snapshot = snapshot
        self.took_s = took_s


class SnapshotGrew(Message):
    """A reading goes on: this is what it has so far."""

    def __init__(self, snapshot: ConsoleSnapshot) -> None:
        super().__init__()
        self.snapshot = snapshot


class SnapshotFailed(Message):
    """A reading failed; what is shown stays and grows old."""

    def __init__(self, reason: str, hint: str) -> None:
        super().__init__()
        self.reason = reason
        self.hint = hint


class FilesChanged(Message):
    """Watched files changed: of these agents, or of nobody knows whom (None)."""

    def __init__(self, agents: frozenset[AgentRef] | None) -> None:
        super().__init__()
        self.agents = agents


class CommandFinished(Message):
    """One command of an action came to its end."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__()
        self.outcome = outcome
