"""`memory show`, `add`, `forget`, `edit` and `undo`: entries of memory files."""

from __future__ import annotations

import errno
import os
import shlex
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memconsole.cli.call import perform
from memconsole.cli.call.call import Answer
from memconsole.cli.call.options import (
    AgentOption,
    DryRunOption,
    YesOption,
    call_of,
    parse_span,
    tag_of,
)
from memconsole.cli.commands import memory
from memconsole.cli.json import memory as encode
from memconsole.domain.commands.memory import (
    MEMORY_FORGET,
    Forgotten,
    Layer,
    MemoryAdd,
    MemoryForget,
    MemoryTidy,
    MemoryUndo,
)
from memconsole.domain.commands.reindex import Reindex, Reindexed
from memconsole.domain.search.indexing import IndexState
from memconsole.errors import MemconsoleError, UsageError
from memconsole.system.launch import find_program
from memconsole.text.figures import plural

if TYPE_CHECKING:
    from memconsole.cli.call.call import Call
    from memconsole.cli.output.printer import Printer
    from memconsole.domain.agents import AgentRef, Home
    from memconsole.domain.commands.outcomes import Outcome


def show(
    context: typer.Context,
    file: Annotated[
        str | None,
        typer.Argument(metavar="[FILE]", help="Show the entries of this file.", show_default=False),
    ] = None,
    agent: AgentOption = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Show the entries of every file.", show_default=False)
    ] = False,
) -> int:
    """List the files of an agent's memory, or their entries with ids.

    Without --agent the memory of main, else of the first agent. Ids name entries in
    `memory forget`; they stay the same when lines move.
    """
    call = call_of(context)
    home = call.engine.home.read()
    owner = perform.meant(home, agent)
    if file is None and not everything:
        return _files(call, home, owner)
    with call.busy("reading the memory files"):
        found = call.engine.memory.entries(owner, file)

    def show_entries(printer: Printer) -> None:
        memory.entries(printer, found)

    return call.answer(
        Answer(
            "memory show",
            data=lambda: [encode.entry(one) for one in found],
            show=show_entries,
            home=home,
        )
    )


def _files(call: Call, home: Home, owner: str) -> int:
    with call.busy("reading the memory folder"):
        [pool] = call.engine.memory.pools(owner)

    def show_files(printer: Printer) -> None:
        memory.files(printer, pool)

    return call.answer(
        Answer(
            "memory show",
            data=lambda: [encode.file(owner, one) for one in pool.items],
            show=show_files,
            warnings=memory.notices((pool,)),
            home=home,
        )
    )


def edit(
    context: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="Such as MEMORY.md.")],
    agent: AgentOption = None,
    dry_run: DryRunOption = False,
) -> int:
    """Open a file of an agent's memory in $VISUAL or $EDITOR, then index what changed."""
    call = call_of(context)
    call.refuse_read_only("memory edit", dry_run=dry_run)
    home = call.engine.home.read()
    owner = perform.meant(home, agent)
    path = _path(call, owner, file)
    editor = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi")
    before = call.engine.memory.text(owner, path)  # what cannot be read is not opened either
    if dry_run:
        return _message(call, home, owner, path, f"would open {path} in {editor[0]}")
    if call.is_json or not call.output.can_ask:
        raise UsageError(
            "memory edit needs a terminal", hint="Use `memory add` or `memory forget`."
        )
    whole = call.engine.home.agent(owner).workspace / path
    code = _edited(editor, whole)
    if call.engine.memory.text(owner, path) == before:
        end = f"; the editor ended with {code}" if code else ""
        return _message(call, home, owner, path, f"{path} is as it was{end}", code=min(code, 1))
    return _message(call, home, owner, path, f"{path} was changed{_indexed(call, owner)}")


def _edited(editor: list[str], file: Path) -> int:
    """Let the operator edit a file; return the code that the editor ended with.

    Raises:
        UsageError: The editor cannot be started.
    """
    program = editor[0] if "/" in editor[0] else find_program(editor[0])
    try:
        if program is None:
            raise FileNotFoundError(errno.ENOENT, "no such program on PATH")
        # It stays in the operator's folder, for what they open beside the file.
        return subprocess.run([program, *editor[1:], str(file)], cwd=None, check=False).returncode
    except OSError as error:
        reason = error.strerror or "no reason given"
        raise UsageError(
            f"the editor {editor[0]} cannot be started: {reason.lower()}",
            hint="Name another one in VISUAL or EDITOR.",
        ) from error


def _path(call: Call, owner: str, file: str) -> str:
    """Return the file to edit; one that does not exist may be made where memory is read.

    Raises:
        UsageError: No memory is kept there.
        WorkspaceError: It lies outside the workspace, or is no ordinary file.
    """
    try:
        return call.engine.memory.path(owner, file)
    except UsageError:
        path = Path(file)
        is_memory = file in ("MEMORY.md", "USER.md") or path.parts[:1] == ("memory",)
        if not is_memory or path.suffix.casefold() != ".md" or ".." in path.parts:
            raise
    call.engine.memory.text(owner, file)
    return file


def _indexed(call: Call, owner: str) -> str:

    states = call.engine.search.indexes(owner).values()
    if all(one.state is IndexState.MISSING for one in states):
        return ""
    outcome = call.engine.run(Reindex(call.engine.home.agent(owner).ref))
    return "; " + ("it is indexed" if isinstance(outcome, Reindexed) else outcome.message)


def _message(call: Call, home: Home, owner: str, path: str, message: str, *, code: int = 0) -> int:
    return call.answer(
        Answer(
            "memory edit",
            data=lambda: {"agent": owner, "path": path, "message": message},
            show=lambda printer: printer.write(printer.text(message)),
            code=code,
            home=home,
        )
    )


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
    layer = _layer(daily=daily, user=user, long=long)
    if daily and section is not None:
        raise UsageError("--section and --daily exclude each other", hint="A log has no sections.")
    call = call_of(context)
    said = " ".join(text)
    if said == "-":
        said = sys.stdin.read(_MOST_CHARS)
    command = MemoryAdd(
        perform.owner(call, agent),
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
        typer.Argument(
            metavar="ID...",
            help="Ids as `memory show` lists them, or beginnings; or PATH:LINE, as `secrets` does.",
        ),
    ],
    agent: AgentOption = None,
    hard: Annotated[
        bool, typer.Option("--hard", help="Leave no copy in archives, backups or the index.")
    ] = False,
    yes: YesOption = False,
    dry_run: DryRunOption = False,
) -> int:
    """Take entries out of an agent's memory, after showing them and asking.

    They go to memory/archive/forgotten-YYYY-MM.md, and `memory undo` brings them back. With --hard
    no copy stays in what memconsole keeps or has packed, and nothing can be undone; transcripts and
    index of the platform itself are not touched.
    """
    call = call_of(context)
    call.refuse_read_only(MEMORY_FORGET.name, dry_run=dry_run)
    owner = perform.meant(call.engine.home.read(), agent)
    named = call.engine.memory.ids_of(owner, ids)

    def build(ref: AgentRef) -> MemoryForget:
        return MemoryForget(ref, named, is_hard=hard, dry_run=dry_run)

    if dry_run:
        return perform.each_agent(call, build, owner, "looking for entries")
    question = "Forget this for good?" if hard else "Forget this?"
    is_copied = hard and call.settings.fleet.publishes_text
    settle = partial(_with_the_copy, call) if is_copied else list
    return perform.each_agent_asked(
        call, build, owner, "forgetting", question=question, yes=yes, settle=settle
    )


def _with_the_copy(call: Call, outcomes: list[Outcome]) -> list[Outcome]:
    """Delete what was forgotten for good from the fleet's copy too, and say how that went."""
    if not any(isinstance(one, Forgotten) for one in outcomes):
        return outcomes
    from memconsole.compose.fleet_server import erase_published  # noqa: PLC0415 - few publish

    try:
        gone = erase_published(call.settings, call.engine.search.outgoing())
        state, said = "deleted", f"fleet copy: deleted ({plural(gone, 'chunk')})"
    except MemconsoleError as error:
        state = "pending"
        said = f"fleet copy: pending, `--serve` deletes it before it publishes anything ({error})"
    return [
        replace(one, message=f"{one.message}; {said}", details={**one.details, "fleet_copy": state})
        if isinstance(one, Forgotten)
        else one
        for one in outcomes
    ]


def undo(context: typer.Context, agent: AgentOption = None, dry_run: DryRunOption = False) -> int:
    """Take back the last add, forget or reflect of an agent's memory that was not taken back yet.

    Once more takes back the one before. What others wrote since stays.
    """
    call = call_of(context)
    owner = perform.owner(call, agent)
    return perform.single(call, MemoryUndo(owner, dry_run=dry_run), "taking it back")


def tidy(
    context: typer.Context,
    agent: AgentOption = None,
    older_than: Annotated[
        str, typer.Option("--older-than", metavar="D", help="Only notes of days before that.")
    ] = "30d",
    dry_run: DryRunOption = False,
) -> int:
    """Remove an agent's daily notes that hold nothing but a heading, or nothing at all.

    A note is as old as the day in its name. What goes is in memory/archive/tidied-YYYY-MM.md, and
    `memory undo` puts it back.
    """
    span = parse_span("--older-than", older_than)
    call = call_of(context)
    owner = perform.owner(call, agent)
    return perform.single(call, MemoryTidy(owner, span, dry_run=dry_run), "looking for empty notes")


def _layer(*, daily: bool, user: bool, long: bool) -> Layer:

    if daily + user + long > 1:
        raise UsageError("--daily, --user and --long exclude each other", hint="Give one of them.")
    if daily:
        return Layer.DAILY
    return Layer.USER if user else Layer.LONG
