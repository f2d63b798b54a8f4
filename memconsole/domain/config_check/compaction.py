"""Checks of compaction and memory flush: mode, switch, reserve, arithmetic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.agents import Severity
from memconsole.domain.config_check.finding import Change, Finding, shown, whole
from memconsole.domain.release import FLUSH_PROMPT_IS_GONE, SUMMARISER_REPAIRED, release_of
from memconsole.text.figures import plural, short_kilo

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memconsole.domain.config_check.finding import ConfigFacts, WindowUse

COMPACTION = ("agents", "defaults", "compaction")
FLUSH = (*COMPACTION, "memoryFlush")
SOFT_TOKENS = 4_000
"""`softThresholdTokens` of the platform."""
RESERVE_FLOOR = 20_000
"""`reserveTokensFloor` of the platform."""
TASK_SOFT_TOKENS = 25_000
"""Recommended for agents that must finish a task before they write."""

_GRAVE = Severity.HIGH.rank
_MODES = ("default", "safeguard")
_FLUSH_PROMPT = (
    "Append what must be kept to memory/YYYY-MM-DD.md of today; never rewrite what stands there. "
    "Reply with NO_REPLY when there is nothing."
)


def check_compaction(facts: ConfigFacts) -> Iterator[Finding]:
    """Yield what is wrong with compaction and flush."""
    yield from _mode(facts)
    yield from _reserve(facts)
    yield from _soft(facts)
    if (off := _flush_off(facts)) is not None:
        yield off
    else:
        yield from _arithmetic(facts)
    yield from _compacts_first(facts)


def recommend_compaction(facts: ConfigFacts) -> Iterator[Finding]:
    """Yield optional advice on flushing."""
    soft = whole(facts.at(*FLUSH, "softThresholdTokens"))
    if soft is None or soft < TASK_SOFT_TOKENS:
        yield Finding(
            "soft-threshold",
            Severity.INFO,
            "agents that must finish a task before they write need more room for it",
            key=".".join((*FLUSH, "softThresholdTokens")),
            current=shown(facts.at(*FLUSH, "softThresholdTokens")),
            recommended=TASK_SOFT_TOKENS,
            hint=f"The platform's default is {SOFT_TOKENS}; 8000 is a middle way.",
        )
    release = facts.least_release
    takes_prompt = release is None or release < FLUSH_PROMPT_IS_GONE
    if takes_prompt and facts.at(*FLUSH, "prompt") is None:
        yield Finding(
            "flush-prompt",
            Severity.INFO,
            "agents have overwritten the daily file in a flush; a prompt can forbid that by name",
            key=".".join((*FLUSH, "prompt")),
            current=shown(None),
            recommended=_FLUSH_PROMPT,
        )


def urgent(facts: ConfigFacts) -> tuple[Finding, ...]:
    """Return what belongs into the attention line: grave and certain."""
    if not facts.config.is_readable:
        return ()
    found = check_compaction(facts)
    return tuple(one for one in found if one.is_certain and one.severity.rank >= _GRAVE)


def mode_of(facts: ConfigFacts) -> tuple[tuple[str, ...], object]:
    """Return where the compaction mode stands and what stands there; the legacy place counts."""
    keys = (*COMPACTION, "mode")
    legacy = ("compaction", "mode")
    is_legacy = facts.at(*keys) is None and facts.at(*legacy) is not None
    return (legacy, facts.at(*legacy)) if is_legacy else (keys, facts.at(*keys))


def _mode(facts: ConfigFacts) -> Iterator[Finding]:
    keys, mode = mode_of(facts)
    if mode == "default":
        return
    if mode is not None and mode not in _MODES:
        yield Finding(
            "compaction-mode",
            Severity.WARNING,
            "the platform knows the compaction modes default and safeguard only",
            key=".".join(keys),
            current=shown(mode),
            recommended="default",
            changes=(Change(keys, "default"),),
        )
        return
    yield _safeguard(facts, keys, mode)


def _safeguard(facts: ConfigFacts, keys: tuple[str, ...], mode: object) -> Finding:
    """Safeguard, or not set, which means the same."""
    release = facts.least_release
    has_loss = facts.evidence is not None and facts.evidence.has_loss
    is_affected = release is None or release < SUMMARISER_REPAIRED
    what = "safeguard compaction" if mode else "compaction without a mode means safeguard, which"
    if not (is_affected or has_loss):
        return Finding(
            "compaction-mode",
            Severity.INFO,
            f"{what} is repaired in {_release_words(facts)}, and no transcript shows a loss",
            key=".".join(keys),
            current=shown(mode),
        )
    if has_loss:
        why = f"{what} has lost summaries here already"
    elif release is None:
        why = (
            f"{what} loses summaries in releases before 2026.2.17, and nobody could look which "
            "release this is"
        )
    else:
        why = f"{what} may find no model and lose the summary in release {facts.release}"
    return Finding(
        "compaction-mode",
        Severity.HIGH,
        why,
        key=".".join(keys),
        current=shown(mode),
        recommended="default",
        changes=(Change(keys, "default"),),
        is_certain=release is not None or has_loss,
    )


def _release_words(facts: ConfigFacts) -> str:
    if facts.release is not None and release_of(facts.release) is not None:
        return f"release {facts.release}"
    year, month, _ = facts.least_release or (0, 0, 0)
    return f"releases since {year}.{month}, of which this home is"


def _flush_off(facts: ConfigFacts) -> Finding | None:
    keys = (*FLUSH, "enabled")
    value = facts.at(*keys)
    if value is None or value is True:
        return None
    return Finding(
        "memory-flush",
        Severity.HIGH,
        "the platform does not let its agents write their memory before a compaction",
        key=".".join(keys),
        current=shown(value),
        recommended=True,
        changes=(Change(keys, True),),
    )


def _reserve(facts: ConfigFacts) -> Iterator[Finding]:
    keys = (*COMPACTION, "reserveTokensFloor")
    value = facts.at(*keys)
    if value is None or (whole(value) or 0) >= RESERVE_FLOOR:
        return
    why = f"less than {RESERVE_FLOOR} tokens may not be enough for a summary and an answer"
    if whole(value) is None:
        why = "it is no number of tokens"
    yield Finding(
        "reserve-floor",
        Severity.WARNING,
        why,
        key=".".join(keys),
        current=shown(value),
        recommended=RESERVE_FLOOR,
        changes=(Change(keys, RESERVE_FLOOR),),
    )


def _soft(facts: ConfigFacts) -> Iterator[Finding]:
    keys = (*FLUSH, "softThresholdTokens")
    value = facts.at(*keys)
    if value is not None and whole(value) is None:
        yield Finding(
            "soft-threshold",
            Severity.WARNING,
            "it is no number of tokens",
            key=".".join(keys),
            current=shown(value),
            recommended=SOFT_TOKENS,
            changes=(Change(keys, SOFT_TOKENS),),
        )


def _arithmetic(facts: ConfigFacts) -> Iterator[Finding]:
    """flush_at = window - max(reserveTokens, reserveTokensFloor) - softThresholdTokens."""
    soft = whole(facts.at(*FLUSH, "softThresholdTokens"))
    soft = SOFT_TOKENS if soft is None else soft
    reserve = facts.config.reserve_tokens
    for use in _distinct(facts):
        flush_at = use.tokens - reserve - soft
        if flush_at <= 0:
            yield _never_flushes(use, reserve, soft)
        elif flush_at >= use.threshold:
            yield Finding(
                "rotation-first",
                Severity.INFO,
                f"rotation at {short_kilo(use.threshold)} comes before the platform's flush at "
                f"{short_kilo(flush_at)}, as intended (window of {short_kilo(use.tokens)}: "
                f"{_name(use)})",
                current=flush_at,
                agent=use.agent,
            )
    yield from _flush_too_late(facts, reserve + soft)


def _never_flushes(use: WindowUse, reserve: int, soft: int) -> Finding:
    return Finding(
        "flush-arithmetic",
        Severity.CRITICAL,
        f"a window of {short_kilo(use.tokens)} less {short_kilo(reserve)} in reserve and "
        f"{short_kilo(soft)} for the flush leaves nothing: no memory is flushed before a "
        f"compaction ({_name(use)})",
        key=".".join((*COMPACTION, "reserveTokensFloor")),
        current=use.tokens - reserve - soft,
        agent=use.agent,
        hint="Use a model with a larger window, or lower reserve and soft threshold for it.",
        is_certain=not use.is_assumed,
    )


def _flush_too_late(facts: ConfigFacts, kept_free: int) -> Iterator[Finding]:
    """A real compaction came before the flush could."""
    compacted = {} if facts.evidence is None else facts.evidence.compacted_at
    late = [
        (use, compacted[use.name])
        for use in facts.windows
        if use.name in compacted and 0 < compacted[use.name] < use.tokens - kept_free
    ]
    if late:
        use, tokens = late[0]
        more = "" if len(late) == 1 else f", and {plural(len(late) - 1, 'session')} more likewise"
        yield Finding(
            "flush-late",
            Severity.WARNING,
            f"{use.name} was compacted at {short_kilo(tokens)}, before its flush at "
            f"{short_kilo(use.tokens - kept_free)}{more}",
            key=".".join((*FLUSH, "softThresholdTokens")),
            current=tokens,
            agent=use.agent,
            hint="Unless somebody typed /compact there, raise softThresholdTokens.",
            details=tuple(
                {"key": one.name, "compacted_at": at, "flush_at": one.tokens - kept_free}
                for one, at in late
            ),
        )


def _compacts_first(facts: ConfigFacts) -> Iterator[Finding]:
    """Yield what the platform compacts before the rotation threshold can be reached."""
    for use in _distinct(facts):
        limit = max(0, use.tokens - facts.config.reserve_tokens)
        if limit < use.threshold:
            yield Finding(
                "compacts-first",
                Severity.WARNING,
                f"a window of {short_kilo(use.tokens)} is compacted at {short_kilo(limit)}, before "
                f"rotation at {short_kilo(use.threshold)} ({_name(use)})",
                current=use.threshold,
                recommended=limit,
                agent=use.agent,
                hint="Lower rotation.threshold_tokens of memconsole for this agent.",
                is_certain=not use.is_assumed,
            )


def _distinct(facts: ConfigFacts) -> Iterator[WindowUse]:
    """Yield each window and threshold once, with one that has it."""
    seen = set()
    for use in facts.windows:
        if (use.tokens, use.threshold) not in seen:
            seen.add((use.tokens, use.threshold))
            yield use


def _name(use: WindowUse) -> str:
    return "no window is configured; this is the usual one" if use.is_assumed else use.name
