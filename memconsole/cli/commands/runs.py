"""`runs`: what memconsole did."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memconsole.cli.call.call import Answer
from memconsole.cli.call.shared import Since, at_least_one, call_of, parse_since
from memconsole.cli.json import outcome
from memconsole.cli.output import views
from memconsole.domain.agents import Origin  # noqa: TC001  # Typer reads the annotations

if TYPE_CHECKING:
    from memconsole.cli.output.printer import Printer


def runs(
    context: typer.Context,
    *,
    job: Annotated[str | None, typer.Option("--job", metavar="J", help="Only this job.")] = None,
    origin: Annotated[
        Origin | None,
        typer.Option("--by", help="Only what this face asked for.", show_default=False),
    ] = None,
    since: Since = None,
    all_: Annotated[
        bool, typer.Option("--all", help="Each run in a row of its own, repeated ones too.")
    ] = False,
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="At most this many.")] = 200,
) -> int:
    """List what memconsole did, newest first; what repeats itself is one row."""
    at_least_one("--limit", limit)
    call = call_of(context)
    now = call.clock.now()
    start = None if since is None else parse_since(since, now)
    found = call.engine.runs.newest(limit=limit, since=start, job=job, origin=origin)

    def show(printer: Printer) -> None:
        views.runs(printer, found, is_folded=not all_)

    return call.answer(
        Answer(
            "runs",
            data=lambda: [outcome.run(one) for one in found],
            show=show,
            at=now,
        )
    )
