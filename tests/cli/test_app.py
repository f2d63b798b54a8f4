"""`memconsole` without a command: the console on a terminal, else the plain screen."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from memconsole.cli.main import main
from memconsole.compose import engine as wiring
from memconsole.domain.agents import Origin

if TYPE_CHECKING:
    from pathlib import Path

    from memconsole.domain.settings import Settings
    from memconsole.engine.engine import Engine
    from memconsole.ports.platform import Clock
    from tests.cli.caller import Caller


class Opened:
    """Stands in the console's place and remembers what it was given."""

    def __init__(self) -> None:
        self.engine: Engine | None = None
        self.settings: Settings | None = None
        self.has_feed = False

    def __call__(
        self, engine: Engine, settings: Settings, feed: object, *, jobs: object, report: object
    ) -> int:
        self.engine = engine
        self.settings = settings
        self.has_feed = feed is not None
        return 7


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """A person sits in front of a terminal."""
    monkeypatch.setenv("TERM", "xterm-256color")
    for stream in (sys.stdin, sys.stdout):
        monkeypatch.setattr(stream, "isatty", lambda: True)


@pytest.fixture
def console(monkeypatch: pytest.MonkeyPatch) -> Opened:
    opened = Opened()
    monkeypatch.setattr("memconsole.ui.run.run_console", opened)
    return opened


@pytest.fixture
def origins(monkeypatch: pytest.MonkeyPatch) -> list[Origin]:
    """For which faces engines were built."""
    found: list[Origin] = []
    build = wiring.build_engine

    def spy(settings: Settings, origin: Origin, *, clock: Clock | None = None) -> Engine:
        found.append(origin)
        return build(settings, origin, clock=clock)

    monkeypatch.setattr(wiring, "build_engine", spy)
    return found


@pytest.mark.usefixtures("terminal")
def test_a_terminal_gets_the_console(
    console: Opened, user_home: Path, origins: list[Origin]
) -> None:
    (user_home / ".openclaw").mkdir()
    assert main(["--ascii", "--read-only"]) == 7
    assert console.engine is not None
    assert origins == []  # the first frame comes first
    assert console.engine.settings.ui.ascii
    assert origins == [Origin.CONSOLE]
    assert console.settings is not None
    assert console.settings.ui.ascii
    assert console.settings.ui.read_only
    assert console.has_feed


@pytest.mark.usefixtures("terminal")
def test_no_console_is_opened_over_nothing(
    console: Opened, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([]) == 3
    assert console.settings is None
    assert "does not exist" in capsys.readouterr().err


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize("term", ["dumb", "", "unknown"])
def test_a_dumb_terminal_gets_the_plain_screen(
    term: str, call: Caller, console: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", term)
    assert call().out.startswith("memconsole  /home/operator/.openclaw")
    assert console.settings is None


@pytest.mark.usefixtures("terminal")
def test_json_is_never_a_console(call: Caller, console: Opened) -> None:
    assert call("--json").envelope["command"] == "status"
    assert console.settings is None


@pytest.mark.parametrize("stream", ["stdin", "stdout"])
def test_a_pipe_on_either_side_gets_the_plain_screen(
    stream: str, call: Caller, console: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(getattr(sys, stream), "isatty", lambda: True)
    assert call().code == 0
    assert console.settings is None


def test_a_command_is_of_the_command_line(user_home: Path, origins: list[Origin]) -> None:
    (user_home / ".openclaw").mkdir()
    assert main(["agents"]) == 0
    assert origins == [Origin.CLI]
