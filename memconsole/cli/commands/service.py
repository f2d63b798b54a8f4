"""`service`: whether this host keeps the scheduler running, and how."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memconsole.cli.call.call import Answer
from memconsole.cli.call.options import DryRunOption, call_of
from memconsole.cli.output.printer import Cell
from memconsole.compose import service
from memconsole.domain.health import named
from memconsole.domain.jobs.layers import Layer
from memconsole.domain.jobs.service_units import ServiceKind, unit_name
from memconsole.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memconsole.adapters.host.service_units import ServiceState, ServiceUnits
    from memconsole.cli.call.call import Call
    from memconsole.cli.json.encode import Row
    from memconsole.cli.output.printer import Printer
    from memconsole.domain.jobs.service_units import ServiceSetup

KindOption = Annotated[
    ServiceKind | None,
    typer.Option("--kind", help="Who keeps it running; found out when not given."),
]

SplitOption = Annotated[
    bool, typer.Option("--split", help="A service of its own for each layer of the jobs.")
]

_CRON = "put these lines into your crontab: `crontab -e`"
_UNREACHABLE = "no service manager of this user can be reached here; later run the commands below"


def install(
    context: typer.Context,
    *,
    kind: KindOption = None,
    split: SplitOption = False,
    dry_run: DryRunOption = False,
) -> int:
    """Write a service that runs `memconsole --serve`, and start it; cron lines are printed.

    Home, state folder and configuration of this call become those of the service. With --split each
    layer gets a process of its own (checkpoint, capture, rotation, health), so that the end of one
    stops no other; one kind of service takes the place of the other.
    """
    call, units, chosen = _begun(context, kind)
    setups = _setups(call, Layer if split else (None,))
    others = [one for one in units.installed(chosen) if (one is not None) is not split]
    if dry_run:
        found = [units.planned(chosen, setup) for setup in setups]
        return _message(call, "install", found, "planned", f"would write {_places(found)}")
    call.refuse_read_only("service install")
    with call.busy("installing the service"):
        for layer in others:
            units.remove(chosen, layer)
        answers = [units.install(chosen, setup) for setup in setups]
    found = [state for state, _ in answers]
    if found[0].path is None:
        return _message(call, "install", found, "planned", _CRON)
    words = f"wrote {_places(found)}"
    if others:
        words += f"; removed {named(unit_name(one) for one in others)}"
    if missing := setups[0].missing:
        words += f"; without {', '.join(missing)}, which only this environment holds"
    if all(was_told for _, was_told in answers):
        runs = "they run" if split else "it runs"
        return _message(call, "install", found, "done", f"{words}; {runs}", is_active=True)
    return _message(call, "install", found, "done", words, hint=_UNREACHABLE)


def status(context: typer.Context, kind: KindOption = None) -> int:
    """Say whether the scheduler is a service of this host, and whether that runs."""
    call, units, chosen = _begun(context, kind)
    found = [units.status(chosen, setup) for setup in _installed(call, units, chosen)]
    return _message(
        call, "status", found, "done", _words(found), is_active=_all(one.is_active for one in found)
    )


def remove(context: typer.Context, kind: KindOption = None, dry_run: DryRunOption = False) -> int:
    """Stop the service, or those of its layers, and remove their files; nothing else is touched."""
    call, units, chosen = _begun(context, kind)
    found = [units.planned(chosen, setup) for setup in _installed(call, units, chosen)]
    if found[0].path is None:
        words = "take the lines of memconsole out of your crontab: `crontab -e`"
        return _message(call, "remove", found, "skipped", words)
    if dry_run:
        there = [one for one in found if one.is_installed]
        words = f"would remove {_places(there)}" if there else "there is no service"
        return _message(call, "remove", found, "planned", words)
    call.refuse_read_only("service remove")
    gone = [one for one in found if units.remove(chosen, one.layer) is not None]
    if not gone:
        return _message(call, "remove", found, "skipped", "there is no service")
    return _message(call, "remove", found, "done", f"removed {_places(gone)}", is_active=False)


def _begun(
    context: typer.Context, kind: ServiceKind | None
) -> tuple[Call, ServiceUnits, ServiceKind]:
    units = service.service_units()
    return call_of(context), units, kind or units.usual_kind()


def _setups(call: Call, layers: Iterable[Layer | None]) -> list[ServiceSetup]:
    if call.flags.is_demo:
        raise UsageError("a demo is no service", hint="Leave --demo out.")
    return [service.service_setup(call.settings, layer) for layer in layers]


def _installed(call: Call, units: ServiceUnits, kind: ServiceKind) -> list[ServiceSetup]:
    """Return what is there: the whole scheduler, or every layer where one of them is."""
    found = units.installed(kind)
    is_split = any(one is not None for one in found)
    whole = (None,) if None in found or not is_split else ()
    return _setups(call, (*whole, *(Layer if is_split else ())))


def _places(found: Sequence[ServiceState]) -> str:
    paths = [str(one.path) for one in found if one.path is not None]
    return named(paths) if paths else "the lines below"


def _all(answers: Iterable[bool | None]) -> bool | None:
    """Return whether all are so; None when nobody can say it of one of them."""
    known = list(answers)
    return None if None in known else all(known)


def _words(found: Sequence[ServiceState]) -> str:
    if found[0].path is None:
        return "cron keeps no record of memconsole; its lines are below"
    there = [one for one in found if one.is_installed]
    if not there:
        return "the scheduler is no service here; `memconsole service install` makes it one"
    if len(found) == 1:
        runs = {True: "and runs", False: "and does not run", None: "and nobody can say if it runs"}
        old = "; it is not what would be written now: install it again"
        return f"it is installed {runs[found[0].is_active]}{'' if found[0].is_current else old}"
    return "; ".join(_of_layer(one) for one in found)


def _of_layer(one: ServiceState) -> str:
    name = "the whole scheduler" if one.layer is None else one.layer.value
    runs = {True: "runs", False: "does not run", None: "nobody can say if it runs"}
    word = runs[one.is_active] if one.is_installed else "not installed"
    return f"{name}: {word}{'' if one.is_current or not one.is_installed else ', out of date'}"


def _message(
    call: Call,
    verb: str,
    found: Sequence[ServiceState],
    word: str,
    message: str,
    *,
    is_active: bool | None = None,
    hint: str = "",
) -> int:
    """Answer with the service, as data and for people."""
    is_done = verb == "install" and word == "done"
    data = _data(found, word, message, is_active=is_active, hint=hint, is_done=is_done)

    def show(printer: Printer) -> None:
        printer.sentence(Cell("", ""), printer.text(message))
        if hint:
            printer.sentence(Cell("", ""), printer.text(hint), "dim")
        if word == "planned" or found[0].path is None:
            for one in found:
                printer.gap()
                for line in one.text.splitlines():
                    printer.write(printer.text(line))
        if hint or word == "planned":
            for line in (line for one in found for line in one.commands):
                printer.write(Cell(f"  {printer.text(line)}", "dim"))

    return call.answer(Answer(f"service {verb}", data=lambda: data, show=show))


def _data(
    found: Sequence[ServiceState],
    word: str,
    message: str,
    *,
    is_active: bool | None,
    hint: str,
    is_done: bool,
) -> Row:
    """Return all services as one, and each of them by itself."""
    units: list[Row] = [
        {
            "layer": None if one.layer is None else one.layer.value,
            "path": one.path,
            "installed": one.is_installed or is_done,
            "current": one.is_current or is_done,
            "enabled": one.is_enabled,
            "active": is_active if is_done else one.is_active,
            "unit": one.text,
        }
        for one in found
    ]
    return {
        "kind": found[0].kind.value,
        "path": found[0].path,
        "status": word,
        "message": message,
        "hint": hint or None,
        "installed": all(one["installed"] for one in units),
        "current": all(one["current"] for one in units),
        "enabled": _all(one.is_enabled for one in found),
        "active": is_active,
        "unit": found[0].text,
        "units": units,
        "commands": [line for one in found for line in one.commands],
    }
