"""`session` and `transcript`: one session, read from beginning to end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memconsole.cli.call.call import Answer
from memconsole.cli.call.shared import SessionArgument, at_least_one, call_of
from memconsole.cli.json import encode
from memconsole.cli.output import details

if TYPE_CHECKING:
    from memconsole.cli.output.printer import Printer


def session(context: typer.Context, key: SessionArgument) -> int:
    """Show one session in full, its transcript read from beginning to end."""
    call = call_of(context)
    with call.busy("reading the transcript"):
        detail = call.engine.sessions.detail(key)
        home = call.engine.home.read()

    def show(printer: Printer) -> None:
        details.session(printer, detail)

    return call.answer(
        Answer(
            "session",
            data=lambda: encode.session_detail(detail),
            show=show,
            at=call.clock.now(),
            warnings=detail.notices,
            left_out=encode.transcript_left_out(detail.counts),
            home=home,
        )
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
