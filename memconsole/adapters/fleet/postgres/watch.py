"""Keeps the copy of a fleet up to date for a console: one connection listens and reads what moved.

That something moved is a hint which anybody may give; what moved is looked up. Of a home with a
newer generation only the rows above the known one are read, and which others are still there.
"""

from __future__ import annotations

import time
from types import MappingProxyType
from typing import TYPE_CHECKING, LiteralString, NamedTuple

from memconsole.adapters.fleet.postgres.connect import (
    answered,
    connect,
    rows,
    said,
    table_of,
    value,
)
from memconsole.adapters.fleet.postgres.letterbox import CHANNEL as LETTERS
from memconsole.adapters.fleet.postgres.post import read_going
from memconsole.adapters.fleet.postgres.source import (
    PostgresFleet,
    PostgresHome,
    PublishedHome,
    read_homes,
)
from memconsole.domain.agents import HomeRef
from memconsole.domain.fleet.letters import person_of
from memconsole.domain.fleet.members import Look, Seen
from memconsole.domain.fleet.wire import MOST_BYTES
from memconsole.domain.published import Fact
from memconsole.errors import SourceAwayError
from memconsole.text.outgoing import let_out
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    import psycopg

    from memconsole.domain.fleet.letters import Sent
    from memconsole.domain.fleet.members import Member

CHANNEL = "fleet"
_MOST_ROWS = 20_000


class _Rows(NamedTuple):
    """What a home published, by kind and key, with the length of each body."""

    identity: str
    generation: int
    facts: dict[tuple[str, str], tuple[Fact, int]] | None


class PostgresWatch(PostgresFleet):
    """A fleet that is read once and then kept; answers the port `FleetWatch`."""

    _connection: psycopg.Connection | None = None
    _mine = ""
    """As whom the server knows us; empty where it takes no letters yet."""

    _kept: Mapping[int, _Rows] = MappingProxyType({})

    @property
    def name(self) -> str:
        """Where it is."""
        return self._address.text

    def look(self, wait_s: float) -> Look:
        """Return who is there and whose figures moved since the last look.

        Args:
            wait_s: Waits for a hint that long at most, unless it was not connected.

        Raises:
            SourceAwayError: The server is away, or does not let us.
            FleetError: It refuses.
        """
        try:
            with said("cannot look at the fleet"):
                connection, start = self._connected(wait_s), time.perf_counter()
                value(connection, object, "SELECT 1")
                latency_ms = (time.perf_counter() - start) * 1000
                homes = read_homes(connection)
                grants = _grants(connection)
                chunks = _chunks(connection)
                letters = self._letters(connection)
                moved = self._take(connection, homes)
        except BaseException:
            self.close()
            raise
        return Look(
            tuple(
                Seen(
                    number,
                    HomeRef(home.path, home.member.name),
                    home.member,
                    home.looked_at,
                    number in moved,
                    _granted(home.member, grants),
                    chunks.get(number),
                )
                for number, home, _ in homes
                if not home.member.is_hidden
            ),
            latency_ms,
            letters,
        )

    def source(self, number: int) -> PostgresHome:
        """Return what answers for a home of the last look.

        Raises:
            SourceAwayError: It is not there any more.
        """
        home = self._homes.get(number)
        if home is None:
            raise SourceAwayError("it is not in the fleet any more")
        return PostgresHome(self, number, HomeRef(home.path, home.member.name), home.identity)

    def told(
        self, number: int, kinds: tuple[str, ...]
    ) -> tuple[Member, datetime | None, list[Fact]]:
        """Return whose a home is, when it was looked at, and its rows, as they were last read.

        Raises:
            SourceAwayError: It is not there any more, or what it published is no figures.
        """
        with self._guard:
            home, rows = self._homes.get(number), self._kept.get(number)
        if home is None:
            raise SourceAwayError("it is not in the fleet any more")
        if rows is not None and rows.facts is None:
            raise SourceAwayError("what it published cannot be used")
        facts = {} if rows is None or rows.facts is None else rows.facts
        return home.member, home.looked_at, [one for one, _ in facts.values() if one.kind in kinds]

    def close(self) -> None:
        """End the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _connected(self, wait_s: float) -> psycopg.Connection:
        """Return the connection that listens; what moved before it did is looked up anyway."""
        if self._connection is None:
            self._connection = connect(self._address, self._passwords)
            self._connection.execute(f"LISTEN {CHANNEL}")
            self._connection.execute(f"LISTEN {LETTERS}")
            query: LiteralString = (
                "SELECT CASE WHEN to_regclass('fleet.commands') IS NULL THEN ''"
                " ELSE session_user::text END"
            )
            self._mine = value(self._connection, str, query)
            return self._connection
        for wait in (wait_s, 0.0):  # then what came at the same time: one look serves all of it
            with answered():
                for _ in self._connection.notifies(timeout=wait, stop_after=1 if wait else None):
                    pass
        return self._connection

    def _letters(self, connection: psycopg.Connection) -> tuple[Sent, ...]:
        """Return what is asked of hosts now, by whom; nobody where we ask it."""
        found = read_going(connection) if self._mine else []
        return tuple(
            one._replace(
                by="" if one.by == self._mine else person_of(one.by),
                words=tuple(let_out(one_line(word)) for word in one.words),
                message=let_out(one.message),
            )
            for one in found
        )

    def _take(
        self,
        connection: psycopg.Connection,
        homes: Sequence[tuple[int, PublishedHome, int]],
    ) -> set[int]:
        """Read what moved, and keep it; returns whose figures those are."""
        known: dict[int, _Rows] = {}
        wanted: dict[int, _Rows] = {}
        for number, home, generation in homes:
            kept = self._kept.get(number)
            if kept is None or kept.identity != home.identity or kept.generation > generation:
                kept = _Rows(home.identity, -1, {})
            known[number] = kept
            if kept.generation != generation:
                wanted[number] = kept._replace(generation=generation)
        if wanted:
            since = [known[number].generation for number in wanted]
            asked = (_MOST_ROWS, MOST_BYTES, list(wanted), since)
            moved = rows(connection, _MOVED, asked, int, str, str, int, str | None, bool)
            known |= _joined(wanted, moved)
        with self._guard:
            self._kept = known
            self._homes = {number: home for number, home, _ in homes}
        return set(wanted)


def _joined(
    wanted: Mapping[int, _Rows], rows: Iterable[tuple[int, str, str, int, str | None, bool]]
) -> dict[int, _Rows]:
    """Return the rows of homes that moved: new ones, and of the known ones those still there."""
    found: dict[int, dict[tuple[str, str], tuple[Fact, int]] | None] = {one: {} for one in wanted}
    for number, kind, key, place, text, fits in rows:
        own = found.get(number)
        if own is None:
            continue
        kept = (wanted[number].facts or {}).get((kind, key))
        if text is not None:
            body = table_of(text)
            kept = None if body is None else (Fact(kind, key, place, body), len(text))
        if kept is None or not fits:
            found[number] = None
        else:
            own[kind, key] = kept
    return {number: wanted[number]._replace(facts=_small(own)) for number, own in found.items()}


def _small(
    own: dict[tuple[str, str], tuple[Fact, int]] | None,
) -> dict[tuple[str, str], tuple[Fact, int]] | None:
    """Return the rows of a home that is no flood."""
    if own is None or sum(length for _, length in own.values()) > MOST_BYTES:
        return None
    return own


def _chunks(connection: psycopg.Connection) -> dict[int, int]:
    """Return how many chunks of each home may be searched; a fleet of before has none."""
    query: LiteralString = "SELECT to_regprocedure('fleet.searchable(text[])') IS NOT NULL"
    if not value(connection, bool, query):
        return {}
    return dict(rows(connection, _SEARCHABLE, (), int, int))


def _grants(connection: psycopg.Connection) -> tuple[tuple[str, str], ...]:
    """Return which (label, verb) this role was granted."""
    query: LiteralString = "SELECT label, verb FROM fleet.grants ORDER BY 2"
    return tuple((label, verb) for label, verb in rows(connection, query, (), str, str))


def _granted(member: Member, grants: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    own = (verb for label, verb in grants if label == "*" or label in member.labels)
    return tuple(dict.fromkeys(own))


_SEARCHABLE = """
SELECT home, sum(chunks)::bigint FROM fleet.searchable() WHERE chunks IS NOT NULL GROUP BY home
"""

_MOVED = """
SELECT home, kind, key, place, CASE WHEN fits AND is_new THEN body::text END, fits FROM (
  SELECT f.home, f.kind, f.key, f.place, f.body, f.generation > k.since AS is_new,
    row_number() OVER (PARTITION BY f.home) AS n, count(*) OVER w <= %s AND sum(
      CASE WHEN f.generation > k.since THEN octet_length(f.body::text) ELSE 0 END) OVER w <= %s
      AS fits
  FROM unnest(%s::int[], %s::bigint[]) AS k (home, since) JOIN fleet.facts f ON f.home = k.home
  WINDOW w AS (PARTITION BY f.home)) AS found
WHERE fits OR n = 1
"""
"""Of a home with too much one row without a body: a host that floods hides no other."""
