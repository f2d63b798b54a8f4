"""How the commands of a fleet find their server, and how they answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memconsole.cli.call.call import Answer
from memconsole.cli.call.options import call_of
from memconsole.cli.json.outcome import told
from memconsole.cli.output.printer import Cell
from memconsole.domain.fleet.server import parse_server
from memconsole.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memconsole.cli.call.call import Call
    from memconsole.cli.json.encode import Json
    from memconsole.cli.output.printer import Printer
    from memconsole.domain.fleet.server import ServerAddress

UrlOption = Annotated[
    str | None,
    typer.Option("--url", metavar="URL", help="The fleet's PostgreSQL; else `fleet.url`."),
]


def begun(
    context: typer.Context, command: str, url: str | None, *, writes: bool = True
) -> tuple[Call, ServerAddress]:
    """Return the call and the fleet that is meant.

    Args:
        context: Of the call.
        command: Its name.
        url: As an option gave it; None for that of the settings.
        writes: Whether it changes something.

    Raises:
        UsageError: None is named, or the address cannot be used.
        ReadOnlyError: Nothing may be done.
    """
    call = call_of(context)
    if call.flags.is_demo:
        raise UsageError("a demo is in no fleet", hint="Leave --demo out.")
    named = url or call.settings.fleet.url
    if not named:
        raise UsageError(
            "no fleet is named",
            hint='Give --url, or set `url = "postgresql://…"` below [fleet] in our configuration.',
        )
    if writes:
        call.refuse_read_only(command)
    try:
        return call, parse_server(named)
    except ValueError as error:
        raise UsageError(f"the address of a fleet {error}") from None


def done(
    call: Call,
    command: str,
    message: str,
    *,
    dry_run: bool = False,
    skipped: bool = False,
    more: Sequence[str] = (),
    details: dict[str, Json] | None = None,
) -> int:
    """Answer with what was done, or would be.

    Args:
        call: The call.
        command: Its name.
        message: What was done.
        dry_run: Nothing was.
        skipped: There was nothing to do.
        more: Lines for people below it.
        details: The same for programs.
    """
    status = "planned" if dry_run else "skipped" if skipped else "done"
    outcome = told(command, status, message, details=details)

    def show(printer: Printer) -> None:
        printer.sentence(Cell(f"{status}  ", "dim" if status != "done" else "ok"), message)
        for line in more:
            printer.write(line)

    return call.answer(Answer(command, data=lambda: [outcome], show=show))
