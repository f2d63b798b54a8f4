"""A world in which health finds nothing wrong, and what tests of health change in it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from memconsole.domain.agents import Origin, PlatformConfig
from memconsole.domain.commands.outcomes import Run
from memconsole.domain.health import CHECK_IDS, Check
from memconsole.domain.sessions.keys import parse_key
from memconsole.domain.sessions.stored import (
    SessionState,
    StoredSession,
    TranscriptKind,
    TranscriptRef,
    TranscriptState,
)
from memconsole.domain.settings import Settings
from memconsole.engine.engine import Engine
from tests.doubles.bundle import World
from tests.doubles.platform import HOME, NOW, fake_agent, talk

if TYPE_CHECKING:
    from memconsole.domain.memory.files import PoolItem

AGENT = fake_agent()
KEY = "agent:main:main"
SETTINGS = Settings(state_dir=Path("/state"), timezone="UTC")
MINUTE = timedelta(minutes=1)


def well_world() -> World:
    """Return a world in which nothing is wrong with what is looked at."""
    made = World(AGENT)
    made.gateway.verdict = "up"
    made.gateway.scopes = ("operator.read", "operator.admin")
    made.host.lines = ("node /opt/openclaw/dist/index.js gateway run",)
    hold(made)
    return made


def hold(world: World, spoken_at: timedelta = MINUTE, *, is_active: bool | None = None) -> None:
    ref = TranscriptRef(
        AGENT.ref, "s-1", TranscriptKind.FILE, HOME / "s-1.jsonl", modified_at=NOW - spoken_at
    )
    world.sessions.hold(
        StoredSession(
            AGENT.ref,
            parse_key(KEY, owner="main"),
            "s-1",
            SessionState.LIVE,
            TranscriptState.PRESENT,
            transcript=ref,
            tokens_reported=1000,
            tokens_fresh=True,
            updated_at=NOW - spoken_at,
            is_active=is_active,
        )
    )
    said = ("hello there, how are you", "fine, thank you")
    world.sessions.transcripts["s-1"] = talk(*said, start=NOW - spoken_at - MINUTE)


def pool(world: World, *items: PoolItem, **changes: object) -> None:
    root = AGENT.workspace
    empty = world.memory.pool(root, ("main",), config=PlatformConfig(), now=NOW)
    world.memory.pools[root] = replace(empty, items=items, **changes)  # type: ignore[arg-type]


def inputs(world: World, name: str) -> Check:
    report = Engine(world.ports, SETTINGS).health.report()
    assert [one.id for one in report.checks] == list(CHECK_IDS)
    return next(one for one in report.checks if one.id == name)


def run_of(reason: str | None, ago: int, status_: str = "skipped") -> Run:
    at = NOW - ago * MINUTE
    return Run(
        id=0,
        job="checkpoint",
        command="checkpoint",
        command_line="memconsole checkpoint --agent main",
        origin=Origin.SCHEDULER,
        agent="main",
        key=None,
        started_at=at,
        ended_at=at,
        status=status_,
        reason=reason,
        message="",
        duration_ms=1,
        home=str(HOME),
    )
