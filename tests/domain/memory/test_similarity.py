"""Similar lines are one only when nothing that turns their meaning around differs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.domain.memory.similarity import (
    Guard,
    differing,
    features,
    fingerprint,
    is_exact,
    is_same,
    similarity,
    twin,
)


@pytest.mark.parametrize(
    ("one", "other", "guard"),
    [
        ("Use X for the public API", "Do not use X for the public API", Guard.NEGATION),
        ("The cache is enabled for the API", "The cache is disabled for the API", Guard.NEGATION),
        ("Ada likes the new layout", "Ada dislikes the new layout", Guard.NEGATION),
        ("Set the limit to 150000 tokens", "Set the limit to 120000 tokens", Guard.NUMBERS),
        ("Pinned node to v22.1.0 in ci", "Pinned node to v22.1.1 in ci", Guard.NUMBERS),
        ("The review is on 2026-02-14", "The review is on 2026-03-14", Guard.NUMBERS),
        ("The team keeps two spare nodes", "The team keeps three spare nodes", Guard.NUMBERS),
        ("Pass --force to the script", "Pass --check to the script", Guard.NUMBERS),
        ("The build of src/app.py failed", "The build of src/api.py failed", Guard.NUMBERS),
        ("We ask Maria for the invoice", "We ask Marco for the invoice", Guard.NAMES),
        ("Ada prefers tea over all else in the day", "Bob prefers tea over all else in the day",
         Guard.NAMES),
        ("Chose Postgres over Mysql", "Chose Mysql over Postgres", Guard.ORDER),
        ("Move the jobs from alpha to beta", "Move the jobs from beta to alpha", Guard.ORDER),
        ("我们使用这个接口作为公共接口", "我们不使用这个接口作为公共接口", Guard.NEGATION),
    ],
)  # fmt: skip
def test_what_turns_a_meaning_around_keeps_two_lines_apart(
    one: str, other: str, guard: Guard
) -> None:
    first, second = features(one), features(other)

    assert guard in differing(first, second)
    assert not is_same(first, second)
    assert similarity(first, second) >= 70


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Chose REST for the public API", "chose REST for the public API."),
        ("Yesterday Ada deployed the site", "Ada deployed the site yesterday"),
        ("We moved the weekly meeting on the budget with Kathar in the big room",
         "We moved the weekly meeting on the budget with Katharina in the big room"),
        ("- 🔴 14:05 **Rule 8**: no deploys", "Rule 8: no deploys"),
        ("Uses `api_key` in the header", "uses api\\_key in the header"),
    ],
)  # fmt: skip
def test_other_clothes_are_no_other_meaning(one: str, other: str) -> None:
    assert is_same(features(one), features(other))
    assert twin(features(one), [features("Something else"), features(other)]) == features(other)


def test_a_fingerprint_leaves_out_what_a_line_is_dressed_in() -> None:
    assert fingerprint("- 🔴 14:05 **Ship** on Friday, 2026-02-13: `api`") == "ship on api"
    assert len(fingerprint("word " * 100)) <= 80


def test_one_fingerprint_is_not_enough() -> None:
    start = "The plan that was made with everyone in the room and written down at once there says: "
    one, other = features(f"{start}wait"), features(f"{start}never wait")

    assert one.fingerprint == other.fingerprint
    assert not is_exact(one, other)
    assert not is_exact(features("Due 2026-02-14"), features("Due 2026-03-14"))
    assert is_exact(features("Due 2026-02-14"), features("**Due** 2026-02-14"))


def test_texts_without_words_are_not_all_the_same() -> None:
    assert not is_exact(features("🔴"), features("x"))
    assert twin(features("x"), []) is None


@given(st.text(max_size=40), st.text(max_size=40))
def test_likeness_has_no_direction(one: str, other: str) -> None:
    first, second = features(one), features(other)

    assert is_same(first, first)
    assert differing(first, second) == differing(second, first)
    assert is_same(first, second) == is_same(second, first)
