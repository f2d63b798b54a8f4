"""`serve` and `mcp`: the scheduler in the foreground, and memory as tools of an agent."""

from __future__ import annotations

from typing import Annotated

import typer

from memconsole.cli.call import exits
from memconsole.cli.call.options import LayerOption, call_of, require_mcp
from memconsole.compose.process import note_hook_call
from memconsole.domain.agents import Origin


def serve(context: typer.Context, layer: LayerOption = None) -> int:
    """Run the jobs in the foreground, until a signal ends it.

    The same as `memconsole --serve`. Logs to stderr, one JSON object a line. What runs all of them
    leaves the layers that other processes run.
    """
    from memconsole.cli.call.serving import serve_jobs  # noqa: PLC0415 - `--help` serves nobody

    return serve_jobs(call_of(context), layer)


def mcp(
    context: typer.Context,
    agent: Annotated[
        str, typer.Option("--agent", metavar="A", help="Whose memory.", show_default=False)
    ],
    allow_notes: Annotated[
        bool, typer.Option("--allow-notes", help="Also offer memory_note, which only appends.")
    ] = False,
) -> int:
    """Give an agent its own memory as tools, over the Model Context Protocol on stdio.

    Offers memory_search and memory_get. Started by the platform: `hooks install --mcp`.
    """
    require_mcp()
    call = call_of(context)
    call.origin = Origin.AGENT
    owner = call.engine.home.agent(agent).id
    own = call.settings.for_agent(owner)
    may_note = allow_notes or own.mcp.allow_notes

    from memconsole.cli.mcp import MemoryTools, serve  # noqa: PLC0415 - `--help` serves nobody

    def note_call() -> None:
        note_hook_call(call.settings, call.clock)

    tools = MemoryTools(
        call.engine,
        owner,
        redact=call.redact,
        on_call=note_call,
        most=own.search.max_results,
    )
    serve(tools, owner, are_notes_allowed=may_note and not call.settings.ui.read_only)
    return exits.DONE
