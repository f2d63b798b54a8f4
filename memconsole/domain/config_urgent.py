"""Whether a closer look at compaction may be worth it: a glance that loads nothing.

`status` has to answer at once, and most homes are fine. So these two say only "never" or "maybe";
the checks themselves decide (`config_check_compaction.urgent`, `compaction_evidence`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memconsole.domain.agents import PlatformConfig
    from memconsole.domain.transcript import Compaction

_USUAL_SOFT_TOKENS = 4_000
_LOST_WORDS = ("summary unavailable", "no prior history")


def may_be_lost(compaction: Compaction, min_duration_ms: int) -> bool:
    """Whether a compaction may have lost turns; False is certain."""
    words = compaction.summary.lower()
    is_quick = compaction.duration_ms is not None and compaction.duration_ms < min_duration_ms
    # A list of files alone is no summary either.
    is_thin = not words.strip() or "-files>" in words
    return is_quick or is_thin or any(one in words for one in _LOST_WORDS)


def may_be_grave(config: PlatformConfig, release: str | None, least_window: int | None) -> bool:
    """Whether the configuration may be wrong in a grave way; False is certain.

    Args:
        config: The platform's configuration.
        release: The version that runs, as far as it is known.
        least_window: The smallest window in use, in tokens; None when none is known.
    """
    if not config.is_readable:
        return False
    compaction = _inner(_inner(config.checked, "agents"), "defaults", "compaction")
    flush = _inner(compaction, "memoryFlush")
    older = _inner(config.checked, "compaction").get("mode")
    mode = compaction.get("mode")
    if release is not None and (older if mode is None else mode) != "default":
        return True
    if flush.get("enabled") not in (None, True):
        return True
    soft = flush.get("softThresholdTokens")
    soft = soft if isinstance(soft, int | float) else _USUAL_SOFT_TOKENS
    return least_window is not None and least_window - config.reserve_tokens - soft <= 0


def _inner(block: Mapping[str, object], *keys: str) -> Mapping[str, object]:
    found: object = block
    for key in keys:
        found = found.get(key) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else {}
