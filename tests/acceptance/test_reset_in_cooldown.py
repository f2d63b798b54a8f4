"""A reset by hand inside the watcher's pause loses nothing: `recover` keeps it."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.acceptance.fixtures import NOW, give_times_back
from tests.acceptance.hand_reset import KEY, platform_of
from tests.program import Program, tree

if TYPE_CHECKING:
    from tests.conftest import FixtureHome

pytestmark = pytest.mark.shared

BEGIN = datetime.fromisoformat(NOW)
RELEASES = ("clawdbot-2026.1", "openclaw-2026.3", "openclaw-2026.9")
"""A reset leaves the transcript where it is, archives it, stays in it."""
EARLIER = ("We decided to keep the scanner on port 9443.", "Noted: the scanner stays on 9443.")
UNCAPTURED = tuple(
    f"Step {number} of the move: rack {number} goes to hall {number + 20} on Friday."
    for number in range(12)
)


def program_at(state: Path, minutes: float) -> Program:
    """Return the program some minutes after the talk began."""
    now = (BEGIN + timedelta(minutes=minutes)).isoformat()
    return Program({"HOME": str(state.parent), "TZ": "UTC", "MEMCONSOLE_NOW": now})


def memory(program: Program) -> str:
    """Return every word of the agent's memory."""
    [pool] = program.json("memory", "pool", "--agent", "main").data
    paths = Path(pool["root"]).glob("memory/**/*.md")
    return "\n".join(path.read_text("utf-8") for path in sorted(paths))


@pytest.mark.parametrize("release", RELEASES)
def test_what_was_said_before_a_reset_by_hand_is_kept_once(
    release: str, fixture_home: FixtureHome
) -> None:
    state = fixture_home(release)
    give_times_back(state)
    platform = platform_of(release, state)
    program_at(state, -1).json("recover", "--agent", "main")  # what ended before is settled
    platform.say(EARLIER, BEGIN)
    [seen] = program_at(state, 1).json("observe", "--session", KEY, "--agent", "main").data
    assert seen["status"] == "done", seen  # the watcher's pause of five minutes begins
    platform.say(UNCAPTURED, BEGIN + timedelta(minutes=3))
    platform.reset(BEGIN + timedelta(minutes=4))
    known = memory(program_at(state, 4))
    assert not any(said in known for said in UNCAPTURED)
    before = tree(state / "agents")

    [recovered] = program_at(state, 5).json("recover", "--agent", "main").data

    assert (recovered["status"], len(recovered["details"]["sessions"])) == ("done", 1), recovered
    kept = memory(program_at(state, 6))
    for said in UNCAPTURED:
        assert said in kept
    assert tree(state / "agents") == before
    [again] = program_at(state, 7).json("recover", "--agent", "main").data
    assert (again["status"], again["reason"]) == ("skipped", "nothing-new")
    assert memory(program_at(state, 8)) == kept
