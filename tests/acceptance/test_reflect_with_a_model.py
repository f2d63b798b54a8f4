"""`reflect --force` with a model service on loopback: shown, confirmed and written is one text."""

from __future__ import annotations

import os
import select
import subprocess
import sys
from datetime import date
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.memory.observation_log import add
from memconsole.domain.memory.observations import Observation, ObservationLog, Priority
from tests.doubles.model import answer, service
from tests.program import ROOT, Program

if TYPE_CHECKING:
    from pathlib import Path

DAY = date(2026, 4, 11)
NEW_WORDS = ["the cold archive moves on monday", "robin owns billing", "tea is in rack four"]
OLD = add(ObservationLog(), [Observation(Priority.LOW, text, DAY) for text in NEW_WORDS]).text
"""Of yesterday and each of its own: the built-in consolidation finds nothing that could go."""

SHORTER = OLD.replace("the cold archive moves on monday", "archive moves monday")
ANOTHER = OLD.replace("tea is in rack four", "tea: rack four")


@pytest.fixture
def observations(user_home: Path) -> Path:
    state = user_home / ".openclaw"
    (state / "agents" / "main" / "sessions").mkdir(parents=True)
    (state / "openclaw.json").write_text("{}", encoding="utf-8")
    file = state / "workspace" / "memory" / "observations.md"
    file.parent.mkdir(parents=True)
    file.write_text(OLD, encoding="utf-8")
    return file


def environment(file: Path, url: str) -> dict[str, str]:
    return {
        "HOME": str(file.parents[3]),
        "MEMCONSOLE_NOW": "2026-04-12T09:00:00Z",
        "MEMCONSOLE_LLM__PROVIDER": "openai-compatible",
        "MEMCONSOLE_LLM__BASE_URL": url,
        "MEMCONSOLE_LLM__MODEL": "small",
    }


def asked_and_answered(surroundings: dict[str, str], *, reply: str) -> tuple[str, int]:
    """Run it on a terminal, answer its question, and return what it wrote there and its code."""
    ours, theirs = os.openpty()
    everything = {"LANG": "C.UTF-8", "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        [sys.executable, "-m", "memconsole", "reflect", "--agent", "main", "--force"],
        env={**everything, **surroundings},
        cwd=surroundings["HOME"],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    written, is_answered = b"", False
    while select.select([ours], [], [], 60)[0]:
        try:
            data = os.read(ours, 65536)
        except OSError:  # its last end was closed
            break
        written += data
        if b"[y/N]" in written and not is_answered:
            os.write(ours, reply.encode() + b"\n")
            is_answered = True
    os.close(ours)
    return written.decode(), process.wait(timeout=60)


def test_what_the_model_wrote_is_what_is_asked_about_and_done(observations: Path) -> None:
    """The built-in consolidation finds nothing, and the model is asked all the same, once."""
    with service(answer(SHORTER), answer(ANOTHER)) as (url, asked, _):
        shown, code = asked_and_answered(environment(observations, url), reply="y")

    assert "rewritten by small" in shown.partition("[y/N]")[0]
    assert (code, len(asked)) == (0, 1)
    assert OLD.splitlines()[-1] in str(asked[0]["messages"])
    kept = observations.read_text(encoding="utf-8")
    assert "archive moves monday" in kept
    assert "the cold archive" not in kept
    assert "tea is in rack four" in kept


def test_a_no_changes_nothing_and_asks_no_second_time(observations: Path) -> None:
    with service(answer(SHORTER), answer(ANOTHER)) as (url, asked, _):
        _, code = asked_and_answered(environment(observations, url), reply="n")

    assert (code != 0, len(asked)) == (True, 1)
    assert observations.read_text(encoding="utf-8") == OLD


def test_with_yes_the_model_is_asked_once_and_its_plan_is_carried_out(observations: Path) -> None:
    with service(answer(SHORTER), answer(ANOTHER)) as (url, asked, _):
        program = Program(environment(observations, url))
        [row] = program.json("reflect", "--agent", "main", "--force", "--yes").data

    assert (row["status"], len(asked)) == ("done", 1)
    assert "archive moves monday" in observations.read_text(encoding="utf-8")


def test_a_dry_run_sends_nothing_and_says_so(observations: Path) -> None:
    with service(answer(SHORTER)) as (url, asked, _):
        program = Program(environment(observations, url))
        [row] = program.json("reflect", "--agent", "main", "--force", "--dry-run").data

    assert (asked, row["status"]) == ([], "skipped")
    assert row["details"]["llm"]["because"] == "a dry run sends nothing"


def test_a_text_that_the_gate_refuses_is_not_offered(observations: Path) -> None:
    """What turns a rule round is no plan; the built-in consolidation finds nothing here."""
    rule = add(ObservationLog(), [Observation(Priority.HIGH, "never push on friday", DAY)]).text
    observations.write_text(rule, encoding="utf-8")
    turned = rule.replace("never", "always")
    with service(answer(turned), answer(turned)) as (url, asked, _):
        program = Program(environment(observations, url))
        [row] = program.json("reflect", "--agent", "main", "--force", "--yes").data

    assert asked
    assert (row["status"], row["reason"]) == ("skipped", "nothing-new")
    assert observations.read_text(encoding="utf-8") == rule
