"""What goes wrong at night, at the console: each in a real tmux, at both sizes, by keys alone."""

from __future__ import annotations

import json
import os
import signal
import threading
from typing import TYPE_CHECKING

import pytest
from websockets.exceptions import ConnectionClosedError

from memconsole.demo.gateway import LoopbackGateway
from tests.lanes import home
from tests.lanes.tmux import child_of, has_line, wait_until
from tests.lanes.walk import DUE, NOW, environment_of, walking

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from tests.lanes.walk import PlayedHome, Walk

pytestmark = pytest.mark.tmux

CROWD, EACH = 50, 200
"""Agents, and sessions of each."""


class LeavingGateway(LoopbackGateway):
    """Goes away when it is asked to reset a session, before it answers; once."""

    def __init__(self, played: PlayedHome, *, does_it: bool) -> None:
        super().__init__(lambda: played.rows, now=lambda: NOW)
        self._does_it = does_it
        self._is_leaving = True

    def answer(self, method: str, params: Mapping[str, object]) -> dict[str, object]:
        """Answer; or do what is asked, or not, and say nothing."""
        if method != "sessions.reset" or not self._is_leaving:
            return super().answer(method, params)
        self._is_leaving = False
        if self._does_it:
            super().answer(method, params)
        threading.Thread(target=self.close).start()  # whoever answers cannot wait for itself
        raise ConnectionClosedError(None, None)


class HoldingGateway(LoopbackGateway):
    """Takes its time with a reset, until it is let go.

    Attributes:
        asked: Set when a reset waits.
        is_free: Lets it go.
    """

    def __init__(self, played: PlayedHome) -> None:
        super().__init__(lambda: played.rows, now=lambda: NOW)
        self.asked = threading.Event()
        self.is_free = threading.Event()

    def _answered(self, frame: Mapping[str, object]) -> dict[str, object]:
        if frame.get("method") == "sessions.reset":
            self.asked.set()
            self.is_free.wait()
        return super()._answered(frame)


@pytest.fixture
def holding(played: PlayedHome) -> Iterator[HoldingGateway]:
    """A Gateway that takes its time."""
    gateway = HoldingGateway(played)
    with gateway:
        yield gateway
        gateway.is_free.set()


def goes_to_what_is_due(walk: Walk) -> None:
    """Go to the session that is due."""
    walk.press(".")  # the line may name it already
    while "is due" not in walk.finding():
        walk.keys = 0  # a worse finding; the count begins where the line names the session
        walk.next_finding()


def rotates_what_is_due(walk: Walk) -> None:
    """Begin the rotation of the session that is due."""
    goes_to_what_is_due(walk)
    walk.press("R")
    walk.says_yes("rotate")
    assert walk.keys == 3


def opens_in_shell(walk: Walk) -> None:
    """Open the console in a shell that says how it ended."""
    walk.opens("env", "PS1=$ ", "sh", until="$")
    walk.write(f"{' '.join(home.console())}; echo ended $?")
    walk.press("Enter")
    walk.sees("LOST?")


def unframed(picture: str) -> str:
    """Return the words of a dialog in one line."""
    return " ".join(picture.replace("│", " ").split())


@pytest.mark.parametrize("does_it", [False, True], ids=["not reset", "reset"])
def test_the_gateway_goes_away_while_a_rotation_runs(
    played: PlayedHome, size: tuple[int, int], tmp_path: Path, *, does_it: bool
) -> None:
    gateway = LeavingGateway(played, does_it=does_it).start()
    port = int(gateway.url.rpartition(":")[2])
    with walking(tmp_path, size, environment_of(played.operator, gateway)) as walk:
        rotates_what_is_due(walk.opens())
        walk.sees("asked again for 60 s")
        picture = walk.picture()
        assert "✓ summary" in picture
        assert "✗ reset" in picture
        assert "no answer came" in picture
        gateway.start(port)
        picture = unframed(walk.sees("[ run "))
        if does_it:
            assert "PROVEN" in picture
        else:
            assert "nothing was reset" in picture
            assert "Nothing was lost" in picture
        walk.press("Escape")
        assert "not by memconsole" not in walk.picture()
    gateway.close()


def test_a_home_whose_stores_cannot_be_read(
    played: PlayedHome, size: tuple[int, int], tmp_path: Path
) -> None:
    for store in played.state.glob("agents/*/sessions/sessions.json"):
        store.write_text('{"agent:broken')
    for database in played.state.glob("agents/*/agent/*.sqlite"):
        database.write_text("no database\n" * 1_000)
    with walking(tmp_path, size, environment_of(played.operator)) as walk:
        picture = walk.opens(until="cannot be read").picture()
        assert "sessions.json is cut off or damaged" in picture.split("\n")[1]
        if size[0] == 120:
            rows = [line for line in picture.split("\n") if line.startswith("│ ")]
            told = [line.split("││")[0].split() for line in rows]
            assert sum(words.count("?") == 3 for words in told) == 6  # live, full, does
            assert any({"all", "?"} <= set(words) for words in told)
        else:
            assert "all agents · ? live" in picture
        assert "0 live" not in picture
        assert "talked yet" not in picture
        assert walk.keys == 0
        walk.press("!")
        assert "agents/finance/sessions/s" in walk.sees("1 Findings")
        assert walk.keys == 1


def write_crowd(state: Path) -> None:
    """Write a home of many agents with many sessions each; one of them is due."""
    now = int(NOW.timestamp() * 1000)
    for number in range(CROWD):
        folder = state / "agents" / f"agent{number:02}" / "sessions"
        folder.mkdir(parents=True)
        entries = {
            f"agent:agent{number:02}:dashboard:{place:03}": {
                "sessionId": f"{number:08x}-0000-4000-8000-{place:012x}",
                "updatedAt": now - place * 60_000,
                "totalTokens": 1_000 + 100 * place,
                "totalTokensFresh": True,
                "contextTokens": 200_000,
            }
            for place in range(EACH)
        }
        if number == CROWD - 1:
            entries[f"agent:agent{number:02}:dashboard:000"]["totalTokens"] = 151_200
        (folder / "sessions.json").write_text(json.dumps(entries))


def test_fifty_agents_with_ten_thousand_sessions(size: tuple[int, int], tmp_path: Path) -> None:
    write_crowd(tmp_path / ".openclaw")
    with walking(tmp_path, size, environment_of(tmp_path)) as walk:
        walk.opens(until="1 Agents" if size[0] == 120 else "2 Sessions")
        walk.tap("?")  # while it is read
        walk.sees("checkpoint")
        walk.press("Escape")
        walk.sees("10,000" if size[0] == 80 else "· 50 ─")  # all of it was read
        lines = walk.tmux.settle().split("\n")
        first = next(line for line in lines if line.startswith(("│ ▸", "│   agent49")))
        assert "agent49" in first
        assert "DUE" in first
        assert size[0] == 80 or "agent49 / dashboard · 000 is due: 151.2K of 150K" in lines[2]
        assert walk.keys == 2
        walk.press("2", "G")
        walk.sees(f"{CROWD * EACH}/{CROWD * EACH}" if size[0] == 80 else f"{EACH}/{EACH}")


def test_two_consoles_on_one_home(
    played: PlayedHome, holding: HoldingGateway, size: tuple[int, int], tmp_path: Path
) -> None:
    environment = environment_of(played.operator, holding)
    (tmp_path / "other").mkdir()
    with (
        walking(tmp_path, size, environment) as walk,
        walking(tmp_path / "other", size, environment) as other,
    ):
        rotates_what_is_due(walk.opens())
        assert holding.asked.wait(60)
        rotates_what_is_due(other.opens())
        assert f"is in use by process {walk.tmux.pid()}" in unframed(other.sees("kept as run"))
        holding.is_free.set()
        walk.sees("PROVEN")
        other.press("Escape", "5")
        other.sees("✓  work")


@pytest.mark.parametrize("by", ["job", "action"])
@pytest.mark.parametrize("leaves", [False, True], ids=["stays", "leaves"])
def test_quitting_in_the_middle_of_what_runs(
    played: PlayedHome,
    holding: HoldingGateway,
    size: tuple[int, int],
    tmp_path: Path,
    *,
    leaves: bool,
    by: str,
) -> None:
    """It is asked; who stays sees the end on the screen, who leaves in the terminal."""
    name = "rotation" if by == "job" else "rotate"
    with walking(tmp_path, size, environment_of(played.operator, holding)) as walk:
        opens_in_shell(walk)
        if by == "job":
            walk.press("v", "j", "j", "j", "a", "x")
            assert "rotation would do, unless" in walk.sees("[ y run ]")
            walk.says_yes("run")
        else:
            rotates_what_is_due(walk)
            walk.press("Escape")  # closing the dialog ends nothing
        assert holding.asked.wait(60)
        walk.keys = 0
        walk.press("q")
        assert f"Still running: {name}." in unframed(walk.sees("[ y quit ]"))
        walk.press("y" if leaves else "Enter")
        assert walk.keys == 2
        if leaves:
            walk.sees(f"memconsole ends when {name} has ended")
            assert "ended 0" not in walk.picture()
        holding.is_free.set()
        whose = f" {DUE} / main" if leaves and by == "action" else ""
        walk.sees(f"{name}{whose} done: ")
        if leaves:
            walk.sees("ended 0")
        else:
            walk.press("q")
            walk.sees("ended 0")
        walk.write(f"{' '.join(home.console('runs', '--limit', '1'))} | cut -c 19-32")
        walk.press("Enter")
        ran = "rotation  done" if by == "job" else "console  done"
        wait_until(lambda: has_line(walk.picture(), ran), walk.picture)


def test_a_lost_connection_while_a_rotation_runs(
    played: PlayedHome, holding: HoldingGateway, size: tuple[int, int], tmp_path: Path
) -> None:
    with walking(tmp_path, size, environment_of(played.operator, holding)) as walk:
        opens_in_shell(walk)
        rotates_what_is_due(walk)
        assert holding.asked.wait(60)
        os.kill(child_of(walk.tmux.pid()), signal.SIGHUP)
        holding.is_free.set()
        walk.sees("ended 129")
        walk.write("stty -a | grep -o ' echo ' | tr a-z A-Z")
        walk.press("Enter")
        walk.sees("ECHO")
        walk.write(f"{' '.join(home.console('runs', '--limit', '1'))} | cut -c 19-32")
        walk.press("Enter")
        wait_until(lambda: has_line(walk.picture(), "console  done"), walk.picture)
