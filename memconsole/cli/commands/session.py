"""`session` and `transcript`: one session, read from beginning to end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memconsole.cli.call import perform
from memconsole.cli.call.call import Answer
from memconsole.cli.call.shared import (
    DryRunOption,
    SessionArgument,
    YesOption,
    at_least_one,
    call_of,
)
from memconsole.cli.json import encode
from memconsole.cli.output import details
from memconsole.domain.commands.restore import Restore

if TYPE_CHECKING:
    from memconsole.cli.output.printer import Printer


def session(
    context: typer.Context,
    key: SessionArgument,
    windows: Annotated[
        bool,
        typer.Option("--windows", help="Also its earlier windows, and what of them is in memory."),
    ] = False,
) -> int:
    """Show one session in full, its transcript read from beginning to end."""
    call = call_of(context)
    with call.busy("reading the transcript"):
        detail = call.engine.sessions.detail(key, with_windows=windows)
        home = call.engine.home.read()

    def show(printer: Printer) -> None:
        details.session(printer, detail)
        if windows:
            details.windows(printer, detail)

    def data() -> encode.Row:
        more: encode.Row = {}
        if windows:
            more = {"windows": encode.windows(detail), "unattributed": detail.unattributed}
        return {**encode.session_detail(detail), **more}

    return call.answer(
        Answer(
            "session",
            data=data,
            show=show,
            at=call.clock.now(),
            warnings=detail.notices,
            left_out=encode.transcript_left_out(detail.counts),
            home=home,
        )
    )


def restore(
    context: typer.Context,
    key: SessionArgument,
    *,
    window: Annotated[
        str | None,
        typer.Option(
            "--window",
            metavar="ID",
            help="Of `session KEY --windows`; else the last that ended.",
            show_default=False,
        ),
    ] = None,
    branch: Annotated[
        bool,
        typer.Option("--branch", help="Have the Gateway make a new session of it instead."),
    ] = False,
    yes: YesOption = False,
    dry_run: DryRunOption = False,
) -> int:
    """Hand an earlier window of a session over to its next start.

    It is given that once. What was asked, decided and left open, and the last messages, stand in a
    file of the memory; `memory undo` takes it away again. The transcript stays as it is.

    With --branch the platform goes on with it in a new session beside this one: in 2026.8 and later
    of what stands before the last reset, up to its last question; in 2026.7 and 2026.8 of what
    stands before a compaction.
    """
    call = call_of(context)
    view = call.engine.sessions.find(key)
    command = Restore(view.agent, view.key_text or key, window, branch, dry_run=dry_run)
    if branch:
        return perform.through_gateway(
            call, command, "branching", question="Make a new session of this?", yes=yes
        )
    return perform.reviewed(
        call, command, "handing over", question="Hand this over to its next start?", yes=yes
    )


def transcript(
    context: typer.Context,
    key: SessionArgument,
    tail: Annotated[
        int | None, typer.Option("--tail", metavar="N", help="Only the last N messages.")
    ] = None,
    all_: Annotated[
        bool, typer.Option("--all", help="Also what is filtered or off the active path.")
    ] = False,
) -> int:
    """Print the messages of a session, oldest first."""
    at_least_one("--tail", tail)
    call = call_of(context)
    with call.busy("reading the transcript"):
        view = call.engine.sessions.transcript(key, tail=tail, everything=all_)
        home = call.engine.home.read()

    def show(printer: Printer) -> None:
        details.transcript(printer, view, redact=call.redact, is_everything=all_)

    return call.answer(
        Answer(
            "transcript",
            data=lambda: [encode.message(one) for one in view.messages],
            show=show,
            at=call.clock.now(),
            warnings=view.notices,
            left_out=encode.transcript_left_out(view.counts),
            home=home,
        )
    )
