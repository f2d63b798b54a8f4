"""What the platform would trim and clear of tool results."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.domain.pruning import (
    ContextPart,
    PruneAction,
    PruneReason,
    PruningMode,
    PruningRules,
    parse_ttl,
    preview,
    rules_of,
)
from tests.doubles.platform import NOW

RULES = PruningRules(PruningMode.ADAPTIVE, window_tokens=50_000)  # 200,000 characters
TRIMMED = (
    3_000
    + len("\n...\n")
    + len("\n\n[Tool result trimmed: kept first 1500 chars and last 1500 chars of 30000 chars.]")
)
CLEARED = len("[Old tool result content cleared]")


def context(*parts: tuple[str, int] | tuple[str, int, str]) -> tuple[ContextPart, ...]:
    """Return messages in order, a minute apart, the last one right now."""
    return tuple(
        ContextPart(
            index,
            one[0],
            one[1],
            one[2] if len(one) == 3 else "",
            at=NOW - timedelta(minutes=len(parts) - 1 - index),
        )
        for index, one in enumerate(parts)
    )


TAIL = (("assistant", 10), ("assistant", 10), ("assistant", 10))


def told(parts: tuple[ContextPart, ...], rules: PruningRules = RULES) -> list[tuple[int, str, str]]:
    found = preview(parts, rules, NOW)
    return [(one.part.index, one.action.value, one.reason.value) for one in found.results]


def test_large_results_are_trimmed_from_the_soft_ratio_on() -> None:
    parts = context(("user", 100), ("toolResult", 30_000, "exec"), ("toolResult", 4_000), *TAIL)
    small = preview(parts, RULES, NOW)
    assert small.gate is PruneReason.BELOW_RATIO
    assert small.chars_after == small.chars_before == 34_130
    large = preview((*parts, replace(parts[0], index=6, chars=25_870)), RULES, NOW)
    assert large.gate is None
    assert large.chars_before == 60_000  # exactly 0.3
    first, second = large.results
    assert (first.action, first.chars_after) == (PruneAction.TRIM, TRIMMED)
    assert (second.action, second.reason) == (PruneAction.KEEP, PruneReason.SHORT)
    assert large.chars_after == 60_000 - 30_000 + TRIMMED
    assert (large.percent(large.chars_before), large.count(PruneAction.TRIM)) == (30.0, 1)


def test_head_and_tail_that_cover_a_result_leave_it_alone() -> None:
    assert replace(RULES, head_chars=3_000, tail_chars=3_000).trimmed(6_000) == 6_000
    assert replace(RULES, head_chars=3_000, tail_chars=2_999).trimmed(6_000) < 6_100
    assert RULES.trimmed(4_000) == 4_000
    assert RULES.trimmed(30_000) == TRIMMED


def test_the_oldest_are_cleared_until_the_ratio_is_under_the_hard_one() -> None:
    results = [("toolResult", 4_000, "read")] * 20
    parts = context(("user", 60_000), *results, *TAIL)
    found = preview(parts, RULES, NOW)
    actions = [one.action for one in found.results]
    needed = -(-(found.chars_before - 100_000 + 1) // (4_000 - CLEARED))
    assert actions == [PruneAction.CLEAR] * needed + [PruneAction.KEEP] * (20 - needed)
    assert found.chars_after < 100_000 <= found.chars_after + 4_000 - CLEARED
    off = preview(parts, replace(RULES, is_hard_enabled=False), NOW)
    assert off.count(PruneAction.CLEAR) == 0
    few = preview(context(("user", 160_000), *results[:12], *TAIL), RULES, NOW)
    assert few.count(PruneAction.CLEAR) == 0  # 48,000 characters are too few


def test_what_is_never_pruned() -> None:
    parts = context(
        ("toolResult", 30_000, "early"),
        ("user", 60_000),
        ("toolResult", 30_000, "Browser_Click"),
        ("toolResult", 30_000, "exec"),
        ("toolResult", 30_000, "exec"),
        ("assistant", 30_000),
        ("toolResult", 30_000, "recent"),
        ("assistant", 10),
        ("assistant", 10),
    )
    parts = (*parts[:3], replace(parts[3], has_image=True), *parts[4:])
    assert told(parts, replace(RULES, deny=("browser_*",))) == [
        (0, "keep", "before-first-user"),
        (2, "keep", "tool-denied"),
        (3, "keep", "has-image"),
        (4, "trim", "over-max-chars"),
        (6, "keep", "recent"),
    ]


def test_deny_wins_over_allow_in_any_letter_case() -> None:
    rules = replace(RULES, allow=("EX*", "read"), deny=("exec_raw",))
    asked = ("exec", "Read", "EXEC_RAW", "write")
    assert [rules.may_prune(one) for one in asked] == [True, True, False, False]
    assert RULES.may_prune("anything")


def test_the_cache_ttl_has_to_be_over_since_the_last_call() -> None:
    rules = replace(RULES, mode=PruningMode.CACHE_TTL, ttl=timedelta(minutes=5))
    parts = context(("user", 60_000), ("toolResult", 30_000, "exec"), *TAIL)
    young = preview(parts, rules, NOW + timedelta(minutes=4, seconds=59))
    assert (young.gate, young.due_at) == (PruneReason.TTL, NOW + timedelta(minutes=5))
    assert preview(parts, rules, NOW + timedelta(minutes=5)).count(PruneAction.TRIM) == 1
    assert preview(parts[:2], rules, NOW).gate is PruneReason.NO_CALL


def test_the_other_modes() -> None:
    parts = context(("user", 10), ("toolResult", 100, "exec"), ("toolResult", 9_000, "x"), *TAIL)
    assert preview(parts, replace(RULES, mode=PruningMode.OFF), NOW).gate is PruneReason.OFF
    hard = preview(parts, replace(RULES, mode=PruningMode.AGGRESSIVE), NOW)
    assert [one.chars_after for one in hard.results] == [CLEARED, CLEARED]
    few = preview(parts[:-1], replace(RULES, mode=PruningMode.AGGRESSIVE), NOW)
    assert (few.gate, few.count(PruneAction.KEEP)) == (PruneReason.FEW_ASSISTANTS, 2)


def test_rules_come_from_the_configuration_and_odd_values_are_the_default() -> None:
    given_rules = {
        "mode": "cache-ttl",
        "ttl": "4h",
        "keepLastAssistants": 2,
        "softTrimRatio": 0.1,
        "hardClearRatio": 7,
        "minPrunableToolChars": 10,
        "softTrim": {"maxChars": 5, "headChars": 1, "tailChars": 2},
        "hardClear": {"enabled": False, "placeholder": "gone"},
        "tools": {"allow": ["a*", 3], "deny": ["b"]},
    }
    assert rules_of(given_rules, 1_000) == PruningRules(
        PruningMode.CACHE_TTL,
        timedelta(hours=4),
        1_000,
        2,
        0.1,
        1.0,
        10,
        5,
        1,
        2,
        False,
        "gone",
        ("a*",),
        ("b",),
    )
    odd = {"mode": "x", "ttl": [], "keepLastAssistants": -1, "softTrimRatio": True, "softTrim": 3}
    assert rules_of({**odd, "tools": [], "hardClear": "no"}, 200_000) == PruningRules()


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("600", 36_000), ("600s", 600), (5, 300), ("1.5h", 5_400), ("500ms", 0.5), (" 2 D ", 172_800)],
)
def test_a_ttl_without_a_unit_is_minutes(text: object, seconds: float) -> None:
    assert parse_ttl(text) == timedelta(seconds=seconds)


@pytest.mark.parametrize("text", ["", "soon", "-5m", True, None, [], "9" * 400, "1h30m"])
def test_what_is_no_duration_is_none(text: object) -> None:
    assert parse_ttl(text) is None


@given(
    st.lists(
        st.tuples(st.sampled_from(["user", "assistant", "toolResult"]), st.integers(0, 99_999)),
        max_size=30,
    ),
    st.sampled_from(PruningMode),
)
def test_totals_are_those_of_the_results_and_words_are_never_touched(
    rows: list[tuple[str, int]], mode: PruningMode
) -> None:
    parts = context(*rows)
    found = preview(parts, replace(RULES, mode=mode), NOW + timedelta(hours=1))
    assert len(found.results) == sum(role == "toolResult" for role, _ in rows)
    saved = sum(one.part.chars - one.chars_after for one in found.results)
    assert found.chars_before - found.chars_after == saved
    if found.gate is not None:
        assert saved == 0
