"""`summarize`: writes the summary of one session into memory (mission §9)."""

from __future__ import annotations

from typing import Annotated

import typer

from memconsole.cli import complete
from memconsole.cli.shared import DryRunOption, call_of
from memconsole.domain.plain import one_line
from memconsole.errors import UsageError

REASONS = ("manual", "new", "reset", "daily", "idle", "rotation", "recovery")


def summarize(
    context: typer.Context,
    *,
    key: Annotated[
        str,
        typer.Argument(
            metavar="KEY", help="Session to summarise.", autocompletion=complete.sessions
        ),
    ],
    session_id: Annotated[
        str | None,
        typer.Option("--session-id", metavar="ID", help="An earlier session of that key."),
    ] = None,
    reason: Annotated[
        str,
        typer.Option("--reason", metavar="REASON", help="Why: " + ", ".join(REASONS) + "."),
    ] = "manual",
    dry_run: DryRunOption = False,
) -> int:
    """Write the summary of a session into memory, once.

    A second call for the same session does nothing; groups and jobs are never copied into memory.
    """
    from memconsole.cli import perform  # noqa: PLC0415
    from memconsole.domain.commands import Summarize  # noqa: PLC0415
    from memconsole.engine.lookup import find_session  # noqa: PLC0415

    if reason not in REASONS:
        raise UsageError(
            f"--reason {one_line(reason)!r} is none that is known",
            hint=f"Known are {', '.join(REASONS)}.",
        )
    call = call_of(context)
    view = find_session(call.engine.sessions(), session_id or key)
    command = Summarize(
        view.agent,
        view.key_text or (key if session_id else None),
        session_id=session_id or (None if view.key_text == key else view.session_id),
        reason=reason,
        dry_run=dry_run,
    )
    return perform.single(call, command, "summarising")
