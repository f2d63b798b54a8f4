"""`observe`: adds what is worth remembering to observations.md (mission §12)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memconsole.cli import complete
from memconsole.cli.shared import AgentOption, DryRunOption, call_of
from memconsole.errors import UsageError

if TYPE_CHECKING:
    from memconsole.domain.agents import AgentRef
    from memconsole.domain.commands import Observe


def observe(
    context: typer.Context,
    *,
    agent: AgentOption = None,
    session: Annotated[
        str | None,
        typer.Option(
            "--session",
            metavar="KEY",
            help="This session only.",
            autocompletion=complete.sessions,
        ),
    ] = None,
    flush: Annotated[bool, typer.Option("--flush", help="Look further back.")] = False,
    recover: Annotated[
        str | None,
        typer.Option("--recover", metavar="ID", help="The last hours of a session that has ended."),
    ] = None,
    dry_run: DryRunOption = False,
) -> int:
    """Add what is worth remembering in an agent's talks to observations.md.

    Without --agent in those of every agent. Groups and jobs are never copied into memory.
    """
    from memconsole.cli import perform  # noqa: PLC0415
    from memconsole.domain.commands import Observe  # noqa: PLC0415

    if recover is not None and (flush or session is not None):
        raise UsageError(
            "--recover stands alone: it names its session, and how far it looks back",
            hint="Leave --session and --flush out.",
        )
    call = call_of(context)

    def build(ref: AgentRef) -> Observe:
        return Observe(
            ref, session_key=session, is_flush=flush, recover_id=recover, dry_run=dry_run
        )

    name = session or recover
    if name is None:
        return perform.each_agent(call, build, agent, "observing")
    if agent is not None:
        return perform.single(call, build(call.engine.agent(agent).ref), "observing")
    from memconsole.engine.lookup import find_session  # noqa: PLC0415

    owner = find_session(call.engine.sessions(), name).agent
    return perform.single(call, build(owner), "observing")
