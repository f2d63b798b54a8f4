"""A stage for checkpoint tests: an engine over fakes, with one talk of the agent `main`."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from memconsole.domain.agents import AgentRef, HomeRef
from memconsole.domain.commands.checkpoint import Checkpoint, Checkpointed
from memconsole.domain.commands.outcomes import Failed, Skipped
from memconsole.domain.settings import Settings
from memconsole.engine.engine import Engine
from tests.doubles.bundle import World
from tests.doubles.platform import HOME, talk
from tests.engine.rows import row

if TYPE_CHECKING:
    from memconsole.domain.agents import Agent, PlatformConfig
    from memconsole.domain.commands.outcomes import Outcome, SkipReason
    from memconsole.domain.sessions.stored import StoredSession

MAIN = AgentRef(HomeRef(str(HOME)), "main")
ROOT = HOME / "workspace-main"
CONTEXT = "memory/ACTIVE_CONTEXT.md"
DAY = "memory/2026-01-26.md"
COMMAND = Checkpoint(MAIN)

TEXTS = (
    "please migrate src/app.py",
    "migrated, tests pass",
    "and the docs too",
    "the docs are updated",
)


class Stage:
    """An engine over fakes, with one talk of the agent `main`."""

    def __init__(self, *agents: Agent, config: PlatformConfig | None = None) -> None:
        self.world = World(*agents, config=config)
        self.settings = Settings(state_dir=Path("/state"), timezone="UTC")
        self.hold(row())
        self.say("id-main", *TEXTS)

    def hold(self, *sessions: StoredSession, **listing: object) -> None:
        self.world.sessions.hold(*sessions, **listing)  # type: ignore[arg-type]

    def say(self, session_id: str, *texts: str) -> None:
        self.world.sessions.transcripts[session_id] = talk(*texts)

    def run(self, command: Checkpoint = COMMAND, **changes: object) -> Outcome:
        engine = Engine(self.world.ports, self.settings)
        return engine.run(replace(command, **changes))  # type: ignore[arg-type]

    def later(self, **step: float) -> None:
        self.world.clock.advance(timedelta(**step))

    def text(self, relative: str = CONTEXT, root: Path = ROOT) -> str | None:
        return self.world.workspace.text(root, relative)

    def entries(self, relative: str = DAY, root: Path = ROOT) -> int:
        return (self.text(relative, root) or "").count("### Checkpoint ")


def done(outcome: Outcome) -> Checkpointed:
    assert isinstance(outcome, Checkpointed), outcome
    return outcome


def skipped(outcome: object, reason: SkipReason) -> Skipped:
    assert isinstance(outcome, Skipped), outcome
    assert outcome.reason is reason
    return outcome


def failed(outcome: object, code: str) -> Failed:
    assert isinstance(outcome, Failed), outcome
    assert outcome.code == code
    return outcome
