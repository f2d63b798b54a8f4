"""What became of a reset whose process ended is found by looking; nothing is sent for it."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.fleet.letters import Letter
from memconsole.domain.rotation import Identity, Rotation, RotationState
from memconsole.engine.engine import Engine
from memconsole.engine.fleet.letters import what_became_of
from tests.doubles.platform import NOW
from tests.engine.checkpoint.checkpoint_stage import MAIN, Stage
from tests.engine.rows import row

if TYPE_CHECKING:
    from datetime import datetime

    from memconsole.domain.fleet.shapes import Json

KEY = "agent:main:main"
LETTER = Letter("1", "alpha", "h", ("rotate", KEY, "--yes"), NOW + timedelta(hours=1))


class Killed:
    """A host whose rotation was sent, and whose process ended then."""

    def __init__(self, state: RotationState, sent_at: datetime) -> None:
        self.stage = Stage()
        self.journal = self.stage.world.rotations
        before = Identity("id-main", started_at=NOW - timedelta(days=2), tokens=160_000)
        self.journal.begin(Rotation(0, MAIN, KEY, state, sent_at, before, 150_000))

    def found(self, session_id: str, since: datetime) -> tuple[int, Json] | str | None:
        """Look, with a session on disk."""
        started = {} if session_id == "id-new" else {"started_at": NOW - timedelta(days=2)}
        self.stage.hold(row(KEY, 100, session_id=session_id, **started))
        engine = Engine(self.stage.world.ports, self.stage.settings)
        found = what_became_of(LETTER, since, engine.rotation, engine.runs)
        assert self.stage.world.gateway.resets == []
        return found


LONG_AGO = NOW - timedelta(minutes=3)


@pytest.mark.parametrize(
    ("session_id", "sent_at", "status", "state"),
    [
        ("id-new", NOW, "done", RotationState.PROVEN),
        ("id-main", LONG_AGO, "failed", RotationState.INEFFECTIVE),
    ],
)
def test_a_reset_that_was_sent_is_settled_by_the_disk(
    session_id: str, sent_at: datetime, status: str, state: RotationState
) -> None:
    killed = Killed(RotationState.SENT, sent_at)
    found = killed.found(session_id, LONG_AGO)
    assert isinstance(found, tuple)
    told = json.dumps(found[1])
    assert (found[0], f'"status": "{status}"' in told) == (int(status != "done"), True)
    assert killed.journal.stored[0].state is state


def test_one_that_may_still_be_answered_or_goes_on_is_looked_at_again() -> None:
    assert Killed(RotationState.SENT, NOW).found("id-main", LONG_AGO) is None
    goes_on = Killed(RotationState.SENT, LONG_AGO)
    goes_on.stage.world.locks.held_by[Path(MAIN.home.path) / KEY] = "pid 7"
    assert goes_on.found("id-new", LONG_AGO) is None
    assert goes_on.journal.stored[0].state is RotationState.SENT


def test_what_was_sent_before_the_letter_says_nothing_of_it() -> None:
    found = Killed(RotationState.PROVEN, LONG_AGO).found("id-new", NOW)
    assert isinstance(found, str)
    assert "memconsole runs" in found
