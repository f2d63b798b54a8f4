"""`health`: whether everything that keeps memory safe is well."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer  # noqa: TC002  # Typer reads the annotations

from memconsole.cli.call.call import Answer
from memconsole.cli.call.shared import call_of
from memconsole.cli.output.printer import Cell

if TYPE_CHECKING:
    from memconsole.cli.json.encode import Row
    from memconsole.cli.output.printer import Printer
    from memconsole.domain.health.checks import Check, HealthReport

_STYLES = {"ok": "ok", "unknown": "dim", "warning": "warn", "critical": "due"}
_SIGNS = {"ok": "ok", "unknown": "?", "warning": "WARN", "critical": "CRIT"}


def health(context: typer.Context) -> int:
    """Check what keeps memory safe: Gateway, disk, jobs, captures, indexes, compactions.

    Exits 1 when a check is at warning or worse. What nobody could look at is `unknown`.
    """
    call = call_of(context)
    with call.busy("looking after health"):
        report = call.engine.health.report()
    return call.answer(
        Answer(
            "health",
            data=lambda: encode(report),
            show=lambda printer: _show(printer, report),
            at=report.at,
            code=1 if report.overall.is_bad else 0,
            home=call.engine.home.read(),
        )
    )


def encode(report: HealthReport) -> Row:
    """Return a report as the object of the contract."""
    return {"overall": report.overall.value, "checks": report.rows()}


def _show(printer: Printer, report: HealthReport) -> None:
    width = max(len(one.id) for one in report.checks)
    for one in report.checks:
        style = _STYLES.get(one.status.value, "")
        first = Cell(f"{_SIGNS[one.status.value]:<5}{one.id:<{width}}  ", style)
        printer.sentence(first, printer.text(one.message))
        if one.hint and one.status.is_bad:
            printer.sentence(Cell(" " * (width + 7)), printer.text(one.hint), "dim")
    printer.gap()
    printer.write(_summary(report.checks))


def _summary(checks: tuple[Check, ...]) -> str:
    bad = sum(one.status.is_bad for one in checks)
    unknown = sum(one.status.value == "unknown" for one in checks)
    said = f"{bad} of {len(checks)} checks want attention" if bad else "all is well"
    return f"{said}; {unknown} could not be looked at" if unknown else said
