"""A prepared copy of one fault case, and memconsole run on it."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from tests.conftest import copy_case
from tests.program import Answer, Program, tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

WORKSPACES = {
    "c09-cron-flood-and-names": ("ws-micron",),
    "c11-agents-and-json5": ("ws-ops", "ws-ops-two", "ws/research"),
}
"""Workspaces, beside the default one, that git lost: it knows no empty folders."""

DEFAULT_NOW = "2026-04-12T09:00:00Z"


@dataclass(slots=True)
class Stage:
    """One case on its own copy of everything.

    Attributes:
        folder: The copy: `home/`, `expect.json` and what else the case brings.
        environment: What the case wants of it.
        home: HOME of the operator.
    """

    folder: Path
    environment: dict[str, str]
    home: Path = field(init=False)

    def __post_init__(self) -> None:
        self.home = Path(self.environment["HOME"])

    @property
    def state(self) -> Path:
        """The platform's state folder."""
        return self.home / ".openclaw"

    @property
    def workspace(self) -> Path:
        """The default workspace."""
        return self.state / "workspace"

    @property
    def sessions(self) -> Path:
        """The sessions folder of `main`."""
        return self.state / "agents" / "main" / "sessions"

    @property
    def now(self) -> datetime:
        """The moment the case plays at."""
        return datetime.fromisoformat(self.environment.get("NOW", DEFAULT_NOW))

    def program(self, after: timedelta, more: dict[str, str] | None) -> Program:
        """Return memconsole at the case's moment, or some time after it."""
        environment = {
            "HOME": str(self.home),
            "TZ": self.environment.get("TZ", "UTC"),
            "MEMCONSOLE_NOW": (self.now + after).isoformat(),
            **(more or {}),
        }
        if "OPENCLAW_STATE_DIR" in self.environment:
            environment["OPENCLAW_STATE_DIR"] = self.environment["OPENCLAW_STATE_DIR"]
        return Program(environment)

    def run(
        self, *arguments: str, after: timedelta = timedelta(), more: dict[str, str] | None = None
    ) -> Answer:
        """Run a command with `--json`; nothing of the platform's may change by a byte.

        Args:
            arguments: The command line behind `--json`.
            after: Time since the case's moment.
            more: Further environment variables.
        """
        with self.untouched():
            return self.program(after, more).json(*arguments)

    def each(
        self, commands: Sequence[tuple[str, ...]], more: dict[str, str] | None = None
    ) -> list[Answer]:
        """Run commands with `--json` in turn, in one process: many that only look."""
        with self.untouched():
            calls = [("--json", *arguments) for arguments in commands]
            return self.program(timedelta(), more).each(calls)

    def run_at_once(self, *arguments: str, more: dict[str, str]) -> Answer:
        """Run a command with `--json` that takes no time."""
        with self.untouched():
            return replace(self.program(timedelta(), more), is_time_still=True).json(*arguments)

    def say(self, *arguments: str) -> Answer:
        """Run a command as a person does, without `--json`."""
        with self.untouched():
            return self.program(timedelta(), None)(*arguments)

    def say_from_nowhere(self, *arguments: str) -> Answer:
        """Run a command as a person does whose current folder was deleted."""
        with self.untouched():
            return replace(self.program(timedelta(), None), is_folder_gone=True)(*arguments)

    def read(self, name: str) -> str:
        """Return a text file of the default workspace's `memory` folder, with its line ends."""
        return (self.workspace / "memory" / name).read_bytes().decode("utf-8")

    @contextmanager
    def untouched(self) -> Iterator[None]:
        """Compare the platform's files, workspaces left out, before and after."""
        workspaces = tuple(self.state.glob("workspace*"))
        before = tree(self.state, without=workspaces)
        yield
        assert tree(self.state, without=workspaces) == before

    def variant(self, name: str, environment: dict[str, str]) -> Stage:
        """Return the same case with another home of its folder."""
        home = self.folder / name / "home"
        return Stage(self.folder, {**self.environment, **environment, "HOME": str(home)})


def prepare(cases: Path, case: str, folder: Path) -> Stage:
    """Copy a case, apply its `setup.json` and make the empty workspaces that git lost."""
    environment = copy_case(cases, case, folder)
    for path in (folder, *folder.rglob("*/")):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | 0o700)  # the shared folder may be read-only
    for state in folder.glob("**/home/.openclaw"):
        (state / "workspace").mkdir(exist_ok=True)
    for name in WORKSPACES.get(case, ()):
        (folder / "home" / name).mkdir(parents=True)
    return Stage(folder, environment)
