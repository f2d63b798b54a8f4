"""The part of the platform's configuration that is checked: what is named here and nothing else.

A configuration holds tokens and keys; they never leave the reader. So the checks are given a copy
that has only the keys that a check looks at, none of them a secret.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from memconsole.adapters.platform.config.values import mapping

if TYPE_CHECKING:
    from collections.abc import Mapping

Mask: TypeAlias = "bool | dict[str, Mask] | list[Mask]"
"""True keeps a value, an object keeps its named keys (`*` is any), a list keeps its items."""

_COMPACTION: Final[Mask] = {
    "enabled": True,
    "mode": True,
    "reserveTokens": True,
    "reserveTokensFloor": True,
    "keepRecentTokens": True,
    "memoryFlush": {"enabled": True, "softThresholdTokens": True, "prompt": True},
}
_PRUNING: Final[Mask] = {
    "mode": True,
    "ttl": True,
    "keepLastAssistants": True,
    "softTrimRatio": True,
    "hardClearRatio": True,
    "minPrunableToolChars": True,
    "softTrim": {"maxChars": True, "headChars": True, "tailChars": True},
    "hardClear": {"enabled": True, "placeholder": True},
    "tools": {"allow": True, "deny": True},
}
_SEARCH: Final[Mask] = {
    "enabled": True,
    "model": True,
    "sources": True,
    "query": {
        "maxResults": True,
        "minScore": True,
        "hybrid": {
            "vectorWeight": True,
            "textWeight": True,
            "candidateMultiplier": True,
            "mmr": {"enabled": True, "lambda": True},
            "temporalDecay": {"enabled": True, "halfLifeDays": True},
        },
    },
}
_AGENT: Final[Mask] = {
    "id": True,
    "subagents": {"allowAgents": True},
    "memorySearch": _SEARCH,
    "memory": {"search": _SEARCH},
}
_RESET: Final[Mask] = {"mode": True, "atHour": True, "idleMinutes": True}

_KEPT: Final[Mask] = {
    "agents": {
        "defaults": {
            "compaction": _COMPACTION,
            "contextPruning": _PRUNING,
            "subagents": {"allowAgents": True},
            "memorySearch": _SEARCH,
        },
        "list": [_AGENT],
        "entries": {"*": _AGENT},
    },
    "compaction": _COMPACTION,
    "memory": {"search": _SEARCH},
    "session": {
        "idleMinutes": True,
        "reset": _RESET,
        "resetByType": {"*": _RESET},
        "resetByChannel": {"*": _RESET},
    },
    "hooks": {"internal": {"enabled": True, "entries": {"*": {"enabled": True}}}},
    "bindings": [
        {
            "agentId": True,
            "match": {
                "channel": True,
                "accountId": True,
                "guildId": True,
                "teamId": True,
                "peer": {"kind": True, "id": True},
            },
        }
    ],
    "plugins": {"entries": {"memory-core": {"config": {"dreaming": {"enabled": True}}}}},
    "meta": {"lastTouchedVersion": True},
}


def checked_part(root: Mapping[str, object]) -> Mapping[str, object]:
    """Return a copy of what is checked; what has another shape than it should is left out."""
    kept = _kept(_with_pruning_mode(root), _KEPT)
    return kept if isinstance(kept, dict) else {}


def _with_pruning_mode(root: Mapping[str, object]) -> Mapping[str, object]:
    """Return the configuration with `contextPruning = "adaptive"` as the mode that it means."""
    defaults = mapping(mapping(root.get("agents")).get("defaults"))
    mode = defaults.get("contextPruning")
    if not isinstance(mode, str):
        return root
    agents = {
        **mapping(root.get("agents")),
        "defaults": {**defaults, "contextPruning": {"mode": mode}},
    }
    return {**root, "agents": agents}


def _kept(value: object, mask: Mask) -> object:
    """Return the masked copy; empty where the shape is another one."""
    if isinstance(mask, bool):
        return value
    if isinstance(mask, list):
        rows = value if isinstance(value, list) else ()
        return [_kept(row, mask[0]) if isinstance(row, dict) else {} for row in rows]
    if not isinstance(value, dict):
        return {}
    found = {}
    for key, part in value.items():
        wanted = mask.get(key, mask.get("*"))
        if wanted is not None and (isinstance(wanted, bool) or isinstance(part, dict | list)):
            found[key] = _kept(part, wanted)
    return found
