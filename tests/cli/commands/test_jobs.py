"""`jobs` and `once`."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.locks import hold
from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.adapters.state.database import StateDatabase
from memconsole.adapters.state.runs import StateJobs
from memconsole.domain.jobs.layers import Layer
from memconsole.domain.jobs.runs import JobEnd, JobRecord
from memconsole.scheduler.jobs import TABLE
from tests.cli.caller import stored
from tests.cli.contract import check_data
from tests.doubles.platform import NOW, fake_agent, talk

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.caller import Caller

FIELDS = {
    *("id", "enabled", "paused", "trigger", "last_start", "last_end", "last_status"),
    *("last_reason", "next_at", "running"),
}
LISTED = [*(job.id for job in TABLE if job.is_listed), "watcher"]


@pytest.fixture
def state(user_home: Path) -> Path:
    return user_home / ".local/state/memconsole"


def test_every_job_is_listed_and_nothing_is_written(call: Caller, state: Path) -> None:
    rows = call.json("jobs").data
    assert [row["id"] for row in rows] == LISTED
    assert set(rows[0]) >= FIELDS
    assert {row["last_status"] for row in rows} == {None}
    assert not state.exists()


def test_layers_that_nobody_runs_are_named(call: Caller, state: Path) -> None:
    held = [f"scheduler-{one.value}.lock" for one in Layer if one is not Layer.CAPTURE]
    with ExitStack() as holding:
        for name in held:
            holding.enter_context(hold(state / "locks" / name, "the scheduler"))
        first, *rest = call("jobs").out.splitlines()
    assert first == "scheduler running; nobody runs the layer capture"
    assert [line.split()[:2] for line in rest[:4]] == [["layer", one.value] for one in Layer]
    assert ["stopped" in line for line in rest[:4]] == [False, True, False, False]


def test_people_read_who_runs_them_and_how_they_are(call: Caller, state: Path) -> None:
    store = StateJobs(StateDatabase(state, PrivateCopies()))
    record = JobRecord("rotation").begun(NOW, 0)
    store.save(record.ended(JobEnd("failed", "down", "nobody answers"), NOW, 12))
    store.pause("checkpoint", is_paused=True)
    out = call("jobs").out
    assert out.startswith("scheduler stopped\n")
    assert "failed (down)" in out
    assert "nobody answers" in out
    assert "paused" in out
    assert "every 20m" in out


def test_a_job_is_paused_and_resumed(call: Caller) -> None:
    [row] = [one for one in call.json("jobs", "--pause", "rotation").data if one["paused"]]
    assert row["id"] == "rotation"
    assert not any(one["paused"] for one in call.json("jobs", "--resume", "rotation").data)


@pytest.mark.parametrize(("option", "verb"), [("--pause", "pause"), ("--resume", "resume")])
def test_a_dry_run_says_what_would_be_paused(
    option: str, verb: str, call: Caller, state: Path
) -> None:
    answer = call.json("--read-only", "jobs", option, "index-md", "--dry-run")
    check_data(answer.data, "checkpoint")
    [row] = answer.data
    assert (row["command"], row["key"], row["status"]) == ("jobs", "index_md", "planned")
    assert row["message"] == f"would {verb} index_md"
    assert row["message"] in call("jobs", option, "index-md", "--dry-run").out
    assert not state.exists()


@pytest.mark.parametrize(
    "words",
    [
        ("jobs", "--pause", "nothing"),
        ("jobs", "--pause", "nothing", "--dry-run"),
        ("jobs", "--pause", "rotation", "--resume", "rotation"),
        ("once", "nothing"),
        ("once", "samples"),
    ],
)
def test_a_wrong_call_does_nothing(call: Caller, state: Path, words: tuple[str, ...]) -> None:
    answer = call(*words)
    assert answer.code == 2
    assert not state.exists()


@pytest.mark.parametrize("words", [("jobs", "--pause", "rotation"), ("once", "rotation")])
def test_read_only_refuses(call: Caller, state: Path, words: tuple[str, ...]) -> None:
    assert call("--read-only", *words).code == 1
    assert not state.exists()


def test_a_job_runs_once_and_is_remembered(call: Caller) -> None:
    agent = fake_agent()
    found = stored(agent.ref, "agent:main:main", 1000)
    call.world.sessions.hold(found)
    call.world.sessions.transcripts[str(found.session_id)] = talk("build it", "built", "thanks")
    answer = call.json("once", "checkpoint")
    [row] = [one for one in answer.data if one["agent"] == "main"]
    assert (answer.code, row["command"], row["status"]) == (0, "checkpoint", "done")
    assert {run.job for run in call.world.runs.stored} == {"checkpoint"}
    [job] = [one for one in call.json("jobs").data if one["id"] == "checkpoint"]
    assert (job["last_status"], job["last_reason"], job["running"]) == ("done", None, False)


def test_a_job_with_nothing_to_do_says_so(call: Caller) -> None:
    answer = call.json("once", "rotation")
    [row] = answer.data
    assert (answer.code, row["command"], row["status"], row["reason"]) == (
        0,
        "rotation",
        "skipped",
        "nothing-due",
    )
    assert row["duration_ms"] is None  # no command was run, so nothing was timed
    assert "skipped (nothing-due)" in call("once", "rotation").out


def test_a_due_session_without_a_gateway_exits_with_3(call: Caller) -> None:
    agent = fake_agent()
    call.world.sessions.hold(stored(agent.ref, "agent:main:main", 160_000))
    call.world.gateway.verdict = "down"
    assert call("once", "rotation").code == 3
    planned = call.json("once", "rotation", "--dry-run")
    assert planned.code == 0
    assert [row["status"] for row in planned.data] == ["planned"]


def test_a_job_that_runs_already_is_skipped(call: Caller, state: Path) -> None:
    with hold(state / "locks" / "job-checkpoint.lock", "the job checkpoint"):
        answer = call.json("once", "checkpoint")
    [row] = answer.data
    assert (answer.code, row["status"], row["reason"]) == (0, "skipped", "locked")
