"""Checks of hooks and of what the platform loads at the start of a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.agents import Severity, at, part
from memconsole.domain.config_check.finding import Change, Finding, shown
from memconsole.text.figures import short_kilo
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memconsole.domain.agents import PlatformConfig
    from memconsole.domain.config_check.finding import ConfigFacts
    from memconsole.domain.memory.files import Pool

GIVES_STARTS = "memory-index-inject"
"""The hook that gives a starting session its memory, and what is handed over to it."""

HOOKS = (GIVES_STARTS, "session-summary", "memory-flush")
"""The hooks of memconsole; a prefix may stand before each."""

_LONG_TERM = "MEMORY.md"
_INJECTED = (
    "memory/INDEX.md",
    "memory/ACTIVE_CONTEXT.md",
    "memory/observations.md",
    _LONG_TERM,
)
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
    installed = {name: folder_of(name, facts.hooks) for name in HOOKS}
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
    """Yield files of which a session is given only the beginning."""
    for pool in facts.pools:
        for limit in pool.limits:
            if limit.is_over:
                yield _over(pool, limit.path, limit.chars, limit.limit, "the platform loads")
        yield from _injected(facts, pool)


def _injected(facts: ConfigFacts, pool: Pool) -> Iterator[Finding]:
    """What memconsole hands a session: counted in bytes, which characters never exceed."""
    most, total_most = facts.config.bootstrap_max_chars, facts.config.bootstrap_total_max_chars
    sizes = {item.path: item.size_bytes for item in pool.items if item.path in _INJECTED}
    for path, size in sizes.items():
        if path != _LONG_TERM and size > most:
            yield _over(pool, path, size, most, "a session is given")
    total = sum(min(size, most) for size in sizes.values())
    if total > total_most:
        yield _over(pool, ", ".join(sizes), total, total_most, "a session is given")


def _over(pool: Pool, path: str, size: int, limit: int, verb: str) -> Finding:
    is_ours = path.endswith("observations.md")
    return Finding(
        "bootstrap-budget",
        Severity.WARNING,
        f"{one_line(path)}: up to {short_kilo(size)} characters, "
        f"and {verb} {short_kilo(limit)} of them",
        current=size,
        recommended=limit,
        path=str(pool.root if "," in path else pool.root / path),
        agent=pool.agents[0] if pool.agents else None,
        hint="`memconsole reflect` shortens it."
        if is_ours
        else "Move the older part below memory/, where search finds it.",
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


def folder_of(name: str, folders: Mapping[str, frozenset[str]] | None) -> str | None:
    """Return the folder of one of our hooks, whatever its prefix.

    Args:
        name: One of `HOOKS`.
        folders: The files of each hook folder by name; None where nobody could look.
    """
    for folder, files in (folders or {}).items():
        if "HOOK.md" in files and (folder == name or folder.endswith(f"-{name}")):
            return folder
    return None


def why_silent(
    name: str, folders: Mapping[str, frozenset[str]] | None, config: PlatformConfig
) -> str:
    """Return what keeps one of our hooks from running, as the end of a sentence; else nothing.

    Args:
        name: One of `HOOKS`.
        folders: As of `folder_of`; None where nobody could look: then nothing is said.
        config: Of the platform.
    """
    if folders is None:
        return ""
    folder = folder_of(name, folders)
    if folder is None:
        return ", not before `memconsole hooks install`: no hook gives it"
    if not config.is_readable:
        return ", if the platform runs its hooks: its configuration cannot be read"
    internal = part(config.checked, "hooks", "internal")
    is_on = at(internal, "entries", folder, "enabled") is True
    if internal.get("enabled") is not False and is_on:
        return ""
    does = "`memconsole config fix` does that"
    return f", not before the hook {one_line(folder)} is switched on: {does}"


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
    """Yield that the platform's own session-memory notes are indexed beside our summaries."""
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
