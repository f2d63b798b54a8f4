"""A memory on a real disk with an engine over it, which can be killed at any step."""

from __future__ import annotations

import gzip
import json
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole.adapters.workspace.writer import DiskWorkspace
from memconsole.compose import engine
from memconsole.domain.agents import AgentRef, HomeRef, Origin
from memconsole.domain.settings import Settings
from memconsole.domain.settings.sections import CleanupSettings, ConsolidateSettings
from memconsole.engine.engine import Engine
from tests.doubles.platform import FakeClock

if TYPE_CHECKING:
    from pathlib import Path

    from memconsole.domain.commands.command import Command
    from memconsole.domain.commands.outcomes import Outcome


class Place:
    """A platform home with one memory, and an engine over it."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / ".openclaw"
        self.workspace = folder / "ws"
        self.state = folder / "state"
        (self.home / "agents" / "main" / "sessions").mkdir(parents=True)
        (self.workspace / "memory").mkdir(parents=True)
        roster = {"agents": {"list": [{"id": "main", "workspace": str(self.workspace)}]}}
        (self.home / "openclaw.json").write_text(json.dumps(roster))
        settings = Settings(
            state_dir=self.state,
            home=self.home,
            consolidate=ConsolidateSettings(token_target=1),
            cleanup=CleanupSettings(archive_days=1),
            timezone="UTC",
            transport="none",
        )
        self.clock = FakeClock()
        self.engine = engine.build_engine(settings, Origin.CLI, clock=self.clock)
        self.ref = AgentRef(HomeRef(str(self.home)), "main")

    def run(self, command: Command) -> Outcome:
        return self.engine.run(command)

    def files(self) -> dict[str, bytes]:
        return {
            str(path.relative_to(self.workspace)): path.read_bytes()
            for path in self.workspace.rglob("*")
            if path.is_file()
        }

    def holding(self, data: bytes) -> list[str]:
        """Return the files of workspace and state that hold some bytes, packed or not."""
        paths = (*self.workspace.rglob("*"), *self.state.rglob("*"))
        return [path.name for path in paths if path.is_file() and data in unpacked(path)]


def unpacked(path: Path) -> bytes:
    """Return what a file holds, unpacked where it is packed with gzip."""
    data = path.read_bytes()
    return gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data


class Killed(BaseException):
    """Ends a run at a step, as a kill would."""


STEPS = ("written", "synced", "temporary-made", "temporary-synced", "replaced", "folder-synced")


def killed_at(place: Place, step: str, command: Command) -> None:
    """Run a command that ends at a step; one that never comes there ends by itself."""

    def kill(reached: str) -> None:
        if reached == step:
            raise Killed

    ports = place.engine._ports
    ports = replace(ports, workspace=DiskWorkspace(kill, ports.journal))  # type: ignore[arg-type]
    with suppress(Killed):
        Engine(ports, place.engine.settings).run(command)
