"""`status`, `agents`, `sessions`: what the first screen of the console shows, as plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memconsole.cli.call.call import Answer
from memconsole.cli.call.options import AgentOption, call_of
from memconsole.cli.call.status import show_status
from memconsole.cli.json import encode
from memconsole.cli.output import views

if TYPE_CHECKING:
    from memconsole.cli.output.printer import Printer


AllOption = Annotated[
    bool, typer.Option("--all", help="Also archives, orphans and past cron runs.")
]


def status(context: typer.Context) -> int:
    """Show everything of the first screen: what is about to be lost, and whose it is."""
    return show_status(call_of(context))


def agents(context: typer.Context) -> int:
    """List the agents: configured ones, and those found on disk."""
    call = call_of(context)
    with call.busy("reading the agents"):
        snapshot = call.engine.snapshot()
        call.engine.readings.remember()

    def show(printer: Printer) -> None:
        views.agents(printer, snapshot)

    return call.answer(
        Answer(
            "agents",
            data=lambda: encode.agents(snapshot),
            show=show,
            at=snapshot.taken_at,
            warnings=snapshot.notices,
            home=snapshot.home,
        )
    )


def sessions(context: typer.Context, agent: AgentOption = None, all_: AllOption = False) -> int:
    """List the sessions: how full each is, and whether it is due."""
    call = call_of(context)
    with call.busy("reading the sessions"):
        snapshot = call.engine.snapshot(with_pools=False, agent_id=agent)
        call.engine.readings.remember()

    shown, left_out = views.default_view(snapshot, everything=all_)

    def show(printer: Printer) -> None:
        views.sessions(printer, shown, left_out)

    return call.answer(
        Answer(
            "sessions",
            data=lambda: [encode.session(view) for view in shown],
            show=show,
            at=snapshot.taken_at,
            warnings=snapshot.notices,
            left_out=left_out,
            home=snapshot.home,
        )
    )
