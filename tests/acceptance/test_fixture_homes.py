"""Recorded homes of four releases, from the first look to a checkpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.acceptance.fixtures import RELEASES, Facts, give_times_back, program_for
from tests.cli.contract import check_envelope
from tests.program import tree

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import FixtureHome
    from tests.program import Program

pytestmark = pytest.mark.shared

READING = (
    ("status",),
    ("agents",),
    ("sessions",),
    ("sessions", "--all"),
    ("memory", "pool"),
    ("markers",),
    ("rotate", "--dry-run"),
    ("checkpoint", "--dry-run"),
    ("runs",),
)


@pytest.fixture(params=RELEASES, ids=lambda facts: facts.release)
def facts(request: pytest.FixtureRequest) -> Facts:
    one: Facts = request.param
    return one


@pytest.fixture
def state(facts: Facts, fixture_home: FixtureHome) -> Path:
    state = fixture_home(facts.release)
    give_times_back(state)
    return state


@pytest.fixture
def program(state: Path) -> Program:
    return program_for(state)


def test_status_tells_the_eras(facts: Facts, program: Program, state: Path) -> None:
    answer = program.json("status")
    assert answer.code == 0
    assert answer.data["home"] == str(state)
    assert answer.data["era"] == {
        "sessions": facts.sessions_era,
        "memory_index": facts.cron_era,  # in these four they came together
        "cron": facts.cron_era,
    }
    assert [row["id"] for row in answer.data["agents"]] == ["main", "work"]
    assert [row["store"] for row in answer.data["agents"]] == [facts.sessions_era] * 2
    assert [row["configured"] for row in answer.data["agents"]] == [True, True]


def test_status_counts_what_is_due(facts: Facts, program: Program) -> None:
    [main, work] = program.json("status").data["agents"]
    assert main["due"] == len(facts.due)
    assert work["due"] == 0
    for agent in (main, work):
        counts = [
            tokens
            for key, (tokens, state) in facts.tokens.items()
            if owner(key) == agent["id"] and tokens is not None and state != "suspect"
        ]
        assert agent["tokens_max"] == max(counts, default=None)


def owner(key: str) -> str:
    """Whose session it is; a bare key belongs to the agent whose store holds it."""
    return key.split(":")[1] if key.startswith("agent:") else "main"


def test_sessions_have_their_tokens(facts: Facts, program: Program) -> None:
    answer = program.json("sessions", "--all")
    archives_first = sorted(answer.data, key=lambda row: row["state"] == "live")
    found = {row["key"]: row for row in archives_first}
    told = {key: (found[key]["tokens"], found[key]["token_state"]) for key in facts.tokens}
    assert told == facts.tokens


def test_every_session_is_listed_once(facts: Facts, program: Program) -> None:
    answer = program.json("sessions", "--all")
    # The newest run of a cron job shares its transcript with the job's own entry.
    ids = [row["session_id"] for row in answer.data if ":run:" not in (row["key"] or "")]
    assert sorted(ids) == sorted(set(ids))
    assert len(answer.rows(state="archived")) == facts.archived
    orphans = sorted(row["session_id"] for row in answer.rows(state="orphan"))
    assert orphans == sorted(facts.orphans)
    assert answer.envelope["left_out"].get("backup", 0) == facts.backups


def test_due_sessions_are_planned(facts: Facts, program: Program) -> None:
    answer = program.json("rotate", "--dry-run")
    assert answer.code == 0
    assert tuple(row["key"] for row in answer.rows(status="planned")) == facts.due


def test_every_transcript_can_be_read(facts: Facts, program: Program) -> None:
    listed = program.json("sessions", "--all").rows(transcript="present")
    assert len(listed) >= facts.archived
    longest = 0
    ids = [row["session_id"] for row in listed]
    for answer in program.each([("--json", "transcript", one, "--all") for one in ids]):
        check_envelope(answer.envelope)
        assert answer.code == 0, answer
        assert answer.envelope["left_out"]["damaged"] == 0, answer
        longest = max(longest, *(len(one["text"]) for one in answer.data), 0)
    for detail in program.each([("--json", "session", one) for one in ids]):
        check_envelope(detail.envelope)
        assert detail.data["messages"] is not None
    if facts.sessions_era == "sqlite":
        assert longest > 100_000  # it is packed in the database


def test_the_memory_pool_is_measured(facts: Facts, program: Program) -> None:
    for agent, (files, size) in facts.pools.items():
        [row] = program.json("memory", "pool", "--agent", agent).data
        assert (row["files"], row["bytes"]) == (files, size)
        assert row["agents"] == [agent]
        counts = {tag: count for tag, count in row["markers"].items() if count}
        assert counts == facts.markers[agent]


def test_a_checkpoint_saves_each_agent(facts: Facts, program: Program, state: Path) -> None:
    (state.parent / ".local").mkdir()
    roots = {row["id"]: row["workspace"] for row in program.json("agents").data}
    for agent, root in roots.items():
        before = tree(state.parent, without=(state.parent / ".local", _path(state, root)))
        outcome = program.json("checkpoint", "--agent", agent).row(agent=agent)
        after = tree(state.parent, without=(state.parent / ".local", _path(state, root)))
        assert before == after
        assert outcome["status"] in ("done", "skipped"), outcome
        if outcome["status"] == "done":
            text = (_path(state, root) / "memory" / "ACTIVE_CONTEXT.md").read_text("utf-8")
            assert text.startswith(f"# Active Context — {agent}\n")
            assert facts.said.get(agent, "") in text
    runs = program.json("runs").data
    assert [(run["command"], run["origin"]) for run in runs] == [("checkpoint", "cli")] * 2


def _path(state: Path, root: str) -> Path:
    return state.parent / root


def test_reading_changes_nothing(program: Program, state: Path) -> None:
    """Not a byte, not a time, not a side file, anywhere in the operator's home."""
    before = tree(state.parent)
    for answer in program.each([("--json", *command) for command in READING]):
        check_envelope(answer.envelope)
        assert answer.code == 0, answer
    for answer in program.each(READING):
        assert answer.code == 0, answer
    assert tree(state.parent) == before


def test_a_moved_home_is_followed(facts: Facts, state: Path, tmp_path: Path) -> None:
    """`~` of the configuration is the folder that the home lies in."""
    elsewhere = program_for(tmp_path / "elsewhere" / ".openclaw")
    (tmp_path / "elsewhere").mkdir()
    answer = elsewhere.json("--home", str(state), "memory", "pool")
    assert {row["agent"]: (row["files"], row["bytes"]) for row in answer.data} == facts.pools
