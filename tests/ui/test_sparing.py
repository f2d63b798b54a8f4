"""What the console is made of is imported without what it never asks of it."""

from __future__ import annotations

import dataclasses
import subprocess
import sys

import pytest

from memconsole.ui.sparing import spared

FRESH = """
import sys
from memconsole.ui.run import run_console
assert "ssl" not in sys.modules, "loaded"
import asyncio.base_events, ssl
assert asyncio.base_events.ssl is None
ssl.create_default_context()
"""


def test_a_start_loads_no_tls_and_whoever_wants_it_gets_it() -> None:
    command = [sys.executable, "-P", "-c", FRESH]
    done = subprocess.run(command, cwd="/", capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")


def test_what_was_loaded_before_stays() -> None:
    import ssl  # noqa: PLC0415

    with spared():
        assert sys.modules["ssl"] is ssl
    assert sys.modules["ssl"] is ssl


@pytest.mark.skipif(not hasattr(dataclasses, "_create_fn"), reason="Python 3.13 makes them at once")
def test_methods_are_compiled_when_they_are_called_and_then_stand_in_their_place() -> None:
    with spared():

        @dataclasses.dataclass(frozen=True, order=True)
        class Late:
            one: int
            two: str = "b"

        class Heir(Late):
            pass

    usual = dataclasses._create_fn  # type: ignore[attr-defined]  # private
    assert usual.__module__ == "dataclasses"
    assert Late.__init__.__code__.co_filename.endswith("sparing.py")
    heir = Heir(1)
    assert Late.__init__.__code__.co_filename == "<string>"
    assert "__init__" not in vars(Heir)
    assert (heir.one, heir.two) == (1, "b")


def test_a_dataclass_that_was_spared_behaves_as_others_do() -> None:
    def made() -> type:
        @dataclasses.dataclass(frozen=True, order=True)
        class Value:
            one: int
            self: object = None
            many: list[int] = dataclasses.field(default_factory=list, hash=False, compare=False)

        return Value

    usual = made()
    with spared():
        late = made()

    for kind in (late, usual):
        value = kind(1, many=[2])
        assert value == kind(1)
        assert hash(value) == hash(kind(1))
        assert kind(1, 2) < kind(2, 1)
        assert repr(value).endswith("Value(one=1, self=None, many=[2])")
        assert repr(value) == repr(kind(1, many=[2]))
        assert dataclasses.replace(value, one=3).one == 3
        with pytest.raises(dataclasses.FrozenInstanceError):
            value.one = 2
        with pytest.raises(TypeError, match="missing 1 required positional argument: 'one'"):
            kind()
