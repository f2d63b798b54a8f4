"""An engine that says what it was told to say."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from memconsole.domain.agents import AgentRef
from memconsole.domain.commands import Checkpoint
from memconsole.domain.outcomes import (
    Checkpointed,
    Planned,
    Run,
    Written,
)
from memconsole.domain.settings import Settings, UiSettings
from memconsole.errors import GatewayUnavailableError, MemconsoleError, SessionNotFoundError
from tests.ui import sample

if TYPE_CHECKING:
    from datetime import datetime

    from memconsole.domain.commands import Command
    from memconsole.domain.memory import Marker
    from memconsole.domain.outcomes import Outcome
    from memconsole.domain.snapshot import ConsoleSnapshot, SessionDetail, TranscriptView


def settings(**ui: object) -> Settings:
    """Return settings for a console in a fixed zone."""
    return Settings(
        state_dir=Path("/nonexistent/memconsole"),
        timezone="Europe/Berlin",
        ui=UiSettings(**ui),  # type: ignore[arg-type]  # names are checked by the dataclass itself
    )


class FakeEngine:
    """Satisfies the console's door.

    Attributes:
        reading: What a snapshot returns; an error is raised instead.
        asked: What each snapshot was asked to look at.
        commands: Everything that was run, dry runs included.
        outcomes: What a command returns, by its name; else a plausible one.
        gate: Commands that are no dry runs wait for it.
    """

    def __init__(
        self, reading: ConsoleSnapshot | MemconsoleError | None = None, **ui: object
    ) -> None:
        self.settings = settings(**ui)
        self.reading = reading or sample.usual()
        self.asked: list[frozenset[AgentRef] | None] = []
        self.commands: list[Command] = []
        self.outcomes: dict[str, Outcome] = {}
        self.details: dict[str, SessionDetail] = {}
        self.transcripts: dict[str, TranscriptView] = {}
        self.texts: dict[str, str] = {}
        self.marked: tuple[tuple[str, Marker], ...] = ()
        self.sampled = 0
        self.gate = threading.Event()
        self.gate.set()

    def snapshot(self, changed: frozenset[AgentRef] | None = None) -> ConsoleSnapshot:
        self.asked.append(changed)
        if isinstance(self.reading, MemconsoleError):
            raise self.reading
        return self.reading

    def session(self, name: str) -> SessionDetail:
        if name not in self.details:
            raise SessionNotFoundError(name)
        return self.details[name]

    def transcript(
        self, name: str, *, tail: int | None = None, everything: bool = False
    ) -> TranscriptView:
        if name not in self.transcripts:
            raise SessionNotFoundError(name)
        return self.transcripts[name]

    def markers(self, agent_id: str | None = None) -> tuple[tuple[str, Marker], ...]:
        return self.marked

    def memory_text(self, agent_id: str, relative: str) -> str | None:
        return self.texts.get(relative)

    def runs(
        self, *, limit: int = 50, since: datetime | None = None, job: str | None = None
    ) -> tuple[Run, ...]:
        return sample.runs()[:limit]

    def watched(self) -> tuple[Path, ...]:
        return (sample.HOME,)

    def agents_of(self, paths: frozenset[Path]) -> frozenset[AgentRef] | None:
        return frozenset(AgentRef(str(sample.HOME), path.name) for path in paths)

    def record_samples(self, snapshot: ConsoleSnapshot) -> None:
        self.sampled += 1

    def run(self, command: Command) -> Outcome:
        self.commands.append(command)
        if not command.dry_run:
            self.gate.wait(10)
        name = "checkpoint" if isinstance(command, Checkpoint) else "rotate"
        wrote = (
            Written("ACTIVE_CONTEXT.md", 2_150),
            Written("memory/2026-01-26.md", 480),
        )
        if command.dry_run:
            return self.outcomes.get(
                f"{name} --dry-run",
                Planned(
                    command,
                    f"would write 60 messages of agent:{command.agent.id}:main"
                    if name == "checkpoint"
                    else f"would reset {command.key} at 151200 of 150000 tokens, "  # type: ignore[union-attr]  # it is a Rotate
                    "after a checkpoint of it",
                    wrote=wrote if name == "checkpoint" else (),
                    details={"read": 412, "damaged": 0, "filtered": 31},
                    duration_ms=12,
                ),
            )
        if name in self.outcomes:
            return self.outcomes[name]
        if isinstance(command, Checkpoint):
            return Checkpointed(
                command, "00000001", "saved 60 messages", True, wrote=wrote, duration_ms=31
            )
        raise GatewayUnavailableError("no gateway", "start one")
