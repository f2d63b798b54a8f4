"""Our hooks in released Gateways: what a session is told first, and what is left of an ended one.

Each runs with its own home: the hooks are installed before the Gateway starts, as it reads them
only then. memconsole is not on the Gateway's PATH.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.hooks import HOOKS
from tests.lanes.gateways.conftest import Json, Lane
from tests.lanes.gateways.gateway import Gateway, wait_until
from tests.lanes.gateways.install import commands
from tests.lanes.gateways.releases import CLAWDBOT_1, OPENCLAW_9
from tests.program import Program

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.lanes.gateways.model_server import ModelServer
    from tests.lanes.gateways.releases import Release

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
HOOK_NAMES = tuple(spec.name for spec in HOOKS)
SERVER = "memconsole-main"
LARGE = "- The shelves were counted, and nothing was missing.\n" * 1100
"""Small memories get no index."""


@contextmanager
def running(
    release: Release, home: Path, model: ModelServer, *, config: Json | None = None
) -> Iterator[Lane]:
    """Run a Gateway with our hooks in it, and the memconsole that they call."""
    gateway = Gateway(release, home, model, {**ON, **(config or {})})
    one = Lane(gateway, Program({"HOME": str(home)}))
    notes = home / "ws-main" / "memory" / "greenhouse.md"
    notes.write_text(f"# Greenhouse\n\n- {NOTE}.\n{LARGE}")
    assert one.memconsole("hooks", "install").code == 0
    assert one.memconsole("index-md", "--agent", "main").code == 0
    assert one.memconsole("reindex", "--agent", "main").code == 0
    try:
        gateway.start()
        yield one
    finally:
        one.close()
        gateway.close()


@pytest.fixture(scope="module", params=(OPENCLAW_9, CLAWDBOT_1), ids=lambda one: one.name)
def lane(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, model: ModelServer
) -> Iterator[Lane]:
    """A Gateway that shows its model every tool."""
    # Else 2026.9 hides most tools behind one that searches them.
    plain = {"tools": {"toolSearch": False}} if request.param is OPENCLAW_9 else {}
    with running(request.param, tmp_path_factory.mktemp("home"), model, config=plain) as one:
        yield one


def asked(lane: Lane) -> dict[str, Json]:
    """Return what `hooks status` says, with the platform's own program on our PATH."""
    way = {"PATH": commands(lane.gateway.release)}
    answer = lane.end(lane.begin("hooks", "status", settings=way))
    return {one["name"]: one for one in answer["data"]}


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


def test_the_platform_says_that_it_runs_the_hooks_and_calls_of_them_are_seen(lane: Lane) -> None:
    found = asked(lane)
    assert {name: found[name]["proof"] for name in HOOK_NAMES} == dict.fromkeys(
        HOOK_NAMES, "platform"
    )

    calls = {one["name"]: one for one in lane.memconsole("hooks", "status").data}
    assert calls["memory-index-inject"]["called_at"] is not None
    assert calls["memory-index-inject"]["proof"] == "call"


def test_a_model_calls_the_memory_tools_of_its_agent_and_no_other_agent_has_them(
    lane: Lane,
) -> None:
    installed = lane.memconsole("hooks", "install", "--mcp", "--agent", "main")
    if lane.gateway.release is not OPENCLAW_9:
        assert (installed.code, "2026.8" in installed.error["message"]) == (1, True)
        assert "mcp" not in json.loads(
            (lane.gateway.state / lane.gateway.release.config_name).read_text()
        )
        return
    proven = asked(lane)[SERVER]
    assert (proven["proof"], proven["called_at"]) == ("platform", None)

    words = json.dumps({"query": "greenhouse vault"})
    lane.gateway.chat(
        KEY, f"Which key was it? [call={SERVER}__memory_search {words}] [tokens=7000]"
    )

    prompts = lane.gateway.model.prompts_saying("Which key was it?")
    assert f"{SERVER}__memory_get" in prompts[0].tools
    assert NOTE in prompts[-1].results[-1]
    assert lane.memconsole("hooks", "status").row(name=SERVER)["proof"] == "call"

    lane.gateway.chat("agent:work:main", "What can you do? [tokens=2000]")
    [other] = lane.gateway.model.prompts_saying("What can you do?")
    assert [name for name in other.tools if name.startswith(SERVER)] == []

    assert lane.memconsole("hooks", "remove", "--mcp").code == 0
    assert lane.memconsole("hooks", "status").rows(name=SERVER) == []


def test_behind_the_platforms_tool_search_the_memory_tools_are_found_and_called(
    tmp_path: Path, model: ModelServer
) -> None:
    """2026.9 shows a model no tool of a server, but three that look for one and call it."""
    with running(OPENCLAW_9, tmp_path, model) as lane:
        lane.gateway.chat(KEY, "Good morning. [tokens=2000]")
        assert lane.memconsole("hooks", "install", "--mcp", "--agent", "main").code == 0
        # A run that begins before it has read its configuration anew fails.
        wait_until(lambda: "hot reload applied" in lane.gateway.said(), lane.gateway.said)

        query = json.dumps({"query": "long-term memory of this agent"})
        lane.gateway.chat(KEY, f"What remembers? [call=tool_search {query}] [tokens=3000]")
        prompts = model.prompts_saying("What remembers?")
        assert f"{SERVER}__memory_search" not in prompts[0].tools
        assert f"{SERVER}__memory_search" in prompts[-1].results[-1]

        words = {"id": f"{SERVER}__memory_search", "args": {"query": "greenhouse vault"}}
        lane.gateway.chat(KEY, f"Where is it? [call=tool_call {json.dumps(words)}] [tokens=3000]")
        assert NOTE in model.prompts_saying("Where is it?")[-1].results[-1]
        assert lane.memconsole("hooks", "status").row(name=SERVER)["proof"] == "call"
