"""Our hooks in released Gateways: what a session is told first, and what is left of an ended one.

Each runs with its own home: the hooks are installed before the Gateway starts, as it reads them
only then.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.hooks import HOOKS
from tests.lanes.gateways.conftest import Lane
from tests.lanes.gateways.gateway import Gateway, wait_until
from tests.lanes.gateways.releases import CLAWDBOT_1, OPENCLAW_9
from tests.program import Program

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.lanes.gateways.model_server import ModelServer

pytestmark = pytest.mark.gateway_real

KEY = "agent:main:main"
DUE = 152_000
NOTE = "The vault of the greenhouse opens with the brass key"
ON = {
    "hooks": {
        "internal": {
            "enabled": True,
            "entries": {
                **{spec.name: {"enabled": True} for spec in HOOKS},
                "session-memory": {"enabled": False},  # writes a summary of its own
            },
        }
    }
}
LARGE = "- The shelves were counted, and nothing was missing.\n" * 1100
"""Small memories get no index."""


@pytest.fixture(scope="module", params=(OPENCLAW_9, CLAWDBOT_1), ids=lambda one: one.name)
def lane(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, model: ModelServer
) -> Iterator[Lane]:
    """A Gateway with our hooks in it, and the memconsole that they call."""
    home = tmp_path_factory.mktemp("home")
    gateway = Gateway(request.param, home, model, ON, programs=Path(sys.executable).parent)
    one = Lane(gateway, Program({"HOME": str(home)}))
    notes = home / "ws-main" / "memory" / "greenhouse.md"
    notes.write_text(f"# Greenhouse\n\n- {NOTE}.\n{LARGE}")
    assert one.memconsole("hooks", "install").code == 0
    assert one.memconsole("index-md", "--agent", "main").code == 0
    try:
        gateway.start()
        yield one
    finally:
        one.close()
        gateway.close()


def summaries(lane: Lane) -> list[Path]:
    """Return the summaries of sessions: dated files with a name."""
    folder = lane.gateway.home / "ws-main" / "memory"
    return sorted(path for path in folder.glob("20??-??-??-*.md"))


def test_a_session_after_a_rotation_is_told_index_and_active_context(lane: Lane) -> None:
    lane.conversation(KEY, DUE)
    rotated = lane.memconsole("rotate", KEY, "--yes")
    assert rotated.data[0]["status"] == "done"

    lane.gateway.chat(KEY, "Good morning, where were we? [tokens=3000]")

    system = lane.gateway.model.prompts_saying("where were we")[-1].system
    assert "# Memory Index" in system
    assert "greenhouse.md" in system
    assert "# Active Context" in system
    assert "inventory sync" in system


def test_new_leaves_one_summary(lane: Lane) -> None:
    before = summaries(lane)
    lane.gateway.chat(KEY, "Please count the shelves of the inventory again. [tokens=4000]")
    lane.gateway.chat(KEY, "And tell me which of them was empty last night. [tokens=5000]")

    lane.gateway.await_run(lane.gateway.send(KEY, "/new"))

    wait_until(lambda: len(summaries(lane)) > len(before), lambda: f"none: {before}")
    lane.gateway.chat(KEY, "Good evening, once more. [tokens=6000]")
    assert len(summaries(lane)) == len(before) + 1
