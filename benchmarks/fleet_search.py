"""Measures search over a fleet against a host's own search: what is found, time, bytes.

Parts of `make bench-fleet`.

What is compared comes from one run: the index of one host is published by the way of the program,
then both are asked the same. LoCoMo's questions are read where they are (`benchmarks.search`); only
figures leave this program.
"""

from __future__ import annotations

import json
import time
import uuid
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, NamedTuple, cast

from benchmarks.budgets import Row
from benchmarks.search import LOCOMO, corpus
from benchmarks.searching import QUERIES, engine_of
from memconsole import __version__
from memconsole.adapters.clock import SystemClock
from memconsole.adapters.fleet.postgres.copy import PostgresCopy
from memconsole.adapters.fleet.postgres.membership import passwords_of
from memconsole.adapters.fleet.postgres.search import SearchableCopy
from memconsole.compose import engine as wiring
from memconsole.compose.recall import measure, read_questions
from memconsole.compose.search import query_model
from memconsole.domain.agents import AgentRef, HomeRef, Origin
from memconsole.domain.commands.reindex import Reindex
from memconsole.domain.fleet.server import parse_server
from memconsole.domain.search.values import SearchRequest, SearchResult
from memconsole.domain.settings import Settings
from memconsole.domain.settings.sections import FleetSettings
from memconsole.engine.search.copied import CopySearch
from memconsole.engine.search.published import shelves
from tests.lanes.postgres.fleet import Fleet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import psycopg

    from memconsole.engine.engine import Engine
    from tests.lanes.postgres.server import Server

SAMPLE, TURNS, SIX = 150, 7, 6
HOME = "/home/op/.openclaw"
BASE = 1_000
_MANY = 1_000_000
"""Chunks of a fleet of which one agent has to be found quicker than all."""

SHARED = "2GB"
"""What the server keeps in memory: the indexes of a million chunks."""

_STRANGERS = """
SET session_replication_role = replica;
DROP INDEX IF EXISTS fleet.chunks_lex, fleet.vectors_near;
INSERT INTO fleet.hosts (role, name, joined_at, seen_at) SELECT 'x' || n, 's' || n, now(), now()
  FROM generate_series(0, {count} - 2) n ON CONFLICT DO NOTHING;
INSERT INTO fleet.homes (host, identity, path, looked_at) SELECT h.id, gen_random_uuid(),
  '/home/op/.openclaw', now() FROM fleet.hosts h WHERE name ~ '^s[0-9]' AND NOT EXISTS
  (SELECT FROM fleet.homes o WHERE o.host = h.id);
CREATE TEMP TABLE base AS SELECT i.id FROM fleet.indexes i
  JOIN fleet.homes o ON o.id = i.home JOIN fleet.hosts h ON h.id = o.host WHERE h.name = '{host}';
CREATE TEMP TABLE made AS SELECT o.id AS home FROM fleet.homes o JOIN fleet.hosts h ON h.id = o.host
  WHERE h.name ~ '^s[0-9]' AND NOT EXISTS (SELECT FROM fleet.indexes i WHERE i.home = o.id);
INSERT INTO fleet.indexes (home, agent, is_talk, agents, model, epoch_chunks, df_unit, df)
  SELECT m.home, i.agent, i.is_talk, i.agents, i.model, i.epoch_chunks, i.df_unit, i.df
  FROM base b JOIN fleet.indexes i ON i.id = b.id, made m;
CREATE TEMP TABLE new AS SELECT i.id AS n FROM fleet.indexes i JOIN made m ON m.home = i.home;
INSERT INTO fleet.sizes SELECT n.n, s.documents, s.chunks, s.words, s.bytes
  FROM fleet.sizes s JOIN base b ON b.id = s.index_id, new n;
INSERT INTO fleet.documents SELECT n.n, d.id, d.path, d.modified_at, d.is_archived
  FROM fleet.documents d JOIN base b ON b.id = d.index_id, new n;
INSERT INTO fleet.chunks SELECT n.n, c.id, c.document, c.hash, c.start_line, c.end_line, c.at,
  c.words, c.on_path, c.tags, c.heading, c.lex, c.text, c.tokens,
  c.bytes
  FROM fleet.chunks c JOIN base b ON b.id = c.index_id, new n;
INSERT INTO fleet.vectors SELECT n.n, v.id, v.vector + w.vector FROM fleet.vectors v
  JOIN base b ON b.id = v.index_id CROSS JOIN new n JOIN fleet.vectors w ON w.index_id = b.id
  AND w.id = (v.id * 7 + n.n * 131) % {base} + 1;
SET maintenance_work_mem = '2GB';
CREATE INDEX chunks_lex ON fleet.chunks USING gin (lex) WITH (fastupdate = off);
CREATE INDEX vectors_near ON fleet.vectors USING hnsw
  ((binary_quantize(vector)::bit(256)) bit_hamming_ops)
"""


def backend_s(connection: psycopg.Connection | None) -> float:
    """Return the processor time of a connection's process of the server."""
    if connection is None:
        return 0.0
    place = Path(f"/proc/{connection.info.backend_pid}/schedstat")
    return int(place.read_text().split()[0]) / 1e9


class Published:
    """A host whose index is published.

    Attributes:
        host_s: Processor time of the host that this took.
        server_s: That of its process of the server.
    """

    def __init__(self, fleet: Fleet, name: str, engine: Engine, settings: Settings) -> None:
        self.engine, self.settings = engine, settings
        host = fleet.join(name)
        public = replace(settings, fleet=FleetSettings(url=host.url, publish="memory"))
        copy = PostgresCopy(
            parse_server(host.url),
            passwords_of(host.state),
            identity=uuid.uuid4(),
            path=HOME,
            release=__version__,
            beat_s=30,
        )
        start = time.process_time()
        with closing(copy):
            chosen = shelves(engine._ports, public, engine.home.read())
            while copy.publish((), chosen).owed:
                pass
            self.host_s = time.process_time() - start
            self.server_s = backend_s(copy._connection)
        self.homes = {HomeRef(HOME, name): name}


class AsAnEngine:
    """Answers searches out of the copy, and everything else as the host does."""

    def __init__(self, own: Engine, search: CopySearch, homes: dict[HomeRef, str]) -> None:
        self.settings, self.run = own.settings, own.run
        self.search = self
        self.lines = own.search.lines
        self._search, self._homes = search, homes

    def find(self, request: SearchRequest) -> SearchResult:
        """Search."""
        return self.named(self._search.find(request, self._homes).result)

    def named(self, found: SearchResult) -> SearchResult:
        """Name agents as their host does."""
        own = tuple(replace(hit, agent=hit.agent.rpartition("/")[2]) for hit in found.hits)
        return replace(found, hits=own)


class Bench:
    """A fleet with a person who may search it."""

    def __init__(self, server: Server, folder: Path) -> None:
        self.fleet = Fleet(server, folder)
        self.ann = self.fleet.join("ann", "--operator")
        self.fleet.owner("fleet", "grant", "ann", "read", "search")
        place = parse_server(self.ann.url), passwords_of(self.ann.state)
        self.copy = SearchableCopy(*place, query_model)
        self.clock = SystemClock()

    def search(self, settings: Settings) -> CopySearch:
        """Return what searches the fleet as ann."""
        return CopySearch(self.copy, self.clock, settings)

    def settle(self) -> None:
        """Let the server know how common words are, as its own upkeep does."""
        with self.fleet.admin() as connection:
            connection.execute("VACUUM (ANALYZE)")

    def spent(self) -> float:
        """Return the processor time of this process and of its own of the server, in seconds."""
        return time.process_time() + backend_s(self.copy._connection)

    def bytes(self) -> int:
        """Return the bytes of tables and indexes with chunks."""
        with self.fleet.admin() as connection:
            [row] = connection.execute(
                "SELECT sum(pg_total_relation_size(c)) FROM unnest('{fleet.chunks,fleet.vectors,"
                "fleet.documents,fleet.indexes}'::regclass[]) c"
            ).fetchall()
        return int(row[0])

    def chunks(self) -> int:
        """Return how many chunks are there."""
        with self.fleet.admin() as connection:
            [row] = connection.execute("SELECT count(*) FROM fleet.chunks").fetchall()
        return int(row[0])


def labelled(bench: Bench, place: Path, every: int) -> Iterator[Row]:
    """Yield recall of the labelled talks, and how many answers are the same as on the host.

    Args:
        bench: The fleet.
        place: For a home that links to the talks.
        every: Each so many of the questions is asked.
    """
    asked = read_questions(LOCOMO)[::every]
    home = place / "labelled" / ".openclaw"
    home.mkdir(parents=True)
    names = sorted({question.agent for question in asked})
    roster = [{"id": name, "workspace": str((LOCOMO / name).resolve())} for name in names]
    (home / "openclaw.json").write_text(json.dumps({"agents": {"list": roster}}), "utf-8")
    settings = Settings(home=home, state_dir=place / "labelled" / "state")
    engine = wiring.build_engine(settings, Origin.CONSOLE, clock=bench.clock)
    for name in names:
        engine.run(Reindex(AgentRef(HomeRef(str(home)), name)))
    published = Published(bench.fleet, "labelled", engine, settings)
    bench.settle()
    there = cast("Engine", AsAnEngine(engine, bench.search(settings), published.homes))
    for all_agents in (False, True):
        own, far = (
            measure(one, asked, bench.clock, all_agents=all_agents) for one in (engine, there)
        )
        what = "all agents at once" if all_agents else "one agent"
        figures = {
            "R@6": (own.recall[SIX], far.recall[SIX]),
            "nDCG@10": (own.ndcg, far.ndcg),
        }
        for name, (here, found) in figures.items():
            told = f"{found:.4f} (host {here:.4f})"
            work = f"LoCoMo {name}, {own.questions} questions, {what}"
            yield Row(work, told, "host − 0.005", 1 + (here - 0.005 - found))
    same = 0
    sample = asked[:: max(1, len(asked) // SAMPLE)][:SAMPLE]
    for question in sample:
        request = SearchRequest(question.query, agent_id=question.agent)
        shown = [
            [(hit.path, hit.start_line) for hit in one.search.find(request).hits[:SIX]]
            for one in (engine, there)
        ]
        same += shown[0] == shown[1]
    share = same / len(sample)
    yield Row("the same six in the same order", f"{same} of {len(sample)}", "95 %", 0.95 / share)


class Taken(NamedTuple):
    """Medians of some searches in seconds: processor time, which waits for nobody, and time."""

    spent: float
    lasted: float

    def told(self, against: Taken, what: str) -> str:
        """Return both, and the ratios to another one."""
        ratios = (
            f"{self.spent / against.spent:.2f} × and {self.lasted / against.lasted:.2f} × {what}"
        )
        return f"{self.spent * 1000:.0f} ms, in {self.lasted * 1000:.0f} ms ({ratios})"


def warm(
    *finds: tuple[Callable[[SearchRequest], object], Callable[[], float]],
) -> list[Taken]:
    """Return what warm searches of each take; the same is asked in turn, under one load.

    Args:
        finds: What searches, and what tells the processor time until now.
    """
    taken: list[list[Taken]] = [[] for _ in finds]
    for turn in range(TURNS + 1):
        for query in QUERIES:
            for (find, spent), times in zip(finds, taken, strict=True):
                before, start = spent(), time.perf_counter()
                find(SearchRequest(query, agent_id="main"))
                lasted = time.perf_counter() - start
                if turn:
                    times.append(Taken(spent() - before, lasted))
    return [Taken(*map(median, zip(*times, strict=True))) for times in taken]


def scale(bench: Bench, chunks: int) -> Iterator[Row]:
    """Yield time and bytes of one agent of so many chunks against its own host."""
    folder = corpus(chunks)
    engine = engine_of(folder, Origin.CONSOLE)
    settings = Settings(home=folder / ".openclaw", state_dir=folder / "state")
    engine.run(Reindex(AgentRef(HomeRef(str(folder / ".openclaw")), "main")))
    before, there = bench.bytes(), bench.chunks()
    published = Published(bench.fleet, f"host{chunks}", engine, settings)
    bench.settle()
    size = sum(one.size_bytes for one in engine.search.indexes().values())
    each = (bench.bytes() - before) / chunks
    told = f"{each:.0f} B ({each / (size / chunks):.2f} × the index's own)"
    yield Row(f"bytes a chunk, {chunks:,} chunks", told, "2 ×", each / (size / chunks) / 2)
    host, server = (1000 * one / chunks for one in (published.host_s, published.server_s))
    told = f"{host:.1f} ms of the host, {server:.1f} ms of the server"
    into = f"a fleet of {there:,}" if there else "an empty fleet"
    work = f"publishing a chunk, processor time, {chunks:,} into {into}"
    yield Row(work, told, "–", 0)
    search = bench.search(settings)
    own, far = warm(
        (engine.search.find, time.process_time),
        (lambda one: search.find(one, published.homes), bench.spent),
    )
    told = far.told(own, "the host's own")
    yield Row(
        f"search of {chunks:,} chunks of one host", told, "1.2 ×", far.spent / own.spent / 1.2
    )


class Strangers:
    """A fleet of many hosts: one that is real, and others made of it by SQL.

    They have its words, and each time other vectors (sums of two). So they say what work costs, and
    nothing of what is found.
    """

    def __init__(self, bench: Bench, total: int) -> None:
        self.chunks, self.spent = total, bench.spent
        folder = corpus(BASE)
        engine = engine_of(folder, Origin.CONSOLE)
        settings = Settings(home=folder / ".openclaw", state_dir=folder / "state")
        engine.run(Reindex(AgentRef(HomeRef(str(folder / ".openclaw")), "main")))
        self._one = Published(bench.fleet, "base", engine, settings).homes
        names = [f"s{number}" for number in range(total // BASE)]
        self._every = self._one | {HomeRef(HOME, name): name for name in names}
        self._search = bench.search(settings)
        with bench.fleet.admin() as connection:
            for statement in _STRANGERS.format(host="base", count=total // BASE, base=BASE).split(
                ";"
            ):
                connection.execute(statement)
        bench.settle()

    def find(self, request: SearchRequest) -> object:
        """Search all hosts."""
        return self._search.find(request, self._every)

    def find_one(self, request: SearchRequest) -> object:
        """Search the one that is real."""
        return self._search.find(request, self._one)


def strangers(server: Server, place: Path, totals: list[int]) -> Iterator[Row]:
    """Yield the times of one ranking over fleets of several sizes, and of one agent in each."""
    with ExitStack() as stack:
        made = []
        for total in totals:
            bench = Bench(server, place / str(total))
            stack.callback(bench.copy.close)
            made.append(Strangers(bench, total))
        finds = [(find, one.spent) for one in made for find in (one.find, one.find_one)]
        taken = warm(*finds)
    before = taken[0]
    for fleet, every, one in zip(made, taken[::2], taken[1::2], strict=True):
        work = f"one search over a fleet of {fleet.chunks:,} chunks"
        told = every.told(before, "the size before")
        yield Row(work, told, "3 ×", every.spent / before.spent / 3)
        work = f"one agent of {BASE:,} chunks in it"
        share = one.spent / every.spent / 0.6
        is_asked = fleet.chunks >= _MANY
        yield Row(
            work, one.told(every, "all of them"), "0.6 ×" if is_asked else "–", share * is_asked
        )
        before = every
