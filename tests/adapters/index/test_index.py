"""The index on disk: what is in it, and that only changes are written."""

from __future__ import annotations

import os
import sys
import threading
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memconsole.adapters.index.database import Places
from memconsole.adapters.index.embedding import static
from memconsole.adapters.index.index import DiskIndex
from memconsole.adapters.index.writer import CancelledError
from memconsole.domain.agents import AgentRef, HomeRef
from memconsole.domain.search.indexing import (
    Document,
    DocumentText,
    IndexScope,
    IndexState,
    MessageLine,
    Source,
    Vectors,
)
from memconsole.domain.search.query import parse
from memconsole.domain.search.values import Narrowing
from memconsole.errors import IndexUnavailableError, SearchCancelledError
from tests.adapters.index.index_stage import AT, STATIC, WORDS_ONLY, Stage


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    found = Stage(tmp_path)
    found.write("2026-04-01.md", "# Deploys\n\n- [DECISION] Staging runs on orion-db-7\n")
    found.write("garden.md", "# Garden\n\n- tomatoes want water\n")
    return found


def test_a_missing_index_says_so_and_is_built_whole(stage: Stage) -> None:
    assert stage.index.status(stage.scope, stage.settings).state is IndexState.MISSING
    assert stage.pending().must_build
    report = stage.sync()
    assert report.is_rebuilt
    assert (report.files_changed, report.chunks_added) == (2, 2)
    assert report.status.state is IndexState.FRESH
    assert report.status.updated_at == AT
    assert stage.find("orion-db-7") == ["memory/2026-04-01.md"]
    assert not stage.pending().is_any


def test_the_files_are_the_operators_alone(stage: Stage) -> None:
    stage.sync()
    assert stage.path.stat().st_mode & 0o777 == 0o600
    assert stage.path.parent.stat().st_mode & 0o777 == 0o700
    assert [path.name for path in stage.path.parent.iterdir()] == ["main.sqlite"]


def test_only_what_changed_is_read_again(stage: Stage) -> None:
    stage.sync()
    stage.read.clear()
    stage.write("garden.md", "# Garden\n\n- tomatoes want sun\n")
    assert [one.path for one in stage.pending().changed] == ["memory/garden.md"]
    report = stage.sync()
    assert stage.read == ["memory/garden.md"]
    assert not report.is_rebuilt
    assert (report.chunks_added, report.chunks_removed) == (1, 1)
    assert stage.find("sun") == ["memory/garden.md"]
    assert stage.find("water") == []


def test_a_touched_file_costs_no_chunk(stage: Stage) -> None:
    stage.sync()
    path = stage.workspace / "memory" / "garden.md"
    os.utime(path, (1, 1))
    report = stage.sync()
    assert (report.files_changed, report.chunks_added, report.chunks_removed) == (0, 0, 0)
    assert not stage.pending().is_any


def test_chunks_that_moved_keep_their_rows(stage: Stage) -> None:
    stage.write("garden.md", "# A\n\nfirst\n\n# B\n\nsecond\n")
    stage.sync()
    stage.write("garden.md", "# New\n\nzero\n\n# A\n\nfirst\n\n# B\n\nsecond\n")
    report = stage.sync()
    assert (report.chunks_added, report.chunks_removed) == (1, 0)
    with stage.open() as reader:
        [found] = reader.legs(parse("second"), Narrowing(), text_only=True).candidates
        assert reader.rows([found.id])[found.id].start_line == 9


def test_a_removed_file_is_gone(stage: Stage) -> None:
    stage.sync()
    (stage.workspace / "memory" / "garden.md").unlink()
    assert stage.pending().removed == ("memory/garden.md",)
    assert stage.sync().files_removed == 1
    assert stage.find("tomatoes") == []


def test_updating_is_the_same_as_building(stage: Stage) -> None:
    stage.sync()
    stage.write("garden.md", "# Garden\n\n- nothing grows\n")
    stage.write("new.md", "orion is a constellation\n")
    stage.sync()
    updated = {word: stage.find(word) for word in ("orion", "grows", "tomatoes")}
    stage.sync(is_full=True)
    assert {word: stage.find(word) for word in updated} == updated


def test_deleting_it_is_safe(stage: Stage) -> None:
    stage.sync()
    stage.path.unlink()
    assert stage.pending().must_build
    stage.sync()
    assert stage.find("tomatoes") == ["memory/garden.md"]


def test_other_sizes_of_chunks_are_another_index(stage: Stage) -> None:
    stage.sync()
    stage.settings = replace(WORDS_ONLY, chunk_tokens=100)
    assert stage.pending().must_build
    assert stage.sync().is_rebuilt


def test_headings_days_and_names_are_found(stage: Stage) -> None:
    stage.write("projects/orchid-label.md", "# Printer\n\ntext\n\n## Ribbon\n\nblack\n")
    stage.sync()
    assert stage.find("printer black")[0] == "memory/projects/orchid-label.md"
    assert stage.find("orchid")[0] == "memory/projects/orchid-label.md"
    assert stage.find("April 1")[0] == "memory/2026-04-01.md"


def test_markers_and_days_narrow_a_search(stage: Stage) -> None:
    stage.write("2026-05-01.md", "- [TODO] orion must move\n")
    stage.sync()
    assert set(stage.find("orion")) == {"memory/2026-04-01.md", "memory/2026-05-01.md"}
    assert stage.find("orion", Narrowing(tag="TODO")) == ["memory/2026-05-01.md"]
    since = datetime(2026, 4, 20, tzinfo=UTC)
    assert stage.find("orion", Narrowing(since=since)) == ["memory/2026-05-01.md"]


def test_secrets_are_not_in_the_index(stage: Stage) -> None:
    secret = "sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789"
    stage.write("keys.md", f"# Keys\n\nuse {secret}\n\nthe end\n")
    stage.sync()
    assert secret.encode() not in stage.path.read_bytes()
    with stage.open() as reader:
        [found] = reader.legs(parse("end"), Narrowing(), text_only=True).candidates
        row = reader.rows([found.id])[found.id]
    assert "[redacted:" in row.text
    assert row.end_line == 5


def test_two_homes_with_an_agent_of_one_name_have_two_indexes(stage: Stage) -> None:
    stage.sync()
    other = stage.scope._replace(root=stage.folder / "elsewhere")
    assert stage.index.path(other) != stage.path
    assert stage.index.path(stage.scope) == stage.path


@pytest.mark.parametrize("name", ["..", ".hidden", "a/b", "x" * 300, "agent one", "名"])
def test_every_agent_id_is_a_file_name(stage: Stage, name: str) -> None:
    scope = IndexScope(replace(stage.scope.agent, id=name), Source.MEMORY, stage.workspace)
    path = stage.index.path(scope)
    assert path.parent == stage.path.parent
    stage.index.sync(scope, stage.documents, stage.reader.read, WORDS_ONLY)
    assert path.exists()


def test_a_session_is_indexed_by_messages_each_once(stage: Stage) -> None:
    lines = (
        MessageLine("user: what about the boiler?", at=AT),
        MessageLine("assistant: it was repaired", at=AT),
        MessageLine("assistant: an abandoned answer about the boiler", on_path=False, at=AT),
    )
    scope = stage.scope._replace(source=Source.SESSIONS)
    document = Document("sessions/abc", Source.SESSIONS, None, 10, "1", AT, is_archived=True)
    stage.index.sync(scope, (document,), lambda _: DocumentText(session=lines), WORDS_ONLY)
    with stage.index.open(scope, WORDS_ONLY) as reader:
        found = reader.legs(parse("boiler"), Narrowing(), text_only=True).candidates
        rows = list(reader.rows([one.id for one in found]).values())
    assert [(row.start_line, row.end_line, row.on_path) for row in rows] == [
        (1, 2, True),
        (3, 3, False),
    ]
    assert all(row.is_archived for row in rows)
    assert stage.index.path(scope).parent.name == "sessions"


def test_words_of_the_query_that_the_index_knows(stage: Stage) -> None:
    stage.write("cjk.md", "进入静默模式\n")
    stage.sync()
    with stage.open() as reader:
        legs = reader.legs(parse("tomato zzzz 静默"), Narrowing(), text_only=True)
    assert legs.known_words == {"tomato", "静默"}


def test_how_much_of_an_index_is_in_the_language_of_a_query(stage: Stage) -> None:
    stage.write("de.md", "Der Zaun ist gestrichen und das Tor nicht.\n")
    stage.sync()
    asked = ("Wer malt gern?", "¿Tiene perro?", "Die Hard movie night")
    with stage.open() as reader:
        chunks = reader.status.chunks
        legs = [reader.legs(parse(one), Narrowing(), text_only=True) for one in asked]
    assert chunks > 1
    assert [one.spoken for one in legs] == [1 / chunks, 0.0, 0.0]


def test_a_beginning_of_a_word_is_found_while_typing(stage: Stage) -> None:
    stage.sync()
    with stage.open() as reader:
        legs = reader.legs(parse("toma", is_typing=True), Narrowing(), text_only=True)
    assert len(legs.candidates) == 1


def test_progress_is_told_and_stopping_leaves_the_old_index(stage: Stage) -> None:
    stage.sync()
    stage.write("garden.md", "changed\n")
    stop = threading.Event()
    told: list[tuple[int, int]] = []

    def progress(done: int, total: int) -> None:
        told.append((done, total))
        stop.set()

    for is_full in (False, True):
        stop.clear()
        if is_full:
            stage.write("more.md", "more\n")
        with pytest.raises(CancelledError):
            stage.index.sync(
                stage.scope,
                (*stage.documents, *stage.documents),
                stage.reader.read,
                stage.settings,
                is_full=is_full,
                cancel=stop,
                progress=progress,
            )
        assert stage.find("tomatoes") == ["memory/garden.md"]
    assert told[0][0] == 1
    assert [path.name for path in stage.path.parent.iterdir()] == ["main.sqlite"]


def test_a_search_is_ended_by_who_asked(stage: Stage) -> None:
    for number in range(60):
        stage.write(f"n{number}.md", "\n\n".join(f"# h{k}\n\nword {k}" for k in range(80)))
    stage.sync()
    stop = threading.Event()
    stop.set()
    with (
        stage.index.open(stage.scope, stage.settings, stop) as reader,
        pytest.raises(SearchCancelledError),
    ):
        reader.legs(parse("word"), Narrowing(), text_only=True)


class TestStaticVectors:
    @pytest.fixture
    def stage(self, tmp_path: Path) -> Stage:
        found = Stage(tmp_path, settings=STATIC)
        found.write("db.md", "# Storage\n\nPostgres database migration finished\n")
        found.write("garden.md", "# Garden\n\ntomatoes want water and sun\n")
        found.write("cat.md", "# Cat\n\nthe cat sleeps on the sofa\n")
        return found

    def test_meaning_is_found_without_a_shared_word(self, stage: Stage) -> None:
        report = stage.sync()
        assert (report.embedded, report.status.provider) == (3, "static")
        near = stage.cosines("SQL server")
        assert max(near, key=lambda path: near[path]) == "memory/db.md:1"

    def test_every_way_of_comparing_gives_the_same(
        self, stage: Stage, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        stage.sync()
        with stage.open() as reader:
            assert reader.status.way is Vectors.EXTENSION
        by_extension = stage.cosines("plants in the sun")
        late_by_extension = self.late(stage)
        long = DiskIndex(
            stage.folder / "state" / "index", stage.lock, now=lambda: AT, is_long_running=True
        )
        stage.index = long
        assert stage.cosines("plants in the sun") == pytest.approx(by_extension, abs=2e-5)
        assert self.late(stage) == pytest.approx(late_by_extension, abs=1e-4)
        stage.index = DiskIndex(stage.folder / "state" / "index", stage.lock, now=lambda: AT)
        monkeypatch.setattr("memconsole.adapters.index.query_side.load_vectors", lambda _: False)
        assert stage.cosines("plants in the sun") == pytest.approx(by_extension, abs=2e-5)
        with stage.open() as reader:
            assert reader.status.way is Vectors.NUMPY
            assert "NumPy" in reader.status.because

    @staticmethod
    def late(stage: Stage) -> dict[int, float]:
        with stage.open() as reader:
            return reader.late(parse("where does the cat sleep"), [1, 2, 3])

    def test_late_interaction_is_the_share_of_the_query_that_a_chunk_holds(
        self, stage: Stage
    ) -> None:
        stage.sync()
        with stage.open() as reader:
            [cat] = [at for at, row in reader.rows([1, 2, 3]).items() if "cat.md" in row.path]
            assert reader.late(parse("cat sofa"), [cat]) == {cat: 1.0}
            shares = reader.late(parse("cat tomatoes"), [1, 2, 3])
            assert all(0 <= one < 1 for one in shares.values())
            assert reader.late(parse("cat cat cat tomatoes"), [cat])[cat] > shares[cat]

    def test_a_running_console_sees_what_another_process_wrote(self, tmp_path: Path) -> None:
        console = Stage(tmp_path, settings=STATIC, is_long_running=True)
        console.write("db.md", "Postgres database migration finished\n")
        other = Stage(tmp_path, settings=STATIC)
        other.sync()
        assert set(console.cosines("database")) == {"memory/db.md:1"}
        console.write("cat.md", "the cat sleeps\n")
        other.sync()
        assert set(console.cosines("database")) == {"memory/db.md:1", "memory/cat.md:1"}
        (console.workspace / "memory" / "db.md").unlink()
        other.sync()
        assert set(console.cosines("database")) == {"memory/cat.md:1"}
        other.sync(is_full=True)
        assert set(console.cosines("database")) == {"memory/cat.md:1"}

    def test_a_status_says_the_same_and_loads_no_vectors(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for is_long_running in (False, True):
            stage = Stage(tmp_path, settings=STATIC, is_long_running=is_long_running)
            stage.write("db.md", "Postgres database migration finished\n")
            stage.sync()
            with stage.open() as reader:
                said = reader.status
            fresh = Stage(tmp_path, settings=STATIC, is_long_running=is_long_running)
            with monkeypatch.context() as patch:
                patch.setitem(sys.modules, "memconsole.adapters.index.matrix", None)
                assert fresh.index.status(fresh.scope, fresh.settings) == said

    def test_narrowing_holds_for_vectors(self, tmp_path: Path) -> None:
        for is_long_running in (False, True):
            stage = Stage(tmp_path, settings=STATIC, is_long_running=is_long_running)
            stage.write("2026-01-01.md", "the database moved\n")
            stage.write("2026-03-01.md", "the database moved again\n")
            stage.sync()
            since = Narrowing(since=datetime(2026, 2, 1, tzinfo=UTC))
            with stage.open() as reader:
                found = reader.legs(parse("storage"), since).candidates
                rows = reader.rows([one.id for one in found])
            assert {row.path for row in rows.values()} == {"memory/2026-03-01.md"}

    def test_frequencies_are_pooled_anew_when_the_index_has_doubled(self, stage: Stage) -> None:
        stage.sync()
        for number in range(4):
            stage.write(f"more{number}.md", f"database number {number}\n")
        updated = stage.sync()
        assert not updated.is_rebuilt
        near = stage.cosines("database cat")
        stage.sync(is_full=True)
        assert stage.cosines("database cat") == pytest.approx(near, abs=0.01)

    def test_another_provider_is_another_index(self, stage: Stage) -> None:
        stage.sync()
        stage.settings = WORDS_ONLY
        assert stage.pending().must_build
        with stage.open() as reader:
            assert not reader.status.has_vectors
        stage.sync()
        assert stage.cosines("database") == {}

    def test_without_the_model_nothing_is_pretended(
        self, stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        stage.sync()
        static.static_model.cache_clear()
        monkeypatch.setattr(static, "FOLDER", tmp_path / "gone")
        try:
            with stage.open() as reader:
                assert not reader.status.has_vectors
                assert "cannot be read" in reader.status.because
            with pytest.raises(IndexUnavailableError, match="cannot be read"):
                stage.sync(is_full=True)
        finally:
            static.static_model.cache_clear()


def test_two_homes_with_an_agent_of_one_name_share_neither_index_nor_lock(stage: Stage) -> None:
    usual, other = Path("/home/op/.openclaw"), Path("/srv/b/.openclaw")
    places = Places(stage.folder / "state" / "index", usual)

    def scope(home: Path) -> IndexScope:
        ref = AgentRef(HomeRef(str(home)), "main")
        return IndexScope(ref, Source.SESSIONS, home / "agents" / "main" / "sessions")

    assert places.path(scope(usual)).name == "main.sqlite"
    assert places.path(scope(other)).name.startswith("main-")
    assert places.lock_name(scope(usual)) != places.lock_name(scope(other))


def test_an_index_that_bears_the_plain_name_from_before_keeps_it(stage: Stage) -> None:
    stage.sync()
    places = Places(stage.path.parent, Path("/home/op/.openclaw"))
    assert places.path(stage.scope) == stage.path
    usual = AgentRef(HomeRef("/home/op/.openclaw"), "main")
    theirs = IndexScope(usual, Source.MEMORY, Path("/home/op/.openclaw/workspace"))
    assert places.path(theirs) != stage.path
