"""What says the same is folded into the best result; what only looks alike is not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.domain.search.indexing import Source
from memconsole.domain.search.near_hits import folded, unfolded
from memconsole.domain.search.values import SearchHit

LINE = "- Last request: move the inventory to the second rack"


def hit(text: str, word: str = "inventory", place: int = 1, agent: str = "main") -> SearchHit:
    """Return a result whose only mark is the first time a word stands in it."""
    start = text.find(word)
    marks = () if start < 0 else ((start, start + len(word)),)
    return SearchHit(
        agent=agent,
        source=Source.MEMORY,
        path=f"memory/{place}.md",
        start_line=place,
        end_line=place + text.count("\n"),
        score=1 / place,
        vector_score=None,
        text_score=None,
        is_weak=False,
        snippet=text,
        marks=marks,
    )


def groups(*hits: SearchHit) -> list[list[int]]:
    found = folded([(one, one.snippet) for one in hits])
    return [[one.start_line for one in (lead, *lead.same)] for lead in found]


def test_the_line_with_the_words_counts_not_what_stands_around_it() -> None:
    first = hit(f"### Checkpoint 14:20 (auto)\n{LINE}\n- Last output: done", place=1)
    second = hit("- the inventory has a lock of its own now", place=2)
    third = hit(f"### Checkpoint 14:50 (auto)\n{LINE}.\n- Last output: waiting", place=3)

    assert groups(first, second, third) == [[1, 3], [2]]


@pytest.mark.parametrize(
    ("one", "other", "are_folded"),
    [
        ("- **[14:05]** move the inventory today", "- **[15:40]** move the inventory today", True),
        ("- 14:05 move the inventory today", "move the inventory today", True),
        ("the inventory listens on port 8443", "the inventory listens on port 8442", False),
        ("do use the inventory on Friday", "do not use the inventory on Friday", False),
        ("Ada moved the inventory upstairs", "Bob moved the inventory upstairs", False),
        ("the digest of the inventory at 06:00", "the digest of the inventory at 07:00", False),
        ("## inventory", "## inventory", False),
    ],
)
def test_what_differs_in_meaning_stays_apart(one: str, other: str, are_folded: bool) -> None:
    assert (len(groups(hit(one, place=1), hit(other, place=2))) == 1) is are_folded


def test_agents_are_not_folded_together() -> None:
    assert groups(hit(LINE, place=1), hit(LINE, place=2, agent="work")) == [[1], [2]]


def test_without_a_matched_word_the_whole_text_counts() -> None:
    one = hit("the shop waits for a lock\nthe digest is late", "rack", place=1)

    assert groups(one, replace(one, start_line=2)) == [[1, 2]]
    assert groups(one, hit("the shop waits for a lock\nthe rack fell", "x", place=2)) == [[1], [2]]


@given(st.lists(st.sampled_from([LINE, f"{LINE}!", "the inventory is on rack 3 now", "x"])))
def test_every_result_is_there_once_and_the_best_of_each_leads(texts: list[str]) -> None:
    hits = [hit(text, place=place) for place, text in enumerate(texts, 1)]
    found = groups(*hits)

    assert sorted(place for group in found for place in group) == list(range(1, len(hits) + 1))
    assert all(group == sorted(group) for group in found)
    assert [group[0] for group in found] == sorted(group[0] for group in found)
    every = unfolded(folded([(one, one.snippet) for one in hits]))
    assert [one.start_line for one in every] == list(range(1, len(hits) + 1))


def test_what_says_more_with_the_words_stays() -> None:
    more = f"{LINE}\n- the inventory has a lock of its own now"
    marked = replace(
        hit(more, place=2), marks=((20, 29), (more.rfind("inventory"), len(more) - 26))
    )

    assert groups(hit(LINE, place=1), marked) == [[1], [2]]
    assert groups(marked, hit(LINE, place=1)) == [[2, 1]]


def test_a_note_leads_the_transcript_that_it_was_taken_from() -> None:
    said = "user: move the inventory to the second rack please\nassistant: done, it stands there"
    talk = replace(hit(said, place=1), source=Source.SESSIONS)
    note = hit("- 14:05 **Ada**: move the inventory to the second rack please", place=2)

    [lead] = folded([(talk, talk.snippet), (note, note.snippet)])

    assert (lead.path, lead.score, lead.same) == (note.path, talk.score, (talk,))
    [lead] = folded([(note, note.snippet), (talk, talk.snippet)])
    assert (lead.path, lead.score, lead.same) == (note.path, note.score, (talk,))
