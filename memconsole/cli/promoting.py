"""`memory promote` and `memory decline`: what becomes of notes that are proposed (mission §20)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memconsole.cli.memory_showing import meant
from memconsole.cli.shared import AgentOption, DryRunOption, call_of

if TYPE_CHECKING:
    from memconsole.domain.agents import AgentRef

Ids = Annotated[
    list[str],
    typer.Argument(metavar="ID...", help="Ids as `consolidate` lists them, or beginnings."),
]


def promote(
    context: typer.Context, ids: Ids, agent: AgentOption = None, dry_run: DryRunOption = False
) -> int:
    """Write daily notes that searches found again into MEMORY.md, each that you name.

    They stay in their logs. A note that was changed since it was shown has another id and is
    refused; `memory undo` takes back what was written.
    """
    from memconsole.cli import perform  # noqa: PLC0415
    from memconsole.domain.consolidation_commands import Promote  # noqa: PLC0415

    command = Promote(_owner(context, agent), tuple(ids), dry_run)
    return perform.single(call_of(context), command, "writing it down")


def decline(
    context: typer.Context, ids: Ids, agent: AgentOption = None, dry_run: DryRunOption = False
) -> int:
    """Propose daily notes for MEMORY.md no more; they stay in their logs.

    `memory promote` still takes them.
    """
    from memconsole.cli import perform  # noqa: PLC0415
    from memconsole.domain.consolidation_commands import Decline  # noqa: PLC0415

    command = Decline(_owner(context, agent), tuple(ids), dry_run)
    return perform.single(call_of(context), command, "remembering it")


def _owner(context: typer.Context, agent: str | None) -> AgentRef:
    call = call_of(context)
    return call.engine.agent(meant(call.engine.home(), agent)).ref
