"""Every check of the platform's configuration, wrong and right: a long table."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memconsole.domain.agents import AgentRef, Era, HomeRef, PlatformConfig, Severity, Storage
from memconsole.domain.compaction import BadCompaction, Cascade, CompactionEvidence, Fault, Miscount
from memconsole.domain.config_check.checks import check_config
from memconsole.domain.config_check.compaction import urgent
from memconsole.domain.config_check.finding import Change, ConfigFacts, Finding, WindowUse
from memconsole.domain.freshness import Mode, Usual, resolve
from memconsole.domain.memory.files import MARKER_TAGS, Limit, Pool, PoolItem
from memconsole.domain.release import release_of
from memconsole.domain.sessions.keys import SessionClass
from tests.domain.config_check.config_facts import PATH, WIDE, defaults, facts, found, one

MAIN = AgentRef(HomeRef("/home/operator/.openclaw"), "main")

AT = datetime(2026, 1, 26, 9, 5, tzinfo=UTC)

MODE = ("agents", "defaults", "compaction", "mode")

LOSS = BadCompaction(
    MAIN, "agent:main:main", "a1", AT, Fault.UNAVAILABLE, "its summary is only …", 50_210
)


def mode(value: object) -> dict[str, object]:
    return defaults(compaction={"mode": value})


def test_a_sound_home_has_nothing_at_warning_or_worse() -> None:
    report = check_config(facts(mode("default")))
    assert [(one.id, one.severity) for one in report.findings] == [
        ("hooks", Severity.INFO),
        ("rotation-first", Severity.INFO),
        ("session-reset", Severity.INFO),
    ]
    assert (report.changes, report.looked_at, report.path) == ((), 3, str(PATH))


@pytest.mark.parametrize("value", ["safeguard", None])
@pytest.mark.parametrize(
    ("release", "severity", "is_certain"),
    [
        ("2026.1.24-3", Severity.HIGH, True),
        ("2026.2.16", Severity.HIGH, True),
        ("2026.2.17", Severity.INFO, True),
        ("2026.9.6", Severity.INFO, True),
        (None, Severity.HIGH, False),
        ("dev", Severity.HIGH, False),
    ],
)
def test_safeguard_depends_on_the_release(
    value: object, release: str | None, severity: Severity, is_certain: bool
) -> None:
    finding = one(facts(mode(value), release=release), "compaction-mode")
    assert (finding.severity, finding.is_certain) == (severity, is_certain)
    assert finding.current == ("not set" if value is None else value)
    is_high = severity is Severity.HIGH
    assert finding.changes == ((Change(MODE, "default"),) if is_high else ())
    assert finding.fix == ('agents.defaults.compaction.mode = "default"' if is_high else None)
    assert ("nobody could look" in finding.why) is not is_certain


def test_a_loss_makes_safeguard_grave_on_any_release() -> None:
    evidence = CompactionEvidence(bad=(LOSS,))
    finding = one(facts(mode("safeguard"), evidence=evidence), "compaction-mode")
    assert (finding.severity, finding.recommended) == (Severity.HIGH, "default")
    assert found(facts(mode("default"), evidence=evidence), "compaction-mode") == []


def test_the_older_place_of_the_mode_counts_and_is_the_one_to_change() -> None:
    old = facts({"compaction": {"mode": "safeguard"}}, release="2026.1.24")
    finding = one(old, "compaction-mode")
    assert (finding.key, finding.changes) == (
        "compaction.mode",
        (Change(("compaction", "mode"), "default"),),
    )


@pytest.mark.parametrize(
    ("value", "current"),
    [
        ("aggressive", "aggressive"),
        (5, 5),
        (True, True),
        ([], "a list"),
        ({}, "a block"),
        (" ", "an empty text"),
    ],
)
def test_another_mode_is_told(value: object, current: object) -> None:
    finding = one(facts(mode(value)), "compaction-mode")
    assert (finding.severity, finding.recommended) == (Severity.WARNING, "default")
    assert finding.current == current


def test_the_flush_must_be_on() -> None:
    off = facts(defaults(compaction={"mode": "default", "memoryFlush": {"enabled": False}}))
    finding = one(off, "memory-flush")
    assert (finding.severity, finding.fix) == (
        Severity.HIGH,
        "agents.defaults.compaction.memoryFlush.enabled = true",
    )
    assert found(off, "rotation-first") == []
    on = facts(defaults(compaction={"memoryFlush": {"enabled": True}}))
    assert found(on, "memory-flush") == []


@pytest.mark.parametrize(
    ("value", "is_told"),
    [(None, False), (20_000, False), (30_000, False), (19_999, True), (0, True), ("20k", True)],
)
def test_the_reserve_has_a_floor(value: object, is_told: bool) -> None:
    given = facts(defaults(compaction={"reserveTokensFloor": value}))
    assert [one.recommended for one in found(given, "reserve-floor")] == [20_000] * is_told


@pytest.mark.parametrize(
    ("value", "is_told"), [(None, False), (8000, False), ("8k", True), (-1, True)]
)
def test_the_soft_threshold_is_a_number(value: object, is_told: bool) -> None:
    given = facts(defaults(compaction={"memoryFlush": {"softThresholdTokens": value}}))
    assert [one.recommended for one in found(given, "soft-threshold")] == [4000] * is_told


@pytest.mark.parametrize(("window", "never"), [(24_001, False), (24_000, True), (16_000, True)])
def test_a_window_without_room_never_flushes(window: int, never: bool) -> None:
    use = WindowUse(window, "agent:main:small", window * 3 // 4, "main")
    given = facts(mode("default"), windows=(use, use))
    told = found(given, "flush-arithmetic")
    assert [one.severity for one in told] == [Severity.CRITICAL] * never
    if never:
        assert told[0].current == window - 24_000
        assert "agent:main:small" in told[0].why


def test_the_reserve_of_the_configuration_counts() -> None:
    config = PlatformConfig(path=PATH, reserve_tokens=50_000)
    use = WindowUse(54_000, "agent:main:main", 40_000)
    assert one(facts(config=config, windows=(use,)), "flush-arithmetic").current == 0


@pytest.mark.parametrize(("threshold", "is_told"), [(176_000, True), (176_001, False)])
def test_rotation_before_the_flush_is_intended(threshold: int, is_told: bool) -> None:
    given = facts(windows=(replace(WIDE, threshold=threshold),))
    assert [one.current for one in found(given, "rotation-first")] == [176_000] * is_told


def test_a_compaction_before_the_flush_point_is_told_once() -> None:
    other = replace(WIDE, name="agent:main:other")
    late = CompactionEvidence(compacted_at={WIDE.name: 128_411, other.name: 175_999})
    finding = one(facts(windows=(WIDE, other), evidence=late), "flush-late")
    assert (finding.severity, finding.current) == (Severity.WARNING, 128_411)
    assert "and 1 session more" in finding.why
    assert len(finding.details) == 2
    fine = CompactionEvidence(compacted_at={WIDE.name: 176_000})
    assert found(facts(evidence=fine), "flush-late") == []


@pytest.mark.parametrize(("threshold", "is_told"), [(180_000, False), (180_001, True)])
def test_the_threshold_stays_below_the_compaction_point(threshold: int, is_told: bool) -> None:
    given = facts(windows=(replace(WIDE, threshold=threshold),))
    assert [one.recommended for one in found(given, "compacts-first")] == [180_000] * is_told


def test_the_evidence_is_one_finding_a_session() -> None:
    old = replace(LOSS, at=None, fault=Fault.TOO_SHORT, why="its summary is short")
    short = replace(old, session_id="b2", key=None)
    findings = found(
        facts(evidence=CompactionEvidence(bad=(LOSS, old, short))), "compaction-evidence"
    )
    assert [one.severity for one in findings] == [Severity.CRITICAL, Severity.WARNING]
    lost, suspicious = findings
    assert lost.why.startswith("agent:main:main was compacted at 2026-01-26 09:05 UTC, and")
    assert "1 more of this session" in lost.why
    assert "still in the same transcript" in lost.hint
    assert "`memconsole observe --agent main --recover a1` saves them" in lost.hint
    assert lost.details[0] == {
        "key": "agent:main:main",
        "session_id": "a1",
        "at": "2026-01-26T09:05:00+00:00",
        "why": LOSS.why,
    }
    assert suspicious.hint.startswith("What it may have left out is still in the same transcript")
    assert suspicious.why.startswith("session b2 was compacted at an unknown time")


def test_cascades_and_miscounts_are_told() -> None:
    key = "agent:main:main"
    evidence = CompactionEvidence(
        cascades=(Cascade(MAIN, key, "a1", AT, 4),), miscounts=(Miscount(MAIN, key, "a1", 2, 0),)
    )
    assert one(facts(evidence=evidence), "compaction-cascade").severity is Severity.HIGH
    assert one(facts(evidence=evidence), "compaction-count").severity is Severity.WARNING


def test_what_nobody_could_look_at_is_said() -> None:
    assert one(facts(evidence=None), "evidence-unread").severity is Severity.WARNING
    unread = CompactionEvidence(unread=tuple(f"transcript {n}" for n in range(5)))
    finding = one(facts(evidence=unread), "evidence-unread")
    assert "transcript 2; and 2 more" in finding.why
    assert one(facts(hooks=None), "hooks").severity is Severity.WARNING


def test_an_unreadable_configuration_is_never_fine() -> None:
    broken = facts(config=PlatformConfig(path=PATH, is_readable=False))
    report = check_config(broken, recommends=True)
    assert [(one.id, one.severity) for one in report.findings] == [
        ("config-unreadable", Severity.CRITICAL)
    ]
    assert report.changes == ()
    assert urgent(broken) == ()
    [named] = check_config(replace(broken, unreadable_because="not JSON5 at line 3")).findings
    assert (named.why, named.path) == ("not JSON5 at line 3", str(PATH))
    missing = facts(config=PlatformConfig())
    assert one(missing, "config-missing").severity is Severity.INFO


def test_advice_comes_when_asked_for() -> None:
    given = facts(mode("default"), release="2026.7.1")
    asked = check_config(given, recommends=True).findings
    usual = check_config(given).findings
    extra = [one.id for one in asked if one not in usual]
    assert extra == ["flush-prompt", "pruning-ttl", "session-reset", "soft-threshold"]
    assert all(one.severity is Severity.INFO and one.changes == () for one in asked)
    assert {one.recommended for one in asked if one.id == "soft-threshold"} == {25_000}


def test_advice_that_is_followed_is_not_repeated() -> None:
    flush = {"softThresholdTokens": 25_000, "prompt": "Append."}
    block = {"mode": "default", "memoryFlush": flush}
    checked = defaults(compaction=block, contextPruning={"ttl": "4h"})
    told = [one.id for one in check_config(facts(checked), recommends=True).findings]
    assert not {"soft-threshold", "flush-prompt", "pruning-ttl"} & set(told)


def test_only_what_is_grave_and_certain_wants_attention() -> None:
    assert urgent(facts(mode("safeguard"), release=None)) == ()
    assert urgent(facts(mode("safeguard"))) == ()
    [finding] = urgent(facts(mode("safeguard"), release="2026.1.24-3"))
    assert finding.id == "compaction-mode"
    small = WindowUse(16_000, "stub", 12_000, is_assumed=True)
    assert urgent(facts(mode("default"), windows=(small,))) == ()
    [finding] = urgent(facts(mode("default"), windows=(replace(small, is_assumed=False),)))
    assert finding.id == "flush-arithmetic"


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("2026.1.24-3", (2026, 1, 24)),
        ("v2026.9.6", (2026, 9, 6)),
        (" 2026.2.17+build.5 ", (2026, 2, 17)),
        ("2026.2.17-beta.1", (2026, 2, 17)),
        ("2026.9", None),
        ("dev", None),
        ("", None),
        (None, None),
    ],
)
def test_releases_are_compared_by_their_date(
    text: str | None, release: tuple[int, int, int] | None
) -> None:
    assert release_of(text) == release


def test_no_shape_of_a_configuration_breaks_a_check() -> None:
    odd: list[object] = [None, 5, "x", [], [None], {"a": []}, {"list": [5, {"id": 5}]}]
    for value in odd:
        for place in ("agents", "session", "hooks", "bindings", "compaction", "meta"):
            given: ConfigFacts = facts({place: value}, hooks={"x": frozenset({"HOOK.md"})})
            assert check_config(given, recommends=True).findings


@pytest.mark.parametrize(
    ("era", "severity"),
    [
        (Era(sessions=Storage.SQLITE), Severity.INFO),
        (Era(sessions=Storage.MIXED), Severity.INFO),
        (Era(cron=Storage.SQLITE), Severity.INFO),
        (Era(sessions=Storage.FILES), Severity.HIGH),
        (Era(sessions=Storage.UNREADABLE), Severity.HIGH),
    ],
)
def test_where_the_data_lies_proves_a_release(era: Era, severity: Severity) -> None:
    finding = one(facts(mode("safeguard"), release=None, era=era), "compaction-mode")
    assert finding.severity is severity
    if severity is Severity.INFO:
        assert "repaired in releases since 2026." in finding.why


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
        (None, "2026.7.1", "daily at 04:00"),
        (None, None, "daily at 04:00"),
        ({"idleMinutes": 90}, "2026.1.24", "after 90 idle minutes"),
        ({"reset": {"mode": "none"}}, "2026.9.6", "never"),
        ({"reset": "none", "resetByType": {"direct": "idle"}}, "2026.9.6", "never"),
        ({"reset": {"mode": "idle"}}, "2026.1.24", "after 60 idle minutes"),
        (
            {"reset": {"atHour": 5}, "idleMinutes": 9},
            "2026.1.24",
            "daily at 05:00 or after 9 idle minutes",
        ),
        (
            {"reset": {"mode": "daily", "idleMinutes": 30}},
            "2026.1.24",
            "daily at 04:00 or after 30 idle minutes",
        ),
        (
            {"resetByType": {"direct": {"mode": "idle"}}, "resetByChannel": {"x": {}}},
            "2026.9.6",
            "never; 2 overrides",
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


IDLE = {"mode": "idle", "idleMinutes": 30}


@pytest.mark.parametrize(
    ("session", "release", "key"),
    [
        ({"idleMinutes": 30}, "2026.9.6", "session.idleMinutes"),
        ({"idleMinutes": 30}, "2026.3.13", None),
        ({"idleMinutes": 30}, None, None),
        ({"resetByType": {"dm": IDLE}}, "2026.9.6", "session.resetByType.dm"),
        ({"resetByType": {"dm": IDLE}}, "2026.3.13", None),
        ({"resetByType": {"direct": IDLE}}, "2026.1.24-3", "session.resetByType.direct"),
        ({"resetByType": {"direct": IDLE}}, "2026.3.13", None),
        ({"reset": {"mode": "none"}}, "2026.3.13", "session.reset.mode"),
        ({"reset": {"mode": "none"}}, None, None),
    ],
)
def test_what_a_release_refuses_of_a_policy_is_told(
    session: object, release: str | None, key: str | None
) -> None:
    asked = found(facts({"session": session}, release=release), "session-reset")
    wrong = [(one.key, one.hint) for one in asked if one.severity is Severity.WARNING]
    hint = "Correct it: the platform refuses its whole configuration for it."
    assert wrong == ([] if key is None else [(key, hint)])


def test_sessions_in_files_are_of_a_release_without_the_mode_none() -> None:
    era = Era(sessions=Storage.FILES)
    given = facts({"session": {"reset": {"mode": "none"}}}, release=None, era=era)
    asked = found(given, "session-reset")
    assert [one.key for one in asked if one.severity is Severity.WARNING] == ["session.reset.mode"]


@pytest.mark.parametrize(
    ("release", "word"),
    [("2026.1.24-3", "dm"), ("2026.3.13", "direct"), ("2026.9.6", "direct"), (None, "dm")],
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
        resolved = resolve(policy, kind, None, usual=Usual(Mode.NONE))
        assert resolved is not None
        assert (resolved.mode, resolved.at_hour) == (Mode.DAILY, 5)
        assert resolved.idle_minutes == idle
    thread = resolve(policy, SessionClass.THREAD, None, usual=Usual(Mode.NONE))
    assert thread is not None
    assert (thread.mode, thread.at_hour, thread.idle_minutes) == (Mode.DAILY, 5, None)
    followed = facts({"session": policy}, release=release)
    asked = found(followed, "session-reset", recommends=True)
    assert [(one.severity, one.recommended) for one in asked] == [(Severity.INFO, None)]


def test_a_home_in_databases_is_of_a_release_that_refuses_the_older_word() -> None:
    era = Era(sessions=Storage.SQLITE)
    advised = found(facts(release=None, era=era), "session-reset", recommends=True)
    assert any('"direct"' in str(one.recommended) for one in advised)


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


def limited(scope: str | None, release: str = "2026.9.6") -> list[Finding]:
    """Return what is said of limits on direct chats under a scope of theirs."""
    channels = {
        "telegram": {
            "dmHistoryLimit": 20,
            "historyLimit": 50,
            "dms": {"7": {"historyLimit": 5}},
            "accounts": {"shop": {"dmHistoryLimit": 3}, "odd": 4},
        },
        "slack": {"dmHistoryLimit": 0},
        "signal": "odd",
    }
    checked = {"channels": channels, "session": {"dmScope": scope}}
    return found(facts(checked, release=release), "history-limit")


def test_a_history_that_is_cut_is_named_with_its_channel() -> None:
    told = limited("per-channel-peer")

    assert [(one.key, one.current) for one in told] == [
        ("channels.telegram.accounts.shop.dmHistoryLimit", "3"),
        ("channels.telegram.dmHistoryLimit", "20"),
        ("channels.telegram.dms.7.historyLimit", "5"),
    ]
    assert all("in the transcript" in one.why for one in told)
    old = limited("per-channel-peer", "2026.3.13")
    assert [one.key for one in old] == [one.key for one in told[1:]]


@pytest.mark.parametrize(
    ("scope", "release", "is_cut"),
    [
        (None, "2026.9.6", False),
        ("main", "2026.1.24-3", False),
        ("per-peer", "2026.9.6", False),
        ("per-account-channel-peer", "2026.9.6", True),
        ("per-account-channel-peer", "2026.3.13", False),
    ],
)
def test_a_limit_cuts_nothing_where_people_share_a_session(
    scope: str | None, release: str, is_cut: bool
) -> None:
    assert {"in the transcript" in one.why for one in limited(scope, release)} == {is_cut}
    assert {"cuts nothing" in one.why for one in limited(scope, release)} == {not is_cut}


def test_who_shares_a_session_is_said_where_it_is_not_the_usual() -> None:
    shared = facts({"session": {"dmScope": "per-peer", "groupScope": "main"}})
    told = found(shared, "session-scope")
    assert [(one.key, one.current) for one in told] == [
        ("session.dmScope", "per-peer"),
        ("session.groupScope", "main"),
    ]
    usual = {"session": {"dmScope": "main", "groupScope": "per-group"}}
    assert not found(facts(usual), "session-scope")
    shared = replace(shared, config=replace(shared.config, session_scope="global"))
    assert one(shared, "session-scope").current == "global"
    assert not found(facts(), "session-scope")
