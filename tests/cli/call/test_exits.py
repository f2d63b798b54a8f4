from __future__ import annotations

import pytest

from memconsole.cli.call.exits import exit_of, exit_of_outcomes
from memconsole.domain.agents import AgentRef, HomeRef
from memconsole.domain.commands.checkpoint import Checkpoint, Checkpointed
from memconsole.domain.commands.outcomes import Failed, Planned, Skipped, SkipReason
from memconsole.errors import (
    ConfigError,
    ConfirmationError,
    GatewayUnavailableError,
    HomeNotFoundError,
    HomeUnreadableError,
    MemconsoleError,
    ReadOnlyError,
    SessionNotFoundError,
    StateError,
    StateNewerError,
    StoreError,
    UnknownAgentError,
    UsageError,
    WorkspaceError,
)

COMMAND = Checkpoint(AgentRef(HomeRef("/home/operator/.openclaw"), "main"))
DONE = Checkpointed(COMMAND, "saved", session_id="id", is_logged=True)
PLANNED = Planned(COMMAND, "would save")
SKIPPED = Skipped(COMMAND, SkipReason.LOCKED, "in use")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (MemconsoleError("x"), 1),
        (StoreError("x"), 1),
        (WorkspaceError("x"), 1),
        (ReadOnlyError("checkpoint"), 1),
        (UsageError("x"), 2),
        (ConfirmationError("rotate", is_declined=True), 2),
        (UnknownAgentError("x", ()), 2),
        (SessionNotFoundError("x"), 2),
        (ConfigError("x"), 2),
        (StateError("x"), 1),
        (StateNewerError("x"), 2),
        (HomeNotFoundError("/x"), 3),
        (HomeUnreadableError("/x", "denied"), 3),
        (GatewayUnavailableError("x"), 3),
    ],
)
def test_each_failure_has_its_exit_code(error: MemconsoleError, code: int) -> None:
    assert exit_of(error) == code
    assert exit_of_outcomes([Failed(COMMAND, error.code, str(error))]) == code


def test_a_batch_exits_with_its_worst_outcome() -> None:
    assert exit_of_outcomes([]) == 0
    assert exit_of_outcomes([DONE, PLANNED, SKIPPED]) == 0
    assert exit_of_outcomes([DONE, Failed(COMMAND, "workspace", "full"), SKIPPED]) == 1
    assert exit_of_outcomes([Failed(COMMAND, "gateway-unavailable", "x"), DONE]) == 3
