"""What a fleet's owner does: who is in it and who may what, its schema, and what it keeps."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from memconsole.cli.call.call import Answer
from memconsole.cli.call.options import DryRunOption, YesOption, call_of, parse_span
from memconsole.cli.commands.fleet.outcome import UrlOption, begun, done
from memconsole.cli.output import wording
from memconsole.cli.output.printer import Cell, Column
from memconsole.compose.fleet_server import KNOWN, fleet_owner, fleet_script
from memconsole.errors import ConfirmationError, UsageError
from memconsole.text import figures
from memconsole.text.compiled import compiled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memconsole.cli.json.encode import Json
    from memconsole.cli.output.printer import Printer
    from memconsole.domain.fleet.members import Event

_INVITED_FOR = timedelta(minutes=15)
_NAME = r"[a-z0-9][a-z0-9.-]{0,62}"

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Small letters, digits, - and .")]
VerbsArgument = Annotated[
    list[str], typer.Argument(metavar="VERB…", help="`read`, or the name of a command.")
]
LabelOption = Annotated[
    str, typer.Option("--on", metavar="L", help="Label of the hosts that are meant; `*` is all.")
]


def init(
    context: typer.Context,
    *,
    url: UrlOption = None,
    print_: Annotated[bool, typer.Option("--print", help="Write the SQL and do nothing.")] = False,
    dry_run: DryRunOption = False,
) -> int:
    """Make the schema and the roles of a fleet in a database that exists.

    The role of the address must be allowed to make roles; what it makes belongs to `fleet_owner`.
    """
    if print_:
        call = call_of(context)
        call.output.lines(fleet_script().splitlines())
        return 0
    call, address = begun(context, "fleet init", url, writes=not dry_run)
    found = fleet_owner(call.settings, address).init(dry_run=dry_run)
    if found is not None:
        message = f"there is a fleet already (schema {found})"
        return done(call, "fleet init", message, skipped=True, details={"schema": found})
    message = f"{'would make' if dry_run else 'made'} the fleet {address.text} (schema {KNOWN})"
    return done(call, "fleet init", message, dry_run=dry_run, details={"schema": KNOWN})


def upgrade(context: typer.Context, url: UrlOption = None, dry_run: DryRunOption = False) -> int:
    """Bring the schema of a fleet to this version; older hosts go on."""
    call, address = begun(context, "fleet upgrade", url, writes=not dry_run)
    before, after = fleet_owner(call.settings, address).upgrade(dry_run=dry_run)
    details = {"before": before, "schema": after}
    if before == after:
        message = f"the fleet has schema {after} already"
        return done(call, "fleet upgrade", message, skipped=True, details=dict(details))
    message = f"{'would bring' if dry_run else 'brought'} the fleet from schema {before} to {after}"
    return done(call, "fleet upgrade", message, dry_run=dry_run, details=dict(details))


def invite(
    context: typer.Context,
    name: NameArgument,
    *,
    labels: Annotated[
        str, typer.Option("--labels", metavar="L[,L]", help="Of the host; grants go by them.")
    ] = "",
    operator: Annotated[
        bool, typer.Option("--operator", help="A person who looks, not a host.")
    ] = False,
    url: UrlOption = None,
    dry_run: DryRunOption = False,
) -> int:
    """Make the login of a host or a person, with a secret that works once, for 15 minutes."""
    names = [one for one in labels.split(",") if one]
    for one in (name, *names):
        _require_name(one)
    call, address = begun(context, "fleet invite", url, writes=not dry_run)
    if operator and names:
        raise UsageError("an operator has no labels", hint="`fleet grant` says which hosts.")
    kind = "operator" if operator else "host"
    if dry_run:
        return done(call, "fleet invite", f"would invite the {kind} {name}", dry_run=True)
    role, secret = fleet_owner(call.settings, address).invite(
        name, names, is_operator=operator, within=_INVITED_FOR
    )
    there = address._replace(user=role).whole
    return done(
        call,
        "fleet invite",
        f"invited the {kind} {name}; the secret works once, for 15 minutes",
        more=(f"memconsole fleet join '{there}'", f"secret   {secret}"),
        details={"role": role, "url": there, "secret": secret},
    )


def grant(
    context: typer.Context,
    operator: NameArgument,
    verbs: VerbsArgument,
    *,
    on: LabelOption = "*",
    url: UrlOption = None,
    dry_run: DryRunOption = False,
) -> int:
    """Let an operator read figures of hosts, or ask commands of them."""
    return _granted(context, operator, verbs, on, url, dry_run=dry_run, takes_back=False)


def revoke(
    context: typer.Context,
    operator: NameArgument,
    verbs: VerbsArgument,
    *,
    on: LabelOption = "*",
    url: UrlOption = None,
    dry_run: DryRunOption = False,
) -> int:
    """Take back what an operator was granted."""
    return _granted(context, operator, verbs, on, url, dry_run=dry_run, takes_back=True)


def _granted(
    context: typer.Context,
    operator: str,
    verbs: Sequence[str],
    label: str,
    url: str | None,
    *,
    dry_run: bool,
    takes_back: bool,
) -> int:
    command = f"fleet {'revoke' if takes_back else 'grant'}"
    call, address = begun(context, command, url, writes=not dry_run)
    for one in (operator, *verbs, *(() if label == "*" else (label,))):
        _require_name(one)
    if not dry_run:
        owner = fleet_owner(call.settings, address)
        owner.grant(operator, verbs, label, takes_back=takes_back)
    what = f"{' '.join(verbs)} on {'every host' if label == '*' else f'hosts labelled {label}'}"
    may = f"{'would be' if dry_run else 'is'} allowed {what}"
    return done(
        call, command, f"{operator} {may}{' no longer' if takes_back else ''}", dry_run=dry_run
    )


def forget(
    context: typer.Context,
    name: NameArgument,
    *,
    operator: Annotated[bool, typer.Option("--operator", help="A person, not a host.")] = False,
    url: UrlOption = None,
    dry_run: DryRunOption = False,
    yes: YesOption = False,
) -> int:
    """Remove a host from a fleet with everything it published, or a person. Asks for --yes."""
    call, address = begun(context, "fleet forget", url, writes=not dry_run)
    if not (yes or dry_run):
        raise ConfirmationError(f"fleet forget {name}", is_declined=False)
    rows = fleet_owner(call.settings, address).forget(name, is_operator=operator, dry_run=dry_run)
    verb, number = "would remove" if dry_run else "removed", figures.plural(rows, "row")
    message = (
        f"{verb} the operator {name} and {figures.plural(rows, 'grant')}"
        if operator
        else f"{verb} the host {name} and {number} of it; backups of the server keep them until "
        "they expire"
    )
    return done(call, "fleet forget", message, dry_run=dry_run, details={"rows": rows})


def prune(
    context: typer.Context,
    *,
    older_than: Annotated[
        str, typer.Option("--older-than", metavar="D", help="Of the audit.")
    ] = "400d",
    url: UrlOption = None,
    dry_run: DryRunOption = False,
    yes: YesOption = False,
) -> int:
    """Delete what is old of the audit, and hosts that left or were not heard of for 30 days.

    Asks for --yes.
    """
    call, address = begun(context, "fleet prune", url, writes=not dry_run)
    older = parse_span("--older-than", older_than)
    if not (yes or dry_run):
        raise ConfirmationError("fleet prune", is_declined=False)
    found = fleet_owner(call.settings, address).prune(older, dry_run=dry_run)
    details: dict[str, Json] = {**found._asdict(), "hosts": list(found.hosts)}
    if not any(found):
        message = f"nothing of the audit is older than {older_than}, and no host is hidden"
        return done(call, "fleet prune", message, skipped=True, details=details)
    message = f"{'would delete' if dry_run else 'deleted'} {found.text}"
    return done(call, "fleet prune", message, dry_run=dry_run, details=details)


def audit(
    context: typer.Context,
    *,
    since: Annotated[
        str, typer.Option("--since", metavar="D", help="Not older than this, such as 6h or 7d.")
    ] = "30d",
    url: UrlOption = None,
) -> int:
    """List who did what with a fleet, newest first: who came and went, grants, commands."""
    call, address = begun(context, "fleet audit", url, writes=False)
    found = fleet_owner(call.settings, address).audit(parse_span("--since", since))
    return call.answer(
        Answer(
            "fleet audit",
            data=lambda: [one._asdict() for one in found],
            show=lambda printer: _show_audit(printer, found),
        )
    )


def _show_audit(printer: Printer, found: Sequence[Event]) -> None:
    if not found:
        printer.write(Cell("nobody did anything", "dim"))
        return
    columns = (
        Column("at"),
        Column("by", cut="end", least=6),
        Column("what"),
        Column("details", cut="end", least=12),
        Column("state", rank=1),
    )
    rows: list[Sequence[Cell | str]] = [
        [
            wording.stamp(one.at, printer.zone),
            *(printer.text(text) for text in (one.by, one.what, one.details)),
            printer.text(one.state or wording.NOTHING),
        ]
        for one in found
    ]
    printer.table(columns, rows)


def _require_name(text: str) -> None:
    if not compiled(_NAME).fullmatch(text):
        raise UsageError(
            f"{text!r} is no name", hint="Small letters, digits, - and . are taken, 63 at most."
        )
