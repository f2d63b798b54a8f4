"""`alerts test` and `alerts list`: the ways to people, and what is wrong now (mission §10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer  # noqa: TC002  # Typer reads the annotations

from memconsole.cli import exits
from memconsole.cli.call import Answer
from memconsole.cli.encode_alerts import alert
from memconsole.cli.paper import Cell
from memconsole.cli.shape import age
from memconsole.cli.shared import DryRunOption, call_of

if TYPE_CHECKING:
    from memconsole.cli.encode import Row
    from memconsole.cli.paper import Paper
    from memconsole.domain.alerts import Delivery, OpenAlert

_STYLES = {"warning": "warn", "critical": "due"}
_SIGNS = {"warning": "WARN", "critical": "CRIT"}
_STATUSES = {"done": "ok", "planned": "dim", "failed": "due"}


def list_alerts(context: typer.Context) -> int:
    """List what was wrong at the scheduler's last look; `health` looks now."""
    call = call_of(context)
    found = call.engine.alerts()
    return call.answer(
        Answer(
            "alerts list",
            data=lambda: [alert(one) for one in found],
            show=lambda paper: _show(paper, found),
            at=call.clock.now(),
            home=call.engine.home(),
        )
    )


def send_test(context: typer.Context, dry_run: DryRunOption = False) -> int:
    """Send a test message to every channel, and say what became of each.

    With --dry-run nothing is sent: it says whether every secret and program is there.
    """
    call = call_of(context)
    with call.busy("telling every channel"):
        found = call.engine.test_alerts(dry_run=dry_run)
    is_bad = any(one.error is not None for one in found)
    return call.answer(
        Answer(
            "alerts test",
            data=lambda: [_row(one) for one in found],
            show=lambda paper: _show_deliveries(paper, found),
            at=call.clock.now(),
            code=exits.FAILED if is_bad else exits.DONE,
        )
    )


def _row(one: Delivery) -> Row:
    """Return the outcome of `cli.md`, with the channel as its key."""
    return {
        "command": "alerts test",
        "agent": None,
        "key": one.channel,
        "status": _status(one),
        "reason": None if one.error is None else "not-delivered",
        "message": _words(one),
        "hint": one.hint or None,
        "duration_ms": one.duration_ms,
        "wrote": [],
        "details": {"channel": one.channel, "type": one.kind},
    }


def _status(one: Delivery) -> str:
    if one.error is not None:
        return "failed"
    return "planned" if one.is_planned else "done"


def _words(one: Delivery) -> str:
    if one.error is not None:
        return one.error
    return "everything is there for a message" if one.is_planned else "delivered"


def _show_deliveries(paper: Paper, found: tuple[Delivery, ...]) -> None:
    width = max(len(one.channel) for one in found)
    for one in found:
        status = _status(one)
        first = Cell(f"{status:<8}{one.channel:<{width}}  ", _STATUSES[status])
        paper.sentence(first, paper.text(_words(one)))
        if one.hint:
            paper.sentence(Cell(" " * (width + 10)), paper.text(one.hint), "dim")
    if len(found) == 1:
        paper.write(
            Cell("Only the log is told; [[alerts.channel]] in the configuration adds more.", "dim")
        )


def _show(paper: Paper, found: tuple[OpenAlert, ...]) -> None:
    if not found:
        paper.write("nothing is wrong, as far as the scheduler's last look knows")
        return
    width = max(len(one.issue) for one in found)
    for one in found:
        status = one.status.value
        first = Cell(f"{_SIGNS[status]:<5}{one.issue:<{width}}  ", _STYLES[status])
        paper.sentence(first, paper.text(f"{one.message}, for {age(one.since, paper.now)}"))
        if one.hint:
            paper.sentence(Cell(" " * (width + 7)), paper.text(one.hint), "dim")
