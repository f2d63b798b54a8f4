"""Results that do not repeat each other."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memconsole.domain.search.diversity import diverse
from memconsole.domain.search.indexing import Source
from memconsole.domain.search.values import SearchHit


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
