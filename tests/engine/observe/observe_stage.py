"""A stage for observer tests: an engine over fakes, with one talk of the agent `main`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole.domain.commands.observe import Observe, Observed
from memconsole.domain.memory.observation_log import parse
from memconsole.domain.memory.observations import OBSERVATIONS
from memconsole.domain.transcripts.records import Entry, EntryKind
from memconsole.engine.engine import Engine
from tests.doubles.platform import NOW
from tests.engine.checkpoint.checkpoint_stage import MAIN, ROOT, Stage

if TYPE_CHECKING:
    from datetime import datetime

    from memconsole.domain.commands.outcomes import Outcome
    from memconsole.domain.memory.observations import ObservationLog

LOOK = Observe(MAIN)
DECISION = "We decided to use Postgres instead of MySQL for billing."
RULE = "Never deploy the gateway on a Friday."
FACT = "Marco moved to Lisbon with his sister in 2019."
NEWS = (DECISION, "Understood.", RULE, "Noted.")


def said(text: str, number: int, at: datetime, role: str = "user") -> Entry:
    """Return one message."""
    return Entry(
        EntryKind.MESSAGE,
        id=f"{number:08x}",
        parent_id=f"{number - 1:08x}" if number else None,
        has_parent=True,
        at=at,
        role=role,
        text=text,
        position=number * 1000,
        size_bytes=1000,
    )


class ObserveStage(Stage):
    """The talk of `main` is empty until something is said."""

    def __init__(self) -> None:
        super().__init__()
        self.world.sessions.transcripts["id-main"] = []

    def tell(
        self, *texts: str, session_id: str = "id-main", at: datetime | None = None, role: str = ""
    ) -> None:
        """Add messages at the present moment; the user speaks first."""
        entries = self.world.sessions.transcripts.setdefault(session_id, [])
        for text in texts:
            number = len(entries)
            speaker = role or ("assistant" if number % 2 else "user")
            entries.append(said(text, number, at or self.world.clock.now(), speaker))

    def look(self, command: Observe = LOOK, **changes: object) -> Outcome:
        engine = Engine(self.world.ports, self.settings)
        return engine.run(replace(command, **changes))  # type: ignore[arg-type]

    @property
    def file(self) -> str:
        """The text of observations.md; empty when there is none."""
        return self.world.workspace.text(ROOT, OBSERVATIONS) or ""

    @file.setter
    def file(self, text: str) -> None:
        self.world.workspace.files[ROOT, OBSERVATIONS] = text

    @property
    def log(self) -> ObservationLog:
        """What stands in observations.md."""
        return parse(self.file)

    @property
    def texts(self) -> list[str]:
        """The observations in it."""
        return [one.text for one in self.log.observations]


def added(outcome: Outcome) -> Observed:
    assert isinstance(outcome, Observed), outcome
    return outcome


__all__ = [
    "DECISION",
    "FACT",
    "LOOK",
    "MAIN",
    "NEWS",
    "NOW",
    "ROOT",
    "RULE",
    "ObserveStage",
    "added",
]
