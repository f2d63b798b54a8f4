"""`cleanup`: old files beside the memory are packed, taken away and put back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memconsole.cli.call import exits, perform
from memconsole.cli.call.call import Answer
from memconsole.cli.call.options import (
    AgentOption,
    DryRunOption,
    YesOption,
    call_of,
    parse_span,
)
from memconsole.cli.json import outcome as encode
from memconsole.cli.output.printer import Cell, Column
from memconsole.cli.output.wording import STATUS_STYLES
from memconsole.domain.agents import AgentRef, HomeRef
from memconsole.domain.cleanup import Captured, OldKind
from memconsole.domain.commands.cleanup import CLEANUP, Cleanup
from memconsole.domain.commands.outcomes import status_of
from memconsole.engine.home.lookup import agents_of
from memconsole.errors import UsageError
from memconsole.text.figures import plural, size_column, size_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memconsole.cli.call.call import Call
    from memconsole.cli.json.encode import Row
    from memconsole.cli.output.printer import Printer
    from memconsole.domain.agents import Home
    from memconsole.domain.commands.outcomes import Detail, Outcome


def cleanup(
    context: typer.Context,
    *,
    agent: AgentOption = None,
    own: Annotated[
        bool, typer.Option("--own", help="Only what lies in our state folder, and our logs.")
    ] = False,
    older_than: Annotated[
        str | None,
        typer.Option("--older-than", metavar="D", help="Pack from this age on, such as 14d."),
    ] = None,
    uncaptured: Annotated[
        bool, typer.Option("--uncaptured", help="Also what nobody captured.")
    ] = False,
    undo: Annotated[
        bool, typer.Option("--undo", help="Bring back what the last cleanup did.")
    ] = False,
    yes: YesOption = False,
    dry_run: DryRunOption = False,
) -> int:
    """Pack old files of agents and of memconsole, and take away what was packed long ago.

    Archives of resets and deletions, copies, parked and orphaned transcripts: the largest first,
    and only what was captured to its end; copies and parts of logs of ours, and with
    `cleanup.archive_days` archives of memory. A live transcript, a store and a database are never
    touched. --undo brings back what was done last until `cleanup.grace` is over.
    """
    call = call_of(context)
    call.refuse_read_only(CLEANUP.name, dry_run=dry_run)
    _require_sense(agent, older_than, own=own, undo=undo, uncaptured=uncaptured)
    span = None if older_than is None else parse_span("--older-than", older_than)
    home = call.engine.home.read()
    orders = [
        Cleanup(one, span, takes_uncaptured=uncaptured, is_undo=undo, dry_run=dry_run)
        for one in _whose(home, agent, own=own)
    ]
    found = _asked(call, orders, yes=yes)
    return call.answer(
        Answer(
            CLEANUP.name,
            data=lambda: [row for one in found for row in _files(one)],
            show=lambda printer: _show_files(printer, found),
            code=exits.exit_of_outcomes(found),
            failures=encode.failures(found),
            home=home,
        )
    )


def _require_sense(
    agent: str | None, older_than: str | None, *, own: bool, undo: bool, uncaptured: bool
) -> None:
    if own and agent is not None:
        raise UsageError("--own is about no agent")
    if undo and (uncaptured or older_than is not None):
        raise UsageError("--undo takes neither --older-than nor --uncaptured")


def _asked(call: Call, orders: Sequence[Cleanup], *, yes: bool) -> list[Outcome]:
    """Run them once the plan was confirmed, or only plan."""
    doing = "looking at old files"
    if not orders or orders[0].dry_run:
        return perform.outcomes_of(call, orders, doing)
    question = "Bring them back?" if orders[0].is_undo else "Clean up?"
    return perform.asked(call, orders, doing, question=question, yes=yes)


def _whose(home: Home, agent: str | None, *, own: bool) -> Iterator[AgentRef]:
    """Yield the agents that are meant, and memconsole itself under no name."""
    if not own:
        yield from (one.ref for one in agents_of(home, agent))
    if agent is None:
        yield AgentRef(HomeRef(str(home.path)), "")


def _files(one: Outcome) -> Iterator[Row]:
    """Yield one outcome a file; the last one of an agent has the totals in its details."""
    whole = encode.outcome(one)
    files = _rows(one)
    totals = {"totals": one.details["totals"]} if "totals" in one.details else {}
    if not files:
        yield {**whole, "details": totals}
    for number, file in enumerate(files):
        packed = Path(f"{file['path']}.gz")
        is_packed = (file["step"], file["status"]) == ("pack", "done") and not _is_undo(one)
        wrote: list[Row] = [{"path": packed, "bytes": file["bytes_after"], "mode": "0600"}]
        yield {
            **whole,
            "key": Path(str(file["path"])),
            "status": file["status"],
            "reason": _REASONS.get(str(file["status"])),
            "message": file["message"],
            "hint": whole["hint"] if file["captured"] == "not" else None,
            "wrote": wrote if is_packed else [],
            "details": {
                **{name: file[name] for name in _DETAILS},
                **(totals if number == len(files) - 1 else {}),
            },
        }


_REASONS = {"skipped": "kept", "failed": "not-written"}
_DETAILS = (
    "kind",
    "step",
    "session_id",
    "session_key",
    "modified_at",
    "bytes",
    "bytes_after",
    "captured",
)


def _is_undo(one: Outcome) -> bool:
    return isinstance(one.command, Cleanup) and one.command.is_undo


def _rows(one: Outcome) -> list[dict[str, Detail]]:
    files = one.details.get("files")
    return [row for row in files if isinstance(row, dict)] if isinstance(files, list) else []


def _show_files(printer: Printer, found: Sequence[Outcome]) -> None:
    for one in found:
        status = status_of(one)
        printer.write(
            Cell(printer.text(one.command.agent.id or "memconsole"), "head"),
            "  ",
            Cell(status, STATUS_STYLES[status]),
        )
        if files := _rows(one):
            columns = (
                Column("what"),
                Column("size", right=True),
                Column("kind"),
                Column("of"),
                Column("captured"),
                Column("file", least=24),
                Column("", least=16),
            )
            verb = "undo" if _is_undo(one) else ""
            printer.table(columns, [_cells(printer, file, verb) for file in files])
        printer.write(f"  {printer.text(one.message)}")
        totals = one.details.get("totals")
        if isinstance(totals, dict) and (words := _totals(totals)):
            printer.write(Cell(f"  {words}", "dim"))
        if hint := encode.hint_of(one):
            printer.write(Cell(f"  {printer.text(hint)}", "dim"))


def _cells(printer: Printer, file: dict[str, Detail], verb: str) -> list[str | Cell]:
    size, status = file["bytes"], str(file["status"])
    assert isinstance(size, int)
    return [
        Cell(f"{verb or file['step']} {status}", STATUS_STYLES[status]),
        size_column(size),
        str(file["kind"]),
        str(file["modified_at"])[:10],
        "" if OldKind(str(file["kind"])).is_ours else _captured(file["captured"]),
        printer.text(Path(str(file["path"])).name),
        "" if status == "planned" else printer.text(str(file["message"])),
    ]


def _captured(found: Detail) -> str:
    return "summary only" if found == Captured.SUMMARY else str(found or "?")


def _totals(totals: dict[str, Detail]) -> str:
    before, after, kept = (totals.get(f"bytes_{name}") for name in ("before", "after", "kept"))
    if not isinstance(before, int):
        return ""
    files = totals["files"]
    if not isinstance(files, int) or not files:
        return ""
    words = f"{plural(files, 'old file')}, {size_words(before)} before"
    if isinstance(after, int):
        words += f", {size_words(after)} after"
    if isinstance(kept, int) and kept:
        until = str(totals["kept_until"])[:10]
        words += f"; {size_words(kept)} are kept until {until} for --undo"
    return words
