"""Opens the console over the demo, presses keys, and takes pictures; the clock stands still."""

from __future__ import annotations

import os
import threading
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from memconsole.compose import engine as wiring
from memconsole.compose import process
from memconsole.demo.history import remember
from memconsole.demo.home import demo_world, write_home
from memconsole.domain.agents import Origin
from memconsole.domain.search.values import SearchRequest
from memconsole.ui.app import ConsoleApp
from memconsole.ui.workers.readings import ScreenClock
from tests.demo.pictures.frame import read_frame
from tests.ui.driving import settle

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from textual.pilot import Pilot

    from memconsole.demo.home import DemoHome
    from memconsole.domain.settings import Settings
    from memconsole.engine.engine import Engine
    from memconsole.ports.platform import Clock
    from tests.demo.pictures.frame import Frame

NOW = datetime(2026, 4, 14, 14, 20, tzinfo=UTC)
"""When all pictures are taken: a Tuesday afternoon."""


@dataclass(slots=True)
class StageClock:
    """A clock that moves when it is told to; answers `Clock`."""

    at: datetime = NOW
    start: datetime = field(default=NOW, repr=False)
    _looks: threading.local = field(default_factory=threading.local, repr=False)

    def now(self) -> datetime:
        """Return the moment of the play."""
        return self.at

    def monotonic(self) -> float:
        """Return a stopwatch by which every run takes 31 ms; threads do not disturb each other."""
        self._looks.count = getattr(self._looks, "count", 0) + 1
        return float(self._looks.count * 0.031)

    def elapsed(self) -> float:
        """Return seconds since the play began, for the screen."""
        return (self.at - self.start).total_seconds()


@dataclass(frozen=True, slots=True)
class Studio:
    """A demo to take pictures of."""

    home: DemoHome
    settings: Settings
    clock: StageClock

    @asynccontextmanager
    async def console(self, columns: int, rows: int) -> AsyncIterator[Camera]:
        """Open a console of this size."""
        engine = wiring.build_engine(self.settings, Origin.CONSOLE, clock=self.clock)
        app = ConsoleApp(engine, self.settings, clock=ScreenClock(self.clock.elapsed))
        # Readings by the host's clock would come in between on a busy machine.
        app.readings.rest = _no_clock  # type: ignore[method-assign]  # the camera asks
        async with app.run_test(size=(columns, rows)) as pilot:
            await settle(pilot)
            yield Camera(pilot, app, columns, rows, self)


@dataclass(frozen=True, slots=True)
class Camera:
    """A console that is looked at."""

    pilot: Pilot[int]
    app: ConsoleApp
    columns: int
    rows: int
    studio: Studio

    async def press(self, *keys: str) -> None:
        """Press keys, and wait until all is still after each."""
        for key in keys:
            await self.pilot.press(key)
            await settle(self.pilot)

    async def wait(self, span: timedelta, *, grows: bool = False) -> None:
        """Let time pass; the session that grows says one more thing when it is told to."""
        clock = self.studio.clock
        clock.at += span
        if grows:
            self.studio.home.growing.step(clock.at)
        self.app.readings.request()
        await settle(self.pilot)

    def shoot(self) -> Frame:
        """Return what is seen now."""
        return read_frame(self.app.export_screenshot(), self.columns, self.rows)


def _no_clock() -> None:
    """Set no clock."""


@contextmanager
def studio() -> Iterator[Studio]:
    """Generate the demo of the pictures."""
    with demo_world() as operator:
        os.environ["MEMCONSOLE_UI__THEME"] = "calm"
        os.environ["TEXTUAL_COLOR_SYSTEM"] = "truecolor"
        settings = process.load_settings(None, {"timezone": "UTC", "gateway.transport": "none"})
        home = write_home(operator, NOW, process.zone(settings, None))

        def engine_at(clock: Clock) -> Engine:
            return wiring.build_engine(settings, Origin.SCHEDULER, clock=clock)

        remember(home, settings.state_dir, NOW, engine_at)
        for agent in (engine := engine_at(StageClock())).home.read().agents:
            engine.search.find(SearchRequest("anything", agent_id=agent.id))  # builds its index
        yield Studio(home, settings, StageClock())
