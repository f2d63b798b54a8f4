"""Searches the chunks of a fleet, long by the kinds of answers: PostgreSQL finds, our rules rank.

One scope over all indexes that are meant, with the frequencies of them together. Few chunks are
compared one by one; of many, those with the rarest words and the nearest of an index of vectors.
"""

from __future__ import annotations

import math
import threading
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, LiteralString, Protocol

from memconsole.adapters.fleet.postgres.chunks import vector_text
from memconsole.adapters.fleet.postgres.connect import (
    WrongAnswerError,
    connect,
    line_of,
    number_of,
    rows,
    said,
    texts_of,
    time_of,
    value,
)
from memconsole.adapters.fleet.postgres.owner import CHUNKS, version
from memconsole.domain.agents import HomeRef
from memconsole.domain.calendar import local_day
from memconsole.domain.fleet.chunks import CopiedIndex, Searched, lines_of
from memconsole.domain.fleet.members import freshness_of
from memconsole.domain.fleet.wire import Copied
from memconsole.domain.search.dates import day_in
from memconsole.domain.search.indexing import IndexState, IndexStatus, Source, Vectors
from memconsole.domain.search.values import CANDIDATES, Candidate, ChunkRow, Legs
from memconsole.errors import FleetError, SourceAwayError
from memconsole.text.outgoing import let_out, name_out
from memconsole.text.plain import clean, one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from datetime import date
    from pathlib import Path
    from types import UnionType

    import psycopg

    from memconsole.domain.agents import Notice
    from memconsole.domain.calendar import Zone
    from memconsole.domain.fleet.server import ServerAddress
    from memconsole.domain.search.query import Query
    from memconsole.domain.search.values import Narrowing

FEW: Final = 50_000
"""Chunks up to which all vectors are compared: an index of all would look at those of others."""

_FEW_ROWS: Final = 5_000
"""Chunks with a word that are scored where few are searched."""

_ROWS: Final = 1_000
_COUNTED: Final = 5_000
_SAMPLE: Final = 64
"""Indexes whose frequencies are asked for; the largest ones say it well for all."""

_SPARE: Final = 5
"""So many times more are scored where fewer would not fill the places."""

_LEAST_IDF: Final = 1e-6
_NO_SCORE: Final = 1e-9
_LOCAL_BITS: Final = 40
_MOST_LINES: Final = 1 << 24
"""Of one document; a number of a line above that is a lie, and a page of so many lines a flood."""

_LONGEST: Final = 1000
"""Words of a chunk, on the average of an index: who says more shall not shorten those of others."""


class QueryModel(Protocol):
    """Makes of a query what chunks are compared with."""

    name: str

    def tokens(self, text: str) -> tuple[int, ...]:
        """Return the token ids of a query."""

    def vector(self, tokens: Sequence[int], df: Mapping[int, int], chunks: int) -> bytes:
        """Return its vector in eight-bit numbers, of how common its tokens are."""

    def late(
        self, tokens: Sequence[int], df: Mapping[int, int], chunks: int, held: Mapping[int, bytes]
    ) -> dict[int, float]:
        """Return the share of the query that chunks hold, by their packed tokens."""


class SearchableCopy:
    """The published chunks of a fleet, over one connection that is kept; safe from any thread.

    Args:
        address: Of the fleet, with a role that may search.
        passwords: Our password file.
        model: Loads what makes vectors of queries.
    """

    def __init__(
        self, address: ServerAddress, passwords: Path, model: Callable[[], QueryModel]
    ) -> None:
        self.place = HomeRef(address.database, address.host)
        self._address, self._passwords, self._model = address, passwords, model
        self._guard = threading.Lock()
        self._connection: psycopg.Connection | None = None

    @contextmanager
    def open(
        self,
        hosts: Collection[str],
        meant: Callable[[CopiedIndex], bool],
        name: Callable[[CopiedIndex], str],
    ) -> Iterator[tuple[CopyReader, Searched]]:
        """Open what may be searched of certain indexes of certain hosts.

        Raises:
            SourceAwayError: The server is away, or refuses.
        """
        with self._connected() as connection:
            indexes, seen = _searchable(connection, hosts)
            chosen = [found for found in indexes if meant(found)]
            yield CopyReader(connection, chosen, self._model, name), Searched(seen)

    def lines(self, home: HomeRef, agent: str, path: str) -> dict[int, str] | None:
        """Return the lines of a document that were published; None when none of it was.

        Raises:
            SourceAwayError: The server is away, or refuses.
        """
        with self._connected() as connection:
            for found in _searchable(connection, [home.host])[0]:
                if found.home == home and agent in found.agents:
                    query = "SELECT start_line, end_line, text FROM fleet.lines(%s, %s)"
                    there = rows(connection, query, (found.number, path), int, int, str)
                    known = [one for one in there if 0 < one[0] <= one[1] < _MOST_LINES]
                    if known:
                        return lines_of((start, end, _shown(text)) for start, end, text in known)
        return None

    def close(self) -> None:
        """End the connection."""
        with self._guard:
            self._drop()

    @contextmanager
    def _connected(self) -> Iterator[psycopg.Connection]:
        """Give the connection; one that was cut since the last time is made anew."""
        with self._guard:
            try:
                with said("cannot search the fleet"):
                    yield self._alive()
            except FleetError as error:
                self._drop()
                raise SourceAwayError(str(error), hint=error.hint) from error
            except BaseException:
                self._drop()
                raise

    def _alive(self) -> psycopg.Connection:
        if self._connection is not None:
            try:
                self._connection.execute("SELECT 1")
            except Exception:  # whatever the driver says of a connection that is gone
                self._drop()
        if self._connection is None:
            self._connection = connect(self._address, self._passwords)
            if (version(self._connection) or 0) < CHUNKS:
                raise FleetError("nothing can be searched there yet", hint="`fleet upgrade`")
        return self._connection

    def _drop(self) -> None:
        if self._connection is not None:
            with suppress(OSError):
                self._connection.close()
            self._connection = None


def _searchable(
    connection: psycopg.Connection, meant: Collection[str]
) -> tuple[list[CopiedIndex], dict[str, Copied | None]]:
    """Return the indexes of hosts that this role may search, and how new they are by host."""
    found: list[CopiedIndex] = []
    hosts: dict[str, Copied | None] = {}
    query = "SELECT * FROM fleet.searchable(%s)"  # a thousand times are read slowly as texts
    for row in rows(connection, query, (sorted(meant),), *_SEARCHABLE, is_binary=True):
        number, host, _, path, agents, is_talk, model, *counts, looked_at, beat_s, at = row
        host, now = line_of(host), time_of(at)
        if now is None:
            raise WrongAnswerError
        hosts.setdefault(host, None)
        at = time_of(looked_at)
        if number is None or at is None or path is None:
            continue
        seen = Copied(freshness_of(at, now, number_of(beat_s, 1, _MOST_BEAT_S) or 1), at)
        known = hosts[host]
        hosts[host] = seen if known is None or seen.as_of < known.as_of else known
        home = HomeRef(line_of(path), host)
        names = texts_of(agents) or ("?",)
        chunks, words, epoch = (number_of(one, 0, _MOST_COUNTED) or 0 for one in counts)
        what = (names, bool(is_talk), model or "")
        found.append(CopiedIndex(number, home, *what, chunks, words, epoch, seen))
    return found, hosts


_MOST_BEAT_S = 86_400
_MOST_COUNTED = 2**53
_SEARCHABLE = (
    *(int | None, str, int | None, str | None, list | None, bool | None, str | None),
    *(int | None, int | None, int | None, datetime | None, int, datetime),
)


class CopyReader:
    """What certain indexes of a fleet hold, read as one (`ports.IndexReader`).

    Args:
        connection: Of a role that may search.
        indexes: Those that are meant.
        model: Loads what makes vectors of queries.
        name: What hits call the agent of an index.
    """

    def __init__(
        self,
        connection: psycopg.Connection,
        indexes: Sequence[CopiedIndex],
        model: Callable[[], QueryModel],
        name: Callable[[CopiedIndex], str],
    ) -> None:
        self._connection, self._model_of, self._name = connection, model, name
        self._indexes = {found.number: found for found in indexes}
        self._every = _numbers(self._indexes)
        self._chunks = sum(found.chunks for found in indexes)
        words = sum(min(found.words, _LONGEST * found.chunks) for found in indexes)
        self._average = words / max(1, self._chunks)
        self._counts: dict[str, int] = {}
        self._common: dict[str, tuple[tuple[int, ...], dict[int, int], int]] = {}
        has_vectors = bool(value(connection, object, "SELECT to_regclass('fleet.vectors')::text"))
        alike = [
            found.number
            for found in indexes
            if has_vectors and found.epoch_chunks and found.model == self._model.name
        ]
        self._alike = _numbers(alike) if alike else ""
        self.status = IndexStatus(
            IndexState.FRESH,
            chunks=self._chunks,
            provider="static" if alike else "none",
            has_vectors=bool(alike),
            updated_at=min((found.seen.as_of for found in indexes), default=None),
            because="" if has_vectors else "text only: no pgvector",
            way=Vectors.PGVECTOR if alike else Vectors.NONE,
        )

    @cached_property
    def _model(self) -> QueryModel:
        return self._model_of()

    @property
    def _is_few(self) -> bool:
        return self._chunks <= FEW

    def legs(
        self,
        query: Query,
        narrowing: Narrowing,
        *,
        scope: int = 0,
        text_only: bool = False,
        also: Sequence[int] = (),
    ) -> Legs:
        """Return what both legs find, each candidate once, with the cosines of all.

        No other leg finds chunks here, so `also` is empty.
        """
        del also
        self._count(query)
        texts = self._with_words(query, narrowing)
        cosines = {} if text_only else self._cosines(query, narrowing, texts)
        found = [
            Candidate(scope, at, cosines.get(at), texts.get(at))
            for at in sorted({*texts, *cosines})
        ]
        counts = self._counts
        known = query.known(lambda literal: counts.get(literal, 0))
        spoken = query.spoken(lambda literal: counts.get(literal, 0), self._chunks)
        return Legs(tuple(found), known, spoken=spoken)

    def nearness(self, query: Query) -> dict[int, tuple[float, float]]:
        """Return nothing: the vectors of the better model are not published."""
        del query
        return {}

    def late(self, query: Query, ids: Sequence[int]) -> dict[int, float]:
        """Return the share of the query that each of these chunks holds, 0…1."""
        if not self._alike:
            return {}
        tokens, df, chunks = self._of_query(query)
        found = self._pairs("SELECT * FROM fleet.tokens(%s::int[], %s::bigint[])", _PACKED, ids)
        held = {_key(index, at): packed for index, at, packed in found}
        return self._model.late(tokens, df, chunks, held)

    def rows(self, ids: Sequence[int]) -> dict[int, ChunkRow]:
        """Return the texts of chunks, each with whose it is."""
        found = self._pairs("SELECT * FROM fleet.rows(%s::int[], %s::bigint[], true)", _ROW, ids)
        return {_key(row[0], row[1]): self._row(row) for row in found if row[0] in self._indexes}

    def _row(self, row: Sequence[Any]) -> ChunkRow:
        index, _, path, start, end, heading, text, is_archived, on_path, modified, _, tags = row
        found = self._indexes[index]
        return ChunkRow(
            path=name_out(one_line(path)),
            start_line=max(0, start),
            end_line=max(0, end),
            heading=let_out(one_line(heading)),
            text=_shown(text),
            is_archived=is_archived,
            on_path=on_path,
            modified_at=modified,
            tags=texts_of(tags),
            agent=self._name(found),
            source=Source.SESSIONS if found.is_talk else Source.MEMORY,
        )

    def ages(self, ids: Sequence[int]) -> dict[int, float]:
        """Return when dated chunks are from, in seconds since 1970; others are left out."""
        return {at: when.timestamp() for at, _, _, when in self._dated(ids) if when is not None}

    def days(self, ids: Sequence[int], zone: Zone) -> dict[int, date]:
        """Return the days in headings and paths of chunks, and those of messages."""
        days: dict[int, date] = {}
        for at, path, heading, when in self._dated(ids):
            day = day_in(heading) or day_in(path)
            if day is None and when is not None:
                day = local_day(when, zone)
            if day is not None:
                days[at] = day
        return days

    def notices(self, paths: Iterable[str] | None = None) -> tuple[Notice, ...]:
        """Return nothing: what is odd about a document its own host tells."""
        del paths
        return ()

    def _dated(self, ids: Sequence[int]) -> list[tuple[int, str, str, datetime | None]]:
        found = self._pairs("SELECT * FROM fleet.rows(%s::int[], %s::bigint[], false)", _ROW, ids)
        return [(_key(row[0], row[1]), row[2], row[5], row[10]) for row in found]

    def _count(self, query: Query) -> None:
        """Ask in how many chunks the words are."""
        known = [literal for word in query.words for literal in query.telling(word)]
        asked = dict.fromkeys([*query.literals(), *known, *query.usual()])
        wanted = [one for one in asked if one not in self._counts]
        if wanted and self._indexes:
            exact = self._chunks + 1 if self._is_few else _COUNTED
            query_of: LiteralString = "SELECT fleet.counts(%s::int[], %s::text[], %s::bool[], %s)"
            places = (self._every, *_terms(wanted), exact)
            told: list[object] = value(self._connection, list, query_of, *places)
            counts = [number_of(one, 0, _MOST_COUNTED) for one in told]
            if len(counts) != len(wanted):
                raise WrongAnswerError
            self._counts |= {word: count or 0 for word, count in zip(wanted, counts, strict=True)}

    def _with_words(self, query: Query, narrowing: Narrowing) -> dict[int, float]:
        """Return the best chunks with any of the words, and their BM25."""
        held = [literal for literal in query.literals() if self._counts.get(literal)]
        held.sort(key=lambda literal: (self._counts[literal], literal))
        if not held:
            return {}
        counts = [min(self._counts[literal], self._chunks) for literal in held]
        deciding, is_all = deciding_words(counts, _FEW_ROWS if self._is_few else _ROWS)
        found = self._scored(held, counts, narrowing, (deciding, is_all))
        if not found and is_all:
            found = self._scored(held, counts, narrowing, (1, False))
        return found

    def _scored(
        self,
        held: Sequence[str],
        counts: Sequence[int],
        narrowing: Narrowing,
        deciding: tuple[int, bool],
    ) -> dict[int, float]:
        found = rows(
            self._connection,
            "SELECT * FROM fleet.with_words(%s::int[], %s::text[], %s::bool[], %s::float8[], %s,"
            " %s, %s, %s, %s, %s)",
            (
                self._every,
                *_terms(held),
                [_idf(count, self._chunks) for count in counts],
                *deciding,
                self._average,
                narrowing.since,
                narrowing.tag,
                CANDIDATES,
            ),
            *_SCORED,
        )
        return {
            _key(index, at): score if _NO_SCORE < score < math.inf else _NO_SCORE
            for index, at, score in found
        }

    def _cosines(
        self, query: Query, narrowing: Narrowing, texts: Mapping[int, float]
    ) -> dict[int, float]:
        """Return the cosines of the nearest chunks, and of those with the words."""
        if not self._alike:
            return {}
        tokens, df, chunks = self._of_query(query)
        if not tokens:
            return {}
        vector = vector_text(self._model.vector(tokens, df, chunks))
        nearest = rows(
            self._connection,
            "SELECT * FROM fleet.near(%s::int[], %s, %s, %s, %s, %s)",
            (self._alike, vector, *narrowing, CANDIDATES, self._is_few),
            *_SCORED,
        )
        near = {_key(index, at): _cosine(share) for index, at, share in nearest}
        missing = [at for at in texts if at not in near]
        query_of = "SELECT * FROM fleet.cosines(%s::int[], %s::bigint[], %s)"
        more = self._pairs(query_of, _SCORED, missing, vector)
        return near | {_key(index, at): _cosine(share) for index, at, share in more}

    def _of_query(self, query: Query) -> tuple[tuple[int, ...], dict[int, int], int]:
        """Return the tokens of a query, in how many chunks each is, and of how many."""
        if query.text not in self._common:
            tokens = self._model.tokens(query.text)
            told = rows(
                self._connection,
                "SELECT * FROM fleet.frequencies(%s::int[], %s::int[], %s)",
                (self._alike, sorted(set(tokens)), _SAMPLE),
                *(int, int, int),
            )
            chunks = max((number_of(count, 1, _MOST_COUNTED) or 1 for *_, count in told), default=1)
            df = {token: number_of(found, 0, _MOST_COUNTED) or 0 for token, found, _ in told}
            self._common[query.text] = tokens, df, max(1, chunks)
        return self._common[query.text]

    def _pairs(
        self,
        query: LiteralString,
        kinds: Sequence[type | UnionType],
        ids: Sequence[int],
        *more: object,
    ) -> list[tuple[Any, ...]]:
        if not ids:
            return []
        places = [divmod(at, 1 << _LOCAL_BITS) for at in ids]
        values = ([index for index, _ in places], [at for _, at in places], *more)
        return rows(self._connection, query, values, *kinds)


_SCORED = (int, int, float)
_PACKED = (int, int, bytes)
_ROW = (
    *(int, int, str, int, int, str, str, bool, bool),
    *(datetime | None, datetime | None, list),
)


def deciding_words(counts: Sequence[int], most: int) -> tuple[int, bool]:
    """Return how many of the words, the rarest first, say which chunks are scored, and whether all.

    Any of the rarest words will do until there are enough chunks. Where the rarest one alone is in
    too many, the chunks are those that also have the next one.

    Args:
        counts: In how many chunks each word is, least first.
        most: Chunks that are scored at most, roughly.
    """
    if counts[0] > most and len(counts) > 1:
        return 2, True
    total = counts[0]
    for place, count in enumerate(counts[1:], 1):
        is_wanted = total < CANDIDATES and count <= _SPARE * most
        if total + count > most and not is_wanted:
            return place, False
        total += count
    return len(counts), False


def _terms(literals: Sequence[str]) -> tuple[list[str], list[bool]]:
    """Return the words of FTS5 expressions, and which of them are beginnings."""
    stars = [literal.endswith(" *") for literal in literals]
    return [literal.removesuffix(" *").strip('"') for literal in literals], stars


def _numbers(indexes: Iterable[int]) -> str:
    """Return numbers as PostgreSQL reads a list: a thousand of them are sent with each question."""
    return f"{{{','.join(map(str, indexes))}}}"


def _shown(text: str) -> str:
    """Return a text of another host, masked by our rules too: its own may be older."""
    return let_out(clean(text), keeps_lines=True)


def _key(index: int, at: int) -> int:
    return index << _LOCAL_BITS | at


def _cosine(share: float) -> float:
    """Return a cosine as our own index rounds it; a vector of nothing has none."""
    return round(share, 5) if -1.1 < share < 1.1 else 0.0


def _idf(count: int, chunks: int) -> float:
    """Return the weight that FTS5 gives a word."""
    return max(_LEAST_IDF, math.log((chunks - count + 0.5) / (count + 0.5)))
