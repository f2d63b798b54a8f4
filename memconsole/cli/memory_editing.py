"""`memory add`, `memory forget` and `memory undo` (mission §19)."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from memconsole.cli.memory_showing import meant
from memconsole.cli.shared import AgentOption, DryRunOption, call_of, tag_of
from memconsole.errors import ReadOnlyError, UsageError

if TYPE_CHECKING:
    from memconsole.domain.agents import AgentRef
    from memconsole.domain.commands import Layer, MemoryForget

_MOST_CHARS = 100_000

Daily = Annotated[bool, typer.Option("--daily", help="Into the log of today.", show_default=False)]
User = Annotated[
    bool, typer.Option("--user", help="Into USER.md: about the user.", show_default=False)
]
Long = Annotated[
    bool, typer.Option("--long", help="Into MEMORY.md, the default.", show_default=False)
]
TypeOption = Annotated[
    str | None, typer.Option("--type", metavar="T", help="Marker, such as DECISION or todo.")
]
Section = Annotated[
    str | None,
    typer.Option("--section", metavar="S", help="Heading it goes under; Notes by default."),
]


def add(
    context: typer.Context,
    *,
    text: Annotated[
        list[str],
        typer.Argument(metavar="TEXT", help="What to remember; - reads standard input."),
    ],
    daily: Daily = False,
    user: User = False,
    long: Long = False,
    type_: TypeOption = None,
    section: Section = None,
    agent: AgentOption = None,
    force: Annotated[bool, typer.Option("--force", help="Also what stands there already.")] = False,
    dry_run: DryRunOption = False,
) -> int:
    """Write one thing into an agent's memory, unless it stands there already.

    What to remember for now belongs into the daily log (--daily), a preference into USER.md
    (--user), a durable fact or decision into MEMORY.md; lessons about tools go into AGENTS.md or
    TOOLS.md by hand. `memory undo` takes it back.
    """
    from memconsole.cli import perform  # noqa: PLC0415
    from memconsole.domain.commands import MemoryAdd  # noqa: PLC0415

    layer = _layer(daily=daily, user=user, long=long)
    if daily and section is not None:
        raise UsageError("--section and --daily exclude each other", hint="A log has no sections.")
    call = call_of(context)
    said = " ".join(text)
    if said == "-":
        said = sys.stdin.read(_MOST_CHARS)
    command = MemoryAdd(
        call.engine.agent(meant(call.engine.home(), agent)).ref,
        said,
        layer,
        None if type_ is None else tag_of(type_, call.settings.markers.extra),
        "Notes" if section is None else section,
        is_forced=force,
        dry_run=dry_run,
    )
    return perform.single(call, command, "writing it down")


def forget(
    context: typer.Context,
    *,
    ids: Annotated[
        list[str],
        typer.Argument(metavar="ID...", help="Ids as `memory show` lists them, or beginnings."),
    ],
    agent: AgentOption = None,
    hard: Annotated[
        bool, typer.Option("--hard", help="Leave no copy in archives, backups or the index.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    dry_run: DryRunOption = False,
) -> int:
    """Take entries out of an agent's memory, after showing them and asking.

    They go to memory/archive/forgotten-YYYY-MM.md, and `memory undo` brings them back. With --hard
    no copy stays in what memconsole keeps, and nothing can be undone; talks that the platform
    keeps are not touched.
    """
    from memconsole.cli import perform  # noqa: PLC0415
    from memconsole.domain.commands import MemoryForget  # noqa: PLC0415

    call = call_of(context)
    if call.settings.ui.read_only and not dry_run:
        raise ReadOnlyError("memory forget")
    owner = meant(call.engine.home(), agent)

    def build(ref: AgentRef) -> MemoryForget:
        return MemoryForget(ref, tuple(ids), is_hard=hard, dry_run=dry_run)

    if dry_run:
        return perform.each_agent(call, build, owner, "looking for entries")
    question = "Forget this for good?" if hard else "Forget this?"
    return perform.each_agent_asked(call, build, owner, "forgetting", question=question, yes=yes)


def undo(context: typer.Context, agent: AgentOption = None, dry_run: DryRunOption = False) -> int:
    """Take back the last add, forget or reflect of an agent's memory that was not taken back yet.

    Once more takes back the one before. What others wrote since stays.
    """
    from memconsole.cli import perform  # noqa: PLC0415
    from memconsole.domain.commands import MemoryUndo  # noqa: PLC0415

    call = call_of(context)
    owner = call.engine.agent(meant(call.engine.home(), agent)).ref
    return perform.single(call, MemoryUndo(owner, dry_run), "taking it back")


def _layer(*, daily: bool, user: bool, long: bool) -> Layer:
    from memconsole.domain.commands import Layer  # noqa: PLC0415

    if daily + user + long > 1:
        raise UsageError("--daily, --user and --long exclude each other", hint="Give one of them.")
    if daily:
        return Layer.DAILY
    return Layer.USER if user else Layer.LONG
