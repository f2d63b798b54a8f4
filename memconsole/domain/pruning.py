"""What the platform would trim or clear of tool results in the next request.

The transcript never changes by it: pruning is of the prompt only. The rules are those of the
platform as it is configured (`docs/formats.md`, "Configuration"), and those of older notes on
request.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

from memconsole.domain.agents import number, part
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime


PRUNING: Final = ("agents", "defaults", "contextPruning")
"""Where the platform's configuration has it."""

IMAGE_CHARS: Final = 8_000
"""What a picture counts for."""


class PruneAction(StrEnum):
    """What happens to one tool result."""

    KEEP = "keep"
    TRIM = "trim"
    CLEAR = "clear"


class PruneReason(StrEnum):
    """Why; the stable words of `reason`."""

    OFF = "mode-off"
    NO_CALL = "no-assistant-call"
    TTL = "ttl-not-over"
    BELOW_RATIO = "below-soft-ratio"
    FEW_ASSISTANTS = "few-assistants"
    NO_USER = "before-first-user"
    RECENT = "recent"
    DENIED = "tool-denied"
    IMAGE = "has-image"
    SHORT = "short"
    TRIMMED = "over-max-chars"
    CLEARED = "over-hard-ratio"
    AGGRESSIVE = "aggressive"


@dataclass(frozen=True, slots=True)
class ContextPart:
    """One message of the next request.

    Attributes:
        index: Its place among the messages, from 0.
        role: `user`, `assistant`, `toolResult`, or another word.
        chars: Characters, pictures included.
        tool: Name of the tool of a result.
    """

    index: int
    role: str
    chars: int
    tool: str = ""
    has_image: bool = False
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class PrunedResult:
    """One tool result, before and after."""

    part: ContextPart
    chars_after: int
    action: PruneAction
    reason: PruneReason


@dataclass(frozen=True, slots=True)
class PruningPlan:
    """What would happen to the next request.

    Attributes:
        gate: Why nothing is pruned at all; None when results are judged one by one.
        last_call_at: Time of the last assistant message.
        due_at: When the ttl is over; None without a call, or where it does not matter.
    """

    rules: PruningRules
    at: datetime
    results: tuple[PrunedResult, ...]
    chars_before: int
    chars_after: int
    gate: PruneReason | None
    last_call_at: datetime | None = None
    due_at: datetime | None = None

    def percent(self, chars: int) -> float:
        """Return characters as a share of the window, in percent with one decimal."""
        return round(100 * chars / self.rules.window_chars, 1)

    def count(self, action: PruneAction) -> int:
        """Return how many results something happens to."""
        return sum(one.action is action for one in self.results)


def preview(parts: Sequence[ContextPart], rules: PruningRules, at: datetime) -> PruningPlan:
    """Return what would be pruned of a request that is sent at a moment.

    Args:
        parts: The context, oldest first.
        rules: How it is pruned.
        at: When the request is sent.
    """
    calls = [one for one in parts if one.role == "assistant"]
    last_call = calls[-1].at if calls else None
    is_timed = rules.mode is PruningMode.CACHE_TTL and last_call is not None
    before = sum(one.chars for one in parts)
    gate = _gate(rules, before, len(calls), last_call, at)
    kept = _kept(parts, rules, gate)
    results = [kept.get(one.index, _may_go(one)) for one in parts if one.role == "toolResult"]
    if gate is None:
        results = _pruned(results, rules, before)
    after = before - sum(one.part.chars - one.chars_after for one in results)
    return PruningPlan(
        rules=rules,
        at=at,
        results=tuple(results),
        chars_before=before,
        chars_after=after,
        gate=gate,
        last_call_at=last_call,
        due_at=last_call + rules.ttl if is_timed and last_call is not None else None,
    )


def _gate(
    rules: PruningRules, chars: int, calls: int, last_call: datetime | None, at: datetime
) -> PruneReason | None:
    if rules.mode is PruningMode.OFF:
        return PruneReason.OFF
    if rules.mode is PruningMode.CACHE_TTL:
        if last_call is None:
            return PruneReason.NO_CALL
        if at - last_call < rules.ttl:
            return PruneReason.TTL
    if rules.keep_last_assistants and calls < rules.keep_last_assistants:
        return PruneReason.FEW_ASSISTANTS
    if rules.mode is not PruningMode.AGGRESSIVE and chars / rules.window_chars < rules.soft_ratio:
        return PruneReason.BELOW_RATIO
    return None


def _kept(
    parts: Sequence[ContextPart], rules: PruningRules, gate: PruneReason | None
) -> dict[int, PrunedResult]:
    """Return the results that stay as they are, by index."""
    first_user = next((one.index for one in parts if one.role == "user"), None)
    calls = [one.index for one in parts if one.role == "assistant"]
    last = rules.keep_last_assistants
    cutoff = calls[-last] if 0 < last <= len(calls) else len(parts)
    found: dict[int, PrunedResult] = {}
    for one in parts:
        reason = gate
        if reason is not None or one.role != "toolResult":
            pass
        elif first_user is None or one.index < first_user:
            reason = PruneReason.NO_USER
        elif one.index >= cutoff:
            reason = PruneReason.RECENT
        elif not rules.may_prune(one.tool):
            reason = PruneReason.DENIED
        elif one.has_image:
            reason = PruneReason.IMAGE
        if reason is not None:
            found[one.index] = PrunedResult(one, one.chars, PruneAction.KEEP, reason)
    return found


def _may_go(part: ContextPart) -> PrunedResult:
    return PrunedResult(part, part.chars, PruneAction.KEEP, PruneReason.SHORT)


def _pruned(results: Sequence[PrunedResult], rules: PruningRules, chars: int) -> list[PrunedResult]:
    if rules.mode is PruningMode.AGGRESSIVE:
        return [
            _cleared(one, rules, PruneReason.AGGRESSIVE) if _is_open(one) else one
            for one in results
        ]
    trimmed = [_trimmed(one, rules) if _is_open(one) else one for one in results]
    chars -= sum(one.part.chars - one.chars_after for one in trimmed)
    open_chars = sum(
        new.chars_after for old, new in zip(results, trimmed, strict=True) if _is_open(old)
    )
    if not rules.is_hard_enabled or open_chars < rules.min_prunable_chars:
        return trimmed
    done = []
    for old, new in zip(results, trimmed, strict=True):
        if _is_open(old) and chars / rules.window_chars >= rules.hard_ratio:
            cleared = _cleared(new, rules, PruneReason.CLEARED)
            chars -= new.chars_after - cleared.chars_after
            done.append(cleared)
        else:
            done.append(new)
    return done


def _is_open(one: PrunedResult) -> bool:
    """Whether nothing keeps a result from being pruned."""
    return one.reason is PruneReason.SHORT


def _trimmed(one: PrunedResult, rules: PruningRules) -> PrunedResult:
    after = rules.trimmed(one.part.chars)
    if after == one.part.chars:
        return one
    return replace(one, chars_after=after, action=PruneAction.TRIM, reason=PruneReason.TRIMMED)


def _cleared(one: PrunedResult, rules: PruningRules, reason: PruneReason) -> PrunedResult:
    return replace(one, chars_after=len(rules.placeholder), action=PruneAction.CLEAR, reason=reason)


CHARS_PER_TOKEN: Final = 4

_GAP: Final = "\n...\n"
_SPAN: Final = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h|d|)", re.IGNORECASE)
_SECONDS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0, "": 60.0}


class PruningMode(StrEnum):
    """How the platform prunes; the last two are of older notes (doc 001)."""

    OFF = "off"
    CACHE_TTL = "cache-ttl"
    ADAPTIVE = "adaptive"
    AGGRESSIVE = "aggressive"


@dataclass(frozen=True, slots=True)
class PruningRules:
    """Settings of the platform, or of the flags (`agents.defaults.contextPruning`).

    Attributes:
        window_tokens: The model's context window.
        allow: Tool names with wildcards; empty allows all. `deny` wins.
    """

    mode: PruningMode = PruningMode.OFF
    ttl: timedelta = timedelta(minutes=5)
    window_tokens: int = 200_000
    keep_last_assistants: int = 3
    soft_ratio: float = 0.3
    hard_ratio: float = 0.5
    min_prunable_chars: int = 50_000
    max_chars: int = 4_000
    head_chars: int = 1_500
    tail_chars: int = 1_500
    is_hard_enabled: bool = True
    placeholder: str = "[Old tool result content cleared]"
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()

    @property
    def window_chars(self) -> int:
        """Characters that fill the window."""
        return max(self.window_tokens, 1) * CHARS_PER_TOKEN

    def may_prune(self, tool: str) -> bool:
        """Whether results of a tool may be pruned."""
        name = tool.casefold()
        if any(fnmatchcase(name, one.casefold()) for one in self.deny):
            return False
        return not self.allow or any(fnmatchcase(name, one.casefold()) for one in self.allow)

    def trimmed(self, chars: int) -> int:
        """Return the characters of a result behind the soft trim."""
        if chars <= self.max_chars or self.head_chars + self.tail_chars >= chars:
            return chars
        note = (
            f"\n\n[Tool result trimmed: kept first {self.head_chars} chars and last "
            f"{self.tail_chars} chars of {chars} chars.]"
        )
        return self.head_chars + len(_GAP) + self.tail_chars + len(note)


def rules_of(config: Mapping[str, object], window_tokens: int) -> PruningRules:
    """Return the rules of `contextPruning`; what is missing or of another shape is the default."""
    trim, clear, tools = (part(config, name) for name in ("softTrim", "hardClear", "tools"))
    usual = PruningRules()
    mode = config.get("mode")
    ttl = parse_ttl(config.get("ttl"))
    placeholder = clear.get("placeholder")
    return PruningRules(
        mode=next((one for one in PruningMode if one == mode), PruningMode.OFF),
        ttl=usual.ttl if ttl is None else ttl,
        window_tokens=window_tokens,
        keep_last_assistants=_whole(config, "keepLastAssistants", usual.keep_last_assistants),
        soft_ratio=_ratio(config, "softTrimRatio", usual.soft_ratio),
        hard_ratio=_ratio(config, "hardClearRatio", usual.hard_ratio),
        min_prunable_chars=_whole(config, "minPrunableToolChars", usual.min_prunable_chars),
        max_chars=_whole(trim, "maxChars", usual.max_chars),
        head_chars=_whole(trim, "headChars", usual.head_chars),
        tail_chars=_whole(trim, "tailChars", usual.tail_chars),
        is_hard_enabled=clear.get("enabled") is not False,
        placeholder=placeholder if isinstance(placeholder, str) else usual.placeholder,
        allow=_names(tools, "allow"),
        deny=_names(tools, "deny"),
    )


def parse_ttl(value: object) -> timedelta | None:
    """Return a duration as the platform reads it: without a unit, minutes; None for no duration."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    found = _SPAN.fullmatch(str(value).strip())
    if found is None:
        return None
    try:
        return timedelta(seconds=float(found[1]) * _SECONDS[found[2].lower()])
    except OverflowError:
        return None


def _whole(config: Mapping[str, object], name: str, usual: int) -> int:
    found = config.get(name)
    is_number = isinstance(found, int) and not isinstance(found, bool)
    return found if is_number and isinstance(found, int) and found >= 0 else usual


def _ratio(config: Mapping[str, object], name: str, usual: float) -> float:
    return min(max(number(config, name, usual), 0.0), 1.0)


def _names(config: Mapping[str, object], name: str) -> tuple[str, ...]:
    found = config.get(name)
    rows: Iterable[object] = found if isinstance(found, list) else ()
    return tuple(one for one in rows if isinstance(one, str))
