"""Checks the agents' own search indexes: what is not in them, agents do not know (mission §10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.health import Check, CheckStatus, named, ok, unknown

if TYPE_CHECKING:
    from memconsole.domain.outcomes import Detail
    from memconsole.domain.platform_index import PlatformIndexHealth
    from memconsole.engine.health import Look

_ID = "platform-index"


def platform_index(look: Look) -> Check:
    """Whether what agents search is what stands in their memory, and whether it answers."""
    from memconsole.engine.platform_index import platform_indexes  # noqa: PLC0415 - only who looks

    agents = [view.agent for view in look.snapshot.agents]
    found = platform_indexes(look.ports, look.snapshot.home, agents)
    seen = [one for one in found if one.facts is not None]
    if not seen:
        reasons = dict.fromkeys(f"{one.agent}: {one.because}" for one in found)
        return unknown(_ID, named(reasons) or "there are no agents")
    ill = [one for one in seen if one.troubles]
    if not ill:
        chunks = sum(one.chunks for one in seen)
        return ok(_ID, f"the agents' own {len(seen)} indexes are whole, {chunks} chunks", 0)
    is_deaf = any(one.is_deaf for one in seen)
    return Check(
        _ID,
        CheckStatus.CRITICAL if is_deaf else CheckStatus.WARNING,
        "; ".join(f"{one.agent}: {named(one.troubles)}" for one in ill),
        len(ill),
        1,
        hint=f"{_reindex(ill[0])} takes in what it lacks, with --force all of it; "
        "`memconsole search --explain` says what its agent cannot see.",
        details=tuple(_row(one) for one in ill),
    )


def _reindex(one: PlatformIndexHealth) -> str:
    program = "openclaw" if one.facts is None else one.facts.program
    return f"`{program} memory index --agent {one.agent}`"


def _row(one: PlatformIndexHealth) -> Detail:
    return {
        "agent": one.agent,
        "files": one.files,
        "chunks": one.chunks,
        "missing": list(one.missing),
        "extra": list(one.extra),
        "stale": list(one.stale),
        "other_model": one.other_model,
        "without_vector": one.without_vector,
        "leftovers": list(one.facts.leftovers) if one.facts is not None else [],
        "canary": one.canary or None,
        "canary_found": one.is_canary_found,
    }
