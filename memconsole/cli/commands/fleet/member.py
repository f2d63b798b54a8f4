"""`fleet join`, `leave`, `hosts`, `doctor`: what a host or a person of a fleet does."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from memconsole.cli.call import exits
from memconsole.cli.call.call import Answer
from memconsole.cli.call.options import DryRunOption  # noqa: TC001  # Typer reads it
from memconsole.cli.commands.fleet.outcome import UrlOption, begun, done
from memconsole.cli.output import wording
from memconsole.cli.output.printer import Cell, Column
from memconsole.compose.fleet_server import fleet_hosts, fleet_membership
from memconsole.domain.agents import Notice
from memconsole.domain.fleet.wire import Freshness
from memconsole.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memconsole.cli.json.encode import Row
    from memconsole.cli.output.printer import Printer
    from memconsole.domain.fleet.members import Member, Way

_SECRET = "PGPASSWORD"


def join(
    context: typer.Context,
    url: Annotated[str, typer.Argument(metavar="URL", help="As `fleet invite` printed it.")],
    dry_run: DryRunOption = False,
) -> int:
    """Join a fleet; the secret of the invitation stands in PGPASSWORD, or is asked for.

    Looks whether the way there is safe first. Nothing is published before `fleet.publish` says so.
    """
    call, address = begun(context, "fleet join", url, writes=not dry_run)
    if not address.user:
        raise UsageError("the address names no role", hint="Take it as `fleet invite` printed it.")
    secret = os.environ.get(_SECRET) or (
        typer.prompt("Secret of the invitation", hide_input=True, err=True)
        if call.output.can_ask and not call.is_json
        else ""
    )
    if not secret:
        raise UsageError(f"the secret of the invitation is missing: set {_SECRET}")
    way = fleet_membership(call.settings, address).join(secret, dry_run=dry_run)
    message = f"{'would join' if dry_run else 'joined'} {address.text} as {way.role}"
    url_line = f'url = "{address.whole}"'
    more = ("Now say what this host may publish, in our configuration:", "", "[fleet]", url_line)
    lines: tuple[str, ...] = (*more, 'publish = "figures"')
    if way.is_person:
        lines = ("Now name the fleet, in our configuration:", "", "[[fleet.source]]", url_line)
    return done(
        call,
        "fleet join",
        message,
        dry_run=dry_run,
        more=() if dry_run else lines,
        details={"role": way.role, "url": address.whole},
    )


def leave(
    context: typer.Context,
    *,
    erase: Annotated[
        bool, typer.Option("--erase", help="Also delete what this host published.")
    ] = False,
    url: UrlOption = None,
    dry_run: DryRunOption = False,
) -> int:
    """Leave the fleet; with --erase nothing of this host stays there, backups of it aside."""
    call, address = begun(context, "fleet leave", url, writes=not dry_run)
    rows = fleet_membership(call.settings, address).leave(erase=erase, dry_run=dry_run)
    if rows is None:
        message = f"left {address.text} before; `fleet forget` there removes what may be left"
        return done(call, "fleet leave", message, skipped=True, dry_run=dry_run)
    kept = f"deleted {rows} rows" if erase else f"{rows} rows stay there"
    message = f"{'would leave' if dry_run else 'left'} {address.text}; {kept}"
    return done(call, "fleet leave", message, dry_run=dry_run, details={"rows": rows})


def hosts(
    context: typer.Context,
    *,
    all_: Annotated[bool, typer.Option("--all", help="Those that left, too.")] = False,
    url: UrlOption = None,
) -> int:
    """List the hosts of a fleet, and when each was heard of last."""
    call, address = begun(context, "fleet hosts", url, writes=False)
    found = fleet_hosts(call.settings, address)
    shown = [one for one in found if all_ or not one.is_hidden]
    return call.answer(
        Answer(
            "fleet hosts",
            data=lambda: [_row(one) for one in shown],
            show=lambda printer: _show(printer, shown),
            left_out={"left": len(found) - len(shown)} if len(found) > len(shown) else {},
        )
    )


def _row(one: Member) -> Row:
    return {
        "name": one.name,
        "labels": list(one.labels),
        "freshness": one.freshness.value,
        "seen_at": one.seen_at,
        "version": one.version,
        "wire": one.wire,
        "needs_newer": one.is_too_old,
        "clock_ms": one.skew_ms,
        "joined_at": one.joined_at,
        "left_at": one.left_at,
    }


def _show(printer: Printer, found: list[Member]) -> None:
    if not found:
        printer.write(Cell("no host, or none that may be seen", "dim"))
        return
    columns = (
        Column("host", cut="end", least=6),
        Column("state"),
        Column("seen"),
        Column("clock", rank=1),
        Column("version", rank=1),
        Column("labels", cut="end", least=6),
    )
    rows: list[Sequence[Cell | str]] = []
    for one in found:
        word = "left" if one.left_at else "invited" if not one.joined_at else one.freshness.value
        word = "too old" if one.is_too_old else word
        seen = wording.NOTHING if one.seen_at is None else wording.age(one.seen_at, one.now)
        clock = "?" if one.skew_ms is None else f"{one.skew_ms / 1000:+.1f} s"
        state = Cell(word, "ok" if word == Freshness.LIVE else "warn")
        names = (one.version or "?", " ".join(one.labels) or wording.NOTHING)
        rows.append([printer.text(one.name), state, seen, clock, *map(printer.text, names)])
    printer.table(columns, rows)


def doctor(context: typer.Context, url: UrlOption = None) -> int:
    """Look at the way to the fleet: TLS, password, schema, clock, a pooler in between, pgvector."""
    call, address = begun(context, "fleet doctor", url, writes=False)
    way = fleet_membership(call.settings, address).look()
    warnings = tuple(Notice(one.code, one.text) for one in way.findings)
    refused = any(one.is_refusal for one in way.findings)
    return call.answer(
        Answer(
            "fleet doctor",
            data=lambda: _way(way, address.text),
            show=lambda printer: _show_way(printer, way, address.text),
            warnings=warnings,
            said=frozenset(one.text for one in way.findings),
            code=exits.FAILED if refused else exits.DONE,
        )
    )


def _way(way: Way, url: str) -> Row:
    return {
        "url": url,
        "role": way.role,
        "server": way.server,
        "schema": way.schema,
        "encrypted": way.is_encrypted,
        "latency_ms": round(way.latency_ms, 1),
        "clock_ms": way.skew_ms,
        "findings": [
            {"code": one.code, "message": one.text, "hint": one.hint or None}
            for one in way.findings
        ],
    }


def _show_way(printer: Printer, way: Way, url: str) -> None:
    tls = "encrypted" if way.is_encrypted else "not encrypted"
    facts = f"{url} as {way.role}, PostgreSQL {way.server}, {tls}, {way.latency_ms:.1f} ms"
    printer.sentence(Cell("reached  ", "ok"), printer.text(facts))
    for one in way.findings:
        printer.sentence(Cell("! ", "warn"), printer.text(one.text))
        if one.hint:
            printer.sentence(Cell("    "), printer.text(one.hint), "dim")
