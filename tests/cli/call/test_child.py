"""Commands in a process of their own."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.clock import SystemClock
from memconsole.cli.call.child import ChildProcesses
from memconsole.compose import engine, state
from memconsole.domain.agents import AgentRef, HomeRef, Origin
from memconsole.domain.commands.checkpoint import Checkpoint
from memconsole.domain.commands.outcomes import Failed, Skipped, SkipReason
from memconsole.domain.jobs.runs import CHILD_DIED
from memconsole.domain.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def settings(user_home: Path) -> Settings:
    home = user_home / ".openclaw"
    (home / "agents" / "main" / "sessions").mkdir(parents=True)
    (home / "workspace").mkdir()
    return Settings(state_dir=user_home / "state", home=home, transport="none")


@pytest.fixture
def command(settings: Settings) -> Checkpoint:
    return Checkpoint(AgentRef(HomeRef(str(settings.home)), "main"))


def test_its_outcome_comes_back_and_its_run_is_the_scheduler_s(
    settings: Settings, command: Checkpoint
) -> None:
    run = ChildProcesses(settings, SystemClock())
    outcome = run(command, "checkpoint", threading.Event())
    assert isinstance(outcome, Skipped)
    assert (outcome.command, outcome.reason) == (command, SkipReason.NO_SESSION)
    [noted] = engine.build_engine(settings, Origin.CLI).runs.newest()
    assert (noted.job, noted.origin, noted.status) == ("checkpoint", Origin.SCHEDULER, "skipped")


def test_one_that_is_told_to_end_has_failed(settings: Settings, command: Checkpoint) -> None:
    cancel = threading.Event()
    cancel.set()
    outcome = ChildProcesses(settings, SystemClock())(command, "checkpoint", cancel)
    assert isinstance(outcome, Failed)
    assert (outcome.code, outcome.message) == (
        CHILD_DIED,
        "its process ended by signal 15, without an answer",
    )


def test_our_database_is_made_by_a_child(settings: Settings) -> None:
    children = ChildProcesses(settings, SystemClock())
    assert state.is_state_old(settings)
    children.renew_state()
    assert not state.is_state_old(settings)


def test_a_state_folder_that_cannot_be_made_is_left_to_the_first_write(user_home: Path) -> None:
    (user_home / "state").write_text("a file")
    ChildProcesses(Settings(state_dir=user_home / "state"), SystemClock()).renew_state()
