"""`index-md`: writes INDEX.md, or prints it (mission §8)."""

from __future__ import annotations

from typing import Annotated

import typer

from memconsole.cli.shared import AgentOption, DryRunOption, call_of


def index_md(
    context: typer.Context,
    agent: AgentOption = None,
    force: Annotated[bool, typer.Option("--force", help="Also of a small memory.")] = False,
    show: Annotated[bool, typer.Option("--print", help="Print it instead; write nothing.")] = False,
    dry_run: DryRunOption = False,
) -> int:
    """List what an agent's memory holds in INDEX.md, where it has grown large.

    Made of memories from 50 KB on; written only when something but its time would change.
    """
    from memconsole.cli import perform  # noqa: PLC0415
    from memconsole.domain.commands import IndexMd  # noqa: PLC0415
    from memconsole.domain.outcomes import Planned  # noqa: PLC0415

    call = call_of(context)
    if show and not call.is_json:
        home = call.engine.home()
        refs = [one.ref for one in home.agents] if agent is None else [call.engine.agent(agent).ref]
        outcomes = [call.engine.run(IndexMd(ref, force, dry_run=True)) for ref in refs]
        if texts := [str(one.details["text"]) for one in outcomes if isinstance(one, Planned)]:
            call.output.lines("\n".join(texts).splitlines())
            return 0
    return perform.each_agent(
        call, lambda ref: IndexMd(ref, force, dry_run=dry_run or show), agent, "writing INDEX.md"
    )
