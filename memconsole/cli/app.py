"""The Typer application, and what happens without a command."""

from __future__ import annotations

from typing import Annotated

import typer

from memconsole.cli.lazy import HELP_NAMES, PROGRAM, Program
from memconsole.cli.shared import call_of
from memconsole.errors import UsageError

app = typer.Typer(
    name=PROGRAM,
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


@app.callback()
def start(
    context: typer.Context,
    serve: Annotated[
        bool, typer.Option("--serve", help="Run the jobs in the foreground, without a console.")
    ] = False,
    version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
) -> int:
    """Without a command open the console; where none can be, print `status`."""
    if context.invoked_subcommand is not None and not version:
        if serve:
            raise UsageError("--serve takes no command", hint="Leave one of the two out.")
        return 0
    from memconsole.cli import front  # noqa: PLC0415

    call = call_of(context)
    if serve and not version:
        from memconsole.cli.serving import serve_jobs  # noqa: PLC0415

        return serve_jobs(call)
    return front.version(call) if version else front.front(call)
