"""`config check` and `config fix`: the platform's configuration."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from memconsole.cli.call import exits, perform
from memconsole.cli.call.call import Answer
from memconsole.cli.call.shared import DryRunOption, YesOption, call_of
from memconsole.cli.json import outcome as encode_outcome
from memconsole.cli.output.printer import Cell
from memconsole.domain.agents import AgentRef, HomeRef, Severity
from memconsole.domain.commands.config_fix import CONFIG_FIX, ConfigFix
from memconsole.domain.commands.outcomes import Planned
from memconsole.errors import ConfirmationError, ReadOnlyError
from memconsole.text.figures import plural

if TYPE_CHECKING:
    from memconsole.cli.call.call import Call
    from memconsole.cli.json.encode import Row
    from memconsole.cli.output.printer import Printer
    from memconsole.domain.commands.outcomes import Outcome
    from memconsole.domain.config_check.finding import ConfigReport, Finding

_STYLES = {
    Severity.INFO: "dim",
    Severity.WARNING: "warn",
    Severity.HIGH: "due",
    Severity.CRITICAL: "due",
}


def check(
    context: typer.Context,
    recommend: Annotated[bool, typer.Option("--recommend", help="Also optional advice.")] = False,
) -> int:
    """Check the platform's configuration, and what compactions really did.

    Exits with 1 when a finding is a warning or worse.
    """
    call = call_of(context)
    with call.busy("checking the configuration"):
        report = call.engine.config.check(recommends=recommend)
    return call.answer(
        Answer(
            "config check",
            data=lambda: [_row(one) for one in report.findings],
            show=lambda printer: _show(printer, report),
            at=call.clock.now(),
            code=_code(report),
        )
    )


def fix(
    context: typer.Context,
    apply: Annotated[
        bool, typer.Option("--apply", help="Set the values, after a copy of the file.")
    ] = False,
    yes: YesOption = False,
    dry_run: DryRunOption = False,
) -> int:
    """Set what `config check` found wrong in the platform's configuration.

    Without --apply it shows the change and writes nothing. Comments and all other keys stay.
    """
    call = call_of(context)
    is_plan = dry_run or not apply
    if call.settings.ui.read_only and not is_plan:
        raise ReadOnlyError(CONFIG_FIX.name)
    command = ConfigFix(AgentRef(HomeRef(str(call.engine.home.read().path)), ""), dry_run=True)
    with call.busy("checking the configuration"):
        outcome = call.engine.run(command)
    if not is_plan and isinstance(outcome, Planned):
        _confirm(call, outcome, yes=yes)
        with call.busy("changing the configuration"):
            outcome = call.engine.run(replace(command, dry_run=False))
    return _answer(call, outcome)


def _confirm(call: Call, plan: Outcome, *, yes: bool) -> None:
    """Show the change and ask; elsewhere than on a terminal `--yes` must say it.

    Raises:
        ConfirmationError: Nobody can be asked, or the answer is no.
    """
    if yes:
        return
    if call.is_json or not call.output.can_ask:
        raise ConfirmationError(CONFIG_FIX.name, is_declined=False)
    call.output.error(call.line(plan.message), *_patch(call, plan))
    if not typer.confirm("Change the platform's configuration?", default=False, err=True):
        raise ConfirmationError(CONFIG_FIX.name, is_declined=True)


def _patch(call: Call, outcome: Outcome) -> list[str]:
    """Return the change line by line, its indentation kept and everything else made safe."""
    lines = []
    for line in str(outcome.details.get("patch") or "").splitlines():
        words = line[1:].lstrip(" \t")
        blanks = line[1 : len(line) - len(words)].expandtabs(4)
        lines.append(line[0] + blanks + call.line(words))
    return lines


def _answer(call: Call, outcome: Outcome) -> int:

    def show(printer: Printer) -> None:
        perform.show_outcomes(printer, [outcome], {})
        for line in _patch(call, outcome):
            printer.write(f"  {line}")

    return call.answer(
        Answer(
            CONFIG_FIX.name,
            data=lambda: [encode_outcome.outcome(outcome)],
            show=show,
            at=call.clock.now(),
            code=exits.exit_of_outcomes([outcome]),
            failures=encode_outcome.failures([outcome]),
        )
    )


def _code(report: ConfigReport) -> int:
    is_bad = any(one.severity is not Severity.INFO for one in report.findings)
    return exits.FAILED if is_bad else exits.DONE


def _row(one: Finding) -> Row:
    """Return the finding of the contract; `key`, `agent`, `hint` and `details` are additions."""
    return {
        "id": one.id,
        "severity": one.severity.value,
        "current": one.current,
        "recommended": one.recommended,
        "why": one.why,
        "fix": one.fix,
        "path": one.path,
        "key": one.key,
        "agent": one.agent,
        "hint": one.hint or None,
        "details": [dict(row) for row in one.details],
    }


def _show(printer: Printer, report: ConfigReport) -> None:

    place = "no configuration file" if report.path is None else report.path
    printer.write(
        Cell(printer.text(place), "head"),
        Cell(
            f"  release {printer.text(report.release or 'unknown')}, "
            f"{plural(report.looked_at, 'transcript')} read",
            "dim",
        ),
    )
    for one in report.findings:
        where = f"{one.key}: " if one.key else ""
        printer.write(
            Cell(f"{one.severity.value:8}", _STYLES[one.severity]),
            Cell(f"  {one.id}", "head"),
        )
        printer.write(f"  {printer.text(where + one.why)}")
        for name, value in (("now", one.current), ("better", one.recommended)):
            if value is not None:
                printer.write(Cell(f"  {name:6}  ", "dim"), printer.text(str(value)))
        if one.hint:
            printer.write(Cell(f"  {printer.text(one.hint)}", "dim"))
    if report.changes:
        printer.write("`memconsole config fix` shows what can be set, --apply sets it.")
