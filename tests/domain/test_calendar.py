"""The user's calendar day."""

from __future__ import annotations

import json
import os
import time
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memconsole.domain.calendar import clock, local_day, local_time, resolve_zone, stamp

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NOON = datetime(2026, 1, 26, 12, 0, tzinfo=UTC)


@pytest.fixture
def host_zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Let a test set the host's zone; the process has its own again afterwards."""
    yield monkeypatch
    monkeypatch.undo()
    time.tzset()


def set_host(patch: pytest.MonkeyPatch, name: str) -> None:
    patch.setenv("TZ", name)
    time.tzset()


def test_our_own_setting_wins() -> None:
    found = resolve_zone("Asia/Tokyo", "Europe/Berlin")
    assert found.zone == ZoneInfo("Asia/Tokyo")
    assert found.notices == ()


@pytest.mark.parametrize("setting", [None, "", "  "])
def test_the_platform_comes_second(setting: str | None) -> None:
    assert resolve_zone(setting, "Europe/Berlin").zone == ZoneInfo("Europe/Berlin")


def test_the_host_comes_last() -> None:
    assert resolve_zone(None, None) == (None, ())


@pytest.mark.parametrize(
    "bad", ["Middle/Earth", "America", "../../etc/passwd", "/etc/passwd", "a\0b"]
)
def test_a_bad_name_is_passed_over_and_said(bad: str) -> None:
    found = resolve_zone(bad, "Asia/Tokyo")
    assert found.zone == ZoneInfo("Asia/Tokyo")
    [notice] = found.notices
    assert notice.code == "config-unreadable"
    assert notice.message.startswith("timezone names no time zone")


def test_two_bad_names_leave_the_host() -> None:
    found = resolve_zone("x/y", "z")
    assert found.zone is None
    assert [notice.message.split()[0] for notice in found.notices] == [
        "timezone",
        "agents.defaults.userTimezone",
    ]


@given(st.text())
def test_any_name_gives_a_zone_or_a_notice(name: str) -> None:
    found = resolve_zone(name, None)
    assert (found.zone is None) or not found.notices


@pytest.mark.parametrize(
    ("at", "zone", "day", "shown"),
    [
        ("2026-04-11T19:53:00+00:00", "Asia/Shanghai", "2026-04-12", "03:53"),
        ("2026-03-15T01:17:00+00:00", "America/Los_Angeles", "2026-03-14", "18:17"),
        ("2026-04-11T18:20:00+00:00", "Asia/Kathmandu", "2026-04-12", "00:05"),
        ("2026-04-11T21:59:59+00:00", "Europe/Berlin", "2026-04-11", "23:59"),
        ("2026-04-11T22:00:00+00:00", "Europe/Berlin", "2026-04-12", "00:00"),
    ],
)
def test_day_and_clock_follow_the_zone_and_the_host(
    at: str, zone: str, day: str, shown: str, host_zone: pytest.MonkeyPatch
) -> None:
    instant = datetime.fromisoformat(at)
    assert local_day(instant, ZoneInfo(zone)) == date.fromisoformat(day)
    assert clock(instant, ZoneInfo(zone)) == shown
    set_host(host_zone, zone)
    assert local_day(instant, None) == date.fromisoformat(day)
    assert clock(instant, None) == shown


def test_the_host_zone_has_its_dst_rules(host_zone: pytest.MonkeyPatch) -> None:
    set_host(host_zone, "Europe/Berlin")
    before = datetime(2026, 3, 29, 0, 59, tzinfo=UTC)
    assert stamp(before, None) == "2026-03-29T01:59:00+01:00"
    assert stamp(before + timedelta(minutes=1), None) == "2026-03-29T03:00:00+02:00"


def test_a_stamp_has_its_offset_and_no_fraction() -> None:
    at = NOON.replace(microsecond=123456)
    assert stamp(at, ZoneInfo("Europe/Berlin")) == "2026-01-26T13:00:00+01:00"
    assert stamp(at, ZoneInfo("UTC")) == "2026-01-26T12:00:00+00:00"


def test_no_time_is_no_guess() -> None:
    assert clock(None, None) == "??:??"


@example(datetime.max.replace(tzinfo=UTC), "Asia/Tokyo")
@example(datetime.min.replace(tzinfo=UTC), "America/Lima")
@given(st.datetimes(timezones=st.just(UTC)), st.sampled_from(["Asia/Tokyo", "America/Lima", None]))
def test_any_instant_has_a_day(at: datetime, name: str | None) -> None:
    zone = None if name is None else ZoneInfo(name)
    shown = local_time(at, zone)
    assert abs(shown - at) < timedelta(seconds=1)
    assert abs(local_day(at, zone).toordinal() - at.toordinal()) <= 1


@pytest.mark.shared
def test_every_variant_of_case_c15(shared: Path, host_zone: pytest.MonkeyPatch) -> None:
    variants = json.loads((shared / "cases/c15-local-day/variants.json").read_text())
    for variant in variants:
        set_host(host_zone, variant["env"]["TZ"])
        own = variant.get("own_setting", {}).get("timezone")
        zone = resolve_zone(own, None).zone
        now = datetime.fromisoformat(variant["env"]["NOW"].replace("Z", "+00:00"))
        assert f"memory/{local_day(now, zone)}.md" == variant["daily_file"]
        assert clock(now, zone) == variant["entry_time"]
    assert os.environ["TZ"] == variants[-1]["env"]["TZ"]
