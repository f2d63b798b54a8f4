"""The planted set: every invented secret goes, in every surrounding, and nothing else does."""

from __future__ import annotations

import pytest

from benchmarks import secret_set, secret_set_held_out
from benchmarks.look_alikes import look_alikes
from benchmarks.secret_set import Planted, planted
from memconsole.text.redaction import mask, mask_all

SEED = 20260502
TUNED = (
    *planted(secret_set.TOKENS, secret_set.AROUND_TOKENS, SEED),
    *planted(secret_set.ANNOUNCED, secret_set.AROUND_WORDS, SEED),
)
HELD_OUT = (
    *planted(secret_set_held_out.TOKENS, secret_set_held_out.AROUND_TOKENS, SEED),
    *planted(secret_set_held_out.ANNOUNCED, secret_set_held_out.AROUND_WORDS, SEED),
)
LOOK_ALIKES = tuple(look_alikes(SEED))


def test_the_set_is_as_large_as_it_says() -> None:
    assert len(secret_set.TOKENS) + len(secret_set.ANNOUNCED) >= 300
    assert min(len(secret_set.AROUND_TOKENS), len(secret_set.AROUND_WORDS)) >= 10
    assert len(set(LOOK_ALIKES)) >= 300


@pytest.mark.parametrize("part", range(8))
def test_no_planted_secret_is_read(part: int) -> None:
    assert _leaks(TUNED[part::8]) == []


def test_no_secret_of_the_set_that_was_held_out_is_read_but_of_shapes_that_nobody_knows() -> None:
    assert {shape for shape, _, _ in _leaks(HELD_OUT)} <= secret_set_held_out.UNKNOWN


def test_what_only_looks_like_a_secret_stays() -> None:
    assert [text for text in LOOK_ALIKES if mask(text) != text] == []


def test_a_secret_in_a_text_does_not_take_the_look_alikes_with_it() -> None:
    key = "sk-ant-" + "api03-" + "Ab1" * 12
    for text in LOOK_ALIKES[::6]:
        assert mask(f"{text}\nuse {key} for it") == f"{text}\nuse [redacted:anthropic-key] for it"


@pytest.mark.parametrize("step", [5, 300])
def test_many_texts_are_masked_as_each_is(step: int) -> None:
    texts = [*(one.text for one in TUNED[::step]), *LOOK_ALIKES[::step], "İ", "ΚΩΔΙΚΌΣ: Ab1Ab1Zq7"]
    assert mask_all(texts) == {one: mask(one) for one in texts}


def _leaks(cases: tuple[Planted, ...]) -> list[tuple[str, str, str]]:
    return [
        (one.shape, one.surrounding, masked) for one in cases if one.leaks(masked := mask(one.text))
    ]
