"""`config show`, `config path`, `config init`: memconsole's own configuration."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import typer  # noqa: TC002  # Typer reads the annotations of these functions

from memconsole.cli.call.call import Answer, Call
from memconsole.cli.call.shared import DryRunOption, call_of
from memconsole.cli.output.printer import Cell, Column
from memconsole.config.load import config_path
from memconsole.config.show import describe, template
from memconsole.errors import ConfigError, ReadOnlyError
from memconsole.system.atomic_file import create_file
from memconsole.system.folders import open_folder

if TYPE_CHECKING:
    from memconsole.cli.json.encode import Row
    from memconsole.cli.output.printer import Printer
    from memconsole.config.show import SettingRow


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
            at=call.clock.now(),
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
            at=call.clock.now(),
        )
    )


def init(context: typer.Context, dry_run: DryRunOption = False) -> int:
    """Write a commented configuration file; an existing one is left alone."""
    call = call_of(context)
    file = _file(call)
    if call.settings.ui.read_only and not dry_run:
        raise ReadOnlyError("config init")
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
            at=call.clock.now(),
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
    is_written = status != "skipped"
    return {
        "command": "config init",
        "agent": None,
        "key": None,
        "status": status,
        "reason": None if is_written else "exists",
        "message": message,
        "hint": None,
        "duration_ms": None,
        "wrote": [{"path": file, "bytes": size_bytes, "mode": "0600"}] if is_written else [],
        "details": {},
    }


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
