"""`hooks install|status|remove`: memconsole's hooks and memory tools inside the platform."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

import typer

from memconsole.cli.call import exits, perform
from memconsole.cli.call.call import Answer
from memconsole.cli.call.options import AgentOption, DryRunOption, call_of, require_mcp
from memconsole.cli.json.encode import iso
from memconsole.cli.output.printer import Cell
from memconsole.cli.output.wording import ago
from memconsole.engine.home.lookup import default_agent
from memconsole.errors import UsageError
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from memconsole.cli.call.call import Call
    from memconsole.cli.json.encode import Row
    from memconsole.cli.output.printer import Printer
    from memconsole.domain.hooks import HookStatus

PrefixOption = Annotated[
    str, typer.Option("--prefix", metavar="P", help="What stands before the names of the hooks.")
]

McpOption = Annotated[
    bool, typer.Option("--mcp", help="Memory as tools of an agent (Model Context Protocol).")
]

_PREFIX = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")


def status(context: typer.Context, prefix: PrefixOption = "") -> int:
    """Show which hooks and memory tools are installed and switched on, and what proves they run.

    The platform's own program is asked where it is on PATH; else the last call seen counts.
    """
    call = call_of(context)
    hooks = call.engine.hooks
    with call.busy("asking the platform"):
        found = (*hooks.folder.status(_checked(prefix), asks=True), *hooks.tools(asks=True))
    return _answer(call, "hooks status", found)


def install(
    context: typer.Context,
    prefix: PrefixOption = "",
    *,
    mcp: McpOption = False,
    agent: AgentOption = None,
    allow_notes: Annotated[
        bool, typer.Option("--allow-notes", help="With --mcp: it may append notes.")
    ] = False,
    dry_run: DryRunOption = False,
) -> int:
    """Put the hooks into the platform home: index at the start, summary at the end, flush.

    The platform must be told to run them, and its Gateway restarted: the commands are printed. With
    --mcp it writes an agent's memory tools into the platform's configuration instead, after a copy,
    and denies them to the other agents.
    """
    call = call_of(context)
    _check_options(prefix, agent, is_mcp=mcp, others=allow_notes)
    hooks, patch = call.engine.hooks, ""
    if mcp:
        require_mcp()  # the platform would start a program that ends at once
        owner = agent or default_agent(call.engine.home.read()) or "main"
        wrote = hooks.install_tools(owner, are_notes_allowed=allow_notes, dry_run=dry_run)
        if dry_run:
            patch = hooks.patch_of_tools(owner, are_notes_allowed=allow_notes)
    else:
        wrote = hooks.install(prefix, dry_run=dry_run)
    done = [call.line(("would write " if dry_run else "wrote ") + one.path) for one in wrote]
    done += [f"  {line}" for line in perform.patch_lines(call, patch)]
    return _answer(call, "hooks install", _found(call, prefix, is_mcp=mcp), done)


def remove(
    context: typer.Context,
    prefix: PrefixOption = "",
    *,
    mcp: McpOption = False,
    agent: AgentOption = None,
    dry_run: DryRunOption = False,
) -> int:
    """Take hooks, what switches them on and memory tools out; what is not ours stays.

    With --mcp only the memory tools, of all agents or one. A configuration that is a link, and
    parts that it includes, are not changed: exit 1 names what they still have.
    """
    call = call_of(context)
    _check_options(prefix, agent, is_mcp=mcp)
    hooks = call.engine.hooks
    if mcp:
        made = hooks.remove_tools(agent, dry_run=dry_run)
    else:
        made = hooks.remove(prefix, dry_run=dry_run)
    done = [call.line(("would remove " if dry_run else "removed ") + path) for path in made.gone]
    done += [call.line(("would write " if dry_run else "wrote ") + one.path) for one in made.wrote]
    found = _found(call, prefix, is_mcp=mcp)
    return _answer(call, "hooks remove", found, done, left=made.left)


def _found(call: Call, prefix: str, *, is_mcp: bool) -> tuple[HookStatus, ...]:
    hooks = call.engine.hooks
    return (*(() if is_mcp else hooks.folder.status(prefix)), *hooks.tools())


def _check_options(prefix: str, agent: str | None, *, is_mcp: bool, others: bool = False) -> None:
    _checked(prefix)
    if (agent is not None or others) and not is_mcp:
        raise UsageError(
            "--agent and --allow-notes belong to --mcp", hint="Hooks serve all agents."
        )
    if prefix and is_mcp:
        raise UsageError("--prefix is for hooks, not for --mcp", hint="Leave one of the two out.")


def _checked(prefix: str) -> str:
    if prefix and _PREFIX.fullmatch(prefix) is None:
        raise UsageError(
            f"--prefix {one_line(prefix)!r} is no name",
            hint="Letters, digits, hyphens and underscores; at most 40.",
        )
    return prefix


def _answer(
    call: Call,
    name: str,
    hooks: tuple[HookStatus, ...],
    done: list[str] | None = None,
    *,
    left: tuple[str, ...] = (),
) -> int:
    return call.answer(
        Answer(
            name,
            data=lambda: [_encode(one) for one in hooks],
            show=lambda printer: _show(printer, hooks, [*(done or []), *map(call.line, left)]),
            home=call.engine.home.read(),
            failures=tuple((one, "Take it out there by hand.") for one in left),
            code=exits.FAILED if left else exits.DONE,
        )
    )


def _encode(one: HookStatus) -> Row:
    return {
        "name": one.name,
        "path": one.path,
        "state": one.state.value,
        "enabled": one.is_enabled,
        "message": one.message,
        "hint": one.hint or None,
        "called_at": None if one.called_at is None else iso(one.called_at),
        "proof": one.proof,
    }


def _show(printer: Printer, hooks: tuple[HookStatus, ...], done: list[str]) -> None:
    for line in done:
        printer.write(line)
    printer.gap()
    width = max((len(one.name) for one in hooks), default=0)
    for one in hooks:
        called = "" if one.called_at is None else f"; called {ago(one.called_at, printer.now)}"
        said = f"{one.message}{called}. {one.hint}".strip()
        printer.sentence(Cell(f"{one.state.value:<10}{one.name:<{width}}  "), printer.text(said))
