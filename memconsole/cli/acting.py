"""Commands that act: `checkpoint` and `rotate`; `perform` does the work, loaded when needed."""

from __future__ import annotations

from typing import Annotated

import typer

from memconsole.cli import complete
from memconsole.cli.shared import AgentOption, DryRunOption, at_least_one, call_of


def checkpoint(
    context: typer.Context,
    agent: AgentOption = None,
    session: Annotated[
        str | None,
        typer.Option(
            "--session",
            metavar="KEY",
            help="This session instead of the newest eligible one.",
            autocompletion=complete.sessions,
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Also what is stale, or was just saved.")
    ] = False,
    dry_run: DryRunOption = False,
) -> int:
    """Save an agent's current work to ACTIVE_CONTEXT.md and the daily log.

    Without --agent that of every agent.
    """
    from memconsole.cli import perform  # noqa: PLC0415

    return perform.checkpoints(
        call_of(context), agent=agent, session=session, is_forced=force, dry_run=dry_run
    )


def rotate(
    context: typer.Context,
    *,
    keys: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[KEY]...",
            help="Sessions to start anew.",
            autocompletion=complete.sessions,
            show_default=False,
        ),
    ] = None,
    agent: AgentOption = None,
    threshold: Annotated[
        int | None,
        typer.Option("--threshold", metavar="N", help="Another limit in tokens."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Pass threshold, interval and breaker.")
    ] = False,
    force_active: Annotated[
        bool, typer.Option("--force-active", help="Also a session that is at work: breaks it off.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    dry_run: DryRunOption = False,
) -> int:
    """Start due sessions anew before the platform compacts them.

    Without a KEY every session that is due. Asks before it acts; --dry-run shows the plan and needs
    no Gateway.
    """
    from memconsole.cli import perform  # noqa: PLC0415

    at_least_one("--threshold", threshold)
    wish = perform.RotationWish(
        keys=tuple(keys or ()),
        agent=agent,
        threshold=threshold,
        is_forced=force,
        dry_run=dry_run,
        is_active_forced=force_active,
    )
    return perform.rotations(call_of(context), wish, yes=yes)
