"""Runs the console over the sample home, for tests at the other end of a terminal."""

from __future__ import annotations

import fcntl
import json
import sys
import termios
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from memconsole.ui.run import run_console
from memconsole.ui.screens.session.screen import SessionScreen
from memconsole.ui.terminal import driver
from tests.ui import sample
from tests.ui.fake_engine import FakeEngine
from tests.ui.foreign import engine_for
from tests.ui.sample_details import furnish

if TYPE_CHECKING:
    from memconsole.domain.snapshot.snapshot import SessionView


def main(plan: dict[str, object]) -> int:
    """Run the console as the plan says; return its exit code."""
    # The shell that starts a program gives it the terminal; here nobody else does.
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    foreign = plan.get("foreign")
    engine = FakeEngine() if foreign is None else engine_for(str(foreign))
    if foreign is None:
        engine.reading = getattr(sample, str(plan.get("reading", "usual")))()
        furnish(engine)
    ui = replace(engine.settings.ui, **plan.get("ui", {}))  # type: ignore[arg-type]  # a mapping
    state = Path(str(plan.get("state_dir", "/nonexistent/memconsole")))
    engine.settings = replace(engine.settings, ui=ui, state_dir=state)
    if plan.get("crash"):
        SessionScreen.__init__ = _crash  # type: ignore[method-assign]  # a bug is what is tested
    if plan.get("busy"):
        SessionScreen.__init__ = _never_come_back  # type: ignore[method-assign]  # nothing else must matter
        driver.PATIENCE_S = driver.LAST_RESORT_S = 0.2  # not seconds
    return run_console(engine, engine.settings)


def _never_come_back(self: SessionScreen, view: SessionView, find: str = "") -> None:
    while True:
        pass


def _crash(self: SessionScreen, view: SessionView, find: str = "") -> None:
    secret = "the key is sk-ant-api03-" + "A1b2C3d4E5" * 9
    raise RuntimeError(f"{secret} \x1b[31m {view.session_id}")


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
