"""What an operator comes for at night, by keys alone, each with the keys that it may take.

Every walk begins on the screen that the console opens with, or on one far from it, over the
generated home with its loopback Gateway, in a real tmux at both sizes.
"""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

import pytest

from tests.lanes.test_tmux import Tmux

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.tmux

SIZES = [(120, 40), (80, 24)]
LOST = "research"
"""The agent of the generated home whose session was compacted before anything of it was saved."""

DUE = "work"
"""The agent whose session is due."""


class Walk:
    """An operator at a console over the generated home; counts what is pressed.

    Attributes:
        keys: How many were pressed since the count began; letters of a text do not count.
    """

    def __init__(self, tmux: Tmux, size: tuple[int, int]) -> None:
        self._tmux = tmux
        self.keys = 0
        tmux.start(*size, sys.executable, "-m", "memconsole", "--demo")
        tmux.wait_for("LOST?")
        tmux.settle()

    def press(self, *keys: str) -> None:
        """Press keys one after the other, each when the one before has done its work."""
        for key in keys:
            self._tmux.press(key)
            self.keys += 1
            self._tmux.settle()

    def tap(self, key: str) -> None:
        """Press a key whose answer stands for a few seconds only."""
        self._tmux.press(key)
        self.keys += 1

    def write(self, text: str) -> None:
        """Type a text."""
        self._tmux("send-keys", "-t", "s", "-l", text)
        self._tmux.settle()

    def sees(self, text: str) -> str:
        """Wait until a text is on the screen; return the screen."""
        return self._tmux.wait_for(text)

    def picture(self) -> str:
        """Return what is on the screen."""
        return self._tmux.picture()

    def goes_far(self) -> None:
        """Go to a screen that has nothing to do with any session; this does not count."""
        self.press("v")
        self.sees("rotation")
        self.keys = 0


@pytest.fixture(params=SIZES, ids=["120x40", "80x24"])
def walk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Walk]:
    """A console that ends with the test."""
    if shutil.which("tmux") is None:
        pytest.fail("tmux is needed (apt-get install tmux)")
    tmux = Tmux(tmp_path)
    try:
        yield Walk(tmux, request.param)
    finally:
        tmux.close()


def test_who_is_in_danger(walk: Walk) -> None:
    picture = walk.sees("LOST?")
    assert picture.split("\n")[1].startswith(f" ! LOST? {LOST} / main")
    assert "saves it" in picture.split("\n")[1]
    assert walk.keys == 0


def test_save_the_endangered_agent_from_anywhere(walk: Walk) -> None:
    walk.goes_far()
    walk.press(".", "b")
    picture = walk.sees("[ more ]")
    assert f"Observe {LOST}" in picture
    assert walk.keys <= 2


def test_rotate_what_the_attention_line_names_and_read_the_proof(walk: Walk) -> None:
    walk.goes_far()
    walk.press(".")
    while "is due" not in walk.picture().split("\n")[1]:
        walk.keys = 0  # a worse finding; the count begins where the line names the session
        walk.press(".")
    walk.press("R")
    walk.sees("[ y rotate ]")
    walk.press("y")
    assert f"Rotate {DUE}" in walk.sees("PROVEN")
    assert walk.keys <= 4


def test_find_what_was_decided_and_copy_its_path(walk: Walk) -> None:
    walk.press("4", "/")
    walk.write("what did we decide about the pouch cell studies")
    walk.sees("pouch-cell")
    walk.press("Enter")
    walk.tap("y")
    walk.sees("copied memory/")
    assert walk.keys <= 4


def test_add_a_memory_entry_and_take_it_back(walk: Walk) -> None:
    walk.press(":")
    walk.write(f"memory add 'The deploy key moved to the vault' --agent {DUE}")
    walk.press("Enter")
    walk.sees("[ y add ]")
    walk.press("y")
    walk.sees("undo: ")
    walk.press("Escape", "u")
    walk.sees("[ Cancel ]")
    walk.press("y")
    walk.sees("done")
    assert walk.keys <= 7


def test_running_the_jobs_here_asks_and_shows_what_would_be_reset(walk: Walk) -> None:
    walk.press("S")
    picture = walk.sees("[ y run them ]")
    assert "rotation would reset" in picture
    assert "after its first interval: rotation" in " ".join(picture.replace("│", " ").split())
    walk.press("y")
    walk.sees("until it quits")
    walk.press("Escape", "q")
    assert "without it nobody saves" in walk.sees("[ y quit ]")
    walk.press("Enter")
    walk.sees("2 Sessions")
