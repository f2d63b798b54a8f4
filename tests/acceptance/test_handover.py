"""An earlier window handed over on recorded homes of every era, given once, and taken back."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from memconsole.compose import engine as wiring
from memconsole.compose import process
from memconsole.demo.history import FixedClock
from memconsole.domain.agents import Origin
from memconsole.domain.commands.memory import MemoryUndo, Undone
from memconsole.domain.commands.restore import HandedOver, Restore
from tests.program import tree

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import FixtureHome

NOW = datetime(2026, 11, 29, 10, 0, tzinfo=UTC)
MAIN = "agent:main:main"
LOST_1, LOST_3 = "85cde2dd-4eb2-4916-afa6-fe6c6f92133e", "cc1757d0"


def stands(state: Path) -> dict[str, str]:
    """Return what stands in a home; of folders their modes, for their times tell of the writing."""
    found = tree(state.parent).items()
    return {path: look.split()[0] if look.startswith("d") else look for path, look in found}


@pytest.mark.shared
@pytest.mark.parametrize(
    ("release", "key", "window"),
    [
        ("clawdbot-2026.1", MAIN, LOST_1),
        ("openclaw-2026.3", MAIN, LOST_3),
        ("openclaw-2026.7", MAIN, None),
        ("openclaw-2026.9", "agent:main:dashboard:dbaf3b40-9814-44cc-9c8a-a5149b56967a", None),
    ],
)
def test_a_window_of_every_era(
    release: str, key: str, window: str | None, fixture_home: FixtureHome, tmp_path: Path
) -> None:
    state = fixture_home(release)
    settings = replace(
        process.load_settings(None, {}), home=state, state_dir=tmp_path / "state", transport="none"
    )
    engine = wiring.build_engine(settings, Origin.CLI, clock=FixedClock(NOW))
    agent = next(one.ref for one in engine.home.read().agents if one.id == "main")
    before = stands(state)

    made = engine.run(Restore(agent, key, window))
    assert isinstance(made, HandedOver), made
    [path] = [one.path for one in made.wrote]
    assert {one for one in tree(state.parent) if one not in before} == {
        one for one in tree(state.parent) if one.endswith(path)
    }
    starts = [engine.bootstrap.given(session_key=key, is_start=True) for _ in range(2)]
    given = [[one.content for one in it.files if one.name == "HANDOVER.md"] for it in starts]
    assert [len(one) for one in given] == [1, 0]
    assert "no instructions" in given[0][0]

    assert isinstance(engine.run(MemoryUndo(agent)), Undone)
    assert stands(state) == before
