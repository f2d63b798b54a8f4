from __future__ import annotations

import io
import json
import os
import shutil
import sys
from typing import TYPE_CHECKING

import pytest

from memconsole.cli.output.stream import Output
from memconsole.domain.settings.sections import UiSettings

if TYPE_CHECKING:
    from pathlib import Path


class Screen(io.TextIOWrapper):
    """A standard output that is a terminal, or is not."""

    def __init__(self, encoding: str = "utf-8", *, is_terminal: bool = False) -> None:
        super().__init__(io.BytesIO(), encoding=encoding)
        self.is_terminal = is_terminal

    def isatty(self) -> bool:
        return self.is_terminal

    @property
    def written(self) -> bytes:
        self.flush()
        assert isinstance(self.buffer, io.BytesIO)
        return self.buffer.getvalue()


def test_json_is_utf8_in_every_locale(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen("ascii")
    monkeypatch.setattr(sys, "stdout", screen)
    Output().json(
        json.dumps({"text": "Überblick 日本", "path": "caf\udce9.md"}, ensure_ascii=False)
    )
    assert screen.written.decode("utf-8").endswith("\n")
    assert json.loads(screen.written) == {"text": "Überblick 日本", "path": "caf\udce9.md"}


def test_json_holds_no_byte_that_steers_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen()
    monkeypatch.setattr(sys, "stdout", screen)
    path = "a\x9b31m\x7f\u202eb\x1b"
    Output().json(json.dumps({"path": path}, ensure_ascii=False))
    assert json.loads(screen.written) == {"path": path}
    assert screen.written.decode("utf-8").rstrip("\n").isprintable()


def test_lines_are_printed_in_the_encoding_of_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen("latin-1")
    monkeypatch.setattr(sys, "stdout", screen)
    output = Output()
    output.lines(["Überblick", "日本"])
    assert screen.written == "Überblick\n??\n".encode("latin-1")
    assert output.style(UiSettings()).is_ascii


@pytest.mark.parametrize(
    ("is_terminal", "term", "ui", "has_color"),
    [
        (True, "xterm-256color", UiSettings(), True),
        (False, "xterm-256color", UiSettings(), False),
        (True, "dumb", UiSettings(), False),
        (True, "xterm", UiSettings(mono=True), False),
        (True, "xterm", UiSettings(color="never"), False),
        (False, "xterm", UiSettings(color="always"), True),
        (True, "dumb", UiSettings(mono=True, color="always"), True),
    ],
)
def test_colour_is_for_terminals_that_want_it(
    monkeypatch: pytest.MonkeyPatch,
    is_terminal: bool,
    term: str,
    ui: UiSettings,
    has_color: bool,
) -> None:
    monkeypatch.setattr(sys, "stdout", Screen(is_terminal=is_terminal))
    monkeypatch.setenv("TERM", term)
    assert Output().style(ui).has_color is has_color


def test_what_is_piped_is_not_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", Screen())
    assert Output().style(UiSettings()).width is None
    monkeypatch.setenv("COLUMNS", "72")
    assert Output().style(UiSettings()).width == 72


def test_a_terminal_has_a_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", Screen(is_terminal=True))
    monkeypatch.setattr(shutil, "get_terminal_size", lambda: os.terminal_size((66, 20)))
    assert Output().style(UiSettings()).width == 66


def test_a_reader_who_left_ends_the_printing_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w", encoding="utf-8") as screen:
        monkeypatch.setattr(sys, "stdout", screen)
        output = Output()
        output.lines(["x" * 200_000])
        output.lines(["again"])


def test_without_streams_nothing_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)
    output = Output()
    output.json("{}")
    output.lines(["x"])
    output.error("x")
    assert not output.is_terminal
    assert not output.can_ask


def test_a_closed_stream_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen()
    screen.close()
    monkeypatch.setattr(sys, "stdin", screen)
    monkeypatch.setattr(sys, "stderr", screen)
    output = Output()
    assert not output.can_ask
    output.error("nobody listens")


def test_errors_are_printed_in_any_encoding(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen("ascii")
    monkeypatch.setattr(sys, "stderr", screen)
    Output().error("memconsole: Überblick", "  hint")
    assert screen.written == b"memconsole: ?berblick\n  hint\n"


def test_a_disk_that_is_full_ends_the_printing(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(Screen):
        def flush(self) -> None:
            raise OSError(28, "No space left on device")

        def close(self) -> None:
            """Have nothing left to flush."""

    monkeypatch.setattr(sys, "stdout", Full())
    output = Output()
    with pytest.raises(OSError, match="No space"):
        output.lines(["x"])
    output.lines(["nothing more is tried"])
