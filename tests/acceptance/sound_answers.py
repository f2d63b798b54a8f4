"""Runs reading commands in this process over any home, and judges that each answer is sound."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from memconsole.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

NOW = "2026-04-12T09:00:00+00:00"
STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
HALF = re.compile(r"[\ud800-\udfff]")


def live_at_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop the clock, and ask no Gateway."""
    monkeypatch.setenv("MEMCONSOLE_NOW", NOW)
    monkeypatch.setenv("MEMCONSOLE_TRANSPORT", "none")
    monkeypatch.setenv("TZ", "UTC")


def read_everything(
    state: Path,
    commands: Iterable[tuple[str, ...]],
    capture: pytest.CaptureFixture[bytes],
) -> None:
    """Run each command for a machine and for people; fail unless all answers are sound."""
    for command in commands:
        for form in (("--json",), ()):
            words = (*form, "--home", str(state), *command)
            code = main(words)
            judge(words, *capture.readouterr(), code)


def judge(words: tuple[str, ...], out: bytes, err: bytes, code: int) -> None:
    """Fail unless an answer is sound, whatever it says."""
    shown = out.decode("utf-8") + err.decode("utf-8")
    assert code in (0, 1, 2, 3), (words, shown)
    assert "unexpected failure" not in shown, (words, shown)
    assert "Traceback" not in shown, (words, shown)
    assert not STEERING.search(shown), (words, shown)
    if words[0] == "--json":
        assert out.count(b"\n") == 1, (words, shown)
        envelope = json.loads(out, parse_constant=no_constant)
        assert envelope["schema"] == 1
        assert not [one for one in strings(envelope) if HALF.search(one)], (words, shown)


def no_constant(name: str) -> object:
    pytest.fail(f"{name} in JSON")


def strings(value: object) -> Iterator[str]:
    """Yield every text of a decoded object, its keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from strings(one)
    elif isinstance(value, dict):
        yield from strings([*value, *value.values()])
