"""Commands that only look: `status`, `agents`, `sessions`, `session`, `transcript`, `runs`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memconsole.cli.call import Answer
from memconsole.cli.listing import default_view
from memconsole.cli.moments import Since, parse_since
from memconsole.cli.shared import AgentOption, SessionArgument, at_least_one, call_of

if TYPE_CHECKING:
    from memconsole.cli.call import Call
    from memconsole.cli.paper import Paper

AllOption = Annotated[
    bool, typer.Option("--all", help="Also archives, orphans and past cron runs.")
]


def status(context: typer.Context) -> int:
    """Show everything of the first screen: what is about to be lost, and whose it is."""
    return show_status(call_of(context))


def show_status(call: Call) -> int:
    """Print `status`."""
    with call.busy("reading the home"):
        snapshot = call.engine.snapshot()
        call.engine.remember_readings()
    from memconsole.cli import encode  # noqa: PLC0415

    def show(paper: Paper) -> None:
        from memconsole.cli import screen  # noqa: PLC0415  # not for machines

        screen.status(paper, snapshot, call.settings)

    return call.answer(
        Answer(
            "status",
            data=lambda: encode.status(snapshot, call.settings),
            show=show,
            at=snapshot.taken_at,
            warnings=snapshot.notices,
            left_out=snapshot.left_out,
            home=snapshot.home,
            said=frozenset(finding.message for finding in snapshot.attention),
        )
    )


def agents(context: typer.Context) -> int:
    """List the agents: configured ones, and those found on disk."""
    call = call_of(context)
    with call.busy("reading the agents"):
        snapshot = call.engine.snapshot()
        call.engine.remember_readings()
    from memconsole.cli import encode  # noqa: PLC0415

    def show(paper: Paper) -> None:
        from memconsole.cli import views  # noqa: PLC0415  # not for machines

        views.agents(paper, snapshot)

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
        call.engine.remember_readings()
    from memconsole.cli import encode  # noqa: PLC0415

    shown, left_out = default_view(snapshot, everything=all_)

    def show(paper: Paper) -> None:
        from memconsole.cli import views  # noqa: PLC0415  # not for machines

        views.sessions(paper, shown, left_out)

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


def session(context: typer.Context, key: SessionArgument) -> int:
    """Show one session in full, its transcript read from beginning to end."""
    call = call_of(context)
    with call.busy("reading the transcript"):
        detail = call.engine.session(key)
        home = call.engine.home()
    from memconsole.cli import encode  # noqa: PLC0415

    def show(paper: Paper) -> None:
        from memconsole.cli import details  # noqa: PLC0415  # not for machines

        details.session(paper, detail)

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
        view = call.engine.transcript(key, tail=tail, everything=all_)
        home = call.engine.home()
    from memconsole.cli import encode  # noqa: PLC0415

    def show(paper: Paper) -> None:
        from memconsole.cli import details  # noqa: PLC0415  # not for machines

        details.transcript(paper, view, redact=call.redact, is_everything=all_)

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


def runs(
    context: typer.Context,
    job: Annotated[str | None, typer.Option("--job", metavar="J", help="Only this job.")] = None,
    since: Since = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="At most this many.")] = 200,
) -> int:
    """List what memconsole did, newest first."""
    at_least_one("--limit", limit)
    call = call_of(context)
    now = call.clock.now()
    start = None if since is None else parse_since(since, now)
    found = call.engine.runs(limit=limit, since=start, job=job)
    from memconsole.cli import encode_outcome  # noqa: PLC0415

    def show(paper: Paper) -> None:
        from memconsole.cli import views  # noqa: PLC0415  # not for machines

        views.runs(paper, found)

    return call.answer(
        Answer(
            "runs",
            data=lambda: [encode_outcome.run(one) for one in found],
            show=show,
            at=now,
        )
    )
