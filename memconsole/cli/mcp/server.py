"""Serves the tools of one agent over standard input and output: the Model Context Protocol.

The protocol is the published SDK's. What a tool refuses reaches the model as one sentence; of what
fails unexpectedly it learns nothing but the name of the tool. The SDK drops a line that is no
message, and who sent it waits for ever: it is answered here.
"""

from __future__ import annotations

import functools
import json
from typing import TYPE_CHECKING, Annotated, ParamSpec

import anyio
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp.types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError, ToolAnnotations
from pydantic import Field, ValidationError

from memconsole import __version__
from memconsole.cli.mcp.tools import ABOUT, MOST_HITS, MOST_LINES, NOTE_CHARS, MemoryTools
from memconsole.cli.output import safe
from memconsole.domain.memory.files import MARKER_TAGS
from memconsole.errors import MemconsoleError

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, Callable, Iterator

    from anyio.abc import ObjectSendStream
    from mcp.shared._stream_protocols import WriteStream

    Heard = SessionMessage | Exception
    """A message, or why a line is none."""

Asked = ParamSpec("Asked")

READS = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
APPENDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)

Query = Annotated[str, Field(description="What to look for, in any words.", max_length=2_000)]
Most = Annotated[int, Field(description="At most so many results.", ge=1, le=MOST_HITS)]
Path = Annotated[str, Field(description="A file as a hit names it.", max_length=1_000)]
First = Annotated[int, Field(description="First line, from 1.", ge=1)]
Count = Annotated[int, Field(description="How many lines.", ge=1, le=MOST_LINES)]
Note = Annotated[str, Field(description="One thing, as one line.", max_length=NOTE_CHARS)]
Kind = Annotated[str | None, Field(description=f"One of {', '.join(MARKER_TAGS)}.", max_length=20)]


def serve(tools: MemoryTools, agent_id: str, *, are_notes_allowed: bool) -> None:
    """Answer until the other side closes standard input.

    Args:
        tools: Of one agent.
        agent_id: Whose they are, for the name of the server.
        are_notes_allowed: Offer `memory_note` too.
    """
    server = MCPServer(
        f"memconsole-{agent_id}", version=__version__, instructions=ABOUT, log_level="ERROR"
    )
    for tool in _reading(tools):
        server.add_tool(_told(tool), annotations=READS, structured_output=False)
    if are_notes_allowed:
        server.add_tool(_told(_appending(tools)), annotations=APPENDS, structured_output=False)
    anyio.run(_answer, server)


async def _answer(server: MCPServer) -> None:
    async with stdio_server() as (heard, answers), anyio.create_task_group() as tasks:
        put, messages = anyio.create_memory_object_stream["Heard"](0)
        tasks.start_soon(_relay, heard, put, answers)
        handler = server._lowlevel_server  # its own way to a stream drops what is no message
        await handler.run(messages, answers, handler.create_initialization_options())
        tasks.cancel_scope.cancel()


async def _relay(
    heard: AsyncIterable[Heard], put: ObjectSendStream[Heard], answers: WriteStream[SessionMessage]
) -> None:
    """Hand messages on; what is none is refused."""
    async with put:
        async for one in heard:
            if not isinstance(one, Exception):
                await put.send(one)
            elif (refused := refusal(one)) is not None:
                await answers.send(SessionMessage(refused))


def refusal(why: Exception) -> JSONRPCError | None:
    """Return the answer to a line that is no message; None where it is empty.

    Args:
        why: What the SDK says of the line.
    """
    first = why.errors()[0] if isinstance(why, ValidationError) else None
    line = None if first is None else first["input"]
    code, message = INVALID_REQUEST, "this is no message of JSON-RPC 2.0"
    if first is not None and first["type"] == "json_invalid":
        if not str(line).strip():
            return None
        code, message = PARSE_ERROR, f"this line is no JSON: {first['ctx']['error']}"
        try:
            line = json.loads(str(line))  # more forgiving: half a pair of surrogates is read
        except (ValueError, RecursionError):
            line = None
    asked = line.get("id") if isinstance(line, dict) else None
    is_name = (isinstance(asked, str) and asked.isprintable()) or type(asked) is int
    reason = ErrorData(code=code, message=message)
    return JSONRPCError(jsonrpc="2.0", id=asked if is_name else None, error=reason)


def _reading(tools: MemoryTools) -> Iterator[Callable[..., str]]:
    def memory_search(query: Query, max_results: Most = 6) -> str:
        """Search this agent's memory notes by meaning and by words."""
        return tools.search(query, max_results)

    def memory_get(path: Path, from_line: First = 1, lines: Count = MOST_LINES) -> str:
        """Read lines of one of this agent's memory files."""
        return tools.get(path, from_line, lines)

    yield from (memory_search, memory_get)


def _appending(tools: MemoryTools) -> Callable[..., str]:
    def memory_note(text: Note, kind: Kind = None) -> str:
        """Append one note to today's memory log; nothing that stands there is changed."""
        return tools.note(text, kind)

    return memory_note


def _told(tool: Callable[Asked, str]) -> Callable[Asked, str]:
    """Let a model read why a tool refused."""

    @functools.wraps(tool)
    def answer(*args: Asked.args, **kwargs: Asked.kwargs) -> str:
        try:
            return tool(*args, **kwargs)
        except MemconsoleError as error:
            raise ToolError(safe.line(str(error))) from None

    return answer
