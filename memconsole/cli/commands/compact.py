"""`compact`: asks for the compaction of one session."""

from __future__ import annotations

from typing import Annotated

import typer

from memconsole.cli.call import complete, perform
from memconsole.cli.call.shared import DryRunOption, YesOption, call_of
from memconsole.domain.commands.compact import Compact


def compact(
    context: typer.Context,
    *,
    key: Annotated[
        str,
        typer.Argument(metavar="KEY", help="Session to compact.", autocompletion=complete.sessions),
    ],
    instructions: Annotated[
        str | None,
        typer.Option("--instructions", metavar="TEXT", help="What the summary should heed."),
    ] = None,
    force_truncate: Annotated[
        bool,
        typer.Option("--force-truncate", help="Also where the release only cuts lines off."),
    ] = False,
    yes: YesOption = False,
    dry_run: DryRunOption = False,
) -> int:
    """Ask the Gateway to compact a session, after saving its work.

    Asks before it acts. Refused on releases that only cut lines off, unless --force-truncate.
    """
    call = call_of(context)
    view = call.engine.sessions.find(key)
    command = Compact(
        view.agent,
        view.key_text or key,
        instructions=instructions,
        is_truncation_forced=force_truncate,
        dry_run=dry_run,
    )
    return perform.through_gateway(
        call, command, "compacting", question="Compact this session?", yes=yes
    )
