"""Common words are left out of the scoring only where that changes nothing."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.index.keyword_leg import WordCounts, best_above, split
from memconsole.adapters.sqlite.own import open_single
from memconsole.domain.search.query import parse
from memconsole.domain.search.values import CANDIDATES, Narrowing
from tests.adapters.index.index_stage import Stage

if TYPE_CHECKING:
    from pathlib import Path

SECTIONS = 1_200
SHARES = {"gateway": 0.9, "restart": 0.4, "orion": 0.25, "zanzibar": 0.01}


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    chance = random.Random(7)  # the same corpus each time
    found = Stage(tmp_path_factory.mktemp("maxscore"))
    sections = []
    for number in range(SECTIONS):
        words = [word for word, share in SHARES.items() if chance.random() < share]
        words += chance.choices(words or ["idle"], k=chance.randrange(4))
        filler = [f"filler{chance.randrange(300)}" for _ in range(chance.randrange(3, 30))]
        sections.append(f"## Part {number}\n\n{' '.join(words + filler)}\n")
    found.write("parts.md", "\n".join(sections))
    found.sync()
    return found


def scored_by_fts5(path: Path, expression: str) -> dict[int, float]:
    """Return the best chunks as FTS5 alone has them."""
    with open_single(path) as connection:
        found = connection.execute(
            "SELECT rowid, -bm25(chunks_fts, 1, 1) AS score FROM chunks_fts "
            f"WHERE chunks_fts MATCH ? ORDER BY score DESC, rowid LIMIT {CANDIDATES}",
            (expression,),
        ).fetchall()
    return {int(at or 0): float(score or 0.0) for at, score in found}


@pytest.mark.parametrize(
    ("text", "is_shorter"),
    [
        ("orion gateway", True),
        ("gateway restart orion", True),
        ("zanzibar orion gateway", True),
        ("restart gate", True),  # a beginning counts as a word
        ("zanzibar gateway", False),  # twelve chunks with the rare word: others fill the places
        ("gateway", False),
        ("orion filler7 ", False),
    ],
)
def test_the_best_chunks_are_those_of_a_whole_scoring(
    stage: Stage, text: str, is_shorter: bool
) -> None:
    query = parse(text, is_typing=True)
    with stage.open() as reader:
        legs = reader.legs(query, Narrowing(), text_only=True)
        counts = {one: chunks_with(stage, one) for one in query.literals()}
    expected = scored_by_fts5(stage.path, " OR ".join(query.literals()))
    assert {one.id: one.text for one in legs.candidates} == expected
    assert bool(split(SECTIONS, counts).ceiling) is is_shorter


def chunks_with(stage: Stage, literal: str) -> int:
    """Return in how many chunks a word is."""
    with open_single(stage.path) as connection:
        sql = "SELECT count(*) FROM chunks_fts WHERE chunks_fts MATCH ?"
        [(count,)] = connection.execute(sql, (literal,)).fetchall()
    return int(count or 0)


def test_a_narrowed_search_scores_only_what_may_be_found(stage: Stage) -> None:
    with stage.open() as reader:
        legs = reader.legs(parse("orion gateway"), Narrowing(tag="DECISION"), text_only=True)
    assert legs.candidates == ()


def test_words_that_decide_are_the_rarest_that_fill_the_places() -> None:
    parts = split(10_000, {"id-7": 3, "orion": 700, "gateway": 9_000, "restart": 4_900})
    assert set(parts.deciding) == {"id-7", "orion"}
    assert 0 < parts.ceiling < 2.5


def test_words_that_are_equally_common_all_decide() -> None:
    counts = {"one": 500, "two": 510}
    assert split(10_000, counts) == (("one", "two"), 0.0)
    assert split(10_000, {"rare": 3}).ceiling == 0.0


def test_too_few_or_too_low_is_not_the_whole_answer() -> None:
    assert best_above([1.0] * CANDIDATES, 0.9)
    assert not best_above([1.0] * (CANDIDATES - 1), 0.9)
    assert not best_above([*[1.0] * (CANDIDATES - 1), 0.9], 0.9)


def test_counts_are_of_one_state_of_an_index() -> None:
    words = WordCounts()
    words.at(("file", 1))["orion"] = 7
    assert words.at(("file", 1)) == {"orion": 7}
    assert words.at(("file", 2)) == {}
