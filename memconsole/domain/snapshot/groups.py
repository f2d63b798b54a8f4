"""Findings that say the same of many, as one: a home of fifty agents has fifty of some."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.agents import Severity
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memconsole.domain.snapshot.snapshot import Attention

_MANY = {
    "no-checkpoint": "agents have no checkpoint yet",
    "capture-late": "agents hold messages that nobody saved",
    "cut-before": "sessions were cut before memconsole looked, and are not saved yet",
    "session-due": "sessions are due",
    "session-due-soon": "sessions will soon be due",
    "reset-next": "sessions start anew with their next message",
    "near-limit": "sessions and files are near their limit",
    "compacts-first": "sessions are compacted before their threshold",
    "bootstrap-truncation": "files are cut when the platform loads them",
    "count-suspect": "sessions have counts that cannot be true",
    "count-unknown": "sessions have counts that nobody knows",
    "store-unreadable": "stores cannot be read",
    "workspace-missing": "workspaces are missing",
    "memory-unreadable": "memory files cannot be read",
}
"""What is said of several findings of one code; others stand by themselves."""

_OF_ONE_CAUSE = frozenset({"store-unreadable"})
"""Critical findings that are one all the same: a disk or a release that fails takes all stores."""


def name_of(finding: Attention) -> tuple[str, ...]:
    """Return what tells findings apart from reading to reading; messages grow older."""
    return finding.code, finding.agent or "", finding.key or "", finding.home or ""


@dataclass(frozen=True, slots=True)
class Group:
    """One finding, or several that say the same; never empty."""

    findings: tuple[Attention, ...]

    @property
    def first(self) -> Attention:
        """The worst of them."""
        return self.findings[0]

    @property
    def severity(self) -> Severity:
        """The gravest of them."""
        return self.first.severity

    @property
    def message(self) -> str:
        """One sentence for all of them."""
        if len(self.findings) == 1:
            return self.first.message
        return f"{len(self.findings)} {_MANY[self.first.code]}"


def grouped(found: Iterable[Attention]) -> tuple[Group, ...]:
    """Return findings with equal ones together, in the order of the worst of each.

    Sessions that may be lost are named one by one, whatever number there is.
    """
    groups: dict[object, list[Attention]] = {}
    for place, one in enumerate(found):
        is_named = one.severity is Severity.CRITICAL and one.code not in _OF_ONE_CAUSE
        is_one_of_many = one.code in _MANY and not is_named
        name = (one.severity, one.code, one.command) if is_one_of_many else place
        groups.setdefault(name, []).append(one)
    return tuple(Group(tuple(one)) for one in groups.values())
