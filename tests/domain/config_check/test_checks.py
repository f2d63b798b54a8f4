"""Every check of the platform's configuration, wrong and right."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from memconsole.domain.agents import AgentRef, Era, PlatformConfig, Severity, Storage
from memconsole.domain.compaction import BadCompaction, Cascade, CompactionEvidence, Fault, Miscount
from memconsole.domain.config_check.checks import check_config
from memconsole.domain.config_check.compaction import urgent
from memconsole.domain.config_check.finding import Change, ConfigFacts, WindowUse
from memconsole.domain.release import release_of
from tests.domain.config_check.config_facts import PATH, WIDE, defaults, facts, found, one

MAIN = AgentRef("/home/operator/.openclaw", "main")
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
    assert "and 1 more sessions" in finding.why
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
