"""The console in a real tmux: both sizes, a resize storm, detached and attached, hung up."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import time
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.lanes import home
from tests.lanes.terminal import PATIENCE_S, running

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.tmux

_LOOK_S = 0.05
_STILL_LOOKS = 6
"""A picture that is the same at so many looks in a row is drawn to its end."""


class Tmux:
    """A tmux server of our own, with one session."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.state = home.make_home(folder)
        self._environment = {**os.environ, **home.environment(folder), "TERM": "xterm-256color"}

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

    def console(self, width: int, height: int, *options: str) -> None:
        """Begin the session with the console, and wait until its first reading is drawn."""
        self.start(width, height, *home.command(self.state, *options))
        self.wait_for(home.DUE)
        self.settle()

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

    def pid(self) -> int:
        """Return the process in the pane."""
        return int(self("display-message", "-p", "-t", "s", "#{pane_pid}"))

    def close(self) -> None:
        """End the server."""
        subprocess.run([*self.program, "kill-server"], capture_output=True, check=False)


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


@pytest.fixture
def tmux(tmp_path: Path) -> Iterator[Tmux]:
    """A server that ends with the test."""
    if shutil.which("tmux") is None:
        pytest.fail("tmux is needed (apt-get install tmux)")
    server = Tmux(tmp_path)
    yield server
    server.close()


def without_ages(picture: str) -> str:
    """Take out what time alone changes."""
    return re.sub(r"\d\d:\d\d|[─ ]*(?:now|\d+ (?:s|min)(?: ago)?(?: stale)?)", "", picture)


@pytest.mark.parametrize(("width", "height"), [(80, 24), (120, 40)])
def test_the_first_screen_at_both_sizes(tmux: Tmux, width: int, height: int) -> None:
    tmux.console(width, height)
    lines = tmux.picture().split("\n")[:height]

    assert "memconsole" in lines[0]
    assert lines[1].startswith(" ! ")
    assert "╭ 2 Sessions" in "\n".join(lines)
    assert lines[height - 1].startswith(" c checkpoint")
    assert max(map(len, lines)) <= width


def test_a_walk_through_the_screens(tmux: Tmux) -> None:
    tmux.console(80, 24)
    tmux.press("2", "Enter")
    tmux.wait_for("without the sales part")
    tmux.press("Escape")
    tmux.wait_for("2 Sessions")
    tmux.press("3", "Enter")
    tmux.wait_for("1 Files")
    tmux.press("Escape")
    tmux.wait_for("2 Sessions")
    tmux.press("c")
    # The row of a target that is done comes before the end of the whole action.
    assert "✓ main  done" in tmux.wait_for("[ more ]")
    tmux.settle()  # keys of its first moment are dropped
    tmux.press("Enter")
    tmux.wait_without("[ more ]")
    tmux.press("q")
    wait_until(lambda: "no server" in gone(tmux), lambda: gone(tmux))


def has_line(picture: str, text: str) -> bool:
    """Tell whether a line of the screen is this text."""
    return any(line.strip() == text for line in picture.split("\n"))


def gone(tmux: Tmux) -> str:
    """Return what tmux says when it is asked for its sessions."""
    done = subprocess.run([*tmux.program, "ls"], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def test_a_resize_storm_ends_in_the_same_picture(tmux: Tmux) -> None:
    tmux.console(80, 24)
    before = without_ages(tmux.settle())
    for step in range(50):
        size = (1, 1) if step % 2 else (40 + 3 * step, 10 + step % 30)
        tmux("resize-window", "-t", "s", "-x", str(size[0]), "-y", str(size[1]))
    tmux("resize-window", "-t", "s", "-x", "80", "-y", "24")
    wait_until(lambda: without_ages(tmux.picture()) == before, tmux.picture)


def test_too_small_says_so_and_comes_back(tmux: Tmux) -> None:
    tmux.console(80, 24)
    tmux("resize-window", "-t", "s", "-x", "19", "-y", "5")
    tmux.wait_for("too small")
    tmux("resize-window", "-t", "s", "-x", "59", "-y", "20")
    tmux.wait_for("2 Sessions")


def test_detached_and_attached_again(tmux: Tmux) -> None:
    tmux.console(80, 24)
    tmux.press("2")
    tmux.settle()
    for _ in range(2):
        command = [*tmux.program, "attach-session", "-t", "s"]
        with running(
            command, (80, 24), {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
        ) as terminal:
            terminal.wait_for("Sessions")
            tmux("detach-client", "-s", "s")
            assert terminal.wait() == 0
    tmux.press("Enter")
    tmux.wait_for("1 Messages")


def test_a_killed_session_leaves_no_process(tmux: Tmux) -> None:
    tmux.console(80, 24)
    pid = tmux.pid()
    assert is_alive(pid)
    tmux("kill-session", "-t", "s")
    wait_until(lambda: not is_alive(pid), lambda: f"{pid} still runs")


def test_the_shell_is_usable_afterwards(tmux: Tmux) -> None:
    tmux.start(80, 24, "env", "PS1=", "sh")
    call = shlex.join(home.command(tmux.state))
    for ending in ("q", "TERM", "HUP"):
        tmux.press(f"{call}; echo ended $?", "Enter")
        tmux.wait_for(home.DUE)
        if ending == "q":
            tmux.press("q")
        else:
            shell = tmux.pid()
            os.kill(child_of(shell), signal.Signals[f"SIG{ending}"])
        code = {"q": 0, "TERM": 143, "HUP": 129}[ending]
        tmux.wait_for(f"ended {code}")
        tmux.press("clear", "Enter")
        tmux.press("stty -a | grep -o ' echo '", "Enter")
        wait_until(lambda: has_line(tmux.picture(), "echo"), tmux.picture)
        tmux.press("clear", "Enter")


def test_without_colour_and_with_ascii(tmux: Tmux) -> None:
    tmux.console(80, 24, "--mono", "--ascii")
    coloured = tmux("capture-pane", "-p", "-e", "-t", "s")

    assert coloured.isascii()
    assert not re.search(r"\x1b\[(?:\d+;)*(?:3[0-8]|4[0-8]|9\d)[;m]", coloured)
