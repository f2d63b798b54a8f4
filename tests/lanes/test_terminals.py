"""The console in the terminals that operators have: few colours, few columns, and interruptions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.lanes import home
from tests.lanes.tmux import wait_until, without_ages
from tests.lanes.walk import environment_of, walking

if TYPE_CHECKING:
    from pathlib import Path

    from tests.lanes.walk import PlayedHome, Walk

pytestmark = pytest.mark.tmux

COLOUR = re.compile(r"\x1b\[(?:\d+;)*(?:3[0-7]|4[0-7]|9[0-7]|10[0-7])[;m]")
MANY_COLOURS = re.compile(r"\x1b\[(?:\d+;)*[34]8;")

SCREENS = {
    "session": (("2", "Enter"), "1 Messages"),
    "memory": (("m",), "1 Files"),
    "observations": (("w",), "Observations"),
    "checkpoints": (("d",), "Checkpoints"),
    "bootstrap": (("t",), "bootstrap"),
    "consolidation": (("o",), "consolidation"),
    "jobs": (("v",), "rotation"),
    "health": (("h",), "health"),
    "log": (("l",), "log"),
    "report": (("h", "a", "o"), "Versions"),
    "what if": (("a", "i"), "what if"),
    "findings": (("!",), "1 Findings"),
    "search": (("a", "o"), "search"),
    "help": (("?",), "checkpoint"),
    "palette": ((":",), "Commands"),
    "question": (("R",), "[ Close ]"),
}
"""Keys to each screen and dialog, and what it shows at any size."""


def colours(walk: Walk) -> str:
    """Return the screen with its colours."""
    return walk.tmux("capture-pane", "-p", "-e", "-t", "s")


def answers(walk: Walk) -> None:
    """Read the first screen, go in and come back."""
    picture = walk.picture()
    assert "LOST?" in picture.split("\n")[1]
    assert "DUE" in picture
    walk.press("2", "Enter")
    walk.sees("1 Messages")
    walk.press("Escape")
    walk.sees("2 Sessions")
    assert walk.keys == 3


def test_without_colours(played: PlayedHome, size: tuple[int, int], tmp_path: Path) -> None:
    environment = {**environment_of(played.operator), "NO_COLOR": "1"}
    with walking(tmp_path, size, environment) as walk:
        answers(walk.opens())
        drawn = colours(walk)
        assert not COLOUR.search(drawn)
        assert not MANY_COLOURS.search(drawn)


def test_in_ascii(played: PlayedHome, size: tuple[int, int], tmp_path: Path) -> None:
    with walking(tmp_path, size, environment_of(played.operator)) as walk:
        answers(walk.opens(*home.console("--ascii")))
        drawn = walk.picture()
        assert not [one for one in drawn if not one.isascii() and not one.isalpha()]


def test_with_sixteen_colours(played: PlayedHome, size: tuple[int, int], tmp_path: Path) -> None:
    with walking(tmp_path, size, environment_of(played.operator)) as walk:
        answers(walk.opens("env", "TERM=linux", *home.console()))
        drawn = colours(walk)
        assert COLOUR.search(drawn)
        assert not MANY_COLOURS.search(drawn)


def test_in_sixty_columns(played: PlayedHome, tmp_path: Path) -> None:
    with walking(tmp_path, (60, 24), environment_of(played.operator)) as walk:
        picture = walk.opens().picture()
        header = next(line for line in picture.split("\n") if "session " in line)
        assert header.strip("│┃ ").split() == ["session", "tokens", "next"]
        row = next(line for line in picture.split("\n") if "151.2K" in line)
        assert "work / main" in row
        assert "DUE" in row
        assert "compacts 3h" in row
        assert "█" not in row  # the gauge is the ground of the name
        assert re.search(r"\x1b\[[\d;]*48;[\d;]*m[^\n]*work", colours(walk))
        assert max(map(len, picture.split("\n"))) <= 60
        answers(walk)


def without_thumbs(picture: str) -> str:
    """Take out ages and where a list is scrolled: what happens meanwhile makes it longer."""
    return without_ages(picture).replace("┃", "│")


WALKS = [
    *((screen, (80, 24), (120, 40)) for screen in SCREENS),
    *((screen, (120, 40), (80, 24)) for screen in ("session", "memory", "search", "question")),
]


@pytest.mark.parametrize(("screen", "size", "other"), WALKS, ids=str)
def test_resized_at_every_screen(
    played: PlayedHome, tmp_path: Path, screen: str, size: tuple[int, int], other: tuple[int, int]
) -> None:
    keys, shown = SCREENS[screen]
    with walking(tmp_path, size, environment_of(played.operator)) as walk:
        walk.opens().press(*keys)
        walk.sees(shown)
        before = without_thumbs(walk.tmux.settle())
        for smaller_or_larger in ((60, 20), other):
            walk.tmux.resize(*smaller_or_larger)
            walk.sees(shown)
        walk.tmux.resize(*size)
        wait_until(lambda: without_thumbs(walk.picture()) == before, walk.picture)


def test_to_the_shell_and_back(played: PlayedHome, size: tuple[int, int], tmp_path: Path) -> None:
    with walking(tmp_path, size, environment_of(played.operator)) as walk:
        walk.opens("env", "PS1=$ ", "bash", "--norc", "-i", until="$")
        walk.write(" ".join(home.console()))
        walk.press("Enter")
        walk.sees("LOST?")
        walk.press("2", "Enter")
        walk.sees("1 Messages")
        walk.tap("C-z")
        walk.sees("Stopped")
        walk.write("stty -a | grep -o ' echo '; echo here")
        walk.press("Enter")
        walk.sees("here")
        walk.write("fg")
        walk.press("Enter")
        walk.sees("1 Messages")
        walk.press("Escape")
        walk.sees("LOST?")
        walk.press("q")
        walk.sees("fg")
