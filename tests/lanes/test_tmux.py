"""The console in a real tmux: both sizes, a resize storm, detached and attached, hung up."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.lanes import home
from tests.lanes.terminal import running
from tests.lanes.tmux import Tmux, child_of, has_line, is_alive, wait_until, without_ages

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

pytestmark = pytest.mark.tmux


class SmallHome(Tmux):
    """A terminal beside a home of one agent.

    Attributes:
        state: Its state folder.
    """

    def __init__(self, folder: Path, environment: Mapping[str, str], state: Path) -> None:
        super().__init__(folder, environment)
        self.state = state

    def console(self, width: int, height: int, *options: str) -> None:
        """Begin the session with the console, and wait until its first reading is drawn."""
        self.start(width, height, *home.command(self.state, *options))
        self.wait_for(home.DUE)
        self.settle()


@pytest.fixture
def tmux(tmp_path: Path) -> Iterator[SmallHome]:
    """A server that ends with the test."""
    if shutil.which("tmux") is None:
        pytest.fail("tmux is needed (apt-get install tmux)")
    state = home.make_home(tmp_path)
    server = SmallHome(tmp_path, home.environment(tmp_path), state)
    yield server
    server.close()


@pytest.mark.parametrize(("width", "height"), [(80, 24), (120, 40)])
def test_the_first_screen_at_both_sizes(tmux: SmallHome, width: int, height: int) -> None:
    tmux.console(width, height)
    lines = tmux.picture().split("\n")[:height]

    assert "memconsole" in lines[0]
    assert lines[1].startswith(" ! ")
    assert "╭ 2 Sessions" in "\n".join(lines)
    assert lines[height - 1].startswith(" c checkpoint")
    assert max(map(len, lines)) <= width


def test_a_walk_through_the_screens(tmux: SmallHome) -> None:
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
    assert "main  done" in tmux.wait_for("[ more ]")
    tmux.settle()  # keys of its first moment are dropped
    tmux.press("Enter")
    tmux.wait_without("[ more ]")
    tmux.press("q")
    wait_until(lambda: "no server" in gone(tmux), lambda: gone(tmux))


def gone(tmux: SmallHome) -> str:
    """Return what tmux says when it is asked for its sessions."""
    done = subprocess.run([*tmux.program, "ls"], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def test_a_resize_storm_ends_in_the_same_picture(tmux: SmallHome) -> None:
    tmux.console(80, 24)
    before = without_ages(tmux.settle())
    for step in range(50):
        size = (1, 1) if step % 2 else (40 + 3 * step, 10 + step % 30)
        tmux.resize(*size)
    tmux.resize(80, 24)
    wait_until(lambda: without_ages(tmux.picture()) == before, tmux.picture)


def test_too_small_says_so_and_comes_back(tmux: SmallHome) -> None:
    tmux.console(80, 24)
    tmux.resize(19, 5)
    tmux.wait_for("too small")
    tmux.resize(59, 20)
    tmux.wait_for("2 Sessions")


def test_detached_and_attached_again(tmux: SmallHome) -> None:
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


def test_a_killed_session_leaves_no_process(tmux: SmallHome) -> None:
    tmux.console(80, 24)
    pid = tmux.pid()
    assert is_alive(pid)
    tmux("kill-session", "-t", "s")
    wait_until(lambda: not is_alive(pid), lambda: f"{pid} still runs")


def test_the_shell_is_usable_afterwards(tmux: SmallHome) -> None:
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


def test_without_colour_and_with_ascii(tmux: SmallHome) -> None:
    tmux.console(80, 24, "--mono", "--ascii")
    coloured = tmux("capture-pane", "-p", "-e", "-t", "s")

    assert coloured.isascii()
    assert not re.search(r"\x1b\[(?:\d+;)*(?:3[0-8]|4[0-8]|9\d)[;m]", coloured)
