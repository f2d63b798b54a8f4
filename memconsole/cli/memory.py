"""Commands about memory folders: `memory pool` and `markers`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memconsole.cli.call import Answer
from memconsole.cli.shared import AgentOption, call_of, tag_of

if TYPE_CHECKING:
    from memconsole.cli.paper import Paper
    from memconsole.domain.agents import Notice
    from memconsole.domain.memory import Pool


def pool(context: typer.Context, agent: AgentOption = None) -> int:
    """Show each workspace's memory: files, sizes, estimated tokens, markers, warnings."""
    call = call_of(context)
    with call.busy("reading the memory folders"):
        home = call.engine.home()
        pools = call.engine.pools(agent)
    from memconsole.cli import encode_memory  # noqa: PLC0415

    asked = None if agent is None else agent.strip().lower()

    def show(paper: Paper) -> None:
        from memconsole.cli import pools as views  # noqa: PLC0415  # not for machines

        views.pools(paper, pools)

    return call.answer(
        Answer(
            "memory pool",
            data=lambda: [encode_memory.pool(one, asked) for one in pools],
            show=show,
            at=call.clock.now(),
            warnings=_notices(pools),
            home=home,
            said=frozenset(one.message for one in _notices(pools)),
        )
    )


def markers(
    context: typer.Context,
    tag: Annotated[
        str | None,
        typer.Argument(
            metavar="[TYPE]", help="Only this tag, such as DECISION or todo.", show_default=False
        ),
    ] = None,
    agent: AgentOption = None,
) -> int:
    """List the marked lines of the memory folders: decisions, gotchas, todos and the others."""
    call = call_of(context)
    wanted = None if tag is None else tag_of(tag, call.settings.markers.extra)
    with call.busy("reading the memory folders"):
        found = [
            (owner, one)
            for owner, one in call.engine.markers(agent)
            if wanted is None or one.tag == wanted
        ]
    from memconsole.cli import encode_memory  # noqa: PLC0415

    def show(paper: Paper) -> None:
        from memconsole.cli import pools as views  # noqa: PLC0415  # not for machines

        views.markers(paper, found)

    return call.answer(
        Answer(
            "markers",
            data=lambda: [encode_memory.marker(owner, one) for owner, one in found],
            show=show,
            at=call.clock.now(),
        )
    )


def _notices(pools: tuple[Pool, ...]) -> tuple[Notice, ...]:
    return tuple(dict.fromkeys(notice for one in pools for notice in one.notices))
