"""Publishes the chunks of one home: what is there and what should be are compared by their hashes.

The server is asked once a connection what it has, so nothing is counted as there before the
transaction that brought it was committed. What must go, goes before anything comes.
"""

from __future__ import annotations

import time
from contextlib import ExitStack, contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Final, LiteralString, NamedTuple, TypeVar

from memconsole.adapters.fleet.postgres.connect import connect, rows, said, value
from memconsole.adapters.fleet.postgres.owner import CHUNKS, version
from memconsole.domain.fleet.publishing import Published
from memconsole.errors import FleetError, IndexUnavailableError

if TYPE_CHECKING:
    import uuid
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import psycopg

    from memconsole.domain.fleet.chunks import (
        Frequencies,
        OutgoingIndex,
        PublishedChunk,
        PublishedDocument,
        Shelf,
    )
    from memconsole.domain.fleet.server import ServerAddress

T = TypeVar("T")

Name = tuple[str, bool]
"""Agent of an index, and whether it holds sessions."""

_PAGE: Final = 500
_ROUND_S: Final = 10.0
"""Longest that one round sends chunks; between two of them the host says that it lives."""


class There(NamedTuple):
    """One index as the server has it."""

    id: int
    stamp: str
    agents: tuple[str, ...]


class Reading(NamedTuple):
    """What of an index may leave, as it was at one moment."""

    stamp: str
    model: str
    documents: dict[int, PublishedDocument]
    hashes: dict[int, int]


class ChunkCopy:
    """The chunks of one home on the server, over one connection that holds the home.

    Args:
        connection: Of the host's role.
        home: Its number there.
        begin: Takes the next generation; refuses where another process publishes.
        monotonic: Seconds.
    """

    def __init__(
        self,
        connection: psycopg.Connection,
        home: int,
        begin: Callable[[], int],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._connection, self._home, self._begin = connection, home, begin
        self._monotonic = monotonic
        self._there = {
            (agent, is_talk): There(at, stamp, tuple(agents))
            for at, agent, is_talk, stamp, agents in rows(
                connection,
                "SELECT id, agent, is_talk, stamp, agents FROM fleet.indexes WHERE home = %s",
                (home,),
                *(int, str, bool, str, list),
            )
        }
        self._chunks: dict[int, dict[int, int]] = {}
        self._lists: dict[Name, Reading] = {}
        self._documents: dict[int, dict[int, tuple[object, ...]]] = {}
        self._has_vectors = bool(
            value(connection, object, "SELECT to_regclass('fleet.vectors')::text")
        )

    def bring(self, shelves: Sequence[Shelf]) -> Published:
        """Bring the copy to what the indexes are now.

        An index that is not there or cannot be read now keeps what is published of it.
        """
        gone = self._drop({(shelf.agent, shelf.is_talk) for shelf in shelves})
        owed: list[tuple[Shelf, str]] = []
        for shelf in shelves:
            there = self._there.get((shelf.agent, shelf.is_talk))
            found = self._read(shelf, there)
            if found is None:
                continue
            gone += self._erase(there, found)
            owed.append((shelf, found.stamp))
        end, sent, left = self._monotonic() + _ROUND_S, 0, 0
        for shelf, stamp in owed:
            found = self._read(shelf)
            if found is not None and found.stamp == stamp:
                done, waiting = self._send(shelf, found, end)
                sent, left = sent + done, left + waiting
            else:
                left += 1  # it has changed meanwhile
        return Published(sent, gone, left)

    def erase(self, shelves: Sequence[Shelf]) -> int:
        """Delete every chunk that is not what the index has, and bring nothing; return how many.

        Whoever publishes the home brings what is there still with its next beat.

        Raises:
            FleetError: An index cannot be read, so that nobody knows what of it may stay.
        """
        gone = self._drop({(shelf.agent, shelf.is_talk) for shelf in shelves})
        for shelf in shelves:
            there = self._there.get((shelf.agent, shelf.is_talk))
            if there is None:
                continue
            found = self._read(shelf)
            if found is None:
                raise FleetError(f"the index of {shelf.agent} cannot be read now")
            with self._connection.transaction():
                self._hold(there.id)
                known = self._known(there.id)
                other = [at for at, digest in known.items() if found.hashes.get(at) != digest]
                erase(self._connection, there.id, other)
                gone += len(other)
        return gone

    def _drop(self, meant: set[Name]) -> int:
        """Delete what is there of indexes that may not be there any more."""
        dropped = [self._there[name] for name in self._there.keys() - meant]
        if not dropped:
            return 0
        ids = [found.id for found in dropped]
        with self._connection.transaction():
            self._begin()
            query: LiteralString = "SELECT count(*) FROM fleet.chunks WHERE index_id = ANY (%s)"
            gone = value(self._connection, int, query, ids)
            self._connection.execute("DELETE FROM fleet.indexes WHERE id = ANY (%s)", (ids,))
        self._there = {name: found for name, found in self._there.items() if name in meant}
        return gone + len(dropped)

    def _read(self, shelf: Shelf, known: There | None = None) -> Reading | None:
        """Read an index; None where it is not there or cannot be read now, or is what is known.

        It is listed once for all rounds that one state of it takes. Nobody writes an index while it
        is read, so it is not open while the server is waited for.
        """
        with _opened(shelf) as index:
            if index is None:
                return None
            stamp, name = _stamp(shelf, index), (shelf.agent, shelf.is_talk)
            if known is not None and (known.stamp, known.agents) == (stamp, shelf.agents):
                return None
            kept = self._lists.get(name)
            if kept is None or kept.stamp != stamp:
                documents = {
                    at: one for at, one in index.documents().items() if shelf.allows(one.path)
                }
                hashes = index.hashes().items()
                allowed = {at: digest for at, (file, digest) in hashes if file in documents}
                kept = self._lists[name] = Reading(stamp, index.model, documents, allowed)
            return kept

    def _erase(self, there: There | None, found: Reading) -> int:
        """Delete chunks that are gone, or may not be there any more; those that changed stay."""
        if there is None:
            return 0
        known = self._known(there.id)
        gone = sorted(known.keys() - found.hashes.keys())
        if gone:
            with self._connection.transaction():
                self._begin()
                erase(self._connection, there.id, gone)
            for at in gone:
                del known[at]
        return len(gone)

    def _send(self, shelf: Shelf, found: Reading, end: float) -> tuple[int, int]:
        """Send what is new or differs until the time is over; return what was, and what waits.

        What was read may be forgotten meanwhile, and who forgets it deletes it here too: so each
        page is read while that one waits, and only where the index is as it was.
        """
        number = self._entry(shelf, found)
        known = self._known(number)
        self._send_documents(number, found.documents)
        waiting = [at for at, digest in found.hashes.items() if known.get(at) != digest]
        waiting.sort(key=lambda at: at not in known)  # what takes the place of something, first
        sent = 0
        for page in _pages(waiting, _PAGE):
            if sent and self._monotonic() > end:
                return sent, len(waiting) - sent
            with self._connection.transaction():
                self._hold(number)
                with _opened(shelf) as index:
                    if index is None or _stamp(shelf, index) != found.stamp:
                        return sent, len(waiting) - sent
                    chunks = list(index.chunks(page))
                self._begin()
                erase(self._connection, number, [at for at in page if at in known])
                self._insert(number, chunks)
            known.update((chunk.id, chunk.hash) for chunk in chunks)
            sent += len(page)
        with _opened(shelf) as index:
            if index is None or _stamp(shelf, index) != found.stamp:
                return sent, 1
            common = index.frequencies()
        self._settle(number, shelf, found, common)
        return sent, 0

    def _hold(self, number: int) -> None:
        """Let who erases and who brings chunks of an index wait for each other's transaction."""
        query = "SELECT 1 FROM fleet.indexes WHERE id = %s FOR UPDATE"
        self._connection.execute(query, (number,))

    def _entry(self, shelf: Shelf, found: Reading) -> int:
        """Return the number of an index on the server, made when it is new."""
        name = (shelf.agent, shelf.is_talk)
        if name not in self._there:
            with self._connection.transaction():
                self._begin()
                made = value(
                    self._connection,
                    int,
                    "INSERT INTO fleet.indexes (home, agent, is_talk, agents, model)"
                    " VALUES (%s, %s, %s, %s, %s) RETURNING id",
                    *(self._home, *name, list(shelf.agents), found.model),
                )
            self._there[name] = There(made, "", shelf.agents)
        return self._there[name].id

    def _known(self, number: int) -> dict[int, int]:
        """Return the hashes of the chunks that the server has of an index."""
        if number not in self._chunks:
            query: LiteralString = "SELECT id, hash FROM fleet.chunks WHERE index_id = %s"
            self._chunks[number] = dict(rows(self._connection, query, (number,), int, int))
        return self._chunks[number]

    def _send_documents(self, number: int, documents: Mapping[int, PublishedDocument]) -> None:
        if number not in self._documents:
            there = rows(
                self._connection,
                "SELECT id, path, modified_at, is_archived FROM fleet.documents"
                " WHERE index_id = %s",
                (number,),
                *(int, str, datetime | None, bool),
            )
            self._documents[number] = {at: tuple(row) for at, *row in there}
        known = self._documents[number]
        changed = [(at, found) for at, found in documents.items() if known.get(at) != found]
        gone = sorted(known.keys() - documents.keys())
        if not changed and not gone:
            return
        with self._connection.transaction(), self._connection.cursor() as cursor:
            self._begin()
            cursor.execute(
                "DELETE FROM fleet.documents WHERE index_id = %s AND id = ANY (%s)", (number, gone)
            )
            for page in _pages(changed, _PAGE):
                made = [(number, at, _plain(found.path), *found[1:]) for at, found in page]
                _put(cursor, _PUT_DOCUMENTS, made)
        self._documents[number] = {at: tuple(found) for at, found in documents.items()}

    def _insert(self, number: int, chunks: Sequence[PublishedChunk]) -> None:
        with self._connection.cursor() as cursor:
            _put(cursor, _PUT_CHUNKS, [_row(number, chunk) for chunk in chunks])
            if self._has_vectors:
                vectors = ((chunk.id, chunk.vector) for chunk in chunks)
                rows = [(number, at, vector_text(one)) for at, one in vectors if one is not None]
                _put(cursor, _PUT_VECTORS, rows)

    def _settle(
        self, number: int, shelf: Shelf, found: Reading, common: Frequencies | None
    ) -> None:
        """Note that the copy is what the index is."""
        with self._connection.transaction():
            self._begin()
            self._connection.execute(
                "UPDATE fleet.indexes SET stamp = %s, agents = %s, model = %s,"
                " epoch_chunks = %s, df_unit = %s, df = %s WHERE id = %s",
                (
                    found.stamp,
                    list(shelf.agents),
                    found.model,
                    *((0, 1, None) if common is None else common),
                    number,
                ),
            )
        self._there[shelf.agent, shelf.is_talk] = There(number, found.stamp, shelf.agents)
        self._lists.pop((shelf.agent, shelf.is_talk), None)


def erase_copy(
    address: ServerAddress, passwords: Path, identity: uuid.UUID, shelves: Sequence[Shelf]
) -> int:
    """Delete what of a home is published and not in its indexes any more; return how many chunks.

    Needs no lease of the home: nothing comes, and what goes is only what may not be there.

    Raises:
        SourceAwayError: The server is away; whoever publishes the home deletes it first.
        FleetError: The server refuses.
    """
    with connect(address, passwords) as connection, said("nothing was deleted"):
        if (version(connection) or 0) < CHUNKS:
            return 0
        query = "SELECT id FROM fleet.homes WHERE identity = %s"
        found = rows(connection, query, (identity,), int)
        return ChunkCopy(connection, found[0][0], int).erase(shelves) if found else 0


def erase(connection: psycopg.Connection, number: int, ids: Sequence[int]) -> None:
    """Delete chunks of an index; their vectors go with them."""
    if ids:
        connection.execute(
            "DELETE FROM fleet.chunks WHERE index_id = %s AND id = ANY (%s)", (number, list(ids))
        )


def vector_text(vector: bytes) -> str:
    """Return eight-bit numbers as pgvector reads them."""
    return str(memoryview(vector).cast("b").tolist())


@contextmanager
def _opened(shelf: Shelf) -> Iterator[OutgoingIndex | None]:
    """Open an index; None where it is not there, or cannot be read now."""
    with ExitStack() as stack:
        try:
            index = stack.enter_context(shelf.open())
        except (FileNotFoundError, IndexUnavailableError):
            index = None
        yield index


def _stamp(shelf: Shelf, index: OutgoingIndex) -> str:
    return f"{index.stamp} {shelf.rule}"


def _row(number: int, chunk: PublishedChunk) -> tuple[object, ...]:
    words = _plain(chunk.words)
    return (
        number,
        chunk.id,
        chunk.document,
        chunk.hash,
        chunk.start_line,
        chunk.end_line,
        chunk.at,
        len(words.split()),
        chunk.on_path,
        list(chunk.tags),
        _plain(chunk.heading),
        words,
        _plain(chunk.text),
        chunk.tokens,
    )


def _plain(text: str) -> str:
    """Return a text as PostgreSQL takes it: without NUL and halves of surrogate pairs."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode()


class _Put(NamedTuple):
    """A statement that writes rows: up to their values, the values of one, and behind them."""

    head: str
    row: str
    tail: str = ""


_PUT_DOCUMENTS = _Put(
    "INSERT INTO fleet.documents (index_id, id, path, modified_at, is_archived)",
    "(%s, %s, %s, %s, %s)",
    "ON CONFLICT (index_id, id) DO UPDATE SET path = excluded.path,"
    " modified_at = excluded.modified_at, is_archived = excluded.is_archived",
)
_PUT_CHUNKS = _Put(
    "INSERT INTO fleet.chunks (index_id, id, document, hash, start_line, end_line, at, words,"
    " on_path, tags, heading, lex, text, tokens)",
    "(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, to_tsvector('fleet.words', %s), %s, %s)",
)
_PUT_VECTORS = _Put("INSERT INTO fleet.vectors (index_id, id, vector)", "(%s, %s, %s)")


def _put(cursor: psycopg.Cursor, put: _Put, rows: Sequence[Sequence[object]]) -> None:
    """Write rows as one statement: after each of them the server counts all that the host has."""
    if rows:
        values = ", ".join([put.row] * len(rows))
        words = f"{put.head} VALUES {values} {put.tail}"
        cursor.execute(words.encode(), [one for row in rows for one in row], prepare=False)


def _pages(rows: Sequence[T], size: int) -> Iterable[Sequence[T]]:
    return (rows[at : at + size] for at in range(0, len(rows), size))
