"""All checks of the platform's configuration in one call.

Pure: what is looked at was gathered before. A check that nobody could make is a finding that says
so; no finding means that it was made and is fine.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole.domain.agents import Severity
from memconsole.domain.calendar import UNKNOWN_ZONE
from memconsole.domain.config_check.compaction import check_compaction, recommend_compaction
from memconsole.domain.config_check.finding import ConfigReport, Finding
from memconsole.domain.config_check.hooks import check_bootstrap, check_hooks
from memconsole.domain.config_check.roster import check_structure
from memconsole.domain.config_check.session import (
    check_pruning,
    check_reach,
    check_reset,
    recommend_session,
)
from memconsole.domain.config_check.transcripts import check_evidence
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memconsole.domain.config_check.finding import ConfigFacts

_CORRECT = "Correct our own configuration; `memconsole config path` names the file."

_OF_CONFIG = (check_compaction, check_pruning, check_reset, check_reach, check_structure)
"""They say something only about a configuration that can be read."""
_OF_HOME = (check_evidence, check_bootstrap)


def check_config(facts: ConfigFacts, *, recommends: bool = False) -> ConfigReport:
    """Return all findings, worst first.

    Args:
        facts: What is looked at.
        recommends: Also optional advice (`config check --recommend`).
    """
    path = None if facts.config.path is None else str(facts.config.path)
    findings = [_placed(one, path) for one in _findings(facts, recommends=recommends)]
    findings.sort(key=lambda one: (-one.severity.rank, one.id, one.key or "", one.agent or ""))
    evidence = facts.evidence
    return ConfigReport(
        findings=tuple(findings),
        path=path,
        release=facts.release,
        looked_at=0 if evidence is None else evidence.looked_at,
        evidence=evidence,
    )


def _findings(facts: ConfigFacts, *, recommends: bool) -> Iterator[Finding]:
    for notice in facts.wrong_settings:
        is_zone = notice.code == UNKNOWN_ZONE
        yield Finding(
            notice.code,
            Severity.WARNING if is_zone else Severity.HIGH,
            notice.message,
            path=notice.path,
            hint="" if is_zone else _CORRECT,
        )
    for of_home in _OF_HOME:
        yield from of_home(facts)
    if not facts.config.is_readable:
        yield _unreadable(facts)
        return
    if facts.config.path is None:
        yield Finding(
            "config-missing",
            Severity.INFO,
            "the platform has no configuration file; its defaults were looked at",
        )
    yield from check_hooks(facts)
    for of_config in _OF_CONFIG:
        yield from of_config(facts)
    if recommends:
        yield from recommend_compaction(facts)
        yield from recommend_session(facts)


def _unreadable(facts: ConfigFacts) -> Finding:
    return Finding(
        "config-unreadable",
        Severity.CRITICAL,
        facts.unreadable_because
        or f"the platform configuration {one_line(str(facts.config.path))} cannot be read",
        path=str(facts.config.path),
        hint="Correct it first: nobody could look into it, and the other checks need it.",
    )


def _placed(finding: Finding, path: str | None) -> Finding:
    """Name the file of a finding that is about a key."""
    if finding.path is not None or finding.key is None:
        return finding
    return replace(finding, path=path)
