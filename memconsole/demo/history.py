"""What memconsole itself did in this home before: checkpoints, runs, observed counts."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from memconsole.adapters.sqlite.own import open_own
from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.adapters.state.database import StateDatabase
from memconsole.adapters.state.events import READING, keep_look
from memconsole.adapters.state.runs import StateRunLog, StateSamples
from memconsole.demo.cast import AGENTS, Count, Fate
from memconsole.domain.agents import Origin
from memconsole.domain.commands.checkpoint import Checkpoint
from memconsole.domain.commands.outcomes import Run
from memconsole.domain.memory.files import MARKER_TAGS, PoolDay
from memconsole.domain.sessions.tokens import Sample

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from pathlib import Path

    from memconsole.demo.home import DemoHome
    from memconsole.demo.sessions import Session
    from memconsole.engine.engine import Engine
    from memconsole.ports.platform import Clock

    EngineAt = Callable[[Clock], Engine]

_OBSERVED = timedelta(hours=5)
_OBSERVATIONS = 10
_POOL_DAYS = 20
_BYTES_A_TOKEN = 4
_LOOK_S = 0.031


class FixedClock:
    """A clock that stands still, with a stopwatch that goes on by the look: every run took as long.

    Args:
        at: The moment at which it stands, aware UTC.
    """

    def __init__(self, at: datetime) -> None:
        self._at = at
        self._looks = 0

    def now(self) -> datetime:
        """Return the moment at which it stands."""
        return self._at

    def monotonic(self) -> float:
        """Return seconds since its first look."""
        self._looks += 1
        return self._looks * _LOOK_S


_LOOKED_FOR = timedelta(days=9)
"""So long somebody has looked at this home: what was cut last night could have been saved."""


def remember(home: DemoHome, state_dir: Path, now: datetime, engine_at: EngineAt) -> None:
    """Write the history: what happened longer ago first.

    Args:
        home: The generated home.
        state_dir: Our own state folder.
        now: The present, aware UTC.
        engine_at: Builds an engine over both with a clock.
    """
    state = StateDatabase(state_dir, PrivateCopies())
    live = list(_live(home))
    looked_at = now - _LOOKED_FOR
    state.write(lambda opened: keep_look(opened, str(home.state), READING, looked_at))
    StateSamples(state).add(one for session in live for one in _observations(session, now))
    for agent in AGENTS:
        StateSamples(state).add_pools(
            str(home.state), _pool_days(home.workspace(agent.id), agent.id, now)
        )
    runs = StateRunLog(state)
    # Who closes a database last tidies it up: once at the end, not after each of many writes.
    with open_own(state.path):
        for run in _older_runs(str(home.state), now):
            runs.add(run)
        for agent in sorted(AGENTS, key=lambda one: one.saved or timedelta(), reverse=True):
            if agent.saved is not None:
                _save(home, agent.id, now - agent.saved, engine_at)


def _pool_days(workspace: Path, agent_id: str, now: datetime) -> Iterator[PoolDay]:
    """Yield how large a memory was on each of the days before, by the times of its files."""
    files = [(path.stat().st_mtime, path.read_bytes()) for path in workspace.rglob("*.md")]
    for ago in range(_POOL_DAYS, 0, -1):
        at = now - timedelta(days=ago)
        old = b"".join(text for written, text in files if written <= at.timestamp())
        markers = {tag: old.count(f"[{tag}]".encode()) for tag in MARKER_TAGS}
        yield PoolDay(agent_id, at.date(), len(old), len(old) // _BYTES_A_TOKEN, markers)


def _save(home: DemoHome, agent_id: str, at: datetime, engine_at: EngineAt) -> None:
    """Take a real checkpoint at an earlier moment, and give its files the time of it."""
    engine = engine_at(FixedClock(at))
    outcome = engine.run(Checkpoint(engine.home.agent(agent_id).ref))
    for written in getattr(outcome, "wrote", ()):
        _grow_old(home.workspace(agent_id) / written.path, at)


def _grow_old(path: Path, at: datetime) -> None:
    os.utime(path, (at.timestamp(), at.timestamp()))


def _live(home: DemoHome) -> Iterator[Session]:
    for sessions in home.sessions.values():
        yield from (one for one in sessions if one.plan.fate is Fate.LIVE)


def _observations(session: Session, now: datetime) -> Iterator[Sample]:
    """Yield sizes of the last hours; a session that did not grow was seen once."""
    plan = session.plan
    if plan.count is not Count.FRESH or not plan.grown:
        return
    for number in range(_OBSERVATIONS + 1):
        share = number / _OBSERVATIONS
        tokens = plan.tokens - round(plan.grown * (1 - share))
        at = now - _OBSERVED * (1 - share) - timedelta(seconds=30)
        yield Sample(session.agent_id, session.id, at, tokens)


def _older_runs(home: str, now: datetime) -> Iterator[Run]:
    """Yield what the scheduler and a person did since yesterday, oldest first."""
    run = Run(
        id=0,
        job=None,
        command="checkpoint",
        command_line="",
        origin=Origin.SCHEDULER,
        agent=None,
        key=None,
        started_at=now,
        ended_at=now,
        status="done",
        reason=None,
        message="",
        duration_ms=0,
        home=home,
    )
    for hours, agent, status, reason, message in (
        (21.0, "research", "done", None, "18 messages saved"),
        (9.4, "writer", "done", None, "14 messages saved"),
        (7.1, "main", "skipped", "nothing-new", "nothing was said since 06:40"),
        (5.2, "work", "done", None, "52 messages saved"),
        (4.9, "finance", "skipped", "stale", "its newest session is two days old"),
        (1.1, "main", "done", None, "21 messages saved"),
    ):
        at = now - timedelta(hours=hours)
        yield replace(
            run,
            agent=agent,
            command_line=f"memconsole checkpoint --agent {agent}",
            started_at=at,
            ended_at=at + timedelta(milliseconds=31),
            status=status,
            reason=reason,
            message=message,
            duration_ms=31,
        )
