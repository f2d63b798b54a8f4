"""Checks of pruning, resets, roster, hooks and bootstrap files."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memconsole.domain.agents import Severity
from memconsole.domain.config_check.checks import check_config
from memconsole.domain.config_check.finding import Change
from memconsole.domain.freshness import Mode, resolve
from memconsole.domain.memory.files import MARKER_TAGS, Limit, Pool, PoolItem
from memconsole.domain.sessions.keys import SessionClass
from tests.domain.config_check.config_facts import defaults, facts, found, one

OUR_HOOKS = {
    name: frozenset({"HOOK.md", "handler.js"})
    for name in ("memory-index-inject", "session-summary", "memory-flush")
}


def hooks_on(**more: object) -> dict[str, object]:
    entries = {name: {"enabled": True} for name in OUR_HOOKS}
    return {"hooks": {"internal": {"enabled": True, "entries": {**entries, **more}}}}


@pytest.mark.parametrize(
    ("ttl", "fix"),
    [
        ("600", "600m"),
        (600, "600m"),
        (" 30 ", "30m"),
        ("soon", "4h"),
        (True, "4h"),
        (1.5, "4h"),
        ([], "4h"),
    ],
)
def test_a_ttl_without_a_unit_is_told(ttl: object, fix: str) -> None:
    finding = one(facts(defaults(contextPruning={"ttl": ttl})), "pruning-ttl")
    keys = ("agents", "defaults", "contextPruning", "ttl")
    assert (finding.severity, finding.changes) == (Severity.WARNING, (Change(keys, fix),))
    if fix != "4h":
        assert "minutes" in finding.why


@pytest.mark.parametrize("ttl", ["5m", "4h", "1.5h", "600s", "30 m", None])
def test_a_ttl_with_a_unit_is_fine(ttl: object) -> None:
    given = facts(defaults(contextPruning={"mode": "cache-ttl", "ttl": ttl}))
    assert found(given, "pruning-ttl") == []
    assert one(given, "pruning").why.startswith("context pruning is cache-ttl")


def test_older_pruning_modes_are_told() -> None:
    given = facts(defaults(contextPruning={"mode": "aggressive"}))
    assert one(given, "pruning-mode").current == "aggressive"


@pytest.mark.parametrize(
    ("session", "release", "policy"),
    [
        (None, "2026.9.6", "never"),
        (None, "2026.7.1", "daily at 4:00"),
        (None, None, "daily at 4:00 up to 2026.7, never since"),
        ({"idleMinutes": 90}, "2026.1.24", "after 90 idle minutes"),
        ({"reset": {"mode": "none"}}, "2026.9.6", "never"),
        ({"reset": "none", "resetByType": {"direct": "idle"}}, "2026.9.6", "never"),
        ({"reset": {"mode": "idle"}}, "2026.1.24", "after 60 idle minutes"),
        ({"reset": {"atHour": 5}, "idleMinutes": 9}, "2026.1.24", "daily at 5:00"),
        (
            {"reset": {"mode": "daily", "idleMinutes": 30}},
            "2026.1.24",
            "daily at 4:00 or after 30 idle minutes",
        ),
        (
            {"resetByType": {"direct": {"mode": "idle"}}, "resetByChannel": {"x": {}}},
            "2026.9.6",
            "never, 2 overrides",
        ),
    ],
)
def test_the_reset_policy_is_shown(session: object, release: str | None, policy: str) -> None:
    given = facts({} if session is None else {"session": session}, release=release)
    finding = one(given, "session-reset")
    assert (finding.current, finding.severity) == (policy, Severity.INFO)


@pytest.mark.parametrize(
    ("block", "key"),
    [
        ({"mode": "weekly"}, "session.resetByType.direct.mode"),
        ({"atHour": 24}, "session.resetByType.direct.atHour"),
        ({"atHour": "5"}, "session.resetByType.direct.atHour"),
        ({"idleMinutes": 0}, "session.resetByType.direct.idleMinutes"),
    ],
)
def test_values_of_a_policy_that_mean_nothing_are_told(block: object, key: str) -> None:
    given = facts({"session": {"resetByType": {"direct": block}}})
    [wrong] = [it for it in found(given, "session-reset") if it.severity is Severity.WARNING]
    assert wrong.key == key


@pytest.mark.parametrize(
    ("release", "word"),
    [("2026.1.24-3", "dm"), ("2026.3.13", "direct"), ("2026.9.6", "direct"), (None, "direct")],
)
def test_the_policy_that_is_advised_is_what_the_release_makes_of_it(
    release: str | None, word: str
) -> None:
    given = facts(release=release)
    advised = [one for one in found(given, "session-reset", recommends=True) if one.recommended]
    [policy] = [json.loads(str(one.recommended)) for one in advised]

    assert set(policy["resetByType"]) == {word, "group"}
    for kind, idle in (
        (SessionClass.MAIN, 360),
        (SessionClass.DIRECT, 360),
        (SessionClass.GROUP, 180),
    ):
        resolved = resolve(policy, kind, None, usual=Mode.NONE)
        assert resolved is not None
        assert (resolved.mode, resolved.at_hour) == (Mode.DAILY, 5)
        assert resolved.idle_minutes == idle
    thread = resolve(policy, SessionClass.THREAD, None, usual=Mode.NONE)
    assert thread is not None
    assert (thread.mode, thread.at_hour, thread.idle_minutes) == (Mode.DAILY, 5, None)
    followed = facts({"session": policy}, release=release)
    assert [one.severity for one in found(followed, "session-reset")] == [Severity.INFO]


@pytest.mark.parametrize(("release", "count"), [("2026.7.1", 1), ("2026.9.6", 0), (None, 0)])
def test_no_reset_at_all_is_a_word_of_newer_releases(release: str | None, count: int) -> None:
    given = facts({"session": {"reset": {"mode": "none"}}}, release=release)
    wrong = [it for it in found(given, "session-reset") if it.severity is Severity.WARNING]
    assert len(wrong) == count


@pytest.mark.parametrize(("release", "count"), [("2026.7.1", 1), ("2026.9.6", 0), (None, 1)])
def test_a_prompt_is_advised_where_a_flush_takes_one(release: str | None, count: int) -> None:
    assert len(found(facts(release=release), "flush-prompt", recommends=True)) == count


def test_ids_are_unique_and_lower_case() -> None:
    roster = {"list": [{"id": "Ops"}, {"id": "ops"}, {"id": "main"}]}
    given = facts({"agents": roster})
    case = one(given, "agent-id-case")
    assert (case.key, case.recommended) == ("agents.list[0].id", "ops")
    assert one(given, "agent-id-twice").severity is Severity.HIGH
    sound = facts({"agents": {"entries": {"ops": {}, "main": {}}}})
    assert found(sound, "agent-id-case") == found(sound, "agent-id-twice") == []


def test_bindings_name_agents_once_and_the_widest_last() -> None:
    rows = [
        {"agentId": "ops", "match": {"channel": "telegram"}},
        {"agentId": "gone", "match": {"channel": "slack"}},
        {"agentId": "ops", "match": {"channel": "*"}},
        {"agentId": "main", "match": {"channel": "telegram"}},
        {"agentId": "main", "match": {"channel": "telegram", "peer": {"kind": "dm", "id": "7"}}},
    ]
    given = facts({"agents": {"entries": {"ops": {}, "main": {}}}, "bindings": rows})
    assert one(given, "binding-agent").key == "bindings[1].agentId"
    assert one(given, "binding-twice").key == "bindings[3]"
    assert one(given, "binding-order").recommended == 4
    ordered = facts({"bindings": [{"agentId": "main", "match": {"channel": "a"}}, {}]})
    assert [it.id for it in check_config(ordered).findings if "binding" in it.id] == []


def test_subagents_exist() -> None:
    entries = {"main": {"subagents": {"allowAgents": ["*", "OPS", "gone"]}}, "ops": {}}
    given = facts({"agents": {"entries": entries}})
    finding = one(given, "subagent-unknown")
    assert (finding.key, finding.current) == (
        "agents.entries.main.subagents.allowAgents",
        "gone",
    )


def test_hooks_that_are_not_there_are_named() -> None:
    finding = one(facts(hooks={"memory-flush": frozenset({"HOOK.md"})}), "hooks")
    assert finding.why == "not installed: memory-index-inject, session-summary"
    assert found(facts(hooks=OUR_HOOKS), "hooks") == []
    prefixed = {f"mc-{name}": files for name, files in OUR_HOOKS.items()}
    assert found(facts(hooks=prefixed), "hooks") == []


def test_installed_hooks_are_switched_on() -> None:
    assert found(facts(hooks_on(), hooks=OUR_HOOKS), "hooks-off") == []
    off = found(facts({}, hooks=OUR_HOOKS), "hooks-off")
    assert [it.fix for it in off][:2] == [
        "hooks.internal.enabled = true",
        "hooks.internal.entries.memory-flush.enabled = true",
    ]
    assert len(off) == 4


def test_a_typescript_handler_beside_ours_is_told() -> None:
    files = {"x\x1b[31m": frozenset({"HOOK.md", "handler.js", "handler.ts"})}
    finding = one(facts(hooks=files), "hook-handler")
    assert "\x1b" not in finding.why
    assert "handler.ts" in finding.why


def test_two_notes_of_each_session_are_told() -> None:
    both = facts(hooks_on(**{"session-memory": {"enabled": True}}), hooks=OUR_HOOKS)
    assert one(both, "double-indexing").severity is Severity.INFO
    assert found(facts(hooks_on(), hooks=OUR_HOOKS), "double-indexing") == []


def pool(sizes: dict[str, int], limits: tuple[Limit, ...] = ()) -> Pool:
    items = tuple(
        PoolItem(path, size, size // 4, is_generated=False, is_counted=True)
        for path, size in sizes.items()
    )
    return Pool(
        agents=("main",),
        root=Path("/ws"),
        exists=True,
        files=len(items),
        size_bytes=sum(sizes.values()),
        tokens=0,
        markers=dict.fromkeys(MARKER_TAGS, 0),
        items=items,
        by_category=(),
        limits=limits,
        notices=(),
        active_context_at=None,
        read_at=datetime(2026, 1, 26, tzinfo=UTC),
    )


def budget(given: Pool) -> list[tuple[str | None, object]]:
    return [(it.path, it.current) for it in found(facts(pools=(given,)), "bootstrap-budget")]


def test_files_of_which_the_platform_loads_the_beginning_are_told() -> None:
    limits = (Limit("MEMORY.md", 20_001, 20_000), Limit("USER.md", 20_000, 20_000))
    assert budget(pool({}, limits)) == [("/ws/MEMORY.md", 20_001)]


def test_what_memconsole_hands_a_session_has_a_budget_too() -> None:
    sizes = {"memory/observations.md": 20_001, "memory/INDEX.md": 20_000, "memory/other.md": 90_000}
    assert budget(pool(sizes)) == [("/ws/memory/observations.md", 20_001)]
    [finding] = found(facts(pools=(pool(sizes),)), "bootstrap-budget")
    assert "memconsole reflect" in finding.hint
    full = {**sizes, "memory/ACTIVE_CONTEXT.md": 15_000, "MEMORY.md": 5_001}
    assert budget(pool(full)) == [("/ws/memory/observations.md", 20_001), ("/ws", 60_001)]
    assert budget(pool({**full, "MEMORY.md": 5_000})) == [("/ws/memory/observations.md", 20_001)]


def test_a_memory_that_is_switched_off_is_a_warning() -> None:
    finding = one(facts({"plugins": {"slots": {"memory": "none"}}}), "memory-off")

    assert (finding.severity, finding.current) == (Severity.WARNING, "none")
    assert not found(facts({"plugins": {"slots": {"memory": "memory-core"}}}), "memory-off")


def test_a_history_that_is_cut_is_named_with_its_channel() -> None:
    channels = {
        "telegram": {"dmHistoryLimit": 20, "historyLimit": 50, "dms": {"7": {"historyLimit": 5}}},
        "slack": {"dmHistoryLimit": 0},
        "signal": "odd",
    }
    told = found(facts({"channels": channels}), "history-limit")

    assert [(one.key, one.current) for one in told] == [
        ("channels.telegram.dmHistoryLimit", "20"),
        ("channels.telegram.dms.7.historyLimit", "5"),
    ]
    assert all("in the transcript" in one.why for one in told)


def test_one_session_for_everybody_is_said() -> None:
    shared = facts()
    shared = replace(shared, config=replace(shared.config, session_scope="global"))

    assert one(shared, "session-scope").current == "global"
    assert not found(facts(), "session-scope")
