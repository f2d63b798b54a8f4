"""Why an agent's own search does not see a note: every reason, over indexes held in memory."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.agents import PlatformConfig
from memconsole.domain.platform_search.index import IndexedChunk, IndexFacts
from memconsole.domain.platform_search.profile import FADING, FIRST, GRADED
from memconsole.domain.search.agent_view import AgentHit, AgentView, Reason, Vectors
from memconsole.domain.search.values import SearchRequest, SearchResult
from memconsole.domain.settings import Settings
from memconsole.domain.settings.sections import SearchSettings
from memconsole.engine.engine import Engine
from memconsole.errors import StoreError
from tests.doubles.bundle import World
from tests.doubles.platform import fake_agent
from tests.doubles.search import FakePlatformIndex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memconsole.domain.platform_search.candidates import WordsFound

NOTE, OLD = "memory/boiler.md", "memory/2025-10-28.md"
TEXT = "the boiler broke in the cellar"
OURS = SearchSettings(provider="openai-compatible", model="stub")
"""Settings under which the vectors of the index can be made here."""

FACTS = IndexFacts(Path("/db"), FADING, "openai-compatible", "stub", dims=2)


def chunk(path: str, text: str = TEXT, name: str = "", **more: object) -> IndexedChunk:
    made = IndexedChunk(name or path, path, 1, text.count("\n") + 1, "stub", text, has_vector=True)
    return made._replace(**more)  # type: ignore[arg-type]


def index_of(*chunks: IndexedChunk, cosine: float = 0.2, **facts: object) -> FakePlatformIndex:
    """Return an index of whole files; all chunks are as near to any query."""
    return FakePlatformIndex(
        FACTS._replace(**facts),  # type: ignore[arg-type]
        {one.path: one.text for one in chunks},
        chunks,
        {one.id: cosine for one in chunks},
    )


@pytest.fixture
def world() -> World:
    return World()


def files(world: World, texts: dict[str, str]) -> None:
    """Write files of the workspace, for our index and as the platform would read them now."""
    world.documents.texts[fake_agent().workspace] = texts
    world.platform_index.files = dict(texts)


def searched(
    world: World, query: str = "boiler broke", search: SearchSettings = OURS
) -> SearchResult:
    engine = Engine(world.ports, Settings(state_dir=Path("/state"), search=search))
    return engine.search.find(SearchRequest(query, is_explained=True))


def view(
    world: World, path: str = NOTE, query: str = "boiler broke", search: SearchSettings = OURS
) -> AgentView:
    found = searched(world, query, search)
    [hit] = [hit for hit in found.hits if hit.path == path]
    assert hit.agent_view is not None
    return hit.agent_view


def test_a_search_that_nobody_wants_explained_asks_for_no_index(world: World) -> None:
    files(world, {NOTE: TEXT})
    world.platform_index.failure = AssertionError("nobody asked")
    engine = Engine(world.ports, Settings(state_dir=Path("/state")))
    found = engine.search.find(SearchRequest("boiler"))
    assert [hit.agent_view for hit in found.hits] == [None]
    assert found.agent_searches == ()


def test_a_note_that_is_found(world: World) -> None:
    files(world, {NOTE: TEXT})
    world.platform_index.indexes["main"] = index_of(chunk(NOTE), cosine=0.9)
    found = view(world)
    assert (found.rank, found.reason, found.because) == (1, Reason.FOUND, "it finds it")
    # 0.7 × 0.9 + 0.3 × 1: both words are there, and the name of the file has one of them
    assert found.score == pytest.approx(0.93)
    assert found.place == "rank 1"
    assert (found.facts.text_rank, found.facts.age_days) == (1, None)
    assert world.platform_index.asked == ["boiler broke"]
    [search] = searched(world).agent_searches
    assert (search.release, search.vectors, search.min_score) == ("2026.9", Vectors.COMPUTED, 0.35)


def test_a_note_behind_the_results_that_are_shown(world: World) -> None:
    texts = {f"memory/n{number}.md": f"{TEXT} {number}" for number in range(9)}
    files(world, texts)
    made = index_of(*(chunk(path, text) for path, text in texts.items()), cosine=0.9)
    made.cosines["memory/n8.md"] = 0.6
    world.platform_index.indexes["main"] = made
    search = replace(OURS, max_results=9)
    found = view(world, "memory/n8.md", search=search)
    assert (found.rank, found.reason) == (9, Reason.FAR_DOWN)
    assert "shown 6 results" in found.because
    assert found.help


class TestTheIndex:
    """The index does not have the note, or not as it is."""

    def test_a_file_that_is_not_in_it(self, world: World) -> None:
        files(world, {NOTE: TEXT, "MEMORY.md": "other"})
        world.platform_index.indexes["main"] = index_of(chunk("MEMORY.md", "other"))
        found = view(world)
        assert (found.rank, found.reason) == (None, Reason.NOT_INDEXED)
        assert found.because == "its file is not in the agent's index"
        assert found.help == "`openclaw memory index --agent main` takes it in."
        assert found.place == "not found"

    def test_a_file_that_the_platform_never_indexes(self, world: World) -> None:
        path = "notes/boiler.md"
        files(world, {path: TEXT})
        world.platform_index.indexes["main"] = index_of(chunk(NOTE))
        found = view(world, path)
        assert found.reason is Reason.NOT_INDEXED
        assert "indexes no such file" in found.because

    def test_a_file_beside_the_workspace_has_another_name_there(self, world: World) -> None:
        path = str(fake_agent().workspace.parent / "shared" / "boiler.md")
        files(world, {path: TEXT})
        world.platform_index.indexes["main"] = index_of(chunk("../shared/boiler.md"), cosine=0.9)
        found = view(world, path)
        assert (found.rank, found.reason) == (1, Reason.FOUND)

    def test_a_file_that_has_changed(self, world: World) -> None:
        files(world, {NOTE: f"{TEXT}; the plumber comes on Friday"})
        world.platform_index.indexes["main"] = index_of(chunk(NOTE), cosine=0.9)
        assert view(world, query="plumber Friday").reason is Reason.STALE
        # what was there before is found as ever
        assert view(world).reason is Reason.FOUND

    def test_lines_that_are_not_in_it(self, world: World) -> None:
        files(world, {NOTE: TEXT})
        made = index_of(chunk(NOTE))
        made.chunks = (chunk(NOTE, start_line=40, end_line=60),)
        world.platform_index.indexes["main"] = made
        found = view(world)
        assert found.reason is Reason.NOT_INDEXED
        assert "these lines" in found.because

    def test_words_in_a_comment(self, world: World) -> None:
        text = "warm water <!-- boiler broke -->"
        files(world, {NOTE: text})
        made = index_of(chunk(NOTE, "warm water"))
        made.texts[NOTE] = text
        world.platform_index.indexes["main"] = made
        found = view(world)
        assert found.reason is Reason.IN_COMMENT
        assert "comment" in found.because
        assert found.help == "Write them outside of <!-- -->."

    def test_a_chunk_of_another_model(self, world: World) -> None:
        files(world, {NOTE: TEXT})
        world.platform_index.indexes["main"] = index_of(chunk(NOTE, model="older"))
        found = view(world)
        assert found.reason is Reason.OTHER_MODEL
        assert "older" in found.because
        assert "stub" in found.because

    def test_an_index_of_another_model_than_is_configured(self, world: World) -> None:
        files(world, {NOTE: TEXT})
        search = {"model": "newer"}
        world.platform.config = PlatformConfig(checked={"memory": {"search": search}})
        world.platform_index.indexes["main"] = index_of(chunk(NOTE), cosine=0.9)
        found = view(world)
        assert (found.rank, found.reason) == (None, Reason.OTHER_MODEL)
        assert "stub, and newer is configured" in found.because

    def test_a_chunk_without_a_vector(self, world: World) -> None:
        files(world, {NOTE: TEXT})
        world.platform_index.indexes["main"] = index_of(chunk(NOTE, has_vector=False))
        found = view(world)
        assert found.reason is Reason.NO_VECTOR
        assert "0.3 at most and needs 0.35" in found.because

    def test_no_index_and_none_that_can_be_read(self, world: World) -> None:
        files(world, {NOTE: TEXT})
        assert view(world).reason is Reason.NO_INDEX
        world.platform_index.failure = StoreError("it is damaged", hint="Look at it.")
        found = view(world)
        assert (found.reason, found.because, found.help) == (
            Reason.UNREADABLE,
            "it is damaged",
            "Look at it.",
        )
        assert found.place == "not known"

    def test_an_index_that_is_damaged_further_in(
        self, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        files(world, {NOTE: TEXT})
        made = index_of(chunk(NOTE))
        world.platform_index.indexes["main"] = made

        def damaged(*_: object) -> Sequence[WordsFound]:
            raise StoreError("its words are damaged")

        monkeypatch.setattr(made, "with_words", damaged)
        assert view(world).because == "its words are damaged"

    def test_a_search_that_is_switched_off(self, world: World) -> None:
        files(world, {NOTE: TEXT})
        world.platform.config = PlatformConfig(checked={"memory": {"search": {"enabled": False}}})
        world.platform_index.indexes["main"] = index_of(chunk(NOTE))
        assert view(world).reason is Reason.OFF


class TestTheRanking:
    """The index has the note, and the search leaves it below its least score."""

    def test_too_old(self, world: World) -> None:
        files(world, {OLD: TEXT, "MEMORY.md": "something else"})
        world.platform_index.indexes["main"] = index_of(
            chunk(OLD), chunk("MEMORY.md", "something else"), cosine=0.9
        )
        found = view(world, OLD)
        assert (found.rank, found.reason) == (None, Reason.TOO_OLD)
        # 90 days and 13 hours: an eighth of 0.7 × 0.9 + 0.3
        assert found.score == pytest.approx(0.93 * 0.5 ** (90.5556 / 30), abs=1e-3)
        assert found.because == (
            "too old: 91 days leave 12% of its score, so it comes to 0.11 and needs 0.35"
        )
        assert "MEMORY.md" in found.help
        assert found.facts.age_days == 90.6

    def test_old_notes_do_not_fade_in_older_releases(self, world: World) -> None:
        files(world, {OLD: TEXT})
        world.platform_index.indexes["main"] = index_of(chunk(OLD), cosine=0.9, profile=GRADED)
        assert view(world, OLD).reason is Reason.FOUND

    def test_a_word_that_is_missing_where_all_are_wanted(self, world: World) -> None:
        files(world, {NOTE: TEXT})
        world.platform_index.indexes["main"] = index_of(chunk(NOTE), profile=GRADED)
        found = view(world, query="boiler broke yesterday")
        assert found.reason is Reason.WORDS
        assert found.because == "its search wants every word, and yesterday is not in it"
        found = view(world, query="boiler broke last night yesterday")
        assert found.because.endswith("last, night and yesterday are not in it")

    def test_words_that_it_does_not_hear(self, world: World) -> None:
        text = "在庫サービス メモ"
        files(world, {NOTE: text})
        made = index_of(chunk(NOTE, "在庫サービスの移行は来週です メモ"), cosine=0.1)
        made.texts[NOTE] = text
        world.platform_index.indexes["main"] = made
        found = view(world, query="在庫サービス")
        assert found.reason is Reason.WORDS
        assert found.because == "none of the words stands in it as its search reads them"
        made.facts = FACTS._replace(profile=FIRST)
        assert "reads no word in the query" in view(world, query="在庫サービス").because

    def test_too_little_of_both(self, world: World) -> None:
        files(world, {NOTE: TEXT, "MEMORY.md": "other"})
        made = index_of(chunk(NOTE), chunk("MEMORY.md", "other"), cosine=0.6)
        made.cosines[NOTE] = 0.01
        world.platform_index.indexes["main"] = made
        # 0.3 × what one word of two counts: BM25 1 / 2, half of 0.45, and the rest of its lift
        found = view(world, query="boiler kitchen")
        assert found.reason is Reason.BELOW
        assert "below its least score 0.35" in found.because
        assert found.score is not None
        assert found.score < 0.35


class TestUnknownVectors:
    """Nobody here can make the vector of the query."""

    STATIC = SearchSettings()

    def test_words_and_index_are_explained_all_the_same(self, world: World) -> None:
        files(world, {NOTE: TEXT})
        world.platform_index.indexes["main"] = index_of(chunk(NOTE))
        found = view(world, search=self.STATIC)
        assert (found.rank, found.score, found.reason) == (None, None, Reason.VECTOR_UNKNOWN)
        assert found.because == (
            "its words count 0.30 of 0.35; the rest hangs on vectors of openai-compatible stub, "
            "which memconsole is not set up to ask: a likeness of 0.07 is enough"
        )
        assert found.facts.needs == pytest.approx(0.05 / 0.7, abs=1e-3)
        assert found.facts.text_rank == 1
        assert (found.place, found.help) == (
            "not known",
            "`--ask-gateway` asks the agent's own search.",
        )
        assert world.platform_index.asked == []

    def test_an_old_note_is_too_old_whatever_it_means(self, world: World) -> None:
        files(world, {OLD: "the boiler broke"})
        world.platform_index.indexes["main"] = index_of(chunk(OLD, "the boiler broke"))
        found = view(world, OLD, query="heating boiler", search=self.STATIC)
        assert found.reason is Reason.TOO_OLD
        assert "at best and needs 0.35" in found.because
        assert found.because.endswith("unless no other note reaches that")
        assert found.place == "not known"

    def test_what_has_none_of_the_words_is_told_so(self, world: World) -> None:
        files(world, {NOTE: TEXT})
        made = index_of(chunk(NOTE, "boilers broken"))
        made.texts[NOTE] = TEXT
        world.platform_index.indexes["main"] = made
        found = view(world, search=self.STATIC)
        assert found.reason is Reason.VECTOR_UNKNOWN
        assert found.because.startswith("none of the words stands in it as its search reads them;")
        assert (found.facts.text_rank, found.facts.text_score) == (None, 0.0)

    def test_words_that_are_enough_need_no_likeness(self, world: World) -> None:
        files(world, {NOTE: TEXT})
        search = {"query": {"minScore": 0.1}}
        world.platform.config = PlatformConfig(checked={"memory": {"search": search}})
        world.platform_index.indexes["main"] = index_of(chunk(NOTE))
        found = view(world, search=self.STATIC)
        assert found.because.endswith("which memconsole is not set up to ask")

    def test_other_reasons_do_not_wait_for_a_vector(self, world: World) -> None:
        files(world, {NOTE: TEXT})
        world.platform_index.indexes["main"] = index_of(chunk("MEMORY.md", "other"))
        assert view(world, search=self.STATIC).reason is Reason.NOT_INDEXED

    def test_a_provider_that_fails_says_so(self, world: World) -> None:
        files(world, {NOTE: TEXT})
        world.platform_index.indexes["main"] = index_of(chunk(NOTE))
        world.platform_index.vector = None
        result = searched(world)
        assert result.agent_searches[0].because == "the embedding service failed"
        world.platform_index.vector = (1.0, 0.0, 0.0)
        assert "another length" in searched(world).agent_searches[0].because

    def test_an_old_index_of_words_alone_is_asked_word_by_word(self, world: World) -> None:
        files(world, {NOTE: TEXT})
        world.platform_index.indexes["main"] = index_of(
            chunk(NOTE, model="fts-only"), provider="none", model="fts-only", profile=GRADED
        )
        found = view(world, query="the boiler and its kitchen", search=self.STATIC)
        assert (found.rank, found.reason) == (1, Reason.FOUND)

    def test_a_query_without_a_word_finds_nothing_by_words(self, world: World) -> None:
        files(world, {NOTE: "日本語"})
        world.platform_index.indexes["main"] = index_of(chunk(NOTE, "日本語"), profile=FIRST)
        found = view(world, query="日本語", search=self.STATIC)
        assert found.because.startswith("its search reads no word in the query;")

    def test_an_index_of_words_alone_needs_none(self, world: World) -> None:
        files(world, {NOTE: TEXT})
        world.platform_index.indexes["main"] = index_of(
            chunk(NOTE, model="fts-only"), provider="none", model="fts-only"
        )
        found = view(world, search=self.STATIC)
        assert (found.rank, found.reason) == (1, Reason.FOUND)
        [search] = searched(world, search=self.STATIC).agent_searches
        assert search.vectors is Vectors.NONE


class TestAskingTheGateway:
    """What `memory.search` answered stands beside what the index says."""

    def asked(self, world: World, *answers: AgentHit, query: str = "boiler broke") -> AgentView:
        world.gateway.hold()
        world.gateway.memory = answers
        engine = Engine(world.ports, Settings(state_dir=Path("/state")))
        found = engine.platform_search.ask(engine.search.find(SearchRequest(query)))
        [view] = [hit.agent_view for hit in found.hits if hit.path in (NOTE, OLD)]
        assert view is not None
        assert found.agent_searches[0].vectors is Vectors.ASKED
        return view

    def test_rank_and_scores_are_the_gateways(self, world: World) -> None:
        files(world, {NOTE: TEXT})
        world.platform_index.indexes["main"] = index_of(chunk(NOTE))
        first = AgentHit("MEMORY.md", 1, 9, 0.9, 0.9, 0.9)
        found = self.asked(world, first, AgentHit(NOTE, 1, 1, 0.65, 0.5, 0.4))
        assert (found.rank, found.score, found.reason) == (2, 0.65, Reason.FOUND)
        assert (found.facts.vector_score, found.facts.text_score) == (0.5, 0.4)

    def test_an_answer_below_the_least_score_is_not_found(self, world: World) -> None:
        files(world, {OLD: TEXT})
        world.platform_index.indexes["main"] = index_of(chunk(OLD))
        best = AgentHit("MEMORY.md", 1, 9, 0.9, 0.9, 0.9)
        fade = 0.5 ** (90.5556 / 30)
        low = AgentHit(OLD, 1, 1, (0.7 * 0.8 + 0.3 * 0.9) * fade, 0.8, 0.7)
        found = self.asked(world, best, low)
        assert (found.rank, found.reason) == (None, Reason.TOO_OLD)
        assert found.facts.vector_score == 0.8
        # nothing else reaches it: what has words is shown all the same
        assert self.asked(world, low).rank == 1

    def test_what_it_does_not_answer_is_explained_by_the_index(self, world: World) -> None:
        files(world, {NOTE: TEXT})
        world.platform_index.indexes["main"] = index_of(chunk("MEMORY.md", "other"))
        assert self.asked(world).reason is Reason.NOT_INDEXED

    def test_a_note_that_it_does_not_answer_is_below_its_least_score(self, world: World) -> None:
        files(world, {NOTE: TEXT})
        world.platform_index.indexes["main"] = index_of(chunk(NOTE))
        found = self.asked(world, AgentHit("MEMORY.md", 1, 9, 0.9, 0.9, 0.9))
        assert (found.rank, found.score, found.reason) == (None, None, Reason.BELOW)
        assert found.because == (
            "it is not among the 1 notes that it answers with; its words count 0.30 of 0.35"
        )
        assert found.place == "not found"

    def test_an_old_note_that_it_does_not_answer_is_too_old(self, world: World) -> None:
        files(world, {OLD: TEXT})
        world.platform_index.indexes["main"] = index_of(chunk(OLD))
        found = self.asked(world, AgentHit("MEMORY.md", 1, 9, 0.9, 0.9, 0.9))
        assert (found.reason, found.place) == (Reason.TOO_OLD, "not found")

    def test_without_an_index_the_answers_have_to_do(self, world: World) -> None:
        files(world, {NOTE: TEXT})
        assert self.asked(world, AgentHit(NOTE, 1, 9, 0.5)).rank == 1
        assert self.asked(world, AgentHit("MEMORY.md", 1, 9, 0.5)).because == (
            "it is not among its first 1 results"
        )
