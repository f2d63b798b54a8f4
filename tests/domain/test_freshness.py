"""Freshness: policies as the platform resolves them, boundaries on every kind of day."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.domain.agents import Storage
from memconsole.domain.freshness import (
    Mode,
    Moments,
    Policy,
    Usual,
    boundaries,
    describe,
    judge,
    overdue_today,
    resolve,
    usual_reset,
)
from memconsole.domain.sessions.keys import SessionClass

BERLIN = ZoneInfo("Europe/Berlin")
DIRECT, GROUP, THREAD = SessionClass.DIRECT, SessionClass.GROUP, SessionClass.THREAD
DAILY = Policy(Mode.DAILY)
SECOND = timedelta(seconds=1)


def at(text: str, zone: ZoneInfo = BERLIN, *, fold: int = 0) -> datetime:
    """Return a local time as aware UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=zone, fold=fold).astimezone(UTC)


FILES, SQLITE, MIXED = Storage.FILES, Storage.SQLITE, Storage.MIXED


@pytest.mark.parametrize(
    ("version", "sessions", "assume", "mode", "origin"),
    [
        ("2026.1.24", FILES, "auto", Mode.DAILY, "platform default of 2026.1.24"),
        ("2026.7.1", FILES, "auto", Mode.DAILY, "platform default of 2026.7.1"),
        ("2026.8.0", SQLITE, "auto", Mode.NONE, "platform default of 2026.8.0"),
        ("2026.9.6", FILES, "auto", Mode.NONE, "platform default of 2026.9.6"),
        (None, SQLITE, "auto", Mode.NONE, "platform default since 2026.8, as sessions are in a"),
        (None, MIXED, "auto", Mode.NONE, "platform default since 2026.8, as sessions are in a"),
        ("dev", FILES, "auto", Mode.DAILY, "platform default up to 2026.7, as sessions are in f"),
        (None, Storage.NONE, "auto", Mode.DAILY, "platform default up to 2026.7, none since; no"),
        ("2026.9.6", SQLITE, "daily", Mode.DAILY, "assumed by freshness.assume"),
        ("2026.1.24", FILES, "none", Mode.NONE, "assumed by freshness.assume"),
    ],
)
def test_what_a_release_does_by_itself(
    version: str | None, sessions: Storage, assume: str, mode: Mode, origin: str
) -> None:
    usual = usual_reset(version, sessions, assume=assume)
    assert usual.mode is mode
    assert usual.origin.startswith(origin)


TYPED = {"resetByType": {"group": {"mode": "idle", "idleMinutes": 180}}}
DM = {"resetByType": {"dm": {"mode": "idle", "idleMinutes": 240}}}
BASE = {"reset": {"mode": "daily", "atHour": 5}}
BY_CHANNEL = {"resetByChannel": {"telegram": {"mode": "idle", "idleMinutes": 10_080}}}


@pytest.mark.parametrize(
    ("session", "kind", "channel", "expected"),
    [
        ({}, DIRECT, None, (Mode.DAILY, 4, None, "platform default")),
        (BASE, DIRECT, None, (Mode.DAILY, 5, None, "session.reset")),
        (TYPED | BASE, DIRECT, None, (Mode.DAILY, 5, None, "session.reset")),
        (TYPED | BASE, GROUP, None, (Mode.IDLE, 5, 180, "session.resetByType.group")),
        (TYPED | BASE, THREAD, None, (Mode.DAILY, 5, None, "session.reset")),
        (DM, SessionClass.MAIN, None, (Mode.IDLE, 4, 240, "session.resetByType.dm")),
        (
            BY_CHANNEL | TYPED | BASE,
            GROUP,
            "Telegram ",
            (Mode.IDLE, 4, 10_080, "session.resetByChannel.telegram"),
        ),
        (BY_CHANNEL | BASE, GROUP, "discord", (Mode.DAILY, 5, None, "session.reset")),
        ({"idleMinutes": 30}, DIRECT, None, (Mode.IDLE, 4, 30, "session.idleMinutes")),
        ({"idleMinutes": 30} | BASE, DIRECT, None, (Mode.DAILY, 5, 30, "session.reset")),
        ({"idleMinutes": 30} | TYPED, DIRECT, None, (Mode.DAILY, 4, 30, "session.idleMinutes")),
        ({"reset": {"mode": "idle"}}, DIRECT, None, (Mode.IDLE, 4, 60, "session.reset")),
        ({"reset": {"atHour": 99}}, DIRECT, None, (Mode.DAILY, 23, None, "session.reset")),
        ({"reset": {"atHour": -3.5}}, DIRECT, None, (Mode.DAILY, 0, None, "session.reset")),
        (
            {"reset": {"atHour": "5", "idleMinutes": 0}},
            DIRECT,
            None,
            (Mode.DAILY, 4, 1, "session.reset"),
        ),
        ({"reset": {"mode": "weekly"}}, DIRECT, None, (Mode.DAILY, 4, None, "session.reset")),
        ({"reset": {"mode": "none"}}, DIRECT, None, (Mode.NONE, 4, None, "session.reset")),
        (
            {"reset": {"mode": "none"}, "resetByType": {"group": {"atHour": 3}}},
            GROUP,
            None,
            (Mode.DAILY, 3, None, "session.resetByType.group"),
        ),
        ({"reset": [], "resetByType": 7}, DIRECT, None, (Mode.DAILY, 4, None, "platform default")),
    ],
)
def test_the_narrowest_section_decides(
    session: dict[str, object],
    kind: SessionClass,
    channel: str | None,
    expected: tuple[Mode, int, int | None, str],
) -> None:
    found = resolve(session, kind, channel, usual=Usual(Mode.DAILY))
    assert found is not None
    assert (found.mode, found.at_hour, found.idle_minutes, found.origin) == expected


def test_what_is_no_session_has_no_policy() -> None:
    for kind in (SessionClass.CRON, SessionClass.SUBAGENT, SessionClass.HOOK, SessionClass.OTHER):
        assert resolve(BASE, kind, None, usual=Usual(Mode.DAILY)) is None


@pytest.mark.parametrize(
    ("now", "before", "after"),
    [
        ("2026-01-26T03:59:59", "2026-01-25T04:00", "2026-01-26T04:00"),
        ("2026-01-26T04:00:00", "2026-01-26T04:00", "2026-01-27T04:00"),
        # the clock goes from 02:00 to 03:00
        ("2026-03-29T03:59:59", "2026-03-28T04:00", "2026-03-29T04:00"),
        ("2026-03-29T04:00:00", "2026-03-29T04:00", "2026-03-30T04:00"),
        # the clock goes from 03:00 back to 02:00
        ("2026-10-25T03:59:59", "2026-10-24T04:00", "2026-10-25T04:00"),
        ("2026-10-25T04:00:00", "2026-10-25T04:00", "2026-10-26T04:00"),
    ],
)
def test_the_boundary_of_a_day(now: str, before: str, after: str) -> None:
    assert boundaries(at(now), 4, BERLIN) == (at(before), at(after))


def test_days_of_23_and_25_hours() -> None:
    spring = boundaries(at("2026-03-28T12:00"), 4, BERLIN)
    autumn = boundaries(at("2026-10-24T12:00"), 4, BERLIN)
    assert spring[1] - spring[0] == timedelta(hours=23)
    assert autumn[1] - autumn[0] == timedelta(hours=25)


def test_an_hour_that_is_skipped_and_one_that_comes_twice() -> None:
    before, _ = boundaries(at("2026-03-29T12:00"), 2, BERLIN)
    assert before == at("2026-03-29T03:00")
    first, second = (at("2026-10-25T02:00", fold=fold) for fold in (0, 1))
    assert boundaries(second, 2, BERLIN) == (first, at("2026-10-26T02:00"))
    assert boundaries(first - SECOND, 2, BERLIN)[1] == first


@given(
    st.datetimes(datetime(2020, 1, 1), datetime(2035, 1, 1), timezones=st.just(UTC)),
    st.integers(0, 23),
    st.sampled_from(["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "UTC"]),
)
def test_now_always_lies_between_two_boundaries(now: datetime, hour: int, name: str) -> None:
    zone = ZoneInfo(name)
    before, after = boundaries(now, hour, zone)
    assert before <= now < after
    assert timedelta(hours=22) < after - before < timedelta(hours=26)
    assert before.astimezone(zone).hour in (hour, hour + 1)


NOW = at("2026-01-26T12:00")


def moments(started: str, updated: str | None = None, spoke: str | None = None) -> Moments:
    return Moments(at(started), at(updated or started), None if spoke is None else at(spoke))


@given(
    now=st.datetimes(datetime(2024, 1, 1), datetime(2027, 12, 31), timezones=st.just(UTC)),
    began=st.timedeltas(timedelta(), timedelta(hours=60)),
    hour=st.integers(0, 23),
    name=st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"]),
)
def test_what_is_overdue_today_is_what_each_session_would_be_told(
    now: datetime, began: timedelta, hour: int, name: str
) -> None:
    zone, policy = ZoneInfo(name), Policy(Mode.DAILY, at_hour=hour)
    first, last = overdue_today(now, hour, zone)
    for started_at in (now - began, first, first - timedelta(seconds=1), last):
        found = judge(policy, Moments(started_at, None, None), now=now, zone=zone)
        told = found.is_stale and found.wants_capture(now, timedelta())
        assert told == (first <= started_at < last)


def test_a_session_from_before_the_boundary_is_stale() -> None:
    found = judge(DAILY, moments("2026-01-26T03:59:59"), now=NOW, zone=BERLIN)
    assert (found.stale_because, found.next_reset_at) == (Mode.DAILY, None)
    found = judge(DAILY, moments("2026-01-26T04:00"), now=NOW, zone=BERLIN)
    assert found.stale_because is None
    assert found.next_reset_at == at("2026-01-27T04:00")


def test_idleness_ends_after_its_minutes_and_not_at_them() -> None:
    policy = Policy(Mode.IDLE, idle_minutes=60)
    ends_now = moments("2026-01-20T10:00", spoke="2026-01-26T11:00")
    assert judge(policy, ends_now, now=NOW, zone=BERLIN).next_reset_at == NOW
    assert judge(policy, ends_now, now=NOW + SECOND, zone=BERLIN).stale_because is Mode.IDLE


def test_whichever_comes_first() -> None:
    both = Policy(Mode.DAILY, at_hour=4, idle_minutes=120)
    talk = moments("2026-01-26T09:00", spoke="2026-01-26T11:30")
    assert judge(both, talk, now=NOW, zone=BERLIN).next_reset_at == at("2026-01-26T13:30")
    night = at("2026-01-27T03:00")
    late = moments("2026-01-26T09:00", spoke="2026-01-27T02:30")
    assert judge(both, late, now=night, zone=BERLIN).next_reset_at == at("2026-01-27T04:00")
    idle_first = moments("2026-01-25T09:00", spoke="2026-01-25T10:00")
    assert judge(both, idle_first, now=NOW, zone=BERLIN).stale_because is Mode.IDLE
    day_first = moments("2026-01-25T09:00", spoke="2026-01-26T03:00")
    assert judge(both, day_first, now=NOW, zone=BERLIN).stale_because is Mode.DAILY


def test_unknown_and_future_times_prove_nothing() -> None:
    both = Policy(Mode.DAILY, idle_minutes=60)
    nothing = judge(both, Moments(None, None, None), now=NOW, zone=BERLIN)
    assert (nothing.stale_because, nothing.idle_at) == (None, None)
    ahead = NOW + timedelta(days=1)
    skewed = judge(both, Moments(ahead, at("2026-01-26T11:30"), ahead), now=NOW, zone=BERLIN)
    assert skewed.idle_at == at("2026-01-26T12:30")


def test_where_nothing_is_reset_nothing_is_near() -> None:
    found = judge(
        Policy(Mode.NONE, idle_minutes=5), moments("2026-01-01T00:00"), now=NOW, zone=BERLIN
    )
    assert not found.wants_capture(NOW, timedelta(minutes=10))
    assert describe(found) == "the platform resets sessions: never (platform default)"


def test_a_capture_is_wanted_ten_minutes_before() -> None:
    lead, night = timedelta(minutes=10), at("2026-01-27T03:50")
    talk = moments("2026-01-26T09:00")
    early = judge(DAILY, talk, now=night - SECOND, zone=BERLIN)
    assert not early.wants_capture(night - SECOND, lead)
    assert judge(DAILY, talk, now=night, zone=BERLIN).wants_capture(night, lead)
    overdue = judge(DAILY, talk, now=at("2026-01-27T09:00"), zone=BERLIN)
    assert overdue.stale_since == at("2026-01-27T04:00")
    assert overdue.wants_capture(at("2026-01-27T09:00"), lead)
    forgotten = judge(DAILY, talk, now=at("2026-01-28T04:00"), zone=BERLIN)
    assert not forgotten.wants_capture(at("2026-01-28T04:00"), lead)


def test_words() -> None:
    policy = Policy(Mode.DAILY, 5, 360, "session.reset")
    found = judge(policy, moments("2026-01-26T11:59"), now=NOW, zone=BERLIN)
    assert (
        describe(found)
        == "fresh; the platform resets sessions: daily at 05:00 or after 360 idle minutes"
        " (session.reset)"
    )
    stale = judge(policy, moments("2026-01-01T06:00"), now=NOW, zone=BERLIN)
    assert describe(stale).startswith("stale, idle too long: its next message starts it anew")


def test_the_hosts_own_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    import time  # noqa: PLC0415

    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        assert boundaries(NOW, 4, None) == boundaries(NOW, 4, BERLIN)
        spring = at("2026-03-29T12:00")
        assert boundaries(spring, 2, None) == boundaries(spring, 2, BERLIN)
    finally:
        monkeypatch.undo()
        time.tzset()
