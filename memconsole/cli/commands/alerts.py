"""`alerts`: the ways to people, what is wrong now, and what nobody wants to hear of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memconsole.cli.call import exits
from memconsole.cli.call.call import Answer
from memconsole.cli.call.options import DryRunOption, call_of, parse_span
from memconsole.cli.json.encode import alert_status
from memconsole.cli.json.outcome import told
from memconsole.cli.output.printer import Cell
from memconsole.cli.output.wording import SEVERITY_STYLES, STATUS_STYLES, age, ago
from memconsole.domain.agents import Notice
from memconsole.text.figures import span as words

if TYPE_CHECKING:
    from datetime import datetime

    from memconsole.cli.call.call import Call
    from memconsole.cli.json.encode import Row
    from memconsole.cli.output.printer import Printer
    from memconsole.domain.alerts import AlertStatus, Delivery

_SIGNS = {"warning": "WARN", "critical": "CRIT"}
_NEVER_LOOKED = "nobody has ever looked at the health of this home: `memconsole health` looks now"


def list_alerts(context: typer.Context) -> int:
    """List what was wrong at the last look at health; `health` looks now.

    With it goes when somebody was told, when the next is told again, and what is muted.
    """
    call = call_of(context)
    call.engine.runs.log.require_readable()
    found, looked_at = call.engine.alerts.standings(), call.engine.alerts.last_look()
    is_blind = looked_at is None and not found
    return call.answer(
        Answer(
            "alerts list",
            data=lambda: [alert_status(one) for one in found],
            show=lambda printer: _show(printer, found, looked_at),
            home=call.engine.home.read(),
            warnings=(Notice("never-looked", _NEVER_LOOKED),) if is_blind else (),
            said=frozenset({_NEVER_LOOKED}),
        )
    )


def mute(
    context: typer.Context,
    issue: Annotated[str, typer.Argument(metavar="ISSUE", help="An id of `alerts list`.")],
    span: Annotated[
        str, typer.Option("--for", metavar="D", help="For how long, such as 90m, 8h or 7d.")
    ] = "1d",
    dry_run: DryRunOption = False,
) -> int:
    """Tell nobody of one issue for a while.

    What gets worse is told all the same, and so is its end; then the next time is news again.
    """
    call = call_of(context)
    quiet = parse_span("--for", span)
    call.engine.alerts.mute(issue, quiet, dry_run=dry_run)
    message = f"nobody {'would be' if dry_run else 'is'} told of {issue} for {words(quiet)}"
    return _answer(call, "alerts mute", issue, message, dry_run=dry_run)


def unmute(
    context: typer.Context,
    issue: Annotated[str, typer.Argument(metavar="ISSUE", help="An id of `alerts list`.")],
    dry_run: DryRunOption = False,
) -> int:
    """Tell people of an issue again."""
    call = call_of(context)
    call.engine.alerts.mute(issue, None, dry_run=dry_run)
    message = f"people {'would be' if dry_run else 'are'} told of {issue} again"
    return _answer(call, "alerts unmute", issue, message, dry_run=dry_run)


def _answer(call: Call, command: str, issue: str, message: str, *, dry_run: bool) -> int:
    outcome = told(command, "planned" if dry_run else "done", message, key=issue)

    def show(printer: Printer) -> None:
        printer.write(printer.text(message))

    return call.answer(Answer(command, data=lambda: [outcome], show=show))


def send_test(context: typer.Context, dry_run: DryRunOption = False) -> int:
    """Send a test message to every channel, and say what became of each.

    With --dry-run nothing is sent: it says whether every secret and program is there.
    """
    call = call_of(context)
    _ = call.settings.alerts.channels  # wrong ones are wrong usage here; elsewhere they are news
    with call.busy("telling every channel"):
        found = call.engine.alerts.test(dry_run=dry_run)
    failed = [one for one in found if one.error is not None]
    return call.answer(
        Answer(
            "alerts test",
            data=lambda: [_row(one) for one in found],
            show=lambda printer: _show_deliveries(printer, found),
            code=exits.FAILED if failed else exits.DONE,
            failures=tuple((f"{one.channel}: {one.error}", one.hint) for one in failed),
        )
    )


def _row(one: Delivery) -> Row:
    """Return the outcome of the contract, with the channel as its key."""
    return told(
        "alerts test",
        _status(one),
        _words(one),
        key=one.channel,
        reason=None if one.error is None else "not-delivered",
        hint=one.hint,
        duration_ms=one.duration_ms,
        details={"channel": one.channel, "type": one.kind},
    )


def _status(one: Delivery) -> str:
    if one.error is not None:
        return "failed"
    return "planned" if one.is_planned else "done"


def _words(one: Delivery) -> str:
    if one.error is not None:
        return one.error
    return "everything is there for a message" if one.is_planned else "delivered"


def _show_deliveries(printer: Printer, found: tuple[Delivery, ...]) -> None:
    names = [printer.text(one.channel) for one in found]
    width = max(map(len, names))
    for name, one in zip(names, found, strict=True):
        status = _status(one)
        first = Cell(f"{status:<8}{name:<{width}}  ", STATUS_STYLES[status])
        printer.sentence(first, printer.text(_words(one)))
        if one.hint:
            printer.sentence(Cell(" " * (width + 10)), printer.text(one.hint), "dim")
    if len(found) == 1:
        printer.write(
            Cell("Only the log is told; [[alerts.channel]] in the configuration adds more.", "dim")
        )


def _show(printer: Printer, found: tuple[AlertStatus, ...], looked_at: datetime | None) -> None:
    if not found:
        if looked_at is None:
            printer.write(_NEVER_LOOKED)
        else:
            when = ago(looked_at, printer.now)
            printer.write(f"nothing was wrong at the last look at health, {when}")
        return
    width = max(len(row.alert.issue) for row in found)
    for row in found:
        one, status = row.alert, row.alert.status.value
        first = Cell(f"{_SIGNS[status]:<5}{one.issue:<{width}}  ", SEVERITY_STYLES[status])
        printer.sentence(first, printer.text(f"{one.message}, for {age(one.since, printer.now)}"))
        for more in (one.hint, _message(row, printer.now)):
            if more:
                printer.sentence(Cell(" " * (width + 7)), printer.text(more), "dim")


def _message(row: AlertStatus, now: datetime) -> str:
    """Return who knows: `told 12 min ago, again in 18 min`."""
    told = "nobody was told yet" if row.told_at is None else f"told {ago(row.told_at, now)}"
    if row.muted_until is not None:
        return f"{told}, muted for {words(row.muted_until - now)} more"
    if row.again_at is None:
        return told
    wait = "with the next look" if row.again_at <= now else f"in {words(row.again_at - now)}"
    return f"{told}, again {wait}"
