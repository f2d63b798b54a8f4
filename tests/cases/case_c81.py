"""c81: Ctrl+Z, a shell command, fg."""

from __future__ import annotations

import re
import signal
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.cases.registry import action, expects
from tests.lanes.terminal import running
from tests.program import ROOT

if TYPE_CHECKING:
    from tests.cases.stage import Stage
    from tests.program import Json

LAST_LINE = "\x1b[40;1H"
_MODE = re.compile(rb"\x1b\[\?(\d+)([hl])")
_SHOWN = b"25"
"""The cursor is the one mode that a shell wants on."""


@dataclass
class Pause:
    """What a console showed before, during and after a stay in the shell.

    Attributes:
        state: The letter of the process while it was stopped.
        modes: Terminal modes that were left on.
        after: What was drawn when it went on.
    """

    before: bytes
    state: str
    modes: set[bytes]
    after: bytes


@action("c81.1", "open the console; Ctrl+Z")
@action("c81.2", "continue it")
def suspend(stage: Stage) -> Pause:
    environment = {
        "HOME": str(stage.home),
        "TZ": "UTC",
        "MEMCONSOLE_NOW": stage.now.isoformat(),
        "TERM": "xterm-256color",
        "PYTHONPATH": str(ROOT),
    }
    with running([sys.executable, "-P", "-m", "memconsole"], (120, 40), environment) as terminal:
        terminal.wait_for("Sessions")
        terminal.press("\x1a")
        terminal.wait_until_stopped()
        state, before = terminal.state, terminal.clear()
        is_on = {mode: switch == b"h" for mode, switch in _MODE.findall(before)}
        modes = {mode for mode, on in is_on.items() if on is not (mode in {_SHOWN, b"7"})}
        terminal.process.send_signal(signal.SIGCONT)
        for panel in (
            "\x1b[?1049h",
            "Agents",
            "Sessions",
            "Memory",
            "Search",
            "Journal",
            LAST_LINE,
        ):
            terminal.wait_for(panel)
        return Pause(before, state, modes, terminal.clear())


@expects("c81.1", "process")
def is_stopped(seen: Pause, want: Json) -> None:
    assert (seen.state == "T") is (want == "stopped")


@expects("c81.1", "modes_left_on")
def no_mode_is_left_on(seen: Pause, want: Json) -> None:
    assert want == "none"
    assert seen.modes == set()
    assert b"\x1b[<u" in seen.before


@expects("c81.2", "within_5_s", says="the whole screen is drawn again")
def everything_is_drawn(seen: Pause, want: Json) -> None:
    """Each panel was waited for, without a key and a change; every line came."""
    rows = {int(row) for row in re.findall(rb"\x1b\[(\d+);1H", seen.after)}
    assert rows >= set(range(1, 41))
