from __future__ import annotations

import io
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from memconsole.cli.output import stream
from memconsole.cli.output.stream import Output, Progress

if TYPE_CHECKING:
    from collections.abc import Callable


class Listener(io.StringIO):
    """A standard error that tells when something has been written often enough."""

    def __init__(self, enough: Callable[[str], bool]) -> None:
        super().__init__()
        self.enough = enough

    def write(self, text: str) -> int:
        written = super().write(text)
        if self.enough(self.getvalue()):
            self.is_enough = True
        return written

    is_enough = False


def wait(listener: Listener) -> None:
    """Give the watching thread the time it needs, however busy the machine is."""
    for _ in range(2000):
        if listener.is_enough:
            return
        threading.Event().wait(0.005)


def test_short_work_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    listener = Listener(bool)
    monkeypatch.setattr(sys, "stderr", listener)
    with Progress(Output(), "reading", total=None, is_terminal=False):
        pass
    assert listener.getvalue() == ""


@pytest.mark.parametrize(
    ("total", "shown"),
    [(None, "memconsole: still reading, "), (7, "memconsole: still reading, 2 of 7, ")],
)
def test_long_work_says_a_line_now_and_then(
    total: int | None, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "_PATIENCE_S", 0.001)
    monkeypatch.setattr(stream, "_LINE_EVERY_S", 0.002)
    listener = Listener(lambda text: text.count("\n") >= 2 and shown in text)
    monkeypatch.setattr(sys, "stderr", listener)
    with Progress(Output(), "reading", total=total, is_terminal=False) as work:
        work.advance()
        work.advance()
        wait(listener)
    lines = listener.getvalue().splitlines()
    assert len(lines) >= 2
    assert lines[-1].startswith(shown)


def test_work_in_parts_says_which_is_done_and_how_much_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stream, "_PATIENCE_S", 0.001)
    monkeypatch.setattr(stream, "_LINE_EVERY_S", 0.002)
    listener = Listener(lambda text: "still indexing ada, 8 of 64, " in text)
    monkeypatch.setattr(sys, "stderr", listener)
    with Progress(Output(), "indexing", total=None, is_terminal=False) as work:
        work.count("indexing ada", 8, 64)
        wait(listener)
    assert "still indexing ada, 8 of 64, " in listener.getvalue()


def test_a_person_sees_a_bar_that_goes_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "_PATIENCE_S", 0.001)
    monkeypatch.setattr(stream, "_FRAME_S", 0.001)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    listener = Listener(lambda text: "[bold]reading" in text)
    monkeypatch.setattr(sys, "stderr", listener)
    with Progress(Output(), "[bold]reading", total=2, is_terminal=True) as work:
        work.advance()
        wait(listener)
    assert "[bold]reading" in listener.getvalue()
