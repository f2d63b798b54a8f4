"""A platform home with one talk on a real disk, for runs that are killed, starved or crossed."""

from __future__ import annotations

import json
import resource
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from memconsole.adapters.workspace.writer import DiskWorkspace
from memconsole.compose import engine as wiring
from memconsole.domain.agents import AgentRef, HomeRef, Origin
from memconsole.domain.commands.observe import Observe
from memconsole.domain.memory.observation_log import parse
from memconsole.domain.settings import Settings
from memconsole.domain.settings.sections import ConsolidateSettings, ReflectorSettings
from memconsole.engine.engine import Engine
from tests.doubles.platform import FakeClock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from memconsole.domain.commands.command import Command
    from memconsole.domain.commands.outcomes import Outcome

SESSION = "0b6a1c2d-0000-4000-8000-000000000001"
KEY = "agent:main:main"
TEXTS = (
    "We decided to use Postgres instead of MySQL for billing.",
    "Understood.",
    "Never deploy the gateway on a Friday.",
    "Noted.",
)
APPEND_STEPS = ("opened", "written", "synced")
REPLACE_STEPS = (
    "temporary-made",
    "temporary-written",
    "temporary-synced",
    "compared",
    "replaced",
    "folder-synced",
)


class Killed(BaseException):
    """Ends a run at a step, as a kill would."""


class Place:
    """A platform home with one talk, and an engine over it."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / ".openclaw"
        self.workspace = folder / "ws"
        self.sessions = self.home / "agents" / "main" / "sessions"
        self.sessions.mkdir(parents=True)
        (self.workspace / "memory").mkdir(parents=True)
        roster = {"agents": {"list": [{"id": "main", "workspace": str(self.workspace)}]}}
        (self.home / "openclaw.json").write_text(json.dumps(roster))
        self.clock = FakeClock()
        self.settings = Settings(
            state_dir=folder / "state",
            home=self.home,
            timezone="UTC",
            transport="none",
            consolidate=ConsolidateSettings(token_target=1),
            reflector=ReflectorSettings(word_threshold=30),
        )
        self.said = 0
        self.say(*TEXTS)

    @property
    def file(self) -> Path:
        return self.workspace / "memory" / "observations.md"

    @property
    def texts(self) -> list[str]:
        log = parse(self.file.read_bytes().decode())
        return [one.text for one in log.observations]

    def say(self, *texts: str) -> None:
        lines = [] if self.said else [json.dumps({"type": "session", "id": SESSION, "version": 3})]
        for text in texts:
            at = self.clock.now() + timedelta(seconds=self.said)
            message = {"role": ("user", "assistant")[self.said % 2], "content": text}
            record = {
                "type": "message",
                "id": f"{self.said:08x}",
                "parentId": f"{self.said - 1:08x}" if self.said else None,
                "timestamp": at.isoformat(),
                "message": message,
            }
            lines.append(json.dumps(record))
            self.said += 1
        with (self.sessions / f"{SESSION}.jsonl").open("a") as file:
            file.write("".join(f"{line}\n" for line in lines))
        entry = {"sessionId": SESSION, "updatedAt": int(self.clock.now().timestamp() * 1000)}
        (self.sessions / "sessions.json").write_text(json.dumps({KEY: entry}))

    def end(self) -> None:
        """Let the platform end the talk and begin another one."""
        file = self.sessions / f"{SESSION}.jsonl"
        file.rename(self.sessions / f"{SESSION}.jsonl.reset.2026-01-26T14-20-00.000Z")
        entry = {"sessionId": "new", "updatedAt": int(self.clock.now().timestamp() * 1000)}
        (self.sessions / "sessions.json").write_text(json.dumps({KEY: entry}))

    @property
    def agent(self) -> AgentRef:
        return AgentRef(HomeRef(str(self.home)), "main")

    def engine(self, steps: Callable[[str], None] | None = None) -> Engine:
        engine = wiring.build_engine(self.settings, Origin.CLI, clock=self.clock)
        if steps is None:
            return engine
        ports = engine._ports
        ports = replace(ports, workspace=DiskWorkspace(steps, ports.journal))  # type: ignore[arg-type]
        return Engine(ports, self.settings)

    def run(self, command: Command, steps: Callable[[str], None] | None = None) -> Outcome:
        return self.engine(steps).run(command)

    def look(self, steps: Callable[[str], None] | None = None) -> Outcome:
        return self.run(Observe(self.agent), steps)


def at(place: int, act: Callable[[], None]) -> Callable[[str], None]:
    """Return what does something once, at one of the steps of all writes, counted from 0."""
    left = [place]

    def count(_: str) -> None:
        left[0] -= 1
        if left[0] == -1:
            act()

    return count


def kill() -> None:
    """End the run here."""
    raise Killed


@contextmanager
def full_disk(place: int, room: int = 10) -> Iterator[Callable[[str], None]]:
    """Give what lets no file grow beyond some bytes from one step on; afterwards there is room."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        yield at(place, lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard)))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
