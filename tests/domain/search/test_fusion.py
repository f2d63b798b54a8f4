"""Both legs become one ranking."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.domain.search.fusion import (
    COMMON_SHARE,
    STRANGE_SHARE,
    UNKNOWN_COSINE,
    WORDLESS_COSINE,
    Scored,
    Weights,
    by_age,
    by_agent,
    chosen,
    diverse,
    fuse,
    only_asks,
    shortlist,
    trust_in_words,
)
from memconsole.domain.search.indexing import Source
from memconsole.domain.search.recall import Question, Sums, questions
from memconsole.domain.search.values import LATE_CANDIDATES, Candidate, SearchHit

if TYPE_CHECKING:
    from collections.abc import Iterable


WEIGHTS = Weights()

NUMBERS = st.floats(0, 1, allow_nan=False)


@st.composite
def candidates(draw: st.DrawFn) -> list[Candidate]:
    found = []
    for number in range(draw(st.integers(0, 30))):
        cosine = draw(st.none() | st.floats(-1, 1, allow_nan=False))
        text = draw(st.none() | st.floats(0.01, 20, allow_nan=False))
        if cosine is not None or text is not None:
            found.append(Candidate(0, number, cosine, text))
    return found


def ids(scored: Iterable[Scored]) -> list[int]:
    return [one.candidate.id for one in scored]


def test_the_formula_of_the_specification() -> None:
    found = list(
        fuse(
            [Candidate(0, 1, 0.6, 4.0), Candidate(0, 2, 0.2, 8.0), Candidate(0, 3, 0.4, None)],
            WEIGHTS,
            late={(0, 1): 3.0, (0, 2): 1.0, (0, 3): 2.0},
        )
    )
    scores = {one.candidate.id: one for one in found}
    assert scores[1].vector == pytest.approx(1.0)
    assert scores[1].text == pytest.approx(0.5)
    assert scores[1].score == pytest.approx(0.7 * 1.0 + 0.3 * 0.5)
    assert scores[2].score == pytest.approx(0.3)
    assert scores[3].score == pytest.approx(0.7 * 0.5)
    assert ids(found) == [1, 3, 2]


def test_beyond_the_shortlist_late_interaction_counts_nothing() -> None:
    found = list(fuse([Candidate(0, 1, 1.0), Candidate(0, 2, 0.0)], WEIGHTS, late={(0, 1): 5.0}))
    assert [one.vector for one in found] == [1.0, 0.0]
    found = list(fuse([Candidate(0, 1, 1.0), Candidate(0, 2, 0.5)], WEIGHTS, late={(0, 2): 5.0}))
    assert {one.candidate.id: one.vector for one in found} == {1: 0.5, 2: 0.5}


def test_raw_cosines_stay_as_they_are() -> None:
    [found] = fuse([Candidate(0, 1, 0.4, None)], WEIGHTS, is_raw=True)
    assert (found.vector, found.score) == (0.4, 0.4)


def test_a_missing_leg_leaves_its_weight_to_the_other() -> None:
    [only_text] = fuse([Candidate(0, 1, None, 3.0)], WEIGHTS)
    assert (only_text.vector, only_text.text, only_text.score) == (None, 1.0, 1.0)
    best, _ = fuse([Candidate(0, 1, 0.5), Candidate(0, 2, 0.1)], WEIGHTS)
    assert best.score == 1.0


def test_words_say_as_much_as_the_best_chunk_holds_of_them() -> None:
    between = (STRANGE_SHARE + COMMON_SHARE) / 2
    assert trust_in_words({(0, 1): 0.01, (0, 2): STRANGE_SHARE}) == 0.0
    assert trust_in_words({(0, 1): between, (0, 2): 0.1}) == pytest.approx(0.5)
    assert trust_in_words({(0, 1): COMMON_SHARE, (1, 1): 0.1}) == 1.0
    assert trust_in_words({(0, 1): 1.0}) == 1.0
    assert trust_in_words({}) == 1.0, "without vectors words are all there is"


def test_words_that_say_nothing_leave_the_ranking_to_meaning() -> None:
    found = [Candidate(0, 1, 0.2, 8.0), Candidate(0, 2, 0.3), Candidate(0, 3, 0.1)]
    late = {(0, 1): 0.2, (0, 2): 0.05, (0, 3): 0.0}
    assert ids(fuse(found, WEIGHTS, late=late)) == [1, 2, 3]
    strange = list(fuse(found, WEIGHTS, late=late, trust=0.0))
    assert ids(strange) == [2, 1, 3]
    scores = {one.candidate.id: one for one in strange}
    assert [scores[at].vector for at in (1, 2, 3)] == [pytest.approx(0.5), 1.0, 0.0]
    assert scores[2].score == pytest.approx(0.7 / 0.8)
    assert scores[1].score == pytest.approx((0.7 * 0.5 + 0.1) / 0.8)


def test_no_candidates_are_no_results() -> None:
    assert list(fuse([], WEIGHTS)) == []
    assert chosen([], coverage=1.0, min_score=0.35, max_results=6) == []


def test_a_keyword_hit_below_the_least_score_fills_an_empty_place_only() -> None:
    scored = [
        Scored(Candidate(0, 1, 0.9, 3.0), 0.9, 0.9, 0.9),
        Scored(Candidate(0, 2, 0.0, 3.0), 0.3, 0.0, 1.0),
        Scored(Candidate(0, 3, 0.0, 0.1), 0.01, 0.0, 0.03),
    ]
    both = chosen(scored, coverage=1.0, min_score=0.35, max_results=6)
    assert [(one.candidate.id, one.is_weak) for one in both] == [(1, False), (2, True)]
    assert ids(chosen(scored, coverage=1.0, min_score=0.35, max_results=1)) == [1]


def test_a_least_score_that_is_asked_for_is_one_for_what_has_none_of_the_words() -> None:
    """Their scores are stretched over the candidates: the best of them is always 1."""
    found = [Candidate(0, 1, 0.55), Candidate(0, 2, 0.41), Candidate(0, 3, 0.2, 4.0)]
    scored = list(fuse(found, Weights(1.0, 0.1)))

    def at_least(score: float) -> list[int]:
        return ids(chosen(scored, coverage=1.0, min_score=0.0, max_results=6, least_cosine=score))

    assert sorted(at_least(0.0)) == [1, 2, 3]
    assert sorted(at_least(0.5)) == [1, 3]
    assert at_least(0.9) == [3]


def test_a_chunk_without_any_word_must_be_near_by_itself() -> None:
    def near(cosine: float) -> Scored:
        return Scored(Candidate(0, 1, cosine), 0.7, 1.0, None)

    def found(cosine: float, coverage: float | None, words: int = 2) -> list[Scored]:
        return chosen([near(cosine)], coverage=coverage, min_score=0.35, max_results=6, words=words)

    assert found(WORDLESS_COSINE, 1.0)
    assert not found(WORDLESS_COSINE - 0.01, 1.0)
    assert not found(UNKNOWN_COSINE - 0.01, None)
    assert found(UNKNOWN_COSINE, None)[0].is_weak
    assert not found(UNKNOWN_COSINE - 0.01, 1.0, words=1)


def test_where_words_say_little_what_is_not_near_is_weak_and_not_left_out() -> None:
    far = Scored(Candidate(0, 1, WORDLESS_COSINE - 0.2), 0.7, 1.0, None)
    near = Scored(Candidate(0, 2, WORDLESS_COSINE), 0.7, 1.0, None)

    def found(coverage: float | None, words: int = 2) -> list[tuple[int, bool]]:
        results = chosen(
            [far, near], coverage=coverage, min_score=0.35, max_results=6, words=words, trust=0.9
        )
        return [(one.candidate.id, one.is_weak) for one in results]

    assert found(1.0) == [(1, True), (2, False)]
    assert found(None) == [], "the index knows none of the words"
    assert found(1.0, words=1) == [], "the one word of a query says exactly what is meant"


def test_a_query_of_unknown_words_has_weak_results() -> None:
    scored = [Scored(Candidate(0, 1, 0.9, 3.0), 0.9, 0.9, 0.9)]
    assert chosen(scored, coverage=0.5, min_score=0.35, max_results=6)[0].is_weak
    assert not chosen(scored, coverage=0.8, min_score=0.35, max_results=6)[0].is_weak


@given(candidates(), st.integers(1, 20))
def test_more_results_never_change_the_first_ones(found: list[Candidate], most: int) -> None:
    scored = list(fuse(found, WEIGHTS))
    few = chosen(scored, coverage=1.0, min_score=0.35, max_results=most)
    many = chosen(scored, coverage=1.0, min_score=0.35, max_results=most + 5)
    assert many[: len(few)] == few


@given(candidates(), st.randoms())
def test_the_order_of_candidates_does_not_matter(found: list[Candidate], random: object) -> None:
    shuffled = list(found)
    random.shuffle(shuffled)  # type: ignore[attr-defined]  # Hypothesis gives a Random
    assert list(fuse(found, WEIGHTS)) == list(fuse(shuffled, WEIGHTS))


@given(candidates())
def test_scores_lie_between_0_and_1(found: list[Candidate]) -> None:
    for one in fuse(found, WEIGHTS):
        assert 0 <= one.score <= 1
        assert one.text is None or 0 <= one.text <= 1
        assert one.vector is None or 0 <= one.vector <= 1


@given(candidates())
def test_the_shortlist_is_the_best_of_the_plain_ranking(found: list[Candidate]) -> None:
    short = shortlist(found, WEIGHTS)
    assert [one.id for one in short] == ids(fuse(found, WEIGHTS))[:LATE_CANDIDATES]


def test_age_halves_a_score() -> None:
    scored = [
        Scored(Candidate(0, 1), 0.8, None, 0.8),
        Scored(Candidate(0, 2), 0.6, None, 0.6),
    ]
    faded = by_age(scored, lambda one: 180.0 if one.id == 1 else 0.0, 180.0)
    assert [(one.candidate.id, one.score) for one in faded] == [(2, 0.6), (1, 0.4)]


def test_recall_counts_evidence_lines() -> None:
    asked = Question("a", "q", (("m.md", 3), ("m.md", 30)))
    sums = Sums()
    ranked = [("x.md", 1, 9), ("m.md", 1, 5)]
    sums.add(asked, ranked, [("m.md", 1, 5), ("m.md", 25, 40), ("x.md", 1, 9)])
    found = sums.mean(agents=1, chunks=3, provider="static", seconds=0.1)
    assert found.recall == {5: 0.5, 6: 0.5, 10: 0.5}
    assert found.mrr == 0.5
    assert 0 < found.ndcg < 1


def test_labelled_questions_without_an_answer_are_left_out() -> None:
    lines = [
        '{"agent": "a", "query": "q", "evidence": [{"path": "m.md", "line": 3}]}',
        '{"agent": "a", "query": "q", "evidence": []}',
        "",
        '{"agent": "a", "query": "q", "category": "adversarial", '
        '"evidence": [{"path": "m.md", "line": 3}]}',
    ]
    assert len(list(questions(lines))) == 1
    with pytest.raises(ValueError, match="line 1"):
        list(questions(["[]"]))


def hit(path: str, score: float, text: str) -> SearchHit:
    return SearchHit("main", Source.MEMORY, path, 1, 1, score, score, score, False, text)


HITS = (
    hit("a.md", 0.9, "the staging database is orion"),
    hit("b.md", 0.89, "The staging database is Orion."),
    hit("c.md", 0.6, "tomatoes want water"),
)

found = st.lists(
    st.builds(
        hit,
        st.text("ab", max_size=3),
        st.floats(0, 1),
        st.sampled_from(["orion", "orion runs", "tomatoes", "", "a b c"]),
    ),
    max_size=8,
)


def test_a_repetition_gives_way() -> None:
    assert [one.path for one in diverse(HITS, 2, 0.7)] == ["a.md", "c.md"]


def test_the_score_alone_changes_nothing() -> None:
    assert diverse(HITS, 2, 1.0) == HITS[:2]


def test_the_order_stays() -> None:
    newest_first = (HITS[2], HITS[1], HITS[0])
    assert [one.path for one in diverse(newest_first, 2, 0.7)] == ["c.md", "a.md"]


@given(found, st.integers(0, 8), st.floats(0.5, 1))
def test_more_results_take_none_away(hits: list[SearchHit], most: int, weight: float) -> None:
    few, many = diverse(hits, most, weight), diverse(hits, most + 1, weight)
    assert len(few) == min(most, len(hits))
    assert {id(one) for one in few} <= {id(one) for one in many}


@given(found.filter(bool))
def test_the_best_is_always_there(hits: list[SearchHit]) -> None:
    [first] = diverse(hits, 1, 0.7)
    assert first.score == max(one.score for one in hits)


def asks(text: str, words: str = "port|staging") -> bool:
    marks = tuple(match.span() for match in re.finditer(words, text))
    hit = SearchHit("main", Source.SESSIONS, "sessions/1", 1, 2, 1, 1, 1, False, text, marks)
    return only_asks(hit, text)


@pytest.mark.parametrize(
    "text",
    [
        "user: Which port does staging use?",
        "- **Ada**: Which port does staging use? \n",
        "user: Which port does staging use?\nuser: Is anybody there?",
        "assistant: Done.\nuser: Which port does staging use? (asking again)",
        "- Open: which port does staging use?\n- Open: who has the key?",
        "user: Which port does staging use?\n\n## 14:20",
        "user: staging はどのport ですか？",
    ],
)
def test_a_question_without_an_answer_only_asks(text: str) -> None:
    assert asks(text)


@pytest.mark.parametrize(
    "text",
    [
        "user: Which port does staging use?\nassistant: 8443.",
        "- Q: which port does staging use?\n- A: 8443",
        "user: Which port does staging use? The port is 8443 I think.",
        "staging uses port 8443. Fine?",
        "the port of staging",
    ],
)
def test_what_answers_or_says_something_does_not(text: str) -> None:
    assert not asks(text)


def test_without_a_matched_word_nothing_is_asked() -> None:
    assert not asks("Who has the key?")


def test_an_agent_that_knows_little_of_what_is_asked_ranks_behind_the_one_that_knows_most() -> None:
    stranger, expert = (
        Scored(Candidate(scope, 1), score, 0.5, 0.5) for scope, score in enumerate((0.9, 0.7))
    )
    found = by_agent([stranger, expert], {0: 0.1, 1: 0.8})
    assert [one.candidate.scope for one in found] == [1, 0]
    assert [one.score for one in found] == pytest.approx([0.7, 0.9 - 0.4 * 0.7])
    assert by_agent([stranger, expert], {0: 0.8, 1: 0.8}) == [stranger, expert]
