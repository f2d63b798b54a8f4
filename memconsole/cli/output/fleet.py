"""What the homes of a fleet answered, for people: one table, and a line for each that is away.

Everything in an answer is foreign: a field of another kind than ours is `?`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.cli.output import wording
from memconsole.cli.output.printer import Cell, Column
from memconsole.domain.fleet.shapes import count_of, text_of
from memconsole.domain.fleet.wire import Freshness
from memconsole.text import figures

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memconsole.cli.output.printer import Printer
    from memconsole.domain.fleet.shapes import Json, Row
    from memconsole.domain.fleet.wire import Reply

_MOST_FINDINGS = 5
_HOME = Column("home", cut="middle", least=12)


def show_replies(printer: Printer, command: str, replies: Sequence[Reply]) -> None:
    """Write the answers: what is away first, then what the others say."""
    for reply in replies:
        if reply.failure:
            _failure(printer, reply)
    answered = [one for one in replies if not one.failure]
    if command == "status":
        _status(printer, replies)
    elif command in _WRITERS:
        _WRITERS[command](printer, answered)
    elif command not in _TABLES and any(_is_preview(one.data) for one in answered):
        printer.write(Cell("it was only looked at: --json tells what was found", "dim"))
    else:
        _table(printer, command, answered)


def _failure(printer: Printer, reply: Reply) -> None:
    name, failure = printer.text(str(reply.home)), printer.text(reply.failure)
    word = "away" if reply.freshness is Freshness.AWAY else "failed"
    printer.sentence(Cell(f"! {word}  ", "warn"), f"{name}: {failure}")
    if reply.hint:
        printer.sentence(Cell(" " * 8), printer.text(reply.hint), "dim")


def _table(printer: Printer, command: str, answered: Sequence[Reply]) -> None:
    columns, cells = _TABLES.get(command, _OUTCOMES)
    rows = [
        [_name(printer, reply), *(printer.text(text) for text in cells(row, printer))]
        for reply in answered
        for row in _rows(reply.data if command != "health" else _bad_checks(reply.data))
    ]
    if rows:
        printer.table((_HOME, *columns), rows)
    elif answered:
        printer.write(Cell("nothing" if command != "health" else "every check is ok", "dim"))


def _status(printer: Printer, replies: Sequence[Reply]) -> None:
    columns: tuple[Column, ...] = (
        _HOME,
        Column("state"),
        Column("agents", right=True),
        Column("sessions", right=True),
        Column("due", right=True),
        Column("fullest", right=True),
        Column("as of", rank=1),
    )
    rows = [_status_row(printer, reply) for reply in replies]
    if any(reply.version for reply in replies):
        columns = (*columns, Column("release", rank=2))
        rows = [
            [*row, printer.text(reply.version or wording.NOTHING)]
            for row, reply in zip(rows, replies, strict=True)
        ]
    printer.table(columns, rows)
    for reply in replies:
        row = reply.data if isinstance(reply.data, dict) else {}
        found = [one for one in _rows(row.get("attention")) if one.get("severity") != "info"]
        for one in found[:_MOST_FINDINGS]:
            sign = Cell(f"! {printer.text(text_of(one, 'severity')):8}  ", "warn")
            printer.sentence(sign, printer.text(f"{reply.home}: {text_of(one, 'message')}"))
        if len(found) > _MOST_FINDINGS:
            more = figures.plural(len(found) - _MOST_FINDINGS, "more finding")
            printer.write(Cell(f"  and {more} of {printer.text(str(reply.home))}", "dim"))


def _status_row(printer: Printer, reply: Reply) -> list[Cell | str]:
    word = reply.freshness.value
    if reply.failure and reply.freshness is not Freshness.AWAY:
        word = "failed"
    state = Cell(word, "ok" if word == Freshness.LIVE else "warn")
    name = _name(printer, reply)
    if reply.as_of is None or not isinstance(reply.data, dict):
        return [name, state, "?", "?", "?", "?", "?"]
    agents = _rows(reply.data.get("agents"))
    fullest = [count for one in agents if (count := count_of(one, "tokens_max")) is not None]
    return [
        name,
        state,
        str(len(agents)),
        _sum(agents, "sessions"),
        _sum(agents, "due"),
        figures.short_kilo(max(fullest, default=None)),
        wording.clock_time(reply.as_of, printer.zone),
    ]


def _hits(printer: Printer, replies: Sequence[Reply]) -> None:
    """Write hits home by home: scores of two homes do not compare, unless one copy holds both."""
    for reply in replies:
        row = reply.data if isinstance(reply.data, dict) else {}
        hits = _rows(row.get("hits"))
        printer.title(_name(printer, reply), figures.plural(len(hits), "hit"))
        if isinstance(searched := row.get("searched"), dict):
            printer.write(Cell(printer.text(text_of(searched, "line")), "dim"))
        for hit in hits:
            name = text_of(hit, "name") or text_of(hit, "agent")
            where = f"{name} {text_of(hit, 'path')}:{_figure(hit, 'start_line')}"
            printer.write(Cell(printer.text(where), "mark"))
            printer.sentence(Cell("  "), printer.text(text_of(hit, "snippet")), "dim")


def _lines(printer: Printer, replies: Sequence[Reply]) -> None:
    for reply in replies:
        row = reply.data if isinstance(reply.data, dict) else {}
        for line in text_of(row, "text").split("\n"):
            printer.write(printer.text(line) if line.strip() else "")


def _messages(printer: Printer, replies: Sequence[Reply]) -> None:
    for reply in replies:
        rows = _rows(reply.data)
        printer.title(_name(printer, reply), figures.plural(len(rows), "message"))
        for row in rows:
            who = f"{text_of(row, 'at')} {text_of(row, 'role') or text_of(row, 'kind')}"
            printer.write(Cell(printer.text(who), "mark"))
            for line in text_of(row, "text").split("\n"):
                printer.sentence(Cell("  "), printer.text(line))


def _session(printer: Printer, replies: Sequence[Reply]) -> None:
    """Write what a session is; its tables are in JSON."""
    for reply in replies:
        row = reply.data if isinstance(reply.data, dict) else {}
        printer.title(_name(printer, reply), printer.text(text_of(row, "key")))
        for name, value in row.items():
            if isinstance(value, str | int | float) and name != "key":
                printer.sentence(Cell(f"{printer.text(name):22}"), printer.text(str(value)))


_WRITERS: dict[str, Callable[[Printer, Sequence[Reply]], None]] = {
    "search": _hits,
    "get": _lines,
    "transcript": _messages,
    "session": _session,
}


def _bad_checks(data: Json) -> Json:
    checks = _rows(data.get("checks") if isinstance(data, dict) else None)
    return [one for one in checks if one.get("status") != "ok"]


_NAME = Column("agent", cut="end", least=6)
_MESSAGE = Column("message", cut="end", least=20)
_TABLES: dict[str, tuple[tuple[Column, ...], Callable[[Row, Printer], Sequence[str]]]] = {
    "agents": (
        (_NAME, Column("sessions", right=True), Column("due", right=True), Column("fullest")),
        lambda row, _: (
            text_of(row, "id"),
            _figure(row, "sessions"),
            _figure(row, "due"),
            figures.short_kilo(count_of(row, "tokens_max")),
        ),
    ),
    "sessions": (
        (Column("session", cut="middle", least=16), Column("tokens", right=True), Column("due")),
        lambda row, _: (
            text_of(row, "key") or text_of(row, "session_id"),
            figures.short_kilo(count_of(row, "tokens")),
            "due" if row.get("due") is True else wording.NOTHING,
        ),
    ),
    "memory show": (
        (Column("file", cut="middle", least=16), Column("bytes", right=True), _MESSAGE),
        lambda row, _: (text_of(row, "path"), _figure(row, "bytes"), text_of(row, "text")),
    ),
    "runs": (
        (Column("started"), Column("command"), Column("status"), Column("reason", rank=1)),
        lambda row, _: tuple(
            text_of(row, one) or wording.NOTHING
            for one in ("started_at", "command", "status", "reason")
        ),
    ),
    "health": (
        (Column("check"), Column("status"), _MESSAGE),
        lambda row, _: tuple(text_of(row, one) for one in ("id", "status", "message")),
    ),
}
_OUTCOMES: tuple[tuple[Column, ...], Callable[[Row, Printer], Sequence[str]]] = (
    (_NAME, Column("status"), _MESSAGE),
    lambda row, _: tuple(text_of(row, one) for one in ("agent", "status", "message")),
)
"""Columns of each command and what stands in them."""


def _name(printer: Printer, reply: Reply) -> str:
    return printer.text(str(reply.home))


def _is_preview(data: Json) -> bool:
    """Whether a command that acts has only told what it would look at."""
    return not isinstance(data, list) or any("status" not in one for one in _rows(data))


def _rows(value: Json) -> list[Row]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _figure(row: Row, name: str) -> str:
    found = count_of(row, name)
    return "?" if found is None else str(found)


def _sum(rows: Sequence[Row], name: str) -> str:
    """Return a sum; `?` where one of it is not known."""
    counts = [count_of(row, name) for row in rows]
    known = [one for one in counts if one is not None]
    return str(sum(known)) if len(known) == len(counts) else "?"
