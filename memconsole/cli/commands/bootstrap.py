"""`bootstrap`: what a starting session is given of its memory."""

from __future__ import annotations

import os
import subprocess
from contextlib import suppress
from pathlib import Path  # noqa: TC003  # Typer reads the annotations
from typing import TYPE_CHECKING, Annotated

import typer

from memconsole.cli.call.call import Answer
from memconsole.cli.call.options import DryRunOption, call_of
from memconsole.cli.output import safe
from memconsole.cli.output.printer import Cell, Column
from memconsole.domain.agents import Notice
from memconsole.domain.settings import WRONG_SETTINGS
from memconsole.errors import ConfigError
from memconsole.system import launch
from memconsole.text.figures import short_kilo

if TYPE_CHECKING:
    from memconsole.cli.json.encode import Row
    from memconsole.cli.output.printer import Printer
    from memconsole.domain.bootstrap import Bootstrap, WeighedLine
    from memconsole.domain.settings import Settings

_RECOVERY_S = 0.5
"""How long a session waits for words that ended uncaptured; longer goes on in the background."""


def bootstrap(
    context: typer.Context,
    *,
    show: Annotated[
        bool,
        typer.Option("--print", help="What to read at the start where no hook gives it."),
    ] = False,
    workspace: Annotated[
        Path | None,
        typer.Option("--workspace", metavar="W", help="Whose memory.", show_default=False),
    ] = None,
    session_key: Annotated[
        str | None,
        typer.Option("--session-key", metavar="K", help="Session that starts."),
    ] = None,
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Say which observations are given, and why not the others."),
    ] = False,
    dry_run: DryRunOption = False,
) -> int:
    """Show what a starting session is given: index, active context, observations.

    Main and direct sessions are given their memory, groups and jobs nothing.
    """
    call = call_of(context)
    may_write = not (dry_run or call.settings.ui.read_only)
    is_start = session_key is not None and call.is_json
    if is_start and may_write and call.settings.is_on(lambda one: one.recovery.is_enabled):
        _recover(call.settings, call.engine.home.read().path)
    if workspace is not None:
        workspace = launch.absolute(workspace)
    service = call.engine.bootstrap
    found = (
        service.to_read(workspace=workspace, session_key=session_key)
        if show
        else service.given(
            workspace=workspace, session_key=session_key, is_start=is_start and may_write
        )
    )
    return call.answer(
        Answer(
            "bootstrap",
            data=lambda: {**encode(found), **(_explained(found) if explain else {})},
            show=lambda to: _explain(to, found) if explain else _show(to, found, call.redact),
            warnings=_doubts(call.settings),
            home=call.engine.home.read(),
        )
    )


def _doubts(settings: Settings) -> tuple[Notice, ...]:
    """Say where our section about starts is wrong: a session is given its memory all the same."""
    try:
        _ = settings.bootstrap.max_chars
    except ConfigError as error:
        return (Notice(WRONG_SETTINGS, f"{error}; its defaults hold"),)
    return ()


def encode(found: Bootstrap) -> Row:
    """Return what a session is given as the object of the contract."""
    return {
        "session_class": found.session_class.value,
        "files": [
            {
                "name": one.name,
                "path": one.path,
                "content": one.content,
                "missing": False,
                "once": one.is_given_once,
            }
            for one in found.files
        ],
        "chars": found.chars,
        "left_out": list(found.left_out),
    }


def _explained(found: Bootstrap) -> Row:
    """Return how the observations were chosen, and what other limits would do."""
    weighing = found.weighing
    return {
        "choice": [
            {
                "text": one.text,
                "day": None if one.day is None else one.day.isoformat(),
                "value": None if one.value is None else round(one.value, 4),
                "why": one.why.value,
                "taken": one.is_taken,
            }
            for one in (() if weighing is None else weighing.lines())
        ],
        "limits": [
            {
                "max_chars": one.max_chars,
                "given": one.given,
                "left_out": one.left_out,
                "chars": one.chars,
            }
            for one in (() if weighing is None else weighing.outlook())
        ],
    }


def _explain(printer: Printer, found: Bootstrap) -> None:
    files = [(one.name, len(one.content), one.whole_chars) for one in found.files]
    printer.table(
        (Column("file"), Column("given", right=True), Column("whole", right=True)),
        [(name, f"{given:,}", f"{whole or given:,}") for name, given, whole in files],
    )
    for reason in found.left_out:
        printer.write(printer.text(reason))
    weighing = found.weighing
    if weighing is None:
        return
    printer.gap()
    numbers = ("limit of a file", "given", "left out", "characters")
    printer.table(
        tuple(Column(name, right=True) for name in numbers),
        [
            (f"{one.max_chars:,}", f"{one.given:,}", f"{one.left_out:,}", f"{one.chars:,}")
            for one in weighing.outlook()
        ],
    )
    printer.gap()
    printer.table(
        (
            Column(""),
            Column("value", right=True),
            Column("day"),
            Column("characters", right=True),
            Column("why"),
            Column("observation"),
        ),
        [_line(printer, one) for one in weighing.lines()],
    )


def _line(printer: Printer, one: WeighedLine) -> tuple[Cell | str, ...]:
    style = "" if one.is_taken else "dim"
    return (
        Cell("given" if one.is_taken else "left out", style),
        "" if one.value is None else f"{one.value:.3f}",
        "?" if one.day is None else one.day.isoformat(),
        f"{len(one.text):,}",
        one.why.value,
        Cell(printer.text(one.text), style),
    )


def _show(printer: Printer, found: Bootstrap, redact: bool) -> None:
    for one in found.files:
        once = ", given once, to the next start" if one.is_given_once else ""
        printer.title(one.name, f"{short_kilo(len(one.content))} characters{once}, {one.path}")
        for line in safe.block(one.content, redact=redact).splitlines():
            printer.write(line)
    printer.gap()
    for reason in found.left_out:
        printer.write(printer.text(reason))


def _recover(settings: Settings, home: Path) -> None:
    """Capture what ended uncaptured first, in a process that goes on when it takes longer.

    The job leaves out the agents that do not want it; without one the command is the same.
    """
    state_dir = settings.state_dir
    words = ("once", "recovery") if settings.agents else ("recover",)
    environ = launch.environment({**os.environ, "MEMCONSOLE_STATE__DIR": str(state_dir)})
    with suppress(OSError, subprocess.TimeoutExpired):
        subprocess.Popen(
            launch.own_module("memconsole", "--home", str(home), *words),
            env=environ,
            cwd=launch.FOLDER,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        ).wait(_RECOVERY_S)
