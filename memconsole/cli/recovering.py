"""`recover`: captures talks that ended before everything in them was captured (mission §14)."""

from __future__ import annotations

import typer  # noqa: TC002 - Typer reads the annotations when it runs

from memconsole.cli.shared import AgentOption, DryRunOption, call_of


def recover(
    context: typer.Context, agent: AgentOption = None, dry_run: DryRunOption = False
) -> int:
    """Capture what was said in talks that ended before it was captured.

    Looks at the newest talks that ended, archives included; without --agent those of every agent.
    What is captured once is never captured again.
    """
    from memconsole.cli import perform  # noqa: PLC0415
    from memconsole.domain.commands import Recover  # noqa: PLC0415

    return perform.each_agent(
        call_of(context), lambda ref: Recover(ref, dry_run=dry_run), agent, "looking for lost talks"
    )
