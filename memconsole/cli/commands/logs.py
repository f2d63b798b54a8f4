"""`logs rotate`: logs that have grown too large."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer  # noqa: TC002  # Typer reads the annotations

from memconsole.cli.call import exits
from memconsole.cli.call.call import Answer
from memconsole.cli.call.options import DryRunOption, call_of
from memconsole.cli.json.outcome import told
from memconsole.cli.output.printer import Cell
from memconsole.cli.output.wording import STATUS_STYLES

if TYPE_CHECKING:
    from memconsole.cli.json.encode import Row
    from memconsole.cli.output.printer import Printer
    from memconsole.domain.logs import LogRotation


def rotate(context: typer.Context, dry_run: DryRunOption = False) -> int:
    """Rotate the logs of memconsole and of the platform that have reached `log_rotation.max_bytes`.

    Ours are renamed. Those of others are copied and cut to nothing, because their writers keep
    them open.
    """
    call = call_of(context)
    with call.busy("rotating logs"):
        found = call.engine.logs.rotate(dry_run=dry_run)
    failed = [one for one in found if one.status == "failed"]
    return call.answer(
        Answer(
            "logs rotate",
            data=lambda: [_row(one) for one in found],
            show=lambda printer: _show(printer, found),
            code=exits.FAILED if failed else exits.DONE,
            failures=tuple((f"{one.file.path}: {one.message}", "") for one in failed),
        )
    )


def _row(one: LogRotation) -> Row:
    """Return the outcome of the contract, with the path as its key."""
    newest = f"{one.file.path}.1"
    return told(
        "logs rotate",
        one.status,
        one.message,
        key=str(one.file.path),
        reason=one.reason,
        wrote=((Path(newest), one.moved_bytes),) if one.status == "done" else (),
        details={"bytes": one.file.size_bytes, "owner": one.file.owner.value},
    )


def _show(printer: Printer, found: tuple[LogRotation, ...]) -> None:
    if not found:
        printer.write("no log has reached the size of `log_rotation.max_bytes`")
        return
    for one in found:
        first = Cell(
            f"{one.status:<8}{printer.text(str(one.file.path))}  ", STATUS_STYLES[one.status]
        )
        printer.sentence(first, printer.text(one.message))
