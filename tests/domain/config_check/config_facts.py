"""Builders of facts for the checks of the platform's configuration."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from memconsole.domain.agents import PlatformConfig
from memconsole.domain.compaction import CompactionEvidence
from memconsole.domain.config_check.checks import check_config
from memconsole.domain.config_check.finding import ConfigFacts, Finding, WindowUse

if TYPE_CHECKING:
    from collections.abc import Mapping

PATH = Path("/home/operator/.openclaw/openclaw.json")
REPAIRED = "2026.9.6"
WIDE = WindowUse(200_000, "agent:main:main", 150_000, "main")


def facts(checked: Mapping[str, object] | None = None, **changes: object) -> ConfigFacts:
    """Return facts of a sound home: repaired release, one wide window, nothing bad on disk."""
    made = ConfigFacts(
        config=PlatformConfig(path=PATH, checked=checked or {}),
        release=REPAIRED,
        windows=(WIDE,),
        evidence=CompactionEvidence(looked_at=3),
        hooks={},
    )
    return replace(made, **changes)  # type: ignore[arg-type]  # names are checked by the dataclass


def defaults(**block: object) -> dict[str, object]:
    """Return a configuration with these `agents.defaults`."""
    return {"agents": {"defaults": block}}


def found(given: ConfigFacts, check: str, *, recommends: bool = False) -> list[Finding]:
    """Return the findings of one check."""
    return [one for one in check_config(given, recommends=recommends).findings if one.id == check]


def one(given: ConfigFacts, check: str, *, recommends: bool = False) -> Finding:
    """Return the only finding of one check."""
    [finding] = found(given, check, recommends=recommends)
    return finding
