"""What is looked for and not scored, in an index that is large enough for it to matter."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.index.keyword_leg import COSTLY
from memconsole.domain.search.query import parse
from memconsole.domain.search.values import CANDIDATES, Narrowing
from tests.adapters.index.index_stage import Stage

if TYPE_CHECKING:
    from memconsole.domain.search.values import Candidate

SECTIONS = COSTLY + 100


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """A large index: `the` and `thing3` (for one) in all chunks, `orion` in every tenth."""
    chance = random.Random(7)  # the same corpus each time
    found = Stage(tmp_path_factory.mktemp("words"))
    sections = []
    for number in range(SECTIONS):
        orion = "orion " * (number % 10 == 0)
        words = " ".join(f"filler{chance.randrange(40)}" for _ in range(5))
        tag = "**[DECISION]** " * (number < 10)
        sections.append(
            f"## Part {number}\n\n{tag}{orion}the thing{number % 50} is a gateway {words}\n"
        )
    found.write("parts.md", "\n".join(sections))
    found.sync()
    return found


def candidates(
    stage: Stage, text: str, narrowing: Narrowing | None = None, *, is_typing: bool = True
) -> tuple[Candidate, ...]:
    """Return what the words find, best first."""
    query = parse(text, is_typing=is_typing)
    with stage.open() as reader:
        legs = reader.legs(query, narrowing or Narrowing(), text_only=True)
    assert legs.known_words == frozenset(query.words) - {"absent"}
    return tuple(sorted(legs.candidates, key=lambda one: (-(one.text or 0.0), one.id)))


def test_a_short_beginning_that_all_have_finds_the_newest_as_equals(stage: Stage) -> None:
    found = candidates(stage, "th")
    assert {one.text for one in found} == {1e-9}
    newest = range(SECTIONS, SECTIONS - CANDIDATES, -1)
    assert {one.id for one in found} == set(newest)


def test_beside_other_words_it_changes_no_score(stage: Stage) -> None:
    assert candidates(stage, "orion th") == candidates(stage, "orion", is_typing=False)


def test_behind_a_word_that_no_chunk_has_it_is_all_there_is(stage: Stage) -> None:
    assert candidates(stage, "absent th") == candidates(stage, "th")


def test_a_longer_beginning_that_all_have_is_scored(stage: Stage) -> None:
    assert all((one.text or 0.0) > 1e-8 for one in candidates(stage, "thin"))


def test_a_rare_short_beginning_is_scored(stage: Stage) -> None:
    assert {one.id % 10 for one in candidates(stage, "or")} == {1}


def test_a_finished_word_scores_the_same_while_the_cursor_is_behind_it(stage: Stage) -> None:
    typed, finished = (candidates(stage, "orion gateway", is_typing=way) for way in (True, False))
    assert typed == finished


def test_stop_words_alone_find_the_newest_as_equals(stage: Stage) -> None:
    for is_typing in (True, False):
        found = candidates(stage, "is the", is_typing=is_typing)
        assert ({one.text for one in found}, len(found)) == ({1e-9}, CANDIDATES)


def test_what_is_not_scored_keeps_to_what_may_be_found(stage: Stage) -> None:
    found = candidates(stage, "th", Narrowing(tag="DECISION"))
    assert [one.id for one in found] == list(range(1, 11))


def test_a_small_index_scores_all(stage: Stage, tmp_path_factory: pytest.TempPathFactory) -> None:
    small = Stage(tmp_path_factory.mktemp("small"))
    small.write("one.md", "# A\n\nthe thing is here\n\n# B\n\nthe the the\n")
    small.sync()
    assert len({one.text for one in candidates(small, "th")}) == 2
    assert not any(math.isclose(one.text or 0.0, 1e-9) for one in candidates(small, "thing"))
