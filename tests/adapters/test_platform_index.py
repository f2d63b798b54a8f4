"""The platform's own index when it is not whole, or not to be read."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.adapters.platform_index import PlatformIndexFiles, decoded, nearest
from memconsole.adapters.sqlite.own import open_own
from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.domain.agents import Agent, Era, Home, PlatformConfig, Storage
from memconsole.domain.platform_search.index import IndexedFile
from memconsole.domain.platform_search.profile import FADING, ONE_BY_ONE
from memconsole.domain.platform_search.words import TRIGRAM, Plan, plan
from memconsole.errors import StoreError, StoreNewerError
from tests.doubles.platform import NOW, fake_agent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memconsole.adapters.sqlite.choice import Connection
    from memconsole.domain.platform_search.index import Contents, IndexFacts
    from memconsole.ports.search import OpenPlatformIndex

SCHEMA = """
CREATE TABLE memory_index_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE memory_index_sources (path TEXT, source TEXT, hash TEXT, mtime REAL, size INTEGER);
CREATE TABLE memory_index_chunks (
  id TEXT PRIMARY KEY, path TEXT, source TEXT, start_line INTEGER, end_line INTEGER, hash TEXT,
  model TEXT, text TEXT, embedding TEXT, updated_at INTEGER);
CREATE VIRTUAL TABLE memory_index_chunks_fts USING fts5(text, id UNINDEXED, tokenize='{}');
"""


class Stage:
    """A home with one agent whose index is made by hand."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "openclaw-agent.sqlite"
        era = Era(memory_index=Storage.SQLITE)
        self.agent: Agent = fake_agent(database=self.path, era=era, workspace=folder)
        config = PlatformConfig()
        self.home = Home(folder, config, (self.agent,), era, (), NOW)
        self.indexes = PlatformIndexFiles(PrivateCopies())

    def make(self, tokenizer: str = "unicode61", **meta: object) -> None:
        with self.writing() as database:
            for statement in SCHEMA.format(tokenizer).split(";\n")[:-1]:
                database.execute(statement)
            known = {"model": "m", "provider": "p", "vectorDims": 2, **meta}
            row = ("memory_index_meta_v1", json.dumps(known))
            database.execute("INSERT INTO memory_index_meta VALUES (?, ?)", row)

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        with open_own(self.path) as database:
            yield database
            database.execute("PRAGMA journal_mode = DELETE")

    def add(self, name: str, text: str, *, model: str = "m", vector: str = "[1, 0]") -> None:
        with self.writing() as database:
            row = (name, f"memory/{name}.md", "memory", 1, 2, "", model, text, vector, 0)
            database.execute(f"INSERT INTO memory_index_chunks VALUES ({', '.join('?' * 10)})", row)
            database.execute("INSERT INTO memory_index_chunks_fts VALUES (?, ?)", (text, name))
            file = (f"memory/{name}.md", "memory", "hash", 1.5, 7)
            database.execute("INSERT INTO memory_index_sources VALUES (?, ?, ?, ?, ?)", file)

    def read(self, reading: Callable[[OpenPlatformIndex], object]) -> object:
        return self.indexes.read(self.agent, self.home, reading)

    @property
    def facts(self) -> IndexFacts:
        found = self.indexes.read(self.agent, self.home, lambda index: index.facts)
        assert found is not None
        return found

    @property
    def contents(self) -> Contents:
        found = self.indexes.read(self.agent, self.home, lambda index: index.contents())
        assert found is not None
        return found

    def heard(self, wanted: Plan | None) -> list[str]:
        assert wanted is not None
        found = self.indexes.read(
            self.agent, self.home, lambda index: tuple(index.with_words(wanted, 9))
        )
        return [one.chunk.id for one in found or ()]


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def test_no_index_is_no_failure(stage: Stage) -> None:
    agent = replace(stage.agent, era=Era())
    assert stage.indexes.read(agent, stage.home, lambda index: index.facts) is None


def test_a_database_without_an_index_says_so(stage: Stage) -> None:
    with stage.writing() as database:
        database.execute("CREATE TABLE memory_index_meta (key, value)")
    with pytest.raises(StoreError, match="holds no index of memory"):
        stage.read(lambda index: index.facts)


def test_a_newer_schema_is_left_to_the_gateway(stage: Stage) -> None:
    stage.make()
    with stage.writing() as database:
        database.execute("PRAGMA user_version = 24")
    with pytest.raises(StoreNewerError, match="schema 24"):
        stage.read(lambda index: index.facts)


def test_garbage_is_a_store_error(stage: Stage) -> None:
    stage.path.write_bytes(b"no database" * 1000)
    with pytest.raises(StoreError):
        stage.read(lambda index: index.facts)


def test_what_it_says_of_itself(stage: Stage) -> None:
    stage.make(chunkingVersion=5, ftsTokenizer="trigram")
    with stage.writing() as database:
        row = ("memory_vector_rebuild_v1", "1")
        database.execute("INSERT INTO memory_index_meta VALUES (?, ?)", row)
    for name in (".tmp-1234", ".backup-1234", "-other"):
        Path(f"{stage.path}{name}").touch()
    facts = stage.facts
    assert (facts.profile, facts.source, facts.dims) == (FADING, "p m", 2)
    assert (facts.tokenizer, facts.is_rebuilding, facts.is_text_only) == ("trigram", True, False)
    assert facts.leftovers == (f"{stage.path.name}.backup-1234", f"{stage.path.name}.tmp-1234")


@pytest.mark.parametrize("text", ["[]", "nonsense", '{"model": 7}', '{"vectorDims": "x"}'])
def test_odd_words_about_itself_are_none(text: str, stage: Stage) -> None:
    stage.make()
    with stage.writing() as database:
        database.execute("UPDATE memory_index_meta SET value = ?", (text,))
    facts = stage.facts
    assert (facts.profile, facts.model, facts.source) == (ONE_BY_ONE, None, "an unknown provider")


def test_chunks_without_vectors_are_told(stage: Stage) -> None:
    stage.make()
    stage.add("a", "one")
    stage.add("b", "two", vector="[]")
    assert {one.id: one.has_vector for one in stage.contents.chunks} == {"a": True, "b": False}
    [first, _] = stage.contents.files
    assert (first.size_bytes, first.modified_ms) == (7, 1.5)
    with stage.writing() as database:
        database.execute("CREATE TABLE memory_index_chunks_vec_rowids (rowid, id)")
        database.execute("INSERT INTO memory_index_chunks_vec_rowids VALUES (1, 'b')")
    assert {one.id: one.has_vector for one in stage.contents.chunks} == {"a": False, "b": True}


def test_words_are_wanted_all_together(stage: Stage) -> None:
    stage.make()
    stage.add("a", "the boiler broke")
    stage.add("b", "the boiler works", model="older")
    assert stage.heard(plan(FADING, "boiler")) == ["a", "b"]
    assert stage.heard(plan(FADING, "broke BOILER")) == ["a"]
    assert stage.heard(plan(FADING, 'boiler" OR "works')) == []


def test_an_index_of_trigrams_finds_short_words_by_their_letters(stage: Stage) -> None:
    stage.make("trigram", ftsTokenizer="trigram")
    stage.add("a", "在庫サービスの移行")
    stage.add("b", "サービスは来週")
    assert stage.heard(plan(FADING, "サービス", TRIGRAM)) == ["b", "a"]
    assert stage.heard(plan(FADING, "サービス 在庫", TRIGRAM)) == ["a"]
    assert stage.heard(plan(FADING, "来週", TRIGRAM)) == ["b"]


def test_the_nearest_are_of_the_model_and_of_the_length(stage: Stage) -> None:
    stage.make()
    stage.add("a", "one", vector="[1, 0]")
    stage.add("b", "two", vector="[1, 1]")
    stage.add("c", "three", vector="[1, 0]", model="older")
    stage.add("d", "four", vector="[1, 0, 0]")
    stage.add("e", "five", vector="nonsense")
    found = stage.indexes.read(
        stage.agent, stage.home, lambda index: tuple(index.nearest([1.0, 0.0], 5))
    )
    assert found is not None
    assert [(one.id, round(cosine, 3)) for one, cosine in found] == [("a", 1.0), ("b", 0.707)]
    assert found[0][0].modified_at == 0.0015


def test_hashes_are_of_what_lies_inside(stage: Stage, tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_bytes(b"caf\xe9\n")
    found = stage.indexes.hashes(tmp_path, ["MEMORY.md", "gone.md", "../etc", "/etc/passwd", "a\0"])
    # as Node reads it: what is no UTF-8 becomes U+FFFD before it is hashed
    assert found == {
        "MEMORY.md": "7df8989b95a06d73013ec32557e90a371a931d0365efcbc462a4b7030be29da2"
    }


def test_a_file_as_it_was_indexed_is_not_read_again(stage: Stage, tmp_path: Path) -> None:
    file = tmp_path / "MEMORY.md"
    file.write_text("text", "utf-8")
    status = file.stat()
    known = IndexedFile("MEMORY.md", "as-indexed", status.st_size, status.st_mtime_ns / 1e6)
    assert stage.indexes.hashes(tmp_path, ["MEMORY.md"], [known]) == {"MEMORY.md": "as-indexed"}
    other = known._replace(size_bytes=9)
    assert stage.indexes.hashes(tmp_path, ["MEMORY.md"], [other])["MEMORY.md"] != "as-indexed"


@given(st.one_of(st.none(), st.text(), st.binary(), st.integers()))
def test_any_stored_vector_is_taken(raw: object) -> None:
    assert all(isinstance(one, float) for one in decoded(raw))
    assert len(nearest([1.0, 0.0], [("a", raw)], 3)) <= 1


def test_a_query_without_direction_has_no_neighbours() -> None:
    assert nearest([0.0, 0.0], [("a", "[1, 0]")], 3) == []
