"""`config`: memconsole's own configuration, and the checks and mends of the platform's."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memconsole.cli.call import exits, perform
from memconsole.cli.call.call import Answer, Call
from memconsole.cli.call.options import DryRunOption, YesOption, call_of
from memconsole.cli.json.outcome import told
from memconsole.cli.output.printer import Cell, Column
from memconsole.cli.output.wording import SEVERITY_STYLES
from memconsole.config.load import config_path
from memconsole.config.show import describe, template
from memconsole.domain.agents import AgentRef, HomeRef, Severity
from memconsole.domain.commands.config_fix import CONFIG_FIX, ConfigFix
from memconsole.domain.commands.outcomes import Planned
from memconsole.errors import ConfigError, ConfirmationError
from memconsole.system.atomic_file import create_file
from memconsole.system.folders import open_folder
from memconsole.text.figures import plural

if TYPE_CHECKING:
    from memconsole.cli.json.encode import Row
    from memconsole.cli.output.printer import Printer
    from memconsole.config.show import SettingRow
    from memconsole.domain.commands.outcomes import Outcome
    from memconsole.domain.config_check.finding import ConfigReport, Finding


def show(context: typer.Context) -> int:
    """Show every setting, its value and where it came from."""
    call = call_of(context)
    rows = describe(call.settings)
    file = call.settings.config_file
    return call.answer(
        Answer(
            "config show",
            data=lambda: {
                "file": file,
                "exists": file is not None and file.exists(),
                "settings": [_setting(row) for row in rows],
            },
            show=lambda printer: settings(printer, file, rows),
        )
    )


def _setting(row: SettingRow) -> Row:
    return {"key": row.key, "value": row.value, "source": row.source, "help": row.help}


def path(context: typer.Context) -> int:
    """Print where the configuration file is, or would be."""
    call = call_of(context)
    file = _file(call)
    return call.answer(
        Answer(
            "config path",
            data=lambda: {"path": file, "exists": file.exists()},
            show=lambda printer: printer.write(printer.text(str(file))),
        )
    )


def init(context: typer.Context, dry_run: DryRunOption = False) -> int:
    """Write a commented configuration file; an existing one is left alone."""
    call = call_of(context)
    file = _file(call)
    call.refuse_read_only("config init", dry_run=dry_run)
    text = template()
    status, message = "planned", f"would write {file}"
    if file.exists():
        status, message = "skipped", f"{file} exists already and was left alone"
    elif not dry_run:
        _write(file, text)
        status, message = "done", f"wrote {file}; every line of it is a default"
    return call.answer(
        Answer(
            "config init",
            data=lambda: [_outcome(status, message, file, len(text.encode()))],
            show=lambda printer: printer.write(printer.text(message)),
        )
    )


def _file(call: Call) -> Path:
    """Return the file's place; works with a broken or missing file as well."""
    call.use_defaults_when_broken()
    named = call.flags.config
    return config_path(os.environ, None if named is None else Path(named))


def _write(file: Path, text: str) -> None:
    """Create the file for the operator alone.

    Raises:
        ConfigError: It cannot be written.
    """
    try:
        with open_folder(file.parent, creates=True) as folder:
            create_file(folder, file.name, text.encode())
    except OSError as error:
        raise ConfigError(
            f"{file} cannot be written: {error.strerror}", hint="Name another with --config FILE."
        ) from error


def _outcome(status: str, message: str, file: Path, size_bytes: int) -> Row:
    if status == "skipped":
        return told("config init", status, message, reason="exists")
    return told("config init", status, message, wrote=((file, size_bytes),))


_COLUMNS = (
    Column("key"),
    Column("value", cut="middle", least=12),
    Column("from", cut="middle", least=10, rank=1),
)


def settings(printer: Printer, file: Path | None, rows: tuple[SettingRow, ...]) -> None:
    """Write where the file is, then every setting with its value and its source."""
    state = "" if file is not None and file.exists() else "  (does not exist; all defaults)"
    printer.write(printer.text(str(file)), Cell(state, "dim"))
    printer.gap()
    cells: list[list[Cell | str]] = [
        [row.key, printer.text(row.text), Cell(printer.text(row.source), "dim")] for row in rows
    ]
    printer.table(_COLUMNS, cells)


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
    call.refuse_read_only(CONFIG_FIX.name, dry_run=is_plan)
    command = ConfigFix(AgentRef(HomeRef(str(call.engine.home.read().path)), ""), dry_run=True)
    with call.busy("checking the configuration"):
        outcome = call.engine.run(command)
    if not is_plan and isinstance(outcome, Planned):
        _confirm(call, outcome, yes=yes)
        with call.busy("changing the configuration"):
            outcome = call.engine.run(replace(command, dry_run=False))
    elif isinstance(outcome, Planned) and not dry_run:
        outcome = replace(outcome, message=f"{outcome.message}; nothing is set without --apply")
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
    """Return the change line by line."""
    return perform.patch_lines(call, str(outcome.details.get("patch") or ""))


def _answer(call: Call, outcome: Outcome) -> int:
    def show(printer: Printer) -> None:
        for line in _patch(call, outcome):
            printer.write(f"  {line}")

    return perform.answer(call, CONFIG_FIX.name, [outcome], show=show)


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
            Cell(f"{one.severity.value:8}", SEVERITY_STYLES[one.severity]),
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
