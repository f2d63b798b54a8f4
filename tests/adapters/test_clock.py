"""The clock of the process."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.adapters.clock import PassedTime, SystemClock
from memconsole.errors import ConfigError

if TYPE_CHECKING:
    from memconsole.ports import jobs, platform


@pytest.mark.parametrize("start", [None, ""])
def test_without_a_start_it_is_the_host_s_wall_clock(start: str | None) -> None:
    clock: platform.Clock = SystemClock(start)
    before = datetime.now(UTC)
    now = clock.now()
    assert before <= now <= datetime.now(UTC)
    assert now.utcoffset() == timedelta()


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-04-12T09:00:00Z", datetime(2026, 4, 12, 9, tzinfo=UTC)),
        ("2026-04-12T09:00:00+02:00", datetime(2026, 4, 12, 7, tzinfo=UTC)),
        (" 2026-04-12 09:00-05:30 ", datetime(2026, 4, 12, 14, 30, tzinfo=UTC)),
        ("1970-01-01T00:00:00+14:00", datetime(1969, 12, 31, 10, tzinfo=UTC)),
    ],
)
def test_it_starts_where_it_is_told_and_runs_on(text: str, moment: datetime) -> None:
    clock = SystemClock(text)
    readings = [clock.now() for _ in range(50)]
    assert moment <= readings[0] < moment + timedelta(minutes=10)
    assert all(earlier <= later for earlier, later in pairwise(readings))
    assert readings[-1] > moment
    assert readings[0].tzinfo is UTC


@pytest.mark.parametrize(
    "text",
    [
        "2026-04-12T09:00:00",
        "2026-04-12",
        "now",
        "1775984400",
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59-14:00",
        "2026-13-01T00:00:00Z",
        "\x1b[31m2026",
    ],
)
def test_what_is_no_moment_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="MEMCONSOLE_NOW must be a moment") as refused:
        SystemClock(text)
    assert "2026-04-12T09:00:00+02:00" in refused.value.hint
    assert "\x1b" not in str(refused.value)


@given(st.text())
def test_any_text_is_a_moment_or_a_refusal(text: str) -> None:
    try:
        clock = SystemClock(text)
    except ConfigError:
        return
    assert clock.now().tzinfo is UTC


def test_the_stopwatch_never_goes_back() -> None:
    clock = SystemClock("2026-04-12T09:00:00Z")
    readings = [clock.monotonic() for _ in range(50)]
    assert readings == sorted(readings)


@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Pacific/Kiritimati"])
def test_the_zone_of_the_host_does_not_matter(zone: str) -> None:
    code = (
        "from memconsole.adapters.clock import SystemClock;"
        "print(SystemClock('2026-04-12T23:30:00-04:00').now().isoformat()[:16])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "TZ": zone},
        capture_output=True,
        check=True,
        text=True,
    )
    assert done.stdout.strip() == "2026-04-13T03:30"


def test_passed_time_goes_on_whatever_the_wall_clock_does() -> None:
    """The kernel's clock that counts sleep, where there is one."""
    both: jobs.TwoClocks = PassedTime(SystemClock("2026-04-12T09:00:00Z"))
    kernel = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
    before = time.clock_gettime(kernel)
    assert before <= both.elapsed() <= time.clock_gettime(kernel)
    assert both.now() >= datetime(2026, 4, 12, 9, tzinfo=UTC)
