"""Somebody at a console in tmux, over a generated home; counts the keys that a walk takes."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING

import pytest

from memconsole.compose import engine as wiring
from memconsole.compose import process
from memconsole.demo.gateway import LoopbackGateway, rows_of
from memconsole.demo.history import FixedClock, remember
from memconsole.demo.home import write_home
from memconsole.domain.agents import Origin
from memconsole.domain.commands.reindex import Reindex
from tests.conftest import XDG_FOLDERS, live_in
from tests.lanes import home
from tests.lanes.tmux import Tmux, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from memconsole.engine.engine import Engine
    from memconsole.ports.platform import Clock

SIZES = [(120, 40), (80, 24)]
NAMES = ["120x40", "80x24"]
LOST = "research"
"""The agent of the generated home whose session was compacted before anything of it was saved."""

DUE = "work"
"""The agent whose session is due."""

NOW = datetime.fromisoformat(home.NOW)


class PlayedHome:
    """The home of `--demo`, generated once and put back at the same place before each walk.

    Attributes:
        operator: Stands for the operator's home folder.
    """

    def __init__(self, folder: Path) -> None:
        self.operator = folder / "operator"
        self._kept = folder / "kept"
        self.operator.mkdir()
        with pytest.MonkeyPatch.context() as patch:
            live_in(self.operator, patch)
            settings = process.load_settings(None, {})

            def engine_at(clock: Clock) -> Engine:
                return wiring.build_engine(settings, Origin.SCHEDULER, clock=clock)

            remember(write_home(self.operator, NOW, None), settings.state_dir, NOW, engine_at)
            engine = engine_at(FixedClock(NOW))
            self.rows = rows_of(engine.sessions.all())
            for agent in (LOST, DUE):  # else each console would begin with it
                engine.run(Reindex(engine.home.agent(agent).ref))
        self.operator.rename(self._kept)

    def put_back(self) -> None:
        """Make it what it was at first."""
        shutil.rmtree(self.operator, ignore_errors=True)
        shutil.copytree(self._kept, self.operator)

    def gateway(self) -> LoopbackGateway:
        """Return a Gateway that knows the sessions of this home."""
        return LoopbackGateway(lambda: self.rows, now=lambda: NOW)

    @property
    def state(self) -> Path:
        """The platform's state folder."""
        return self.operator / ".openclaw"


class Walk:
    """An operator at a console; counts what is pressed.

    Attributes:
        keys: How many were pressed since the count began; letters of a text do not count.
    """

    def __init__(self, tmux: Tmux, size: tuple[int, int]) -> None:
        self.tmux = tmux
        self.size = size
        self.keys = 0

    def opens(self, *program: str, until: str = "LOST?") -> Walk:
        """Open the console, or another program, and wait for what it shows."""
        self.tmux.start(*self.size, *(program or home.console()))
        self.sees(until)
        self.tmux.settle()
        return self

    def press(self, *keys: str) -> None:
        """Press keys one after the other, each when the one before has done its work."""
        for key in keys:
            self.tap(key)
            self.tmux.settle()

    def says_yes(self, button: str) -> None:
        """Wait for a question, read it, and answer with `y`."""
        self.sees(f"[ y {button} ]")
        self.tmux.settle()  # keys of its first moment are dropped
        self.press("y")

    def tap(self, key: str) -> None:
        """Press a key whose answer stands for a few seconds only."""
        self.tmux.press(key)
        self.keys += 1

    def write(self, text: str) -> None:
        """Type a text."""
        self.tmux("send-keys", "-t", "s", "-l", text)
        self.tmux.settle()

    def sees(self, text: str) -> str:
        """Wait until a text is on the screen; return the screen."""
        return self.tmux.wait_for(text)

    def picture(self) -> str:
        """Return what is on the screen."""
        return self.tmux.picture()

    def finding(self) -> str:
        """Return the line of the finding that is worst, or was gone to.

        A screen that is being drawn anew may be empty for a moment.
        """
        lines = [""]

        def is_drawn() -> bool:
            lines[:] = self.picture().split("\n")[1:2]
            return bool("".join(lines).strip())

        wait_until(is_drawn, self.picture)
        return lines[0]

    def next_finding(self) -> None:
        """Go to the next finding, and wait until the line names it."""
        before = self.finding()
        self.press(".")
        wait_until(lambda: self.finding() != before, self.picture)

    def goes_far(self) -> None:
        """Go to a screen that has nothing to do with any session; this does not count."""
        self.press("v")
        self.sees("rotation")
        self.keys = 0


@contextmanager
def walking(folder: Path, size: tuple[int, int], environment: Mapping[str, str]) -> Iterator[Walk]:
    """Give somebody a terminal of a size, until the block ends."""
    tmux = Tmux(folder, environment)
    try:
        yield Walk(tmux, size)
    finally:
        tmux.close()


def environment_of(operator: Path, gateway: LoopbackGateway | None = None) -> dict[str, str]:
    """Return what a console over this home needs to see of the world."""
    reached = {"MEMCONSOLE_TRANSPORT": "none"}
    if gateway is not None:
        reached = {
            "MEMCONSOLE_TRANSPORT": "ws",
            "MEMCONSOLE_GATEWAY": gateway.url,
            "MEMCONSOLE_GATEWAY__TOKEN": gateway.token,
        }
    folders = {name: str(operator / folder) for name, folder in XDG_FOLDERS.items()}
    return {**home.environment(operator), **folders, **reached}
