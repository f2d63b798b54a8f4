"""A reading of another host's home says what its answers say, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

from memconsole.domain.agents import HomeRef
from memconsole.domain.fleet.shapes import closed
from memconsole.domain.fleet.wire import Freshness, Reply
from memconsole.domain.snapshot.answered import snapshot_of
from tests.doubles.platform import NOW

HOME = HomeRef("", "alpha")
GOLDEN = Path(__file__).parents[2] / "contract" / "golden"


def answer(name: str) -> Reply:
    text = (GOLDEN / f"{name}.json").read_text().replace('"<float>"', "0.5")
    data = json.loads(text.replace('"<time>"', f'"{NOW.isoformat()}"'))["data"]
    return Reply(HOME, Freshness.LIVE, 0, NOW, closed(name, data))


def test_figures_states_and_findings_arrive() -> None:
    taken = snapshot_of(HOME, answer("status"), answer("sessions"), NOW)
    main = next(one for one in taken.agents if one.ref.id == "main")
    assert (main.sessions, main.tokens_max, main.agent.name) == (7, 83_400, "Robin")
    assert main.pool is not None
    assert (main.pool.files, main.pool.size_bytes) == (61, 46_221)
    due = taken.sessions[0]
    assert (due.key_text, due.is_due, due.tokens) == ("agent:work:main", True, 151_240)
    unknown = next(
        one for one in taken.sessions if one.key_text == "agent:work:discord:channel:ops"
    )
    assert (unknown.tokens, unknown.name) == (None, "discord · #ops")
    assert taken.attention[0].agent == "research"
    assert taken.gateway.version == "2026.9.6"
    assert all(one.ref.home == HOME for one in taken.agents)


def test_what_is_not_said_is_unknown_and_never_none() -> None:
    status, sessions = answer("status"), answer("sessions")
    assert isinstance(status.data, dict)
    [first, *_] = status.data["agents"]
    unknown = {**first, "sessions": None, "memory_bytes": None, "checkpoint_at": None}
    told = Reply(HOME, Freshness.LIVE, 0, NOW, {**status.data, "agents": [unknown], "quiet": None})
    [agent] = snapshot_of(HOME, told, sessions, NOW).agents
    assert (agent.sessions, agent.pool, agent.checkpoint_at) == (None, None, None)
    assert snapshot_of(HOME, told, sessions, NOW).quiet.unknown
