"""`fleet key`, `commands`, `cancel`: whose commands hosts take, and what was asked of whom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memconsole.cli.call.call import Answer
from memconsole.cli.call.options import DryRunOption, call_of, parse_span
from memconsole.cli.commands.fleet.outcome import UrlOption, begun, done
from memconsole.cli.output import wording
from memconsole.cli.output.printer import Cell, Column
from memconsole.compose.fleet_server import fleet_cancel, fleet_sent, fleet_signer
from memconsole.domain.fleet.letters import LetterState
from memconsole.errors import UsageError
from memconsole.text.compiled import compiled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memconsole.cli.json.encode import Json, Row
    from memconsole.cli.output.printer import Printer
    from memconsole.domain.fleet.letters import Sent


_ID = r"[0-9a-f-]{4,36}"


def key(
    context: typer.Context,
    name: Annotated[str, typer.Option("--name", metavar="N", help="Yours, in that line.")] = "me",
    dry_run: DryRunOption = False,
) -> int:
    """Print the line that lets hosts take commands of yours; your key is made when there is none.

    It goes into `fleet.operators` of each host, with the commands you may ask for instead of *.
    """
    call = call_of(context)
    if dry_run:
        return done(call, "fleet key", "would print your public key", dry_run=True)
    call.refuse_read_only("fleet key")
    line = f"{name} {fleet_signer(call.settings).key} *"
    return done(
        call,
        "fleet key",
        "this line lets a host take commands of yours",
        more=("[fleet]", f'operators = ["{line}"]'),
        details={"line": line},
    )


def commands(
    context: typer.Context,
    *,
    since: Annotated[
        str, typer.Option("--since", metavar="D", help="Not older than this, such as 6h or 7d.")
    ] = "1d",
    url: UrlOption = None,
) -> int:
    """List what was asked of hosts, by whom, and what came of it, newest first."""
    call, address = begun(context, "fleet commands", url, writes=False)
    found = fleet_sent(call.settings, address, parse_span("--since", since))
    return call.answer(
        Answer(
            "fleet commands",
            data=lambda: [_row(one) for one in found],
            show=lambda printer: _show(printer, found),
        )
    )


def cancel(
    context: typer.Context,
    id_: Annotated[
        str, typer.Argument(metavar="ID", help="Of `fleet commands`, or what it begins with.")
    ],
    url: UrlOption = None,
    dry_run: DryRunOption = False,
) -> int:
    """Take back a command of yours that no host has begun."""
    call, address = begun(context, "fleet cancel", url, writes=not dry_run)
    if not compiled(_ID).fullmatch(id_.lower()):
        raise UsageError(f"{id_!r} is no id of a command", hint="`memconsole fleet commands`")
    sent = fleet_cancel(call.settings, address, id_, dry_run=dry_run)
    what = f"{' '.join(sent.words)} of {sent.host}"
    details: dict[str, Json] = {"id": sent.id, "host": sent.host, "state": sent.state.value}
    if sent.state is not LetterState.SENT:
        message = f"{what} has ended already: {sent.state}"
        return done(call, "fleet cancel", message, skipped=True, details=details)
    message = f"{'would take' if dry_run else 'took'} back {what}"
    return done(call, "fleet cancel", message, dry_run=dry_run, details=details)


def _row(one: Sent) -> Row:
    return {
        "id": one.id,
        "host": one.host,
        "home": one.home,
        "words": list(one.words),
        "state": one.state.value,
        "by": one.by,
        "operator_key": one.key,
        "sent_at": one.sent_at,
        "deadline": one.deadline,
        "begun_at": one.begun_at,
        "ended_at": one.ended_at,
        "code": one.code,
        "message": one.message or None,
    }


def _far(one: Sent, printer: Printer) -> str:
    """Return how far it is, in times of the fleet's clock."""
    if one.state is LetterState.SENT:
        return f"waits, gives up at {wording.stamp(one.deadline, printer.zone)}"
    if one.state is LetterState.BEGUN and one.begun_at is not None:
        return f"begun at {wording.stamp(one.begun_at, printer.zone)}, not answered yet"
    return one.message


def _show(printer: Printer, found: Sequence[Sent]) -> None:
    if not found:
        printer.write(Cell("nothing was asked of any host", "dim"))
        return
    columns = (
        Column("sent"),
        Column("by", cut="end", least=6),
        Column("host", cut="end", least=6),
        Column("command", cut="end", least=12),
        Column("state"),
        Column("what came of it", cut="end", least=12, rank=1),
        Column("id"),
    )
    rows: list[Sequence[Cell | str]] = []
    for one in found:
        state = Cell(one.state.value, "ok" if one.state is LetterState.ANSWERED else "warn")
        texts = (one.by, one.host, " ".join(one.words))
        at = wording.stamp(one.sent_at, printer.zone)
        said = map(printer.text, (_far(one, printer), one.id[:8]))
        rows.append([at, *map(printer.text, texts), state, *said])
    printer.table(columns, rows)
