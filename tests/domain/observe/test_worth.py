"""What a line is worth: importance and rare words, against the room it takes."""

from __future__ import annotations

import math

import pytest

from memconsole.domain.memory.observations import Observation, Priority
from memconsole.domain.observe.worth import values


def line(text: str, importance: float) -> Observation:
    return Observation(Priority.MEDIUM, text, importance=importance)


def test_a_line_is_worth_its_importance_times_the_root_of_its_rare_words_a_character() -> None:
    texts = ("granite quarry", "granite harbour lighthouse", "granite")
    rare, common = math.log(1 + 3 / 1), math.log(1 + 3 / 3)
    assert values([line(texts[0], 4.0), line(texts[1], 2.0), line(texts[2], 0.0)]) == pytest.approx(
        (
            4.0 * math.sqrt(rare + common) / (len(texts[0]) + 11),
            2.0 * math.sqrt(2 * rare + common) / (len(texts[1]) + 11),
            0.1 * math.sqrt(common) / (len(texts[2]) + 11),
        )
    )
