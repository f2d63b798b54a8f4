"""Token truth: states, windows and thresholds."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.agents import PlatformConfig
from memconsole.domain.sessions.judgement import (
    count_tokens,
    is_trusted,
    needs_usage,
    percent,
    threshold_of,
    window_of,
)
from memconsole.domain.sessions.tokens import TokenCount, TokenState
from memconsole.domain.settings.sections import RotationSettings
from memconsole.domain.transcripts.records import Compaction, Tail
from tests.domain.sessions.sample import RULES, stored

if TYPE_CHECKING:
    from memconsole.domain.sessions.stored import (
        StoredSession,
    )

COMPACTED_AT = datetime(2026, 4, 12, 8, tzinfo=UTC)


@pytest.mark.parametrize(
    ("session", "usage", "expected"),
    [
        (stored(), None, TokenCount(TokenState.FRESH, 1000, None)),
        (stored(tokens_fresh=None), None, TokenCount(TokenState.FRESH, 1000, None)),
        (stored(tokens_reported=0), None, TokenCount(TokenState.FRESH, 0, None)),
        (stored(tokens_fresh=False), None, TokenCount(TokenState.STALE, 1000, None)),
        # Impossible and stale at once is stale.
        (
            stored(tokens_reported=232_764, tokens_fresh=False),
            Tail(),
            TokenCount(TokenState.STALE, 232_764, None),
        ),
        (
            stored(tokens_reported=232_764),
            Tail(usage_tokens=90_000),
            TokenCount(TokenState.SUSPECT, 232_764, 90_000),
        ),
        (stored(tokens_reported=None), None, TokenCount(TokenState.UNKNOWN)),
        (
            stored(tokens_reported=None),
            Tail(usage_tokens=64_210),
            TokenCount(TokenState.ESTIMATED, None, 64_210),
        ),
        # A smaller usage contradicts nothing.
        (
            stored(tokens_reported=151_000),
            Tail(usage_tokens=12_500),
            TokenCount(TokenState.FRESH, 151_000, 12_500),
        ),
        (
            stored(tokens_reported=151_200),
            Tail(usage_tokens=151_500),
            TokenCount(TokenState.FRESH, 151_200, 151_500),
        ),
        # The last answer used far more, and nothing came behind it.
        (
            stored(tokens_reported=0),
            Tail(usage_tokens=160_300),
            TokenCount(TokenState.SUSPECT, 0, 160_300),
        ),
        # An answer is not in the count, however long it is.
        (
            stored(tokens_reported=4_000),
            Tail(usage_tokens=12_000),
            TokenCount(TokenState.FRESH, 4_000, 12_000),
        ),
        # Compacted since, and no model call behind the compaction.
        (
            stored(tokens_reported=151_200),
            Tail(last_compaction_at=COMPACTED_AT),
            TokenCount(TokenState.SUSPECT, 151_200, None),
        ),
        (
            stored(tokens_reported=21_807),
            Tail(last_compaction_at=COMPACTED_AT, tokens_before_compaction=21_823),
            TokenCount(TokenState.SUSPECT, 21_807, None),
        ),
        # Compacted since, and counted again by the platform.
        (
            stored(tokens_reported=202),
            Tail(last_compaction_at=COMPACTED_AT, tokens_before_compaction=52_343),
            TokenCount(TokenState.FRESH, 202, None),
        ),
        (
            stored(tokens_reported=0),
            Tail(last_compaction_at=COMPACTED_AT),
            TokenCount(TokenState.FRESH, 0, None),
        ),
    ],
)
def test_a_count_gets_its_state(
    session: StoredSession, usage: Tail | None, expected: TokenCount
) -> None:
    assert count_tokens(session, session.window, usage) == expected


LEFT = Tail(
    last_compaction_at=COMPACTED_AT, last_compaction=Compaction("short", tokens_after=30_000)
)


@pytest.mark.parametrize(
    ("session", "state"),
    [
        (stored(tokens_reported=None), TokenState.ESTIMATED),
        (stored(tokens_reported=160_000, tokens_fresh=False), TokenState.STALE),
        (stored(tokens_reported=160_000), TokenState.SUSPECT),
    ],
)
def test_after_a_compaction_its_own_number_and_an_overhead_stand_until_a_model_counts(
    session: StoredSession, state: TokenState
) -> None:
    count = count_tokens(session, session.window, LEFT, 20_000)

    assert (count.state, count.estimated, count.is_reckoned) == (state, 50_000, True)


@pytest.mark.parametrize(("minutes", "state"), [(1, TokenState.FRESH), (-1, TokenState.SUSPECT)])
def test_what_a_model_counted_before_a_reset_contradicts_no_count_of_now(
    minutes: int, state: TokenState
) -> None:
    counted_at = datetime(2026, 4, 12, 9, tzinfo=UTC)
    used = Tail(usage_tokens=151_000, usage_points=((counted_at, 151_000),))
    began = stored(tokens_reported=0, started_at=counted_at + timedelta(minutes=minutes))
    assert count_tokens(began, 200_000, used).state is state


def test_an_overhead_is_added_to_no_count() -> None:
    counted = replace(LEFT, usage_tokens=41_000)
    session = stored(tokens_fresh=False)
    assert count_tokens(session, 200_000, counted, 20_000).estimated == 41_000
    assert count_tokens(stored(tokens_reported=202), 200_000, Tail(), 20_000).estimated is None
    assert count_tokens(session, 200_000, LEFT).estimated is None


@pytest.mark.parametrize(
    ("fresh", "version", "trusted"),
    [(True, 1, True), (True, None, False), (True, 2, False), (None, 1, False), (False, 1, False)],
)
def test_a_versioned_store_needs_flag_and_version(
    fresh: bool | None, version: int | None, trusted: bool
) -> None:
    session = stored(is_count_versioned=True, tokens_fresh=fresh, tokens_version=version)

    assert is_trusted(session) is trusted
    state = count_tokens(session, 200_000, None).state
    assert state is (TokenState.FRESH if trusted else TokenState.STALE)


def test_the_shown_number_and_the_percent_basis_differ_for_suspect_counts() -> None:
    count = TokenCount(TokenState.SUSPECT, 232_764, 90_000)

    assert (count.tokens, count.basis) == (232_764, 90_000)
    assert TokenCount(TokenState.STALE, 5, 7).basis == 5
    assert TokenCount(TokenState.ESTIMATED, None, 7).tokens == 7


def test_the_threshold_follows_the_window_and_the_key() -> None:
    assert threshold_of(RULES, None) == 150_000
    assert threshold_of(RULES, 200_000) == 150_000
    assert threshold_of(RULES, 128_000) == 96_000
    assert threshold_of(RULES, 1_000_000) == 150_000
    keyed = RotationSettings(keys={"agent:main:main": 80_000})
    assert threshold_of(keyed, 200_000, "agent:main:main") == 80_000
    assert threshold_of(keyed, 200_000, "agent:main:other") == 150_000


def test_a_threshold_may_hold_for_models_of_a_name() -> None:
    by_model = RotationSettings(
        keys={"agent:main:main": 80_000},
        models={"anthropic/*": 120_000, "*": 400_000},
    )
    assert threshold_of(by_model, 200_000, "k", "anthropic/claude-opus-4-5") == 120_000
    assert threshold_of(by_model, 1_000_000, "k", "google/gemini") == 400_000
    assert threshold_of(by_model, 200_000, "agent:main:main", "anthropic/x") == 80_000
    assert threshold_of(by_model, 200_000, "k", None) == 150_000


def test_the_window_comes_from_the_model_then_the_entry_then_nobody() -> None:
    config = PlatformConfig(
        windows={"stub/large": 200_000, "small": 32_000}, default_model="stub/large"
    )

    assert window_of(stored(window=128_000), config) == 128_000
    named = stored(window=None, model="small", model_provider="stub")
    assert window_of(named, config) == 32_000
    assert window_of(replace(named, window=1_000_000), config) == 32_000
    full = stored(window=None, model="large", model_provider="stub")
    assert window_of(full, config) == 200_000
    chosen = stored(model="small", model_provider="stub", next_model="stub/large")
    assert window_of(chosen, config) == 200_000
    assert window_of(stored(window=None, model="other"), config) is None
    assert window_of(stored(window=64_000, model="other"), config) == 64_000
    assert window_of(stored(window=None), config) == 200_000
    assert window_of(stored(window=0), PlatformConfig()) is None


def test_the_platform_may_use_less_than_the_window() -> None:
    config = PlatformConfig(windows={"large": 200_000}, window_cap=100_000)

    assert window_of(stored(model="large"), config) == 100_000
    assert window_of(stored(window=64_000, model="other"), config) == 64_000
    assert window_of(stored(window=None, model="other"), config) is None


def test_transcripts_are_asked_only_where_it_matters() -> None:
    def asks(**changes: object) -> bool:
        return needs_usage(stored(**changes), RULES, 200_000)

    assert not asks(tokens_reported=149_999)
    assert asks(tokens_reported=150_000)
    assert asks(tokens_reported=None)
    assert asks(tokens_reported=0)
    assert asks(tokens_fresh=False)
    assert not asks(tokens_reported=None, transcript=None)


def test_percentages_have_one_decimal_and_no_guess() -> None:
    assert percent(151_200, 150_000) == 100.8
    assert percent(0, 150_000) == 0.0
    assert percent(None, 150_000) is None
    assert percent(1, None) is None
    assert percent(1, 0) is None
