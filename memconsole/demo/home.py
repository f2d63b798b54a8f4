"""Generates the whole home: configuration, agents of both eras, workspaces (`--demo`)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from memconsole.demo import content
from memconsole.demo.cast import AGENTS, CRON_RUNS, GROWING, Stage
from memconsole.demo.life import GrowingSession
from memconsole.demo.sessions import cron_runs, play
from memconsole.demo.stores import STORE, write_database, write_files, write_store, write_transcript
from memconsole.demo.workspace import lessons_of, write_workspace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from memconsole.demo.cast import AgentPlan
    from memconsole.demo.sessions import Session
    from memconsole.domain.calendar import Zone

SEED = 41

_BOOTSTRAP_CHARS = 10_000
_WORKSPACES = "agents"


class DemoHome:
    """A generated home.

    Attributes:
        state: The platform's state folder, `.openclaw` below the operator's own folder.
        sessions: All that was played, by agent.
        growing: The one that grows when it is asked to.
    """

    def __init__(
        self, state: Path, sessions: Mapping[str, Sequence[Session]], growing: GrowingSession
    ) -> None:
        self.state = state
        self.sessions = sessions
        self.growing = growing

    def workspace(self, agent_id: str) -> Path:
        """Return where an agent keeps its notes."""
        return workspace_of(self.state.parent, agent_id)


def workspace_of(operator: Path, agent_id: str) -> Path:
    """Return an agent's workspace in the operator's folder."""
    return operator / _WORKSPACES / agent_id


def write_home(operator: Path, now: datetime, zone: Zone, *, seed: int = SEED) -> DemoHome:
    """Write a home and its workspaces; equal arguments write equal files.

    Args:
        operator: Stands for the operator's home folder; exists and is empty.
        now: The moment at which everything plays, aware.
        zone: The operator's time zone, None for the host's.
        seed: Chooses times, ids and days.
    """
    state = operator / ".openclaw"
    state.mkdir(mode=0o700)
    stage = Stage(now, zone, seed)
    lessons = lessons_of(AGENTS)
    played: dict[str, list[Session]] = {}
    for agent in AGENTS:
        conversations = content.conversations(agent.id)
        played[agent.id] = play(stage, agent, conversations)
        _write_agent(state / "agents" / agent.id, stage, agent, played[agent.id])
        write_workspace(workspace_of(operator, agent.id), stage, agent, lessons)
    _write_cron_runs(state, stage, played)
    (state / "openclaw.json").write_text(_config(), encoding="utf-8")
    return DemoHome(state, played, _growing(state, played))


def _write_agent(folder: Path, stage: Stage, agent: AgentPlan, sessions: Sequence[Session]) -> None:
    if agent.is_sqlite:
        database = folder / "agent" / "openclaw-agent.sqlite"
        write_database(database, agent.id, sessions, stage.now)
    else:
        write_files(folder / "sessions", sessions)


def _write_cron_runs(state: Path, stage: Stage, played: Mapping[str, Sequence[Session]]) -> None:
    """Add a job's runs to the store of its agent; the job's own entry shows the newest one."""
    agent_id, job, conversation, _ = CRON_RUNS
    folder = state / "agents" / agent_id / "sessions"
    store = json.loads((folder / STORE).read_text("utf-8"))
    runs = cron_runs(stage, played[agent_id][0], content.conversations(agent_id)[conversation])
    for key, entry, transcript in runs:
        store.setdefault(f"agent:{agent_id}:cron:{job}", entry)
        store[key] = entry
        write_transcript(folder / f"{transcript.session_id}.jsonl", transcript)
    write_store(folder, store)


def _growing(state: Path, played: Mapping[str, Sequence[Session]]) -> GrowingSession:
    agent_id, rest, conversation = GROWING
    [session] = (one for one in played[agent_id] if one.plan.rest == rest)
    assert session.transcript is not None, "the session that grows has a transcript"
    folder = state / "agents" / agent_id / "sessions"
    turns = content.conversations(agent_id)[conversation]
    return GrowingSession(folder, session.key, session.transcript, session.plan.tokens, turns)


def _config() -> str:
    """Return the platform's configuration: JSON5, as people leave it behind."""
    entries = {
        agent.id: {
            "workspace": f"~/{_WORKSPACES}/{agent.id}",
            "identity": {"name": agent.name},
        }
        for agent in AGENTS
    }
    agents = {
        "defaults": {
            "model": {"primary": "anthropic/claude-sonnet-4-5"},
            "bootstrapMaxChars": _BOOTSTRAP_CHARS,
            "compaction": {"mode": "default", "reserveTokensFloor": 20_000},
        },
        "entries": entries,
    }
    text = json.dumps({"meta": {"lastTouchedVersion": "2026.9.6"}, "agents": agents}, indent=2)
    return f"// Six agents, half of them still waiting for their import.\n{text}\n"
