"""A server that speaks the protocol of PostgreSQL, as somebody who took one over would.

It answers what a fleet would, and lies where it is told to: with other values, other rows, silence,
an answer without an end, or no protocol at all.
"""

from __future__ import annotations

import socket
import struct
import threading
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Self

BOOL, BYTEA, INT8, INT4, TEXT, FLOAT8, TEXTS, TIME, UUID = 16, 17, 20, 23, 25, 701, 1009, 1184, 2950
NOW: Final = "2026-01-26 13:20:00+00"
IDENTITY: Final = "00000000-0000-0000-0000-000000000001"

Cell = tuple[int, "str | None"]
"""The type of a column, and what stands in it."""

Rows = list[list[Cell]]

TRUTH: Final[dict[str, Rows]] = {
    "to_regclass('fleet.meta')": [[(TEXT, "fleet.meta")]],
    "SELECT schema FROM fleet.meta": [[(INT4, "5")]],
    "least_wire FROM fleet.meta)": [
        [
            *((TEXT, "alpha"), (TEXTS, "{prod}"), (TEXT, "1.4.0"), (INT4, "1"), (INT4, "30")),
            *((TIME, NOW), (INT8, "20"), (TIME, NOW), (TIME, None), (TIME, NOW)),
            *((TEXTS, "{checkpoint}"), (INT4, "1")),
        ]
    ],
    "o.looked_at, o.identity::text": [
        [
            *((INT4, "7"), (TEXT, "alpha"), (TEXT, "/home/op/.openclaw"), (TIME, NOW)),
            *((TEXT, IDENTITY), (INT8, "3")),
        ]
    ],
    "WINDOW w AS": [
        [
            *((INT4, "7"), (TEXT, "status"), (TEXT, "all"), (INT4, "0"), (TEXT, "{}")),
            (BOOL, "t"),
        ]
    ],
    "AS is_little": [
        [(INT4, "7"), (TEXT, "status"), (TEXT, "all"), (INT4, "0"), (TEXT, "{}")],
    ],
    "FROM fleet.grants": [[(TEXT, "*"), (TEXT, "read")]],
    "to_regprocedure('fleet.searchable(text[])')": [[(BOOL, "t")]],
    "sum(chunks)": [[(INT4, "7"), (INT8, "9")]],
    "SELECT * FROM fleet.searchable(": [
        [
            *((INT4, "1"), (TEXT, "alpha"), (INT4, "7"), (TEXT, "/home/op/.openclaw")),
            *((TEXTS, "{main}"), (BOOL, "f"), (TEXT, "none"), (INT4, "9"), (INT8, "90")),
            *((INT4, "0"), (TIME, NOW), (INT4, "30"), (TIME, NOW)),
        ]
    ],
    "fleet.counts(": [[(1007, "{3}")]],
    "fleet.with_words(": [[(INT4, "1"), (INT8, "5"), (FLOAT8, "1.5")]],
    "fleet.rows(": [
        [
            *((INT4, "1"), (INT8, "5"), (TEXT, "MEMORY.md"), (INT4, "1"), (INT4, "2")),
            *((TEXT, "Boats"), (TEXT, "The ferry leaves."), (BOOL, "f"), (BOOL, "f")),
            *((TIME, NOW), (TIME, NOW), (TEXTS, "{}")),
        ]
    ],
    "fleet.lines(": [[(INT4, "1"), (INT4, "1"), (TEXT, "The ferry leaves.")]],
    "ORDER BY sent_at DESC": [
        [
            *((TEXT, IDENTITY), (TEXT, "alpha"), (TEXT, "/home"), (TEXT, "sent"), (TEXT, "f_ann")),
            *((TEXT, "ed25519:x"), (TIME, NOW), (TIME, NOW), (TIME, None), (TIME, None)),
            *((INT4, None), (TEXT, '{"words": ["checkpoint"]}'), (TEXT, None)),
        ]
    ],
    "operator_key, signature": [
        [
            *((TEXT, IDENTITY), (TEXT, "sent"), (TEXT, "checkpoint"), (TEXT, "{}")),
            *((TEXT, "ed25519:x"), (TEXT, "x"), (TIME, NOW)),
        ]
    ],
    "to_regclass('fleet.vectors')": [[(TEXT, None)]],
    "SELECT fleet.me()": [[(INT4, "1")]],
    "fleet.finish(": [[(BOOL, "t")]],
    "SELECT least_wire >": [[(BOOL, "f")]],
    "SELECT least_wire FROM": [[(INT4, "1")]],
    "fleet.claim(": [[(INT4, "7"), (TEXT, None)]],
    "SELECT max(looked_at)": [[(TIME, None)]],
    "kind, key, hash FROM": [[(TEXT, "status"), (TEXT, "all"), (BYTEA, "\\x00")]],
    "fleet.next_generation(": [[(INT8, "4")]],
    "clock_timestamp())::float8": [[(FLOAT8, "1769433600")]],
    "SELECT id, agent, is_talk": [],
    "SELECT clock_timestamp()": [[(TIME, NOW)]],
    "session_user::text": [[(TEXT, "f_ann")]],
    "pg_backend_pid()": [[(INT4, "1")]],
    "pg_roles WHERE rolname": [[(BOOL, "t")]],
    "pg_has_role": [[(BOOL, "t")]],
    "SELECT id::text, state, code": [
        [(TEXT, IDENTITY), (TEXT, "answered"), (INT4, "0"), (TEXT, "{}")],
    ],
    "fleet.expire()": [[(INT4, "0")]],
    "SELECT 1": [[(INT4, "1")]],
}
"""What a fleet of one host answers, by words of the question; the first that fit."""


class Liar:
    """Such a server; `lie` changes the answer to a question, or speaks itself and returns None."""

    def __init__(self) -> None:
        self.lie: Callable[[str, Rows, socket.socket], Rows | None] = lambda _, rows, __: rows
        self.asked: list[str] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                way, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(way,), daemon=True).start()

    def _serve(self, way: socket.socket) -> None:
        with suppress(OSError, EOFError), way:
            self._startup(way)
            query, rows = "", None
            while True:
                kind = _exactly(way, 1)
                body = _exactly(way, struct.unpack("!I", _exactly(way, 4))[0] - 4)
                if kind == b"X":
                    return
                if kind in b"QP":  # a question, or one that is bound to values later
                    query = body.rstrip(b"\0").split(b"\0")[-1 if kind == b"Q" else 1].decode()
                if kind in b"QD":
                    rows = self._answer(query, way)
                if kind in _PLAIN:
                    way.sendall(_PLAIN[kind])
                elif rows is not None:
                    told = {b"D": _described(rows), b"E": _told(rows)}
                    way.sendall(told.get(kind) or b"".join(told.values()) + READY)

    def _startup(self, way: socket.socket) -> None:
        while True:
            [length] = struct.unpack("!I", _exactly(way, 4))
            body = _exactly(way, length - 4)
            if struct.unpack("!I", body[:4])[0] != _SSL_REQUEST:
                break
            way.sendall(b"N")
        told = {
            "server_version": "18.0", "client_encoding": "UTF8", "server_encoding": "UTF8",
            "DateStyle": "ISO, MDY", "TimeZone": "UTC", "integer_datetimes": "on",
            "standard_conforming_strings": "on",
        }  # fmt: skip
        settings = (message(b"S", f"{a}\0{b}\0".encode()) for a, b in told.items())
        way.sendall(message(b"R", bytes(4)) + b"".join(settings) + READY)

    def _answer(self, query: str, way: socket.socket) -> Rows | None:
        self.asked.append(query)
        known = next((rows for words, rows in TRUTH.items() if words in query), [])
        return self.lie(query, [list(row) for row in known], way)


_SSL_REQUEST = 80877103


def message(kind: bytes, body: bytes = b"") -> bytes:
    """Return one message of the server."""
    return kind + struct.pack("!I", len(body) + 4) + body


READY = message(b"Z", b"I")
_PLAIN = {b"P": message(b"1"), b"B": message(b"2"), b"S": READY}


def described(kinds: Sequence[int]) -> bytes:
    """Return the message that tells of the columns of an answer."""
    columns = (
        f"c{place}".encode() + b"\0" + struct.pack("!IhIhih", 0, 0, kind, -1, -1, 0)
        for place, kind in enumerate(kinds)
    )
    return message(b"T", struct.pack("!h", len(kinds)) + b"".join(columns))


def row(cells: Sequence[str | None]) -> bytes:
    """Return the message of one row."""
    parts = (
        struct.pack("!i", -1)
        if one is None
        else struct.pack("!i", len(text := one.encode())) + text
        for one in cells
    )
    return message(b"D", struct.pack("!h", len(cells)) + b"".join(parts))


def _described(rows: Rows) -> bytes:
    return described([kind for kind, _ in rows[0]]) if rows else described([TEXT])


def _told(rows: Rows) -> bytes:
    every = b"".join(row([text for _, text in one]) for one in rows)
    return every + message(b"C", f"SELECT {len(rows)}\0".encode())


def error(text: str, sqlstate: str = "XX000") -> bytes:
    """Return the message of a failure."""
    parts = f"SERROR\0C{sqlstate}\0M{text}\0\0"
    return message(b"E", parts.encode())


def _exactly(way: socket.socket, count: int) -> bytes:
    found = b""
    while len(found) < count:
        more = way.recv(count - len(found))
        if not more:
            raise EOFError
        found += more
    return found


def lies() -> Iterator[tuple[str, Callable[[Rows], Rows]]]:
    """Yield lies about any answer: other values in all of its columns, and other rows."""
    for name, kind, text in _VALUES:
        yield name, partial(_filled, cell=(kind, text))
    yield "no rows", lambda _: []
    yield "more columns", lambda rows: [[*one, (TEXT, "x")] for one in rows]
    yield "fewer columns", lambda rows: [one[:-1] or [(TEXT, "x")] * 2 for one in rows]
    yield "rows twice", lambda rows: [*rows, *rows]


def _filled(rows: Rows, cell: Cell) -> Rows:
    return [[cell] * len(one) for one in rows]


_VALUES: Final[tuple[tuple[str, int, str | None], ...]] = (
    ("nothing", TEXT, None),
    ("a number below nothing", INT8, "-9223372036854775808"),
    ("a number above all", INT8, "9223372036854775807"),
    ("no number", FLOAT8, "NaN"),
    ("a word in the place of a number", INT4, "x"),
    ("control characters", TEXT, "a\x1b]0;owned\x07\x1b[2J\nb"),
    ("markup", TEXT, "[red]x[/] [link=file:///etc/passwd]y[/link] [/nothing"),
    ("other bytes", BYTEA, "\\xff00"),
    ("yes", BOOL, "t"),
    ("the end of time", TIME, "infinity"),
    ("the first day", TIME, "0001-01-01 00:00:00+00"),
    ("the last day", TIME, "9999-12-31 23:59:59+00"),
    ("a list in a list", TEXTS, "{{a,b},{c,d}}"),
    ("deep JSON", 3802, "[" * 5000 + "]" * 5000),
    ("a long word", TEXT, "w" * 1_000_000),
)
