"""`service`: whether this host keeps the scheduler running, and how."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memconsole.cli.call.call import Answer
from memconsole.cli.call.shared import DryRunOption, call_of
from memconsole.cli.output.printer import Cell
from memconsole.compose import service
from memconsole.domain.service import ServiceKind
from memconsole.errors import ReadOnlyError, UsageError

if TYPE_CHECKING:
    from memconsole.adapters.host.service_units import ServiceState, ServiceUnits
    from memconsole.cli.call.call import Call
    from memconsole.cli.json.encode import Row
    from memconsole.cli.output.printer import Printer
    from memconsole.domain.service import ServiceSetup

KindOption = Annotated[
    ServiceKind | None,
    typer.Option("--kind", help="Who keeps it running; found out when not given."),
]

_CRON = "put these lines into your crontab: `crontab -e`"
_UNREACHABLE = "no service manager of this user can be reached here; later run the commands below"


def install(context: typer.Context, kind: KindOption = None, dry_run: DryRunOption = False) -> int:
    """Write a service that runs `memconsole --serve`, and start it; cron lines are printed.

    Home, state folder and configuration of this call become those of the service.
    """
    call, units, chosen = _begun(context, kind)
    setup = _setup(call)
    if dry_run:
        found = units.planned(chosen, setup)
        place = "the lines below" if found.path is None else str(found.path)
        return _message(call, "install", found, "planned", f"would write {place}")
    if call.settings.ui.read_only:
        raise ReadOnlyError("service install")
    with call.busy("installing the service"):
        found, was_told = units.install(chosen, setup)
    if found.path is None:
        return _message(call, "install", found, "planned", _CRON)
    words = f"wrote {found.path}"
    if setup.missing:
        words += f"; without {', '.join(setup.missing)}, which only this environment holds"
    if was_told:
        return _message(call, "install", found, "done", f"{words}; it runs", is_active=True)
    return _message(call, "install", found, "done", words, hint=_UNREACHABLE)


def status(context: typer.Context, kind: KindOption = None) -> int:
    """Say whether the scheduler is a service of this host, and whether that runs."""
    call, units, chosen = _begun(context, kind)
    found = units.status(chosen, _setup(call))
    return _message(call, "status", found, "done", _words(found), is_active=found.is_active)


def remove(context: typer.Context, kind: KindOption = None, dry_run: DryRunOption = False) -> int:
    """Stop the service and remove its file; nothing else is touched."""
    call, units, chosen = _begun(context, kind)
    found = units.planned(chosen, _setup(call))
    if found.path is None:
        words = "take the lines of memconsole out of your crontab: `crontab -e`"
        return _message(call, "remove", found, "skipped", words)
    if dry_run:
        words = f"would remove {found.path}" if found.is_installed else "there is no service"
        return _message(call, "remove", found, "planned", words)
    if call.settings.ui.read_only:
        raise ReadOnlyError("service remove")
    path = units.remove(chosen)
    if path is None:
        return _message(call, "remove", found, "skipped", "there is no service")
    return _message(call, "remove", found, "done", f"removed {path}", is_active=False)


def _begun(
    context: typer.Context, kind: ServiceKind | None
) -> tuple[Call, ServiceUnits, ServiceKind]:
    units = service.service_units()
    return call_of(context), units, kind or units.usual_kind()


def _setup(call: Call) -> ServiceSetup:
    if call.flags.is_demo:
        raise UsageError("a demo is no service", hint="Leave --demo out.")
    return service.service_setup(call.settings)


def _words(found: ServiceState) -> str:
    if found.path is None:
        return "cron keeps no record of memconsole; its lines are below"
    if not found.is_installed:
        return "the scheduler is no service here; `memconsole service install` makes it one"
    runs = {True: "and runs", False: "and does not run", None: "and nobody can say if it runs"}
    old = "" if found.is_current else "; it is not what would be written now: install it again"
    return f"it is installed {runs[found.is_active]}{old}"


def _message(
    call: Call,
    verb: str,
    found: ServiceState,
    word: str,
    message: str,
    *,
    is_active: bool | None = None,
    hint: str = "",
) -> int:
    """Answer with the service, as data and for people."""

    def data() -> Row:
        return {
            "kind": found.kind.value,
            "path": found.path,
            "status": word,
            "message": message,
            "hint": hint or None,
            "installed": found.is_installed or (verb == "install" and word == "done"),
            "current": found.is_current or (verb == "install" and word == "done"),
            "enabled": found.is_enabled,
            "active": is_active,
            "unit": found.text,
            "commands": list(found.commands),
        }

    def show(printer: Printer) -> None:
        printer.sentence(Cell("", ""), printer.text(message))
        if hint:
            printer.sentence(Cell("", ""), printer.text(hint), "dim")
        if word == "planned" or found.path is None:
            printer.gap()
            for line in found.text.splitlines():
                printer.write(printer.text(line))
        if hint or word == "planned":
            for line in found.commands:
                printer.write(Cell(f"  {printer.text(line)}", "dim"))

    return call.answer(Answer(f"service {verb}", data=data, show=show, at=call.clock.now()))
