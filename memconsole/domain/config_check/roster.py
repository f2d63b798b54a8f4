"""Checks of the roster: ids, bindings, subagents."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from memconsole.domain.agents import Severity
from memconsole.domain.config_check.finding import Finding
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memconsole.domain.config_check.finding import ConfigFacts

_PLACES = ("peer", "guildId", "teamId")


def check_structure(facts: ConfigFacts) -> Iterator[Finding]:
    """Yield what the platform would refuse, or read otherwise than it looks."""
    rows = list(_agents(facts))
    ids = [agent_id for agent_id, _, _ in rows]
    yield from _ids(rows)
    known = {agent_id.strip().lower() for agent_id in ids} or {"main"}
    yield from _bindings(facts, known)
    yield from _subagents(facts, rows, known)


def _agents(facts: ConfigFacts) -> Iterator[tuple[str, str, Mapping[str, object]]]:
    """Yield id, path and row of each agent of both forms of the roster."""
    entries = facts.at("agents", "entries")
    for name, row in (entries if isinstance(entries, dict) else {}).items():
        yield name, f"agents.entries.{name}", row if isinstance(row, dict) else {}
    for number, row in enumerate(_list(facts.at("agents", "list"))):
        agent_id = row.get("id") if isinstance(row, dict) else None
        if isinstance(agent_id, str) and isinstance(row, dict):
            yield agent_id, f"agents.list[{number}].id", row


def _ids(rows: Sequence[tuple[str, str, Mapping[str, object]]]) -> Iterator[Finding]:
    counts = Counter(agent_id.strip().lower() for agent_id, _, _ in rows)
    for agent_id, key, _ in rows:
        lowered = agent_id.strip().lower()
        if agent_id != lowered:
            yield Finding(
                "agent-id-case",
                Severity.WARNING,
                f"the agent {one_line(agent_id)} is {one_line(lowered)} at run time",
                key=one_line(key),
                current=one_line(agent_id),
                recommended=one_line(lowered),
                agent=lowered,
                hint="Write the id as it is used; its folders and keys have that spelling.",
            )
    for lowered, count in counts.items():
        if count > 1:
            yield Finding(
                "agent-id-twice",
                Severity.HIGH,
                f"{count} agents have the id {one_line(lowered)}; the first one counts",
                key="agents",
                current=count,
                recommended=1,
                agent=lowered,
                hint="Rename or remove the others.",
            )


def _bindings(facts: ConfigFacts, known: set[str]) -> Iterator[Finding]:
    rows = [row for row in _list(facts.at("bindings")) if isinstance(row, dict)]
    seen: dict[str, int] = {}
    for number, row in enumerate(rows):
        key = f"bindings[{number}]"
        agent_id = row.get("agentId")
        if isinstance(agent_id, str) and agent_id.strip().lower() not in known:
            yield _unknown("binding-agent", f"{key}.agentId", agent_id, "the binding goes nowhere")
        match = row.get("match")
        words = _words(match if isinstance(match, dict) else {})
        if words in seen:
            yield Finding(
                "binding-twice",
                Severity.WARNING,
                f"binding {number} matches what binding {seen[words]} matched already",
                key=key,
                current=one_line(words),
                hint="Remove the one that is not meant; the first one counts.",
            )
        seen.setdefault(words, number)
    yield from _catch_all(rows)


def _catch_all(rows: Sequence[Mapping[str, object]]) -> Iterator[Finding]:
    for number, row in enumerate(rows[:-1]):
        match = row.get("match")
        if _is_catch_all(match if isinstance(match, dict) else {}):
            yield Finding(
                "binding-order",
                Severity.WARNING,
                f"binding {number} takes everything, and {len(rows) - number - 1} stand behind it",
                key=f"bindings[{number}]",
                current=number,
                recommended=len(rows) - 1,
                hint="Put the one that takes everything last.",
            )


def _is_catch_all(match: Mapping[str, object]) -> bool:
    is_narrow = any(match.get(name) for name in _PLACES)
    return not is_narrow and all(match.get(name) in (None, "", "*") for name in _WIDE)


_WIDE = ("channel", "accountId")


def _words(match: Mapping[str, object]) -> str:
    """Return what a binding matches, in words that are equal when it matches the same."""
    parts = []
    for name in (*_WIDE, *_PLACES):
        value = match.get(name)
        if isinstance(value, dict):
            value = f"{value.get('kind')}:{value.get('id')}"
        if value is not None:
            parts.append(f"{name}={value}")
    return " ".join(parts) or "everything"


def _subagents(
    facts: ConfigFacts, rows: Sequence[tuple[str, str, Mapping[str, object]]], known: set[str]
) -> Iterator[Finding]:
    places = [("agents.defaults", facts.at("agents", "defaults"))]
    places += [(key.removesuffix(".id"), row) for _, key, row in rows]
    for place, row in places:
        block = row.get("subagents") if isinstance(row, dict) else None
        for name in _list(block.get("allowAgents") if isinstance(block, dict) else None):
            if isinstance(name, str) and name != "*" and name.strip().lower() not in known:
                key = f"{place}.subagents.allowAgents"
                yield _unknown("subagent-unknown", key, name, "it cannot be called")


def _unknown(check: str, key: str, name: str, effect: str) -> Finding:
    return Finding(
        check,
        Severity.WARNING,
        f"there is no agent {one_line(name)}: {effect}",
        key=one_line(key),
        current=one_line(name),
        hint="Correct the id, or add the agent.",
    )


def _list(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else ()
