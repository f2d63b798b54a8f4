"""Checks of hooks and of what the platform loads at the start of a session (mission §7, §22)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.config_finding import Change, Finding, shown
from memconsole.domain.plain import one_line
from memconsole.domain.snapshot import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memconsole.domain.config_finding import ConfigFacts

HOOKS = ("memory-index-inject", "session-summary", "memory-flush")
"""The hooks of memconsole (mission §22); a prefix may stand before each."""

_INTERNAL = ("hooks", "internal")
_PLATFORM_SUMMARY = "session-memory"


def check_hooks(facts: ConfigFacts) -> Iterator[Finding]:
    """Yield what keeps the hooks of memconsole from running."""
    if facts.hooks is None:
        yield Finding(
            "hooks",
            Severity.WARNING,
            "nobody could look into the hooks folder, so it is not known which are installed",
        )
        return
    yield from _handlers(facts)
    installed = {name: _installed(facts, name) for name in HOOKS}
    missing = [name for name, folder in installed.items() if folder is None]
    if missing:
        yield Finding(
            "hooks",
            Severity.INFO,
            f"not installed: {', '.join(missing)}",
            current=len(HOOKS) - len(missing),
            recommended=len(HOOKS),
        )
    found = [folder for folder in installed.values() if folder is not None]
    if found:
        yield from _switched_off(facts, found)
    if installed["session-summary"] is not None:
        yield from _double(facts)


def check_bootstrap(facts: ConfigFacts) -> Iterator[Finding]:
    """Yield files of which the platform loads only the beginning (mission §7, bootstrap budget)."""
    total_limit = facts.config.bootstrap_total_max_chars
    for pool in facts.pools:
        owner = pool.agents[0] if pool.agents else None
        for limit in pool.limits:
            if limit.is_over:
                yield Finding(
                    "bootstrap-budget",
                    Severity.WARNING,
                    f"{limit.path} has {limit.chars} characters, and the platform loads "
                    f"{limit.limit} of them",
                    key="agents.defaults.bootstrapMaxChars",
                    current=limit.chars,
                    recommended=limit.limit,
                    path=str(pool.root / limit.path),
                    agent=owner,
                    hint="Move the older part below memory/, where search finds it.",
                )
        total = sum(min(limit.chars, limit.limit) for limit in pool.limits)
        if total > total_limit:
            yield Finding(
                "bootstrap-budget",
                Severity.WARNING,
                f"the files loaded at the start of a session have {total} characters together, "
                f"and the platform loads {total_limit}",
                key="agents.defaults.bootstrapTotalMaxChars",
                current=total,
                recommended=total_limit,
                path=str(pool.root),
                agent=owner,
                hint="Move the older part below memory/, where search finds it.",
            )


def _handlers(facts: ConfigFacts) -> Iterator[Finding]:
    for name, files in (facts.hooks or {}).items():
        if {"handler.ts", "handler.js"} <= files:
            yield Finding(
                "hook-handler",
                Severity.WARNING,
                f"the hook {one_line(name)} has a handler.ts beside its handler.js: it is picked "
                "first, and plain Node cannot load it",
                current="handler.ts",
                recommended="handler.js",
                hint="Remove handler.ts.",
            )


def _installed(facts: ConfigFacts, name: str) -> str | None:
    """Return the folder of one of our hooks, whatever its prefix."""
    for folder, files in (facts.hooks or {}).items():
        if "HOOK.md" in files and (folder == name or folder.endswith(f"-{name}")):
            return folder
    return None


def _switched_off(facts: ConfigFacts, folders: list[str]) -> Iterator[Finding]:
    switch = (*_INTERNAL, "enabled")
    if facts.at(*switch) is False or facts.at(*_INTERNAL) is None:
        yield Finding(
            "hooks-off",
            Severity.WARNING,
            "hooks are installed, and the platform runs none: internal hooks are off",
            key=".".join(switch),
            current=shown(facts.at(*switch)),
            recommended=True,
            changes=(Change(switch, True),),
        )
    for folder in folders:
        keys = (*_INTERNAL, "entries", folder, "enabled")
        if facts.at(*keys) is not True:
            yield Finding(
                "hooks-off",
                Severity.WARNING,
                f"the hook {one_line(folder)} is installed and not switched on",
                key=one_line(".".join(keys)),
                current=shown(facts.at(*keys)),
                recommended=True,
                changes=(Change(keys, True),),
            )


def _double(facts: ConfigFacts) -> Iterator[Finding]:
    """Mission §9: the platform's own session-memory notes are indexed beside our summaries."""
    keys = (*_INTERNAL, "entries", _PLATFORM_SUMMARY, "enabled")
    if facts.at(*keys) is True:
        yield Finding(
            "double-indexing",
            Severity.INFO,
            "the platform's session-memory hook and memconsole's session-summary both write a note "
            "of each session: searches find both",
            key=".".join(keys),
            current=True,
            hint="One of the two is enough.",
        )
