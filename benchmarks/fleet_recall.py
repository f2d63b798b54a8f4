"""Measures what search over a large fleet misses: its indexes against a look at everything.

Above `search.FEW` chunks the nearest vectors come from an index, and only chunks with the rarest
words are scored. The truth here is the same search with neither: all vectors are compared, every
chunk with any of the words is scored.

Three of LoCoMo's talks are asked their questions. The strangers among which they are to be found
are made by SQL of the other three and of Python's documentation, indexed in halves of chunks: two
halves, no pair twice, make one, with the words of both and the sum of their vectors. So they are as
near to each other as texts of one kind are, and none of them holds what is asked for.
"""

from __future__ import annotations

import json
from contextlib import closing, contextmanager
from dataclasses import replace
from statistics import mean
from typing import TYPE_CHECKING, NamedTuple, cast

from benchmarks.budgets import Row
from benchmarks.fleet_search import HOME, SIX, AsAnEngine, Bench, Published
from benchmarks.search import LOCOMO, corpus
from memconsole.adapters.fleet.postgres import connect, search
from memconsole.adapters.fleet.postgres.chunks import vector_text
from memconsole.compose import engine as wiring
from memconsole.compose.recall import measure, read_questions
from memconsole.domain.agents import AgentRef, HomeRef, Origin
from memconsole.domain.commands.reindex import Reindex
from memconsole.domain.search.query import parse
from memconsole.domain.search.values import CANDIDATES
from memconsole.domain.settings import Settings
from memconsole.domain.settings.sections import SearchSettings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from memconsole.domain.search.recall import Question, Recall
    from memconsole.domain.search.values import SearchRequest, SearchResult
    from memconsole.engine.engine import Engine
    from tests.lanes.postgres.server import Server

ASKED, OTHERS = ("conv-26", "conv-30", "conv-42"), ("conv-41", "conv-43", "conv-44")
_DOCUMENTATION, _HALF, _EACH = 1_000, 200, 10_000
_ALL = 10**9
"""Chunks: more than there are."""

_STRANGERS = """
SET session_replication_role = replica;
DROP INDEX IF EXISTS fleet.chunks_lex, fleet.vectors_near;
CREATE TEMP TABLE half AS SELECT row_number() OVER (ORDER BY c.index_id, c.id) - 1 AS n, c.*,
  v.vector FROM fleet.hosts h JOIN fleet.homes o ON o.host = h.id JOIN fleet.indexes i
  ON i.home = o.id JOIN fleet.chunks c ON c.index_id = i.id JOIN fleet.vectors v
  ON v.index_id = c.index_id AND v.id = c.id WHERE h.name = 'halves' AND c.tokens IS NOT NULL;
CREATE UNIQUE INDEX ON half (n);
ANALYZE half;
CREATE TEMP TABLE first AS SELECT i.* FROM fleet.indexes i
  WHERE i.id = (SELECT index_id FROM half LIMIT 1);
INSERT INTO fleet.hosts (role, name, joined_at, seen_at) SELECT 'x' || n, 's' || n, now(), now()
  FROM generate_series(0, {hosts} - 1) n;
INSERT INTO fleet.homes (host, identity, path, looked_at) SELECT h.id, gen_random_uuid(),
  '{home}', now() FROM fleet.hosts h WHERE name ~ '^s[0-9]';
INSERT INTO fleet.indexes (home, agent, is_talk, agents, model, epoch_chunks, df_unit, df)
  SELECT o.id, 'stranger', false, ARRAY['stranger'], f.model, f.epoch_chunks, f.df_unit, f.df
  FROM first f, fleet.homes o JOIN fleet.hosts h ON h.id = o.host WHERE h.name ~ '^s[0-9]';
CREATE TEMP TABLE place AS SELECT row_number() OVER (ORDER BY id) - 1 AS host, id
  FROM fleet.indexes WHERE agent = 'stranger';
INSERT INTO fleet.documents SELECT id, 1, 'memory/strangers.md', now(), false FROM place;
CREATE TEMP TABLE pair AS SELECT (row_number() OVER (ORDER BY x) - 1) AS g, a, b FROM (
  SELECT x, x * 2654435761 % (p * p) / p AS a, x * 2654435761 % (p * p) % p AS b
  FROM (SELECT count(*) AS p FROM half) s, generate_series(1, {total} * 3::bigint) x
  ) f WHERE a < b LIMIT {total};
INSERT INTO fleet.chunks (index_id, id, document, hash, start_line, end_line, at, words, on_path,
    tags, heading, lex, text, tokens)
  SELECT i.id, g % {each}, 1, 0, g % {each} + 1, g % {each} + 1, NULL, a.words + b.words, false,
    '{{}}', a.heading,
    a.lex || b.lex, a.text || b.text,
    substring(a.tokens FOR length(a.tokens) / 3 * 2)
      || substring(b.tokens FOR length(b.tokens) / 3 * 2)
      || substring(a.tokens FROM length(a.tokens) / 3 * 2 + 1)
      || substring(b.tokens FROM length(b.tokens) / 3 * 2 + 1)
  FROM pair JOIN place i ON i.host = g / {each} JOIN half a ON a.n = pair.a
    JOIN half b ON b.n = pair.b;
INSERT INTO fleet.vectors SELECT i.id, g % {each}, a.vector + b.vector
  FROM pair JOIN place i ON i.host = g / {each} JOIN half a ON a.n = pair.a
    JOIN half b ON b.n = pair.b;
INSERT INTO fleet.sizes SELECT c.index_id, 1, count(*), sum(c.words), 0 FROM fleet.chunks c
  JOIN place p ON p.id = c.index_id GROUP BY c.index_id;
DELETE FROM fleet.vectors WHERE index_id IN (SELECT index_id FROM half);
DELETE FROM fleet.chunks WHERE index_id IN (SELECT index_id FROM half);
DELETE FROM fleet.sizes WHERE index_id IN (SELECT index_id FROM half);
DELETE FROM fleet.documents WHERE index_id IN (SELECT index_id FROM half);
DELETE FROM fleet.indexes WHERE id IN (SELECT index_id FROM half);
SET maintenance_work_mem = '2GB';
CREATE INDEX chunks_lex ON fleet.chunks USING gin (lex) WITH (fastupdate = off);
CREATE INDEX vectors_near ON fleet.vectors USING hnsw
  ((binary_quantize(vector)::bit(256)) bit_hamming_ops)
"""


class Asked(NamedTuple):
    """What came of asking the questions.

    Attributes:
        recall: Of the labelled evidence.
        shown: The best six of each question, as (agent, path, line).
    """

    recall: Recall
    shown: dict[str, list[tuple[str, str, int]]]


class Crowd:
    """Labelled talks among so many strangers."""

    def __init__(self, bench: Bench, place: Path, total: int, every: int) -> None:
        self.bench, self.total = bench, total
        self.questions = tuple(one for one in read_questions(LOCOMO) if one.agent in ASKED)[::every]
        talks = {name: LOCOMO / name for name in ASKED}
        self._engine, settings = _indexed(place / "asked", talks)
        self._homes = Published(bench.fleet, "asked", self._engine, settings).homes
        halves = {name: LOCOMO / name for name in OTHERS}
        halves["documentation"] = corpus(_DOCUMENTATION) / "ws"
        small = SearchSettings(chunk_tokens=_HALF, chunk_overlap=0)
        Published(bench.fleet, "halves", *_indexed(place / "halves", halves, small))
        hosts = -(-total // _EACH)
        self._homes |= {HomeRef(HOME, f"s{number}"): f"s{number}" for number in range(hosts)}
        made = _STRANGERS.format(home=HOME, hosts=hosts, total=total, each=_EACH)
        with bench.fleet.admin() as connection:
            for statement in made.split(";"):
                connection.execute(statement)
        bench.settle()
        self._search = bench.search(settings)

    def ask(self) -> Asked:
        """Ask every question over the whole fleet."""
        shown: dict[str, list[tuple[str, str, int]]] = {}

        class Telling(AsAnEngine):
            """Keeps what was shown, with the hosts."""

            def find(self, request: SearchRequest) -> SearchResult:
                found = self._search.find(request, self._homes).result
                shown[request.text] = [
                    (hit.agent, hit.path, hit.start_line) for hit in found.hits[:SIX]
                ]
                return self.named(found)

        there = cast("Engine", Telling(self._engine, self._search, self._homes))
        recall = measure(there, self.questions, self.bench.clock, all_agents=True)
        return Asked(recall, shown)

    def nearest(self, *, is_exact: bool) -> dict[str, list[tuple[int, int]]]:
        """Return the nearest chunks of each question, best first."""
        found = {}
        with self.bench.copy.open(
            {home.host for home in self._homes}, lambda _: True, lambda _: ""
        ) as (reader, _):
            for question in self.questions:
                tokens, df, chunks = reader._of_query(parse(question.query))
                vector = vector_text(reader._model.vector(tokens, df, chunks))
                rows = reader._connection.execute(
                    "SELECT index_id, id FROM fleet.near(%s::int[], %s, NULL, NULL, %s, %s)",
                    (reader._alike, vector, CANDIDATES, is_exact),
                ).fetchall()
                found[question.query] = [(int(index), int(at)) for index, at in rows]
        return found

    @contextmanager
    def everything(self) -> Iterator[None]:
        """Look at everything, however long that takes."""
        known = search.FEW, search._FEW_ROWS, connect._SILENT_S
        of = "'fleet.with_words'::regproc"
        with self.bench.fleet.admin() as connection:
            [bounded] = connection.execute(f"SELECT pg_get_functiondef({of})").fetchall()[0]
            assert "LIMIT 5000)" in bounded
            connection.execute(bounded.replace("LIMIT 5000)", ")"))
            with closing(self.bench.copy):  # others begin with the limits of ever
                self.bench.copy._alive().execute("SET statement_timeout = 0")
                search.FEW, search._FEW_ROWS, connect._SILENT_S = _ALL, _ALL, _ALL  # type: ignore[misc]
                try:
                    yield
                finally:
                    search.FEW, search._FEW_ROWS, connect._SILENT_S = known  # type: ignore[misc]
            connection.execute(bounded)


def _indexed(
    place: Path, workspaces: dict[str, Path], search: SearchSettings | None = None
) -> tuple[Engine, Settings]:
    """Return an engine over a home with these agents, whose indexes are built."""
    home = place / ".openclaw"
    home.mkdir(parents=True)
    roster = [{"id": name, "workspace": str(path.resolve())} for name, path in workspaces.items()]
    (home / "openclaw.json").write_text(json.dumps({"agents": {"list": roster}}), "utf-8")
    settings = Settings(home=home, state_dir=place / "state")
    settings = replace(settings, search=search or settings.search)
    engine = wiring.build_engine(settings, Origin.CONSOLE)
    for name in workspaces:
        engine.run(Reindex(AgentRef(HomeRef(str(home)), name)))
    return engine, settings


def crowd(server: Server, place: Path, total: int, every: int) -> Iterator[Row]:
    """Yield what is missed among so many chunks.

    Args:
        server: Gets a fleet of its own.
        place: For homes.
        total: Chunks of strangers.
        every: Each so many of the questions is asked.
    """
    bench = Bench(server, place / str(total))
    with closing(bench.copy):
        made = Crowd(bench, place / f"homes{total}", total, every)
        quick, near = made.ask(), made.nearest(is_exact=False)
        with made.everything():
            truth, nearest = made.ask(), made.nearest(is_exact=True)
    yield from _rows(total, made.questions, (quick, near), (truth, nearest))


def _rows(
    total: int,
    questions: Sequence[Question],
    quick: tuple[Asked, dict[str, list[tuple[int, int]]]],
    truth: tuple[Asked, dict[str, list[tuple[int, int]]]],
) -> Iterator[Row]:
    among = f"among {total:,} chunks, {len(questions)} questions"
    for most in (SIX, CANDIDATES):
        shares = [
            len({*quick[1][one][:most]} & {*every[:most]}) / len(every[:most])
            for one, every in truth[1].items()
            if every
        ]
        told = f"{mean(shares):.4f} (worst question {min(shares):.2f})"
        yield Row(f"of the {most} nearest vectors {among}", told, "–", 0)
    asked = [one.query for one in questions]
    shares = [
        len({*quick[0].shown[one]} & {*truth[0].shown[one]}) / len(truth[0].shown[one])
        for one in asked
    ]
    same = sum(quick[0].shown[one] == truth[0].shown[one] for one in asked)
    told = f"{mean(shares):.4f} (the same six in the same order: {same})"
    yield Row(f"of the best six {among}", told, "–", 0)
    here, found = truth[0].recall.recall[SIX], quick[0].recall.recall[SIX]
    told = f"{found:.4f} (looking at everything {here:.4f})"
    yield Row(f"LoCoMo R@6 {among}", told, "–", 0)
