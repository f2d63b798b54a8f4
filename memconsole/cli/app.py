"""The Typer application: its commands by name, and what happens without one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memconsole.cli import acting, configuring, memory, reading
from memconsole.cli.options import Command, Program
from memconsole.cli.shared import HELP_NAMES, call_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

app = typer.Typer(
    name="memconsole",
    cls=Program,
    help="Keeps the memory of OpenClaw agents: shows how full their sessions are, saves what they "
    "work on, and starts them anew in time. Without a command it opens the console.",
    epilog="Every option is also a configuration key and an environment variable; "
    "`memconsole config show` lists them with their values.",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings=HELP_NAMES,
)
memory_app = typer.Typer(
    help="Look into the memory folders of the agents.",
    rich_markup_mode=None,
    context_settings=HELP_NAMES,
)
config_app = typer.Typer(
    help="Show or start memconsole's own configuration.",
    rich_markup_mode=None,
    context_settings=HELP_NAMES,
)


@app.callback()
def start(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
) -> int:
    """Without a command open the console; where none can be, print `status`."""
    call = call_of(context)
    if version:
        return reading.version(call)
    return 0 if context.invoked_subcommand is not None else reading.front(call)


def _add(group: typer.Typer, commands: Mapping[str, Callable[..., int]]) -> None:
    for name, function in commands.items():
        group.command(name, cls=Command, context_settings=HELP_NAMES)(function)


_add(
    app,
    {
        "status": reading.status,
        "agents": reading.agents,
        "sessions": reading.sessions,
        "session": reading.session,
        "transcript": reading.transcript,
        "markers": memory.markers,
        "checkpoint": acting.checkpoint,
        "rotate": acting.rotate,
        "runs": reading.runs,
    },
)
_add(memory_app, {"pool": memory.pool})
_add(
    config_app,
    {"show": configuring.show, "path": configuring.path, "init": configuring.init},
)
app.add_typer(memory_app, name="memory")
app.add_typer(config_app, name="config")
