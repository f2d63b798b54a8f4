"""A tmux server of our own: what is pressed in it, and what it shows."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import time
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING

from tests.lanes.terminal import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_LOOK_S = 0.05
_STILL_LOOKS = 7
"""A picture that is the same at so many looks in a row is drawn to its end."""


class Tmux:
    """A tmux server of our own, with one session."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self.folder = folder
        self._environment = {**os.environ, **environment, "TERM": "xterm-256color"}

    def __call__(self, *words: str) -> str:
        """Give tmux a command; return what it printed."""
        done = subprocess.run(
            [*self.program, *words],
            env=self._environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    @property
    def program(self) -> list[str]:
        """The call of this server, without any configuration of the user's."""
        return ["tmux", "-S", str(self.folder / "socket"), "-f", "/dev/null"]

    def start(self, width: int, height: int, *program: str) -> None:
        """Begin the session with a program."""
        size = ("-x", str(width), "-y", str(height))
        self("new-session", "-d", "-s", "s", *size, shlex.join(program))

    def picture(self) -> str:
        """Return what is on the screen."""
        return self("capture-pane", "-p", "-t", "s")

    def press(self, *keys: str) -> None:
        """Press keys, by tmux's names."""
        self("send-keys", "-t", "s", *keys)

    def wait_for(self, text: str) -> str:
        """Wait until the screen holds a text; return the screen."""
        wait_until(lambda: text in self.picture(), lambda: f"no {text!r} in\n{self.picture()}")
        return self.picture()

    def wait_without(self, text: str) -> None:
        """Wait until the screen no longer holds a text."""
        wait_until(lambda: text not in self.picture(), lambda: f"{text!r} in\n{self.picture()}")

    def settle(self) -> str:
        """Wait until the screen keeps still but for ages; return it."""
        looks = deque((str(place) for place in range(_STILL_LOOKS)), maxlen=_STILL_LOOKS)

        def is_still() -> bool:
            looks.append(without_ages(self.picture()))
            return len(set(looks)) == 1

        wait_until(is_still, lambda: f"it never keeps still:\n{self.picture()}")
        return self.picture()

    def resize(self, width: int, height: int) -> None:
        """Give the window another size."""
        self("resize-window", "-t", "s", "-x", str(width), "-y", str(height))

    def pid(self) -> int:
        """Return the process in the pane."""
        return int(self("display-message", "-p", "-t", "s", "#{pane_pid}"))

    def close(self) -> None:
        """End the server, and wait for the end of what runs in it."""
        asked = [*self.program, "display-message", "-p", "-t", "s", "#{pane_pid}"]
        pid = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
        subprocess.run([*self.program, "kill-server"], capture_output=True, check=False)
        if pid:
            wait_until(lambda: not is_alive(int(pid)), lambda: f"{pid} still runs")


def wait_until(is_so: Callable[[], bool], complaint: Callable[[], str]) -> None:
    """Look again until something is so."""
    end = time.monotonic() + PATIENCE_S
    while not is_so():
        if time.monotonic() > end:
            raise AssertionError(complaint())
        time.sleep(_LOOK_S)


def is_alive(pid: int) -> bool:
    """Tell whether a process exists and is no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def child_of(pid: int) -> int:
    """Return the one child of a process."""
    [child] = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return int(child)


def without_ages(picture: str) -> str:
    """Take out what time alone changes."""
    return re.sub(r"\d\d:\d\d|in \d+ d|[─ ]*(?:now|\d+ (?:s|min)(?: ago)?(?: stale)?)", "", picture)


def has_line(picture: str, text: str) -> bool:
    """Tell whether a line of the screen is this text."""
    return any(line.strip() == text for line in picture.split("\n"))
