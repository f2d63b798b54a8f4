"""`rotate --force-active`: a run is broken off only when that is asked, and it is told."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.gateway import LiveSession
from tests.cli.caller import stored
from tests.doubles.platform import NOW, talk

if TYPE_CHECKING:
    from tests.cli.caller import Caller
    from tests.doubles.bundle import World

MAIN = "agent:main:main"


@pytest.fixture(autouse=True)
def busy(world: World) -> None:
    held = stored(world.platform.agents[0].ref, MAIN, 160_000)
    world.sessions.hold(replace(held, started_at=NOW - timedelta(days=1), is_active=True))
    texts = [f"message number {n} about the database" for n in range(8)]
    world.sessions.transcripts[held.session_id or ""] = talk(*texts)
    live = LiveSession(
        MAIN, session_id=held.session_id, tokens=160_000, tokens_fresh=True, is_active=True
    )
    world.gateway.hold(live)


def test_without_it_the_session_waits(world: World, call: Caller) -> None:
    for asked in ((), ("--force",)):
        [row] = call.json("rotate", MAIN, *asked, "--yes").data
        assert (row["status"], row["reason"]) == ("skipped", "active-run")
        assert "--force-active" in row["hint"]
    assert world.gateway.resets == []


def test_with_it_the_run_is_broken_off_and_that_is_told(world: World, call: Caller) -> None:
    plan = call.json("rotate", MAIN, "--force-active", "--dry-run").data[0]
    assert plan["message"].endswith("a run is going on, which is broken off")
    assert call.json("rotate", MAIN, "--force-active").code == 2
    [row] = call.json("rotate", MAIN, "--force-active", "--yes").data
    assert (row["status"], row["details"]["broke_off_run"]) == ("done", True)
    assert row["message"].endswith("the run that was going on was broken off")
    assert len(world.gateway.resets) == 1


def test_the_setting_breaks_it_off_at_the_third_time(
    world: World, call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMCONSOLE_ROTATION__FORCE_ACTIVE", "true")
    rows = [call.json("rotate", "--yes").data[0] for _ in range(3)]
    assert [row["status"] for row in rows] == ["skipped", "skipped", "done"]
    assert len(world.gateway.resets) == 1
