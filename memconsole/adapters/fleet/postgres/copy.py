"""Publishes the figures of one home, in one transaction for what differs from what is there.

What is there is asked of the server once a connection. A list kept here would lie after the server
was put back from a backup.
"""

from __future__ import annotations

import json
import os
import time
import uuid
from datetime import UTC
from typing import TYPE_CHECKING, LiteralString

from memconsole.adapters.fleet.postgres.chunks import ChunkCopy
from memconsole.adapters.fleet.postgres.connect import (
    WrongAnswerError,
    connect,
    rows,
    said,
    time_of,
    value,
)
from memconsole.adapters.fleet.postgres.membership import skew_ms
from memconsole.adapters.fleet.postgres.owner import CHUNKS, version
from memconsole.domain.fleet.members import AWAY
from memconsole.domain.fleet.publishing import Published
from memconsole.domain.fleet.wire import WIRE
from memconsole.errors import FleetError, FleetHeldError
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from pathlib import Path

    import psycopg

    from memconsole.domain.fleet.chunks import Shelf
    from memconsole.domain.fleet.server import ServerAddress
    from memconsole.domain.fleet.shapes import Row
    from memconsole.domain.published import Fact


class PostgresCopy:
    """The published copy of one home; answers the port `FleetCopy`.

    Args:
        address: Of the fleet, with the role of this host.
        passwords: Our password file.
        identity: Of the home.
        path: Of the home, to show.
        release: Version of this memconsole.
        beat_s: Seconds between two beats.
        allows: Verbs that this host admits, to show.
        clock: Seconds since the epoch by the clock that is told to be wrong.
    """

    def __init__(
        self,
        address: ServerAddress,
        passwords: Path,
        *,
        identity: uuid.UUID,
        path: str,
        release: str,
        beat_s: int,
        allows: Sequence[str] = (),
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._address = address
        self._passwords = passwords
        self._identity = identity
        self._path = path
        self._release = release
        self._beat_s = beat_s
        self._allows = list(allows)
        self._clock = clock
        self._publisher = uuid.uuid4()
        self._connection: psycopg.Connection | None = None
        self._home = 0
        self._there: dict[tuple[str, str], bytes] = {}
        self._chunks: ChunkCopy | None = None
        self._earlier: datetime | None = None

    def publish(self, facts: Sequence[Fact], shelves: Sequence[Shelf] = ()) -> Published:
        """Bring the copy to what is now, and say that this host lives.

        Raises:
            SourceAwayError: The server is away; nothing is lost, the next time brings it.
            FleetHeldError: Another process publishes this home.
            FleetError: The server refuses.
        """
        try:
            with said("nothing was published"):
                connection = self._claimed()
                sent = self._send(connection, facts)
                self._beat(connection, (self._home,))
                if self._earlier is not None:
                    self._earlier = self._heard_earlier(connection)
                if self._chunks is not None:
                    brought = self._chunks.bring(shelves)
                    sent = Published(
                        sent.rows + brought.rows, sent.gone + brought.gone, brought.owed
                    )
            return sent._replace(earlier=self._earlier)
        except BaseException:
            self.close()
            raise

    def owed(self, facts: Sequence[Fact]) -> int | None:
        """Return how many rows are other than in the copy when it was last seen; None before."""
        if self._home == 0:
            return None
        now = {(fact.kind, fact.key): fact.hash for fact in facts}
        return sum(self._there.get(key) != now.get(key) for key in {*self._there, *now})

    def close(self) -> None:
        """Give the home free."""
        self._chunks = None
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _claimed(self) -> psycopg.Connection:
        """Return a connection that holds the home, and know what is there."""
        if self._connection is not None:
            return self._connection
        connection = self._connection = connect(self._address, self._passwords)
        found = version(connection)
        if found is None:
            raise FleetError("there is no fleet in this database", hint="`memconsole fleet init`")
        if value(connection, int, "SELECT least_wire FROM fleet.meta") > WIRE:
            raise FleetError(
                "the fleet wants a newer memconsole", hint="Update it on this host; jobs go on."
            )
        held_by = f"{os.uname().nodename} pid {os.getpid()} since {time.strftime('%F %T%z')}"
        claimed = rows(
            connection,
            "SELECT home, holder FROM fleet.claim(%s, %s, %s, %s)",
            (self._identity, self._path, self._publisher, held_by),
            *(int | None, str | None),
        )
        home, holder = claimed[0] if claimed else (None, None)
        if holder is not None:
            raise FleetHeldError(self._path, one_line(holder[:_MOST_HOLDER]))
        if home is None:
            raise WrongAnswerError
        self._home = home
        self._earlier = self._heard_earlier(connection)
        self._beat(connection, ())  # what it is now counts, and not what it was when it beat last
        query: LiteralString = "SELECT kind, key, hash FROM fleet.facts WHERE home = %s"
        there = rows(connection, query, (self._home,), str, str, bytes)
        self._there = {(kind, key): digest for kind, key, digest in there}
        if found >= CHUNKS:
            self._chunks = ChunkCopy(connection, self._home, self._next_generation)
        return connection

    def _heard_earlier(self, connection: psycopg.Connection) -> datetime | None:
        """Return when a home of this path with another identity, now away, was last heard of."""
        asked = (self._path, self._home, AWAY)
        at = time_of(value(connection, object, _EARLIER, *asked))
        return None if at is None else at.astimezone(UTC)

    def _next_generation(self) -> int:
        """Take the next generation of the home, inside a transaction that changes something.

        Raises:
            FleetError: Another process publishes this home.
        """
        assert self._connection is not None
        query = "SELECT fleet.next_generation(%s, %s)"
        return value(self._connection, int, query, self._home, self._publisher)

    def _send(self, connection: psycopg.Connection, facts: Sequence[Fact]) -> Published:
        now = {(fact.kind, fact.key): fact.hash for fact in facts}
        changed = [fact for fact in facts if self._there.get((fact.kind, fact.key)) != fact.hash]
        gone = self._there.keys() - now.keys()
        if not changed and not gone:
            return Published(0, 0)
        with connection.transaction(), connection.cursor() as cursor:
            generation = self._next_generation()
            if gone:
                kinds, keys = zip(*sorted(gone), strict=True)
                cursor.execute(_DROP, (list(kinds), list(keys), self._home))
            if changed:
                cursor.execute(
                    _PUT,
                    (
                        self._home,
                        generation,
                        [one.kind for one in changed],
                        [one.key for one in changed],
                        [one.place for one in changed],
                        [one.hash for one in changed],
                        [_json(one.body) for one in changed],
                    ),
                )
        self._there = now
        return Published(len(changed), len(gone))

    def _beat(self, connection: psycopg.Connection, looked_at: Sequence[int]) -> None:
        connection.execute(
            "SELECT fleet.beat(%s, %s, %s, %s, %s, %s, %s)",
            (
                self._release,
                WIRE,
                self._beat_s,
                skew_ms(connection, self._clock),
                self._allows,
                list(looked_at),
                self._publisher,
            ),
        )


def _json(body: Row) -> str:
    """Return a body as PostgreSQL takes it, without halves of surrogate pairs."""
    return json.dumps(body, ensure_ascii=False).encode("utf-8", "replace").decode()


_MOST_HOLDER = 200
_EARLIER = """
SELECT max(looked_at) FROM fleet.homes
WHERE path = %s AND id <> %s AND looked_at < clock_timestamp() - %s
"""
_DROP = """
DELETE FROM fleet.facts f USING unnest(%s::text[], %s::text[]) AS gone (kind, key)
WHERE f.home = %s AND f.kind = gone.kind AND f.key = gone.key
"""
_PUT = """
INSERT INTO fleet.facts (home, generation, kind, key, place, hash, body)
SELECT %s, %s, kind, key, place, hash, body::jsonb
FROM unnest(%s::text[], %s::text[], %s::int[], %s::bytea[], %s::text[])
  AS made (kind, key, place, hash, body)
ON CONFLICT (home, kind, key) DO UPDATE SET place = excluded.place,
  generation = excluded.generation, hash = excluded.hash, body = excluded.body
"""
