"""A database whose newest rows are in its write-ahead log only."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.acceptance.fixtures import program_for
from tests.homes import lay_log_over
from tests.program import tree

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import FixtureHome
    from tests.program import Program

pytestmark = pytest.mark.shared

HELPERS = "agent:work:dashboard:helpers"


@pytest.fixture
def state(shared: Path, fixture_home: FixtureHome) -> Path:
    state = fixture_home("openclaw-2026.9")
    lay_log_over(state, shared)
    return state


def events_of_work(program: Program) -> int:
    """Count the stored records of all sessions of `work`."""
    listed = program.json("sessions", "--all", "--agent", "work").rows(state="live")
    return sum(program.json("session", row["key"]).data["events"] for row in listed)


def database(state: Path) -> Path:
    return state / "agents" / "work" / "agent" / "openclaw-agent.sqlite"


def test_the_log_is_read(state: Path) -> None:
    program = program_for(state)
    row = program.json("sessions", "--all").row(key=HELPERS)
    assert (row["tokens"], row["token_state"]) == (0, "fresh")
    assert events_of_work(program) == 46


def test_the_main_file_alone_is_older(state: Path) -> None:
    """The overlay is worth something: without its log the same file tells the past."""
    database(state).with_name("openclaw-agent.sqlite-wal").unlink()
    program = program_for(state)
    assert program.json("sessions", "--all").row(key=HELPERS)["tokens"] == 33000
    assert events_of_work(program) == 42


@pytest.mark.parametrize(
    "command",
    [
        ("status",),
        ("sessions", "--all"),
        ("session", HELPERS),
        ("transcript", HELPERS),
        ("rotate", "--dry-run"),
        ("checkpoint",),
    ],
    ids=" ".join,
)
def test_nothing_is_left_beside_it(state: Path, command: tuple[str, ...]) -> None:
    before = tree(state)
    assert program_for(state).json(*command).code == 0
    assert tree(state) == before


def test_no_copy_of_it_stays_with_us(state: Path) -> None:
    """What was copied to be read is deleted when the command ends."""
    assert program_for(state).json("sessions", "--all").code == 0
    left = [path for path in (state.parent / ".local").rglob("*") if "sqlite" in path.name]
    left += [path for path in (state.parent / ".cache").rglob("*") if "sqlite" in path.name]
    assert left == []
