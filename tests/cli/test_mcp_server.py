"""`memconsole mcp` as a client of the protocol sees it, over standard input and output."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from memconsole.cli.call import options
from tests.program import Program

if TYPE_CHECKING:
    from pathlib import Path

    from mcp.client.client import Client
    from mcp.types import CallToolResult

    from tests.cli.caller import Caller

READING = ["memory_search", "memory_get"]
HEAVY = pytest.mark.xdist_group("mcp")
"""One process of the tests loads the protocol's library, not each of them."""


@pytest.fixture
def home(user_home: Path) -> Path:
    workspace = user_home / ".openclaw" / "workspace"
    (workspace / "memory").mkdir(parents=True)
    (workspace / "MEMORY.md").write_text("# Memory\n\n- The vault opens with the brass key.\n")
    (user_home / ".openclaw" / "openclaw.json").write_text("{}")
    return user_home


def client(home: Path, *words: str, **more: str) -> Client:
    from mcp import StdioServerParameters  # noqa: PLC0415 - takes a second
    from mcp.client.client import Client  # noqa: PLC0415
    from mcp.client.stdio import stdio_client  # noqa: PLC0415

    arguments = ["-m", "memconsole", *words, "mcp", "--agent", "main"]
    environment = {"HOME": str(home), "MEMCONSOLE_TRANSPORT": "none", **more}
    return Client(
        stdio_client(
            StdioServerParameters(
                command=sys.executable, args=["-P", *arguments], env=environment, cwd=home
            )
        )
    )


def said(result: CallToolResult) -> str:
    [one] = result.content
    assert one.type == "text"
    return str(one.text)


@HEAVY
async def test_a_client_finds_reads_and_is_told_what_was_refused(home: Path) -> None:
    async with client(home) as asked:
        tools = (await asked.list_tools()).tools
        assert [one.name for one in tools] == READING
        assert all(one.annotations and one.annotations.read_only_hint for one in tools)
        assert "never instructions" in (asked.instructions or "")

        found = await asked.call_tool("memory_search", {"query": "brass key"})
        answer = json.loads(said(found))
        [hit] = answer["hits"]
        assert answer["doubt"] is None
        foreign = await asked.call_tool("memory_search", {"query": "womit geht der tresor auf?"})
        assert "not to be in English" in json.loads(said(foreign))["doubt"]
        read = await asked.call_tool("memory_get", {"path": hit["path"], "from_line": 3})
        assert "brass key" in json.loads(said(read))["text"]

        refused = await asked.call_tool("memory_get", {"path": "../openclaw.json"})
        assert (refused.is_error, "leads out" in said(refused)) == (True, True)
        unknown = await asked.call_tool("memory_note", {"text": "nobody allowed this"})
        assert unknown.is_error


BROKEN = {
    '{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"a":"\\ud83d"}}': (2, -32700),
    '{"jsonrpc":"2.0","id":"x\\ud83d","method":"tools/list"}': (None, -32700),
    '{"jsonrpc":"2.0","id":true,"method":"\\udc00"}': (None, -32700),
    "no JSON": (None, -32700),
    "[" * 5000: (None, -32700),
    "[]": (None, -32600),
    '{"jsonrpc":"2.0","id":6}': (6, -32600),
}
"""Lines that are no message, and what each is answered with: its id where it has one."""


def test_a_line_that_is_no_message_is_answered(home: Path) -> None:
    words = [sys.executable, "-P", "-m", "memconsole", "mcp", "--agent", "main"]
    environment = {"HOME": str(home), "MEMCONSOLE_TRANSPORT": "none"}
    asked = ["", *BROKEN, '{"jsonrpc":"2.0","id":9,"method":"ping"}']
    with subprocess.Popen(
        words, env=environment, cwd=home, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write("".join(f"{line}\n" for line in asked).encode())
        server.stdin.flush()
        answers = [json.loads(server.stdout.readline()) for _ in range(len(asked) - 1)]
        server.stdin.close()
    codes = [(one["id"], one["error"]["code"]) for one in answers if one["id"] != 9]
    assert codes == list(BROKEN.values())


@HEAVY
async def test_a_search_without_a_number_finds_as_many_as_the_settings_say(home: Path) -> None:
    hook = home / ".openclaw" / "workspace" / "memory" / "hook.md"
    hook.write_text("The brass key hangs on its hook.\n")
    for setting, default in (("1", 1), ("50", 10)):
        async with client(home, MEMCONSOLE_SEARCH__MAX_RESULTS=setting) as asked:
            search = (await asked.list_tools()).tools[0]
            assert search.input_schema["properties"]["max_results"]["default"] == default
            found = await asked.call_tool("memory_search", {"query": "brass key"})
            assert len(json.loads(said(found))["hits"]) == min(default, 2)


@HEAVY
async def test_notes_are_offered_where_they_are_allowed(home: Path) -> None:
    own = home / "own.toml"
    own.write_text("[agents.main.mcp]\nallow_notes = true\n")
    async with client(home, "--config", str(own)) as asked:
        assert [one.name for one in (await asked.list_tools()).tools] == [*READING, "memory_note"]
        noted = await asked.call_tool("memory_note", {"text": "The lease ends in May"})
        path = json.loads(said(noted))["path"]
    assert "The lease ends in May" in (home / ".openclaw" / "workspace" / path).read_text()


@pytest.mark.parametrize("words", [("mcp", "--agent", "main"), ("hooks", "install", "--mcp")])
def test_without_its_package_one_sentence_says_so(
    words: tuple[str, ...], call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(options, "MCP_LIBRARY", "no_such_package")
    result = call.json(*words)
    assert result.code == 2
    assert "needs the package mcp" in result.error["message"]
    assert "pip install" in result.error["hint"]


def test_an_agent_that_is_not_there_is_named(home: Path) -> None:
    answer = Program({"HOME": str(home)}).json("mcp", "--agent", "nobody")
    assert (answer.code, "nobody" in answer.error["message"]) == (2, True)
