"""How the platform prunes tool results, as it is configured (mission §16, R69-R71)."""

from __future__ import annotations

import re
from datetime import timedelta
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

from memconsole.domain.config_values import number, part
from memconsole.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

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
