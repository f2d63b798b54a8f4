"""Drives the console as an operator does: keys in, drawn text out."""

from __future__ import annotations

import asyncio
import math
import re
from contextlib import asynccontextmanager
from itertools import takewhile
from typing import TYPE_CHECKING

import textual.app
import textual.pilot
import textual.screen
from textual._compositor import Compositor

from memconsole.ui.app import ConsoleApp
from memconsole.ui.widgets.line import Bar
from memconsole.ui.widgets.line_input import LineInput
from memconsole.ui.widgets.pane import Pane
from memconsole.ui.workers.readings import ScreenClock
from tests.ui import sample

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from rich.console import RenderableType
    from textual.pilot import Pilot
    from textual.screen import Screen

    from memconsole.ports.platform import ChangeFeed
    from tests.ui.fake_engine import FakeEngine

WIDE = (120, 40)
COMPACT = (80, 24)
SINGLE = (50, 18)

PATIENCE_S = 60
"""How long a busy machine may take before a test gives up."""

_MOMENT_S = 0.02
_LOOKS = 2


def without_naps(put: Callable[[object, str, object], None] = setattr) -> None:
    """Do without Textual's naps of 20 ms at each key, and its 16 ms from picture to picture.

    `settle` waits for every queue, and proves more. It draws once what has changed until then.

    Args:
        put: Sets an attribute, for good or until the end of a test.
    """
    for module in (textual.app, textual.pilot):
        put(module, "wait_for_idle", _give_way)
    put(textual.screen, "UPDATE_PERIOD", 0.001)
    put(Compositor, "render_update", _draw_later)


_draw = Compositor.render_update


def _draw_later(
    self: Compositor,
    full: bool = False,
    screen_stack: list[Screen[object]] | None = None,
    simplify: bool = False,
) -> RenderableType | None:
    """Leave to `settle` what would be drawn over before anybody sees it."""
    return _draw(self, full, screen_stack, simplify) if full else None


async def _give_way(min_sleep: float = 0, max_sleep: float = 0) -> None:
    """Let what was posted get into its queue."""
    del min_sleep, max_sleep
    for _ in range(5):
        await asyncio.sleep(0)


class Stopwatch:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def console(
    engine: FakeEngine, feed: ChangeFeed | None = None, watch: Stopwatch | None = None
) -> ConsoleApp:
    """Make a console whose time does not run."""
    app = ConsoleApp(
        engine,
        engine.settings,
        feed,
        clock=ScreenClock(watch or Stopwatch(), sample.NOW),
        jobs=engine.jobs,
    )
    app.typing_pause_s = 0.0
    app.reading_pause_s = 0.0
    app.index_pause_s = None
    # On a busy machine the time of the clock comes in the middle of a test.
    app.readings.rest = _no_clock  # type: ignore[method-assign]  # tests ask when they want to
    return app


def _no_clock() -> None:
    """Set no clock."""


def words(text: str) -> str:
    """Return what a pane says, without its frame and its line ends."""
    return " ".join(re.sub("[│┃▸]", " ", text).split())


class Desk:
    """A console at work, and what is seen of it."""

    def __init__(self, pilot: Pilot[int], app: ConsoleApp) -> None:
        self.pilot = pilot
        self.app = app

    async def press(self, *keys: str) -> None:
        """Press keys one after the other, each until all is still; a word is typed at once."""
        while keys:
            is_typing = isinstance(self.app.focused, LineInput)
            word = tuple(takewhile(lambda key: len(key) == 1, keys)) if is_typing else ()
            now = word or keys[:1]
            keys = keys[len(now) :]
            await self.pilot.press(*now)
            await settle(self.pilot)

    async def resize(self, width: int, height: int) -> None:
        """Give the terminal another size."""
        await self.pilot.resize_terminal(width, height)
        await settle(self.pilot)

    async def settle(self) -> None:
        """Wait until all is still."""
        await settle(self.pilot)

    @property
    def screen(self) -> str | None:
        """Name of the screen in front."""
        return self.app.screen.name

    def pane(self, name: str) -> Pane:
        """Return a pane of the screen in front."""
        return self.app.screen.query_one(f"#{name}", Pane)

    def text(self, name: str) -> str:
        """Return what a pane draws."""
        return self.pane(name).text

    def bar(self, name: str) -> str:
        """Return what a line at the top or bottom draws."""
        return self.app.screen.query_one(f"#{name}", Bar).text

    def cursor(self, name: str) -> str | None:
        """Return the row under a pane's cursor."""
        return self.pane(name).place.cursor

    @property
    def focus(self) -> str | None:
        """Name of the widget that keys go to."""
        return None if self.app.focused is None else self.app.focused.id

    def picture(self) -> str:
        """Return all that is drawn on the screen in front."""
        return "\n".join(strip.text for strip in self.app.screen._compositor.render_strips())


@asynccontextmanager
async def at_work(
    engine: FakeEngine,
    size: tuple[int, int] = WIDE,
    *,
    feed: ChangeFeed | None = None,
    watch: Stopwatch | None = None,
) -> AsyncIterator[Desk]:
    """Open a console and wait for its first reading."""
    app = console(engine, feed, watch)
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        yield Desk(pilot, app)


async def settle(pilot: Pilot[int]) -> None:
    """Wait until no worker runs and every message they sent has been handled; draw what is new."""
    async with asyncio.timeout(PATIENCE_S):
        await stillness()
        while len(pilot.app.workers):
            await pilot.app.workers.wait_for_complete()
            await stillness()
    _draw(pilot.app.screen._compositor, screen_stack=pilot.app._background_screens)


async def stillness() -> None:
    """Wait until nothing is about to run: on a busy machine a pause is no proof.

    No callback is ready, nor comes to be so by looking at what is due or came from a thread; and
    no timer ends within moments, as the one does that lays out and draws what was changed.
    """
    loop = asyncio.get_running_loop()
    looks = 0
    while looks < _LOOKS:
        timers = (one.when() for one in loop._scheduled if not one.cancelled())  # type: ignore[attr-defined]
        pause = min(timers, default=math.inf) - loop.time()
        await asyncio.sleep(max(pause, 0.0) if pause < _MOMENT_S else 0)
        is_still = pause >= _MOMENT_S and not loop._ready  # type: ignore[attr-defined]
        looks = looks + 1 if is_still else 0
