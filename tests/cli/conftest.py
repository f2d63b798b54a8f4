"""A caller over fakes for every test of the command line."""

from __future__ import annotations

import pytest

from tests.cli.caller import Caller
from tests.doubles.bundle import World
from tests.doubles.platform import fake_agent


@pytest.fixture
def world() -> World:
    """Two agents, one of them configured."""
    return World(fake_agent("main"), fake_agent("work", is_configured=False))


@pytest.fixture
def call(
    world: World, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Caller:
    """The command line over that world."""
    return Caller(world, capsys, monkeypatch)
