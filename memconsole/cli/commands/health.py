"""`health`: whether everything that keeps memory safe is well."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer  # noqa: TC002  # Typer reads the annotations

from memconsole.cli.call.call import Answer
from memconsole.cli.call.options import call_of
from memconsole.cli.json import encode
from memconsole.cli.output.printer import Cell
from memconsole.cli.output.views import findings
from memconsole.domain.snapshot.groups import grouped

if TYPE_CHECKING:
    from memconsole.cli.output.printer import Printer
    from memconsole.domain.health import Check
    from memconsole.engine.health.service import HealthLook

_STYLES = {"ok": "ok", "unknown": "dim", "warning": "warn", "critical": "due"}
_SIGNS = {"ok": "ok", "unknown": "?", "warning": "WARN", "critical": "CRIT"}


def health(context: typer.Context) -> int:
    """Check what keeps memory safe: Gateway, disk, jobs, captures, indexes, compactions.

    Exits 1 when a check is at warning or worse. What nobody could look at is `unknown`.
    """
    call = call_of(context)
    with call.busy("looking after health"):
        look = call.engine.health.look()
    report = look.report
    return call.answer(
        Answer(
            "health",
            data=lambda: encode.health(look),
            show=lambda printer: _show(printer, look),
            at=report.at,
            code=1 if report.overall.is_bad else 0,
            home=call.engine.home.read(),
        )
    )


def _show(printer: Printer, look: HealthLook) -> None:
    """Write the checks, and the findings that no check of this look has told already."""
    report = look.report
    told = {one.message for one in report.checks}
    width = max(len(one.id) for one in report.checks)
    for one in report.checks:
        style = _STYLES.get(one.status.value, "")
        first = Cell(f"{_SIGNS[one.status.value]:<5}{one.id:<{width}}  ", style)
        printer.sentence(first, printer.text(one.message))
        if one.hint and one.status.is_bad:
            printer.sentence(Cell(" " * (width + 7)), printer.text(one.hint), "dim")
    if others := [one for one in look.attention if one.message not in told]:
        printer.title("Findings", "as `memconsole status` and the console show them")
        findings(printer, grouped(others))
    printer.gap()
    printer.write(_summary(report.checks))


def _summary(checks: tuple[Check, ...]) -> str:
    bad = sum(one.status.is_bad for one in checks)
    unknown = sum(one.status.value == "unknown" for one in checks)
    said = f"{bad} of {len(checks)} checks want attention" if bad else "all is well"
    return f"{said}; {unknown} could not be looked at" if unknown else said
