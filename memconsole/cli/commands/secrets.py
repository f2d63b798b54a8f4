"""`secrets`: where secrets stand in memory files and transcripts, and never which."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memconsole.cli.call import exits
from memconsole.cli.call.call import Answer
from memconsole.cli.call.options import AgentOption, call_of
from memconsole.cli.output import wording
from memconsole.cli.output.printer import Cell, Column
from memconsole.text.figures import plural

if TYPE_CHECKING:
    from datetime import datetime

    from memconsole.cli.json.encode import Row
    from memconsole.cli.output.printer import Printer
    from memconsole.domain.memory.secrets import FoundSecret, SecretsFound


def secrets(
    context: typer.Context,
    agent: AgentOption = None,
    transcripts: Annotated[
        bool,
        typer.Option(
            "--transcripts", help="Also what was said: of every era, archived and parked."
        ),
    ] = False,
) -> int:
    """Show which lines of memory files hold secrets, masked as everywhere; changes nothing.

    Exits 1 when there are any, or when a file cannot be read. `memory forget PATH:LINE` takes a
    line of memory out, with --hard so that no copy stays. One in a file's name goes with the name.
    """
    call = call_of(context)
    home = call.engine.home.read()
    with call.busy("looking for secrets") as progress:
        found = call.engine.secrets.find(
            agent, with_transcripts=transcripts, advance=progress.advance
        )
    now = call.clock.now()
    return call.answer(
        Answer(
            "secrets",
            data=lambda: _encoded(found),
            show=lambda printer: _show(printer, found, now),
            at=now,
            warnings=found.unread,
            code=exits.FAILED if found.items or found.unread else exits.DONE,
            home=home,
        )
    )


def _encoded(found: SecretsFound) -> Row:
    return {
        "items": [_row(one) for one in found.items],
        "files": found.files,
        "transcripts": found.transcripts,
        "unread": len(found.unread),
    }


def _row(one: FoundSecret) -> Row:
    return {
        "agent": one.agent,
        "path": one.path,
        "line": one.spot.line or None,
        "kind": one.spot.kind,
        "masked": one.spot.masked,
        "modified_at": one.modified_at,
        "session_id": one.session_id,
    }


def _show(printer: Printer, found: SecretsFound, now: datetime) -> None:
    if found.items:
        columns = (
            Column("agent"),
            Column("file and line", cut="middle", least=20),
            Column("kind"),
            Column("age", right=True),
            Column("masked", cut="end", least=16),
        )
        rows: list[list[Cell | str]] = [
            [
                printer.text(one.agent),
                printer.text(f"{one.path}:{one.spot.line or 'name'}"),
                Cell(one.spot.kind, "warn"),
                wording.age(one.modified_at, now),
                printer.text(one.spot.masked),
            ]
            for one in found.items
        ]
        printer.table(columns, rows)
    printer.write(_summary(found))


def _summary(found: SecretsFound) -> str:
    where = plural(found.files, "memory file")
    if found.transcripts is not None:
        where += f" and {plural(found.transcripts, 'transcript')}"
    number = plural(len(found.items), "secret") if found.items else "no secret"
    rest = f"; {len(found.unread)} could not be read" if found.unread else ""
    return f"{number} in {where}{rest}"
