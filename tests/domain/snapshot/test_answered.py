"""A reading of another host's home says what its answers say, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from memconsole.cli.json import encode
from memconsole.cli.json.outcome import outcome
from memconsole.domain.agents import AgentRef, HomeRef
from memconsole.domain.commands.checkpoint import Checkpoint
from memconsole.domain.fleet.shapes import Json, closed
from memconsole.domain.fleet.wire import Freshness, Reply
from memconsole.domain.snapshot.answered import outcome_of, snapshot_of
from memconsole.text.plain import clean
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


AGENTS: st.SearchStrategy[dict[str, Json]] = st.builds(
    dict,
    name=st.none() | st.text(max_size=5),
    sessions=st.none() | st.integers(0, 9),
    due=st.integers(0, 9),
    tokens_max=st.none() | st.integers(0, 10**6),
    configured=st.none() | st.booleans(),
    checkpoint_at=st.none() | st.just(NOW.isoformat()),
)


@given(AGENTS)
@settings(max_examples=15)
def test_what_our_own_face_writes_of_a_reading_is_what_is_read_back(
    changed: dict[str, Json],
) -> None:
    status, sessions = answer("status"), answer("sessions")
    assert isinstance(status.data, dict)
    [first, *_] = status.data["agents"]
    row = closed("agents", [{**first, **changed}])
    told = Reply(HOME, Freshness.LIVE, 0, NOW, {**status.data, "agents": row})
    [written] = encode.agents(snapshot_of(HOME, told, sessions, NOW))
    assert isinstance(row, list)
    for name in ("id", "name", "sessions", "tokens_max", "configured", "memory_files", "store"):
        wanted = row[0][name] or None if name == "name" else row[0][name]
        assert written[name] == wanted


@given(st.sampled_from(["done", "planned", "skipped", "failed"]), st.text(max_size=9))
@settings(max_examples=20)
def test_an_outcome_is_read_back_as_it_was_written(status: str, message: str) -> None:
    command = Checkpoint(AgentRef(HOME, "main"))
    reason = "stale" if status in ("skipped", "failed") else None
    row: dict[str, Json] = {
        "command": "checkpoint",
        "agent": "main",
        "key": None,
        "status": status,
        "reason": reason,
        "message": message,
        "hint": None,
        "duration_ms": 3,
        "wrote": [],
        "details": {"read": 3},
    }
    reply = Reply(HOME, Freshness.LIVE, 0, NOW, closed("checkpoint", [row]))
    assert outcome(outcome_of(command, reply)) == {**row, "message": clean(message)}


def test_what_is_not_said_is_unknown_and_never_none() -> None:
    status, sessions = answer("status"), answer("sessions")
    assert isinstance(status.data, dict)
    [first, *_] = status.data["agents"]
    unknown = {**first, "sessions": None, "memory_bytes": None, "checkpoint_at": None}
    told = Reply(HOME, Freshness.LIVE, 0, NOW, {**status.data, "agents": [unknown], "quiet": None})
    [agent] = snapshot_of(HOME, told, sessions, NOW).agents
    assert (agent.sessions, agent.pool, agent.checkpoint_at) == (None, None, None)
    assert snapshot_of(HOME, told, sessions, NOW).quiet.unknown
