"""The rules of the platform's own search: its words, its scores, what it shows."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.domain.platform_search.candidates import (
    Placed,
    PlatformChunk,
    Rules,
    WordsFound,
    age_of,
)
from memconsole.domain.platform_search.profile import (
    FADING,
    FIRST,
    GRADED,
    ONE_BY_ONE,
    PROFILES,
    Limits,
    Profile,
    limits_of,
    profile_of,
)
from memconsole.domain.platform_search.ranking import ranked, varied
from memconsole.domain.platform_search.words import (
    TRIGRAM,
    graded,
    lifted,
    path_likeness,
    plan,
    terms,
)

NOW = datetime(2026, 11, 27, tzinfo=UTC).timestamp()
DAY_S = 86_400.0


def chunk(name: str, path: str = "memory/notes.md", text: str = "some text") -> PlatformChunk:
    return PlatformChunk(name, path, "memory", 1, 2, text)


def rules(profile: Profile, query: str = "boiler", *, is_text_only: bool = False) -> Rules:
    limits = limits_of(profile, {}, "main")
    return Rules(profile, limits, query, NOW, is_text_only)


class TestProfiles:
    """The index says which rules hold; one of them is dated."""

    def test_tables_and_keys_tell_the_release(self) -> None:
        assert profile_of({"chunks"}, {"model": "m"}) == FIRST
        assert profile_of({"chunks"}, {"sources": ["memory"]}) == GRADED
        assert profile_of({"memory_index_chunks"}, {"ftsTokenizer": "unicode61"}) == ONE_BY_ONE
        assert profile_of({"memory_index_chunks"}, {"chunkingVersion": 5}) == FADING
        assert profile_of({"memory_index_chunks", "memory_index_paths_fts"}, {}) == FADING

    def test_graded_words_came_between_two_indexes_of_one_shape(self) -> None:
        meta = {"sources": ["memory"]}
        assert profile_of({"chunks"}, meta, "2026.3.2") == FIRST
        assert profile_of({"chunks"}, meta, "2026.3.7") == GRADED
        assert profile_of({"chunks"}, meta, "nonsense") == GRADED


class TestLimits:
    """What the configuration says, the agent's own part last."""

    def test_the_defaults_are_those_of_the_formats(self) -> None:
        assert limits_of(GRADED, {}, "main") == Limits()
        newest = limits_of(FADING, {}, "main")
        assert (newest.half_life_days, newest.novelty, newest.sources) == (30.0, 0.7, ("memory",))
        assert (Limits().candidates(GRADED), newest.candidates(FADING)) == (24, 200)

    def test_an_agent_has_its_own(self) -> None:
        config = {
            "agents": {
                "defaults": {"memorySearch": {"query": {"minScore": 0.2, "maxResults": 3}}},
                "list": [{"id": "Work", "memorySearch": {"query": {"minScore": 0.5}}}],
            }
        }
        assert limits_of(GRADED, config, "main").min_score == 0.2
        work = limits_of(GRADED, config, "work")
        assert (work.min_score, work.max_results) == (0.5, 3)

    @pytest.mark.parametrize("odd", [float("inf"), float("nan"), 10**400, True, "3", None, {}])
    def test_what_is_no_number_counts_as_not_said(self, odd: object) -> None:
        config = {"memory": {"search": {"query": {"maxResults": odd, "minScore": odd}}}}
        assert limits_of(FADING, config, "main")[:2] == (6, 0.35)

    def test_weights_are_shares(self) -> None:
        hybrid = {"vectorWeight": 3, "textWeight": 1, "temporalDecay": {"enabled": True}}
        config = {"agents": {"defaults": {"memorySearch": {"query": {"hybrid": hybrid}}}}}
        found = limits_of(GRADED, config, "main")
        assert (found.vector_weight, found.text_weight) == (0.75, 0.25)
        assert found.half_life_days == 30.0
        assert limits_of(FADING, config, "main").vector_weight == 0.7

    def test_the_newest_reads_sessions_only_by_name(self) -> None:
        config: dict[str, object] = {"memory": {"search": {"sources": ["memory", "sessions"]}}}
        assert limits_of(FADING, config, "main").sources == ("memory", "sessions")
        config = {"memory": {"search": {"enabled": False, "query": {"minScore": True}}}}
        found = limits_of(FADING, config, "main")
        assert (found.is_on, found.min_score) == (False, 0.35)


class TestWords:
    """How a query is read."""

    def test_all_words_at_once(self) -> None:
        assert plan(GRADED, 'the "café", 7-b_c')
        found = plan(GRADED, 'the "café", 7-b_c')
        assert found is not None
        assert found.match == '"the" AND "café" AND "7" AND "b_c"'
        first = plan(FIRST, "café crème 7")
        assert first is not None
        assert first.match == '"caf" AND "cr" AND "me" AND "7"'
        assert plan(FIRST, "日本語") is None
        assert plan(GRADED, " …! ") is None

    def test_an_index_of_trigrams_compares_short_words(self) -> None:
        found = plan(FADING, "在庫 service", TRIGRAM)
        assert found is not None
        assert (found.match, found.contains) == ('"service"', ("在庫",))

    def test_words_that_mean_something(self) -> None:
        assert terms("what was the solution for the bug") == ("solution", "bug")
        assert terms("Invoice") == ()
        assert terms("is it 42 or no?") == ()
        assert terms("one two three four five six seven eight") == (
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
        )

    def test_scripts_without_blanks_are_cut(self) -> None:
        assert terms("在庫サービスの移行") == ("在庫", "サービス", "移行")
        assert terms("讨论方案") == ("讨", "论", "方", "案", "讨论", "论方")
        assert terms("讨论方案 x1", TRIGRAM) == ("讨论方案", "x1")
        assert terms("서버에서 재고를") == ("서버에서", "서버", "재고를", "재고")
        assert terms("우리가 그것을 한다") == ("한다",)
        assert terms("서버 나무") == ("서버", "나무")

    def test_what_bm25_counts(self) -> None:
        assert graded(-3.0, GRADED) == 0.75
        assert graded(-3.0, FIRST) == 1.0
        assert graded(0.0, GRADED) == 1.0
        assert (graded(None, ONE_BY_ONE), graded(None, FADING)) == (1.0, 0.0)

    def test_words_lift_by_how_many_are_there(self) -> None:
        both = lifted("boiler broke", "memory/a.md", "the boiler broke", 0.1)
        one = lifted("boiler broke", "memory/a.md", "the boiler", 0.1)
        named = lifted("boiler broke", "memory/boiler.md", "the boiler", 0.1)
        # 0.1 + 0.45 of words + 0.2 of density + length in characters over 160
        assert both == pytest.approx(0.1 + 0.45 + 0.2 * 2 / 3 + 16 / 160)
        assert one == pytest.approx(0.1 + 0.225 + 0.2 / 2 + 10 / 160)
        assert named == pytest.approx(one + 0.18)
        assert lifted("...", "memory/a.md", "text", 0.4) == 0.4

    def test_a_query_may_be_the_name_of_a_file(self) -> None:
        path = "memory/projects/Inventory.md"
        assert path_likeness("memory/projects/inventory.md", path) == 3
        assert path_likeness("inventory.md", path) == 2
        assert path_likeness(" inventory ", path) == 1
        assert path_likeness("projects/inventory.md", path) == 0
        assert path_likeness("inventory service", path) == 0
        assert (path_likeness(".", path), path_likeness(" ", path)) == (0, 0)

    @given(st.text())
    def test_no_text_is_an_error(self, text: str) -> None:
        for profile in PROFILES:
            found = plan(profile, text)
            assert found is None or found.match
        assert len(terms(text)) <= 6
        assert all(terms(text))


class TestAge:
    """Dated notes fade, and only they."""

    @pytest.mark.parametrize(
        ("path", "days"),
        [
            ("memory/2026-11-17.md", 10),
            ("memory/sub/2026-11-17-a-talk.md", 10),
            ("memory/2026-02-31.md", None),
            ("memory/2026-11-17.md.bak.md", None),
            ("memory/projects/inventory.md", None),
            ("MEMORY.md", None),
            ("memory/2027-01-01.md", 0),
        ],
    )
    def test_the_date_is_the_one_in_the_name(self, path: str, days: int | None) -> None:
        age_s = age_of(chunk("a", path), NOW)
        assert age_s == (None if days is None else days * DAY_S)

    def test_a_session_has_that_of_its_last_words(self) -> None:
        talk = chunk("a", "sessions/main/s.jsonl")._replace(source="sessions")
        assert age_of(talk, NOW) is None
        assert age_of(talk._replace(modified_at=NOW - 2 * DAY_S), NOW) == 2 * DAY_S

    def test_a_file_beside_the_memory_has_that_of_its_last_change(self) -> None:
        one = chunk("a", "/notes/handbook.md")._replace(modified_at=NOW - DAY_S)
        assert age_of(one, NOW) == DAY_S


class TestRanking:
    """What each generation makes of the same candidates."""

    def words(self, name: str, rank: float = -3.0, path: str = "memory/notes.md") -> WordsFound:
        return WordsFound(chunk(name, path, f"boiler {name}"), "boiler", rank)

    def test_both_legs_are_weighed(self) -> None:
        [one] = ranked(rules(GRADED), [self.words("a")], [(chunk("a"), 0.5)])
        assert one.score == pytest.approx(0.7 * 0.5 + 0.3 * 0.75)
        assert (one.rank, one.vector, one.text) == (1, 0.5, 0.75)

    def test_words_alone_get_a_second_chance_where_nothing_else_is(self) -> None:
        found = [self.words("a", rank=-1e9)]
        assert [one.rank for one in ranked(rules(FIRST), found, [])] == [None]
        # 0.3 × 0.999… stays below the share of words, which 2026.3 asks for
        assert [one.rank for one in ranked(rules(GRADED), found, [])] == [None]
        assert [one.rank for one in ranked(rules(ONE_BY_ONE), found, [])] == [1]

    def test_old_notes_fade_in_the_newest(self) -> None:
        old = "memory/2026-08-29.md"  # 90 days: an eighth
        found = [self.words("a", path=old)]
        [one] = ranked(rules(FADING), found, [(chunk("a", old), 1.0)])
        assert one.fade == pytest.approx(1 / 8)
        assert one.score is not None
        assert one.score < 0.2
        [same] = ranked(rules(ONE_BY_ONE), found, [(chunk("a", old), 1.0)])
        assert same.fade == 1.0
        assert same.rank == 1

    def test_importance_counts_in_the_newest(self) -> None:
        dear = chunk("a")._replace(importance=10)
        [one] = ranked(rules(FADING), [], [(dear, 0.8)])
        assert one.score == pytest.approx(0.7 * 0.8 * 1.25)

    def test_places_left_over_go_to_words_without_a_vector(self) -> None:
        found = [self.words("a"), WordsFound(chunk("b", text="boiler"), "boiler", -0.1)]
        got = ranked(rules(FADING), found, [(chunk("a"), 0.9)])
        assert {one.chunk.id: one.rank for one in got} == {"a": 1, "b": 2}
        assert {one.chunk.id: (one.score or 0) >= 0.35 for one in got} == {"a": True, "b": False}

    def test_a_file_of_that_name_comes_first(self) -> None:
        named = chunk("b", "memory/boiler.md")
        found = [self.words("a"), WordsFound(named, "boiler", -1.0, is_path=True)]
        got = ranked(rules(FADING), found, [(chunk("a"), 0.9)])
        first = got[0]
        assert (first.chunk.id, first.rank, first.score) == ("b", 1, 1.0)
        assert first.is_named

    def test_of_files_of_that_name_the_better_one_comes_first(self) -> None:
        one, other = chunk("a", "memory/boiler.md"), chunk("b", "memory/old/boiler.md")
        found = [
            WordsFound(one, "boiler", -1.0, is_path=True),
            WordsFound(other, "boiler", -1.0, is_path=True),
            WordsFound(other, "boiler", -1.0),
        ]
        for is_text_only in (True, False):
            got = ranked(rules(FADING, is_text_only=is_text_only), found, [])
            assert [(one.chunk.id, one.score) for one in got] == [("b", 1.0), ("a", 1.0)]

    def test_letters_that_were_compared_order_what_has_no_score(self) -> None:
        found = [
            WordsFound(chunk("a", text="在庫"), "在庫", None),
            WordsFound(chunk("b", text="在庫 " * 40), "在庫", None),
        ]
        got = ranked(rules(FADING, "在庫"), found, [])
        assert [(one.chunk.id, one.score, one.rank) for one in got] == [
            ("b", 0.0, 1),
            ("a", 0.0, 2),
        ]

    def test_the_newest_keeps_two_hundred_chunks_with_words(self) -> None:
        found = [
            WordsFound(chunk(f"{n:03}", f"memory/n{n:03}.md"), "boiler", -1 - n / 500)
            for n in range(230)
        ]
        got = ranked(rules(FADING), found, None)
        assert len(got) == 200
        assert min(one.chunk.id for one in got) == "030"

    def test_without_the_querys_vector_no_score_is_known(self) -> None:
        [one] = ranked(rules(FADING), [self.words("a")], None)
        assert (one.rank, one.score, one.vector) == (None, None, None)
        assert one.text == 0.75
        limits = limits_of(FADING, {}, "main")
        assert one.at_best(limits) == pytest.approx(0.7 + 0.3 * one.words)

    def test_an_index_without_vectors_ranks_by_words(self) -> None:
        found = [self.words("a", -0.5), self.words("b", -3.0)]
        for profile in (GRADED, ONE_BY_ONE, FADING):
            got = ranked(rules(profile, is_text_only=True), found, None)
            best = max(got, key=lambda one: one.score or 0)
            assert (best.chunk.id, best.rank) == ("b", 1)
            assert best.score is not None

    @given(
        st.lists(
            st.tuples(
                st.sampled_from("abcdef"),
                st.floats(-20, 5),
                st.floats(-1, 1),
                st.sampled_from(["memory/notes.md", "memory/2026-01-01.md", "memory/boiler.md"]),
            ),
            max_size=8,
        )
    )
    def test_places_are_counted_without_gaps(
        self, drawn: list[tuple[str, float, float, str]]
    ) -> None:
        found = [WordsFound(chunk(name, path), "boiler", rank) for name, rank, _, path in drawn]
        vectors = [(chunk(name, path), cosine) for name, _, cosine, path in drawn]
        for profile in PROFILES:
            got = ranked(rules(profile), found, vectors)
            places = sorted(one.rank for one in got if one.rank is not None)
            assert places == list(range(1, len(places) + 1))
            assert len({one.chunk.id for one in got}) == len(got)
            assert all(_is_sound(one) for one in got)


def _is_sound(one: Placed) -> bool:
    return 0 <= one.text <= 1 and 0 <= one.words <= 1 and 0 <= one.fade <= 1.25


class TestVariety:
    """Repetitions move down, and nothing is lost."""

    def test_a_repetition_gives_way(self) -> None:
        said = "the boiler broke"
        items = [("a", 0.9, said), ("b", 0.89, said), ("c", 0.7, "tea"), ("d", 0.1, "coffee")]
        got = varied(items, lambda one: one[1], lambda one: one[2], 0.7)
        # after a, with scores spread over 0 to 1: b 0.7 × 0.9875 - 0.3, c 0.7 × 0.75
        assert [name for name, _, _ in got] == ["a", "c", "b", "d"]

    def test_texts_without_words_are_compared_whole(self) -> None:
        items = [("a", 0.9, "…"), ("b", 0.89, "…"), ("c", 0.8, "!"), ("d", 0.1, "日本")]
        got = varied(items, lambda one: one[1], lambda one: one[2], 0.7)
        assert [name for name, _, _ in got] == ["a", "c", "b", "d"]

    @given(st.lists(st.tuples(st.integers(), st.floats(0, 1), st.text()), max_size=9))
    def test_all_of_them_come_back(self, items: list[tuple[int, float, str]]) -> None:
        got = varied(items, lambda one: one[1], lambda one: one[2], 0.7)
        assert sorted(got) == sorted(items)
