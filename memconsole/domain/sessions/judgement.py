"""From what a store said to what the operator sees: windows, and how far counts can be trusted.

The rules as an operator reads them: `docs/contract.md`, "sessions".
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from memconsole.domain.sessions.tokens import TokenCount, TokenState

if TYPE_CHECKING:
    from memconsole.domain.agents import PlatformConfig
    from memconsole.domain.sessions.stored import StoredSession
    from memconsole.domain.settings.sections import RotationSettings
    from memconsole.domain.transcripts.records import Tail

_COUNTED_ANEW_BELOW = 0.5
"""A count below this share of the context before a compaction was taken after it."""

_FAR_BELOW = 0.5
_LONG_ANSWER_TOKENS = 20_000
"""A count leaves out the answer, which a usage holds."""


def window_of(stored: StoredSession, config: PlatformConfig) -> int | None:
    """Return the context window in tokens: that of the configured model, else the entry's.

    The entry keeps the window of the model that ran last, which another model has followed.
    `agents.defaults.contextTokens` is the most that the platform uses of any window.
    """
    windows = config.windows
    usual = config.default_model if stored.model is None and not stored.window else None
    found = (
        (windows.get(stored.next_model) if stored.next_model else None)
        or windows.get(model_of(stored) or "")
        or windows.get(stored.model or "")
        or windows.get(usual or "")
        or stored.window
        or None
    )
    return found if found is None or not config.window_cap else min(found, config.window_cap)


def model_of(stored: StoredSession) -> str | None:
    """Return `provider/model`, or the model alone; None when nobody knows."""
    if stored.model_provider and stored.model:
        return f"{stored.model_provider}/{stored.model}"
    return stored.model


def is_trusted(stored: StoredSession) -> bool:
    """Tell whether the platform vouches for its own number."""
    if stored.tokens_reported is None or stored.tokens_fresh is False:
        return False
    if stored.is_count_versioned:
        return stored.tokens_fresh is True and stored.tokens_version == 1
    return True


def threshold_of(
    rules: RotationSettings, window: int | None, key: str | None = None, model: str | None = None
) -> int:
    """Return the tokens from which a session is due for rotation.

    Args:
        rules: `[rotation]`; the limit of a key comes before that of a model.
        window: What its model takes; None when nobody knows.
        key: Its key.
        model: `provider/model`, or the model alone.
    """
    if key is not None and key in rules.keys:
        return rules.keys[key]
    for pattern, limit in rules.models.items() if model else ():
        if fnmatchcase(model or "", pattern):
            return limit
    if window is None or window <= 0:
        return rules.threshold_tokens
    return min(rules.threshold_tokens, int(rules.window_ratio * window))


def needs_usage(stored: StoredSession, rules: RotationSettings, window: int | None) -> bool:
    """Tell whether the transcript must be asked: nothing to trust, or a number with consequences.

    A trusted number below the threshold decides nothing, so its transcript is left alone: a home
    of ten thousand sessions must not cost ten thousand readings.
    """
    if stored.transcript is None:
        return False
    if not is_trusted(stored):
        return True
    reported = stored.tokens_reported or 0
    if reported == 0:
        return True  # it was reset, or nobody counted: the transcript knows which
    key = None if stored.key is None else stored.key.text
    threshold = threshold_of(rules, window, key, model_of(stored))
    return reported >= threshold or (window is not None and reported > window)


def count_tokens(
    stored: StoredSession,
    window: int | None,
    usage: Tail | None,
    overhead_tokens: int | None = None,
) -> TokenCount:
    """Give a count its state.

    Args:
        stored: The session as its store has it.
        window: The model's window in tokens, None when unknown.
        usage: The end of its transcript; None when it was not read or there is none.
        overhead_tokens: What a compaction's own number leaves out; None takes no such number.
    """
    count = _counted(stored, window, usage)
    if count.state is TokenState.FRESH or count.estimated is not None or usage is None:
        return count
    last = usage.last_compaction
    if last is None or last.tokens_after is None or overhead_tokens is None:
        return count
    state = TokenState.ESTIMATED if count.state is TokenState.UNKNOWN else count.state
    left = last.tokens_after + overhead_tokens
    return TokenCount(state, count.reported, left, is_reckoned=True)


def _counted(stored: StoredSession, window: int | None, usage: Tail | None) -> TokenCount:
    reported = stored.tokens_reported
    if usage is not None and _is_of_before(usage, stored):
        usage = None
    estimated = None if usage is None else usage.usage_tokens
    if reported is None:
        state = TokenState.UNKNOWN if estimated is None else TokenState.ESTIMATED
        return TokenCount(state, None, estimated)
    if not is_trusted(stored):
        return TokenCount(TokenState.STALE, reported, estimated)
    if window is not None and reported > window:
        return TokenCount(TokenState.SUSPECT, reported, estimated)
    if usage is not None and _is_contradicted(reported, usage):
        return TokenCount(TokenState.SUSPECT, reported, estimated)
    return TokenCount(TokenState.FRESH, reported, estimated)


def _is_of_before(usage: Tail, stored: StoredSession) -> bool:
    """Tell whether the last count of a transcript is of before a reset that stands in no record."""
    counted_at = usage.usage_points[-1][0] if usage.usage_points else usage.spoke_at
    began_at = stored.started_at
    return counted_at is not None and began_at is not None and counted_at < began_at


def _is_contradicted(reported: int, usage: Tail) -> bool:
    """Tell whether a compaction is newer than the count, or the last answer used far more.

    A usage that is merely smaller contradicts nothing: providers leave parts out, and the
    platform vouches for its own number.
    """
    used = usage.usage_tokens or 0
    if reported < used * _FAR_BELOW and used - reported > _LONG_ANSWER_TOKENS:
        return True
    if reported == 0 or usage.usage_tokens is not None or usage.last_compaction_at is None:
        return False
    # No model call since the compaction: the number is from before it, unless it is so much
    # smaller that the platform must have counted again.
    before = usage.tokens_before_compaction
    return before is None or reported >= before * _COUNTED_ANEW_BELOW


def percent(part: int | None, whole: int | None) -> float | None:
    """Return a percentage with one decimal, None when either side is unknown."""
    if part is None or not whole:
        return None
    return round(100 * part / whole, 1)
