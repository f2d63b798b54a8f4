"""`hooks install|status|remove`: memconsole's hooks inside the platform."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

import typer

from memconsole.cli.call.call import Answer
from memconsole.cli.call.shared import DryRunOption, call_of
from memconsole.cli.json.encode import iso
from memconsole.cli.output.printer import Cell
from memconsole.cli.output.wording import age
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

_PREFIX = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")


def status(context: typer.Context, prefix: PrefixOption = "") -> int:
    """Show which hooks are installed, current and switched on, and what proves that they run.

    The platform's own program is asked where it is on PATH; else the last call seen counts.
    """
    call = call_of(context)
    with call.busy("asking the platform"):
        found = call.engine.hooks.folder.status(_checked(prefix), asks=True)
    return _answer(call, "hooks status", found)


def install(
    context: typer.Context, prefix: PrefixOption = "", dry_run: DryRunOption = False
) -> int:
    """Put the hooks into the platform home: index at the start, summary at the end, flush.

    The platform must be told to run them, and its Gateway restarted: the commands are printed.
    """
    call = call_of(context)
    wrote = call.engine.hooks.install(_checked(prefix), dry_run=dry_run)
    done = [("would write " if dry_run else "wrote ") + f"{one.path}" for one in wrote]
    return _answer(call, "hooks install", call.engine.hooks.folder.status(prefix), done)


def remove(context: typer.Context, prefix: PrefixOption = "", dry_run: DryRunOption = False) -> int:
    """Take the hooks out of the platform home; what is not ours stays."""
    call = call_of(context)
    gone = call.engine.hooks.remove(_checked(prefix), dry_run=dry_run)
    done = [("would remove " if dry_run else "removed ") + path for path in gone]
    return _answer(call, "hooks remove", call.engine.hooks.folder.status(prefix), done)


def _checked(prefix: str) -> str:
    if prefix and _PREFIX.fullmatch(prefix) is None:
        raise UsageError(
            f"--prefix {one_line(prefix)!r} is no name",
            hint="Letters, digits, hyphens and underscores; at most 40.",
        )
    return prefix


def _answer(
    call: Call, name: str, hooks: tuple[HookStatus, ...], done: list[str] | None = None
) -> int:
    return call.answer(
        Answer(
            name,
            data=lambda: [_encode(one) for one in hooks],
            show=lambda printer: _show(printer, hooks, done or []),
            at=call.clock.now(),
            home=call.engine.home.read(),
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
        printer.write(printer.text(line))
    printer.gap()
    width = max(len(one.name) for one in hooks)
    for one in hooks:
        called = "" if one.called_at is None else f"; called {age(one.called_at, printer.now)} ago"
        said = f"{one.message}{called}. {one.hint}".strip()
        printer.sentence(Cell(f"{one.state.value:<10}{one.name:<{width}}  "), printer.text(said))
