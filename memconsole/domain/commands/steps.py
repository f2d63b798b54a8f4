"""The values that tell how a run went: its steps, and what proves its end."""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol

from memconsole.lazy_dataclass import dataclass

RUNNING, NOT_DONE = "running", "not-done"
"""Status of a step that goes on, and of one that a failure left out."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a command.

    Attributes:
        name: Such as `checkpoint` or `reset`.
        status: As of an outcome; else `running`, `unanswered` or `not-done`.
        duration_ms: None while it runs, and for what was not done.
        message: What came of it, in a few words.
    """

    name: str
    status: str
    duration_ms: int | None = None
    message: str = ""


class Verdict(StrEnum):
    """What was seen of an effect after it was asked for."""

    PROVEN = "proven"
    NOT_PROVEN = "not-proven"
    UNSEEN = "unseen"
    WRITTEN = "written"


@dataclass(frozen=True, slots=True)
class Proof:
    """What was seen before and after.

    Attributes:
        text: Both sides, such as `revision 84d7… → 91cc…, 159.1K → 0`.
    """

    verdict: Verdict
    text: str


@dataclass(frozen=True, slots=True)
class Account:
    """What was done, step by step, and what proves it; None where nothing has to be proven."""

    steps: tuple[Step, ...]
    proof: Proof | None = None


class Follower(Protocol):
    """Somebody who watches a command; told from the thread that runs it."""

    def moved(self, step: Step) -> None:
        """Hear that a step began, or ended."""

    def kept(self, account: Account, run_id: int | None) -> None:
        """Hear the whole account, and the number of the run that keeps it; None when none does."""
