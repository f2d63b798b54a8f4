"""The glance before the closer look: it may say "maybe" too often, and never "never" wrongly."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.domain.agents import PlatformConfig
from memconsole.domain.compaction import judge_compaction
from memconsole.domain.config_check.compaction import urgent
from memconsole.domain.config_check.finding import WindowUse, may_be_grave, may_be_lost
from memconsole.domain.transcripts.records import Compaction
from tests.domain.config_check.config_facts import PATH, defaults, facts

if TYPE_CHECKING:
    from collections.abc import Mapping

PARTS = [
    "Summary unavailable due to",
    "No prior history.",
    "## Decisions",
    "None.",
    "- Keep it.",
    "<read-files>",
    "</read-files>",
    " ",
    "a" * 700,
]
WORDS = st.lists(st.sampled_from(PARTS), max_size=6).map("\n".join)


@given(WORDS, st.none() | st.integers(0, 200))
def test_what_is_lost_is_never_passed_over(summary: str, duration: int | None) -> None:
    compaction = Compaction(summary, 50_000, duration_ms=duration)
    fault = judge_compaction(compaction)
    assert may_be_lost(compaction, 100) or fault is None or not fault.is_loss


def test_a_usual_summary_needs_no_closer_look() -> None:
    assert not may_be_lost(Compaction("## Goal\nVerify the backup.", 50_000), 100)


VALUES: st.SearchStrategy[object] = st.sampled_from(
    [None, "default", "safeguard", True, False, 0, 5, 30_000, "x", {}]
)
RELEASES = st.sampled_from([None, "dev", "2026.1.24-3", "2026.9.6"])


@given(VALUES, VALUES, VALUES, VALUES, RELEASES, st.integers(1_000, 300_000))
def test_what_is_grave_is_never_passed_over(  # noqa: PLR0917 - one for each key
    mode: object, older: object, flush: object, soft: object, release: str | None, window: int
) -> None:
    block = {"mode": mode, "memoryFlush": {"enabled": flush, "softThresholdTokens": soft}}
    checked: Mapping[str, object] = {
        **defaults(compaction=block),
        "compaction": {"mode": older},
    }
    config = PlatformConfig(path=PATH, checked=checked)
    given_facts = facts(
        config=config,
        release=release,
        windows=(WindowUse(window, "agent:main:main", window * 3 // 4),),
    )
    assert may_be_grave(config, release, window) or urgent(given_facts) == ()


@pytest.mark.parametrize("release", [None, "2026.9.6"])
def test_a_usual_configuration_needs_no_closer_look(release: str | None) -> None:
    config = PlatformConfig(path=PATH, checked=defaults(compaction={"mode": "default"}))
    assert not may_be_grave(config, release, 200_000)
    assert not may_be_grave(replace(config, checked={}), None, None)
    assert not may_be_grave(replace(config, is_readable=False), "2026.1.24", 1)
