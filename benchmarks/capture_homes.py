"""Lines that capture writes of homes: the platform's, as fixtures hold them, and the demo's.

The fixtures are read where they are (`FIXTURES`, by default beside the checkout).
"""

from __future__ import annotations

import os
import shutil
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from benchmarks.budgets import ROOT
from benchmarks.capture_home import MovingClock
from memconsole.compose import engine
from memconsole.demo.home import write_home
from memconsole.domain.agents import Origin
from memconsole.domain.commands.observe import Observe
from memconsole.domain.memory.observation_log import parse
from memconsole.domain.memory.observations import OBSERVATIONS
from memconsole.domain.settings import Settings
from memconsole.domain.settings.sections import ObserverSettings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memconsole.domain.memory.observations import Observation

FIXTURES: Final = Path(os.environ.get("FIXTURES", ROOT.parent / "shared" / "fixtures"))
_DEMO_AT: Final = datetime(2026, 4, 11, 9, tzinfo=UTC)
_AT: Final = datetime(2026, 11, 29, tzinfo=UTC)
_EVER: Final = ObserverSettings(flush_lookback=timedelta(days=9_999), max_items=1_000)


def home_lines() -> Iterator[tuple[str, Observation]]:
    """Yield each line of observations that is made anew of each home, with the home's name."""
    for folder in sorted(FIXTURES.glob("*/home")):
        with tempfile.TemporaryDirectory(prefix="memconsole-capture-") as place:
            home = shutil.copytree(folder, Path(place) / "home", symlinks=True)
            state = next(one for one in home.iterdir() if one.name in (".openclaw", ".clawdbot"))
            yield from ((folder.parent.name, line) for line in _lines(state, Path(place), _AT))
    with tempfile.TemporaryDirectory(prefix="memconsole-capture-") as place:
        state = write_home(Path(place), _DEMO_AT, ZoneInfo("UTC")).state
        yield from (("demo", line) for line in _lines(state, Path(place), _DEMO_AT))


def _lines(state: Path, place: Path, at: datetime) -> Iterator[Observation]:
    clock = MovingClock()
    clock.at = at
    settings = Settings(
        state_dir=place / "state",
        home=state,
        timezone="UTC",
        transport="none",
        observer=_EVER,
    )
    made = engine.build_engine(settings, Origin.CONSOLE, clock=clock)
    for agent in made.home.read().agents:
        path = agent.workspace / OBSERVATIONS
        path.unlink(missing_ok=True)
        made.run(Observe(agent.ref, is_flush=True))
        if path.exists():
            yield from parse(path.read_text("utf-8")).observations
