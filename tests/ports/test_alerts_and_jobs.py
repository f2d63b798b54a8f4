"""Alerts and jobs in our own database: what is wrong and who knows, what ran and what waits."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from memconsole.domain.alerts import AlertState, ChannelRecord, Mute, OpenAlert
from memconsole.domain.health import CheckStatus
from memconsole.domain.jobs.runs import JobEnd, JobRecord
from memconsole.errors import StateError
from tests.doubles.platform import NOW

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.ports.conftest import Logs

HOUR = timedelta(hours=1)
GATEWAY = OpenAlert("gateway", CheckStatus.CRITICAL, "down", "start it", NOW, NOW + HOUR)
DISK = OpenAlert("disk", CheckStatus.WARNING, "full", "tidy up", NOW - HOUR, NOW)
STATE = AlertState(
    {"gateway": GATEWAY, "disk": DISK},
    {
        ("log", "gateway"): ChannelRecord(CheckStatus.CRITICAL, NOW, NOW),
        ("hook", "disk"): ChannelRecord(CheckStatus.WARNING, NOW, NOW),
    },
)
MUTE = Mute("gateway", CheckStatus.CRITICAL, NOW, NOW + 8 * HOUR)
FAILED = JobEnd("failed", "state", "no space")


def test_alerts_come_back_by_home(logs: Logs) -> None:
    assert logs.alerts.load("/one") == AlertState()
    logs.alerts.save("/one", STATE, NOW)
    assert logs.alerts.load("/one") == STATE
    assert logs.alerts.load("/two") == AlertState()
    logs.alerts.save("/one", AlertState(), NOW)
    assert logs.alerts.load("/one") == AlertState()


def test_a_look_at_one_home_is_none_at_another(logs: Logs) -> None:
    logs.alerts.note("/one", [], NOW)
    logs.alerts.save("/two", AlertState(), NOW + HOUR)
    logs.alerts.note("/one", [], NOW + 2 * HOUR)
    homes = ("/one", "/two", "/three")
    assert [logs.alerts.last_look(one) for one in homes] == [NOW + 2 * HOUR, NOW + HOUR, None]


def test_what_is_wrong_is_told_oldest_first(logs: Logs) -> None:
    assert logs.alerts.open("/one") == ()
    logs.alerts.save("/one", STATE, NOW)
    assert logs.alerts.open("/one") == (DISK, GATEWAY)


def test_a_look_changes_what_is_wrong_and_no_mute_and_nothing_told(logs: Logs) -> None:
    logs.alerts.save("/one", STATE, NOW)
    logs.alerts.mute("/one", MUTE)
    logs.alerts.note("/one", [DISK], NOW)
    expected = replace(STATE, open={"disk": DISK}, mutes={"gateway": MUTE})
    assert logs.alerts.load("/one") == expected


def test_mutes_outlive_saves_until_their_issue_is_over(logs: Logs) -> None:
    logs.alerts.save("/one", STATE, NOW)
    logs.alerts.mute("/one", MUTE)
    logs.alerts.mute("/two", MUTE)
    logs.alerts.save("/one", STATE, NOW)
    assert logs.alerts.load("/one").mutes == {"gateway": MUTE}
    logs.alerts.save("/one", AlertState(), NOW)
    logs.alerts.save("/one", STATE, NOW)
    assert logs.alerts.load("/one").mutes == {}
    assert logs.alerts.load("/two").mutes == {"gateway": MUTE}


def test_a_mute_is_replaced_and_taken_back(logs: Logs) -> None:
    later = replace(MUTE, status=CheckStatus.WARNING, until=NOW + 9 * HOUR)
    for mute in (MUTE, later):
        logs.alerts.mute("/one", mute)
        assert logs.alerts.load("/one").mutes == {"gateway": mute}
    logs.alerts.unmute("/one", "gateway")
    logs.alerts.unmute("/one", "never muted")
    assert logs.alerts.load("/one").mutes == {}


def test_a_job_comes_back_as_it_was(logs: Logs) -> None:
    assert logs.jobs.records() == {}
    begun = JobRecord("checkpoint", next_at=NOW + HOUR).begun(NOW, missed=3)
    record = begun.ended(FAILED, NOW + timedelta(seconds=2), 2000)
    logs.jobs.save(record)
    assert logs.jobs.records() == {"checkpoint": record}


def test_saving_a_job_does_not_undo_a_pause(logs: Logs) -> None:
    logs.jobs.pause("rotation", is_paused=True)
    assert logs.jobs.records()["rotation"] == JobRecord("rotation", is_paused=True)
    running = JobRecord("rotation", started_at=NOW, is_running=True)
    logs.jobs.save(running)
    assert logs.jobs.records()["rotation"] == replace(running, is_paused=True)
    logs.jobs.pause("rotation", is_paused=False)
    assert logs.jobs.records()["rotation"] == running


def test_a_new_job_is_not_paused_whatever_its_record_says(logs: Logs) -> None:
    logs.jobs.save(JobRecord("rotation", is_paused=True))
    assert not logs.jobs.records()["rotation"].is_paused


def test_changes_of_jobs_are_seen_without_reading(logs: Logs) -> None:
    with logs.jobs.keep_open():
        before = logs.jobs.changes()
        assert logs.jobs.changes() == before
        logs.jobs.pause("rotation", is_paused=True)
        assert logs.jobs.changes() != before


def test_what_cannot_be_stored_is_said_and_is_not_there(closed_logs: Logs) -> None:
    alerts, jobs = closed_logs.alerts, closed_logs.jobs
    writes: list[Callable[[], None]] = [
        lambda: alerts.save("/one", STATE, NOW),
        lambda: alerts.note("/one", [DISK], NOW),
        lambda: alerts.mute("/one", MUTE),
        lambda: alerts.unmute("/one", "gateway"),
        lambda: jobs.save(JobRecord("checkpoint")),
        lambda: jobs.pause("checkpoint", is_paused=True),
    ]
    for write in writes:
        with pytest.raises(StateError):
            write()
    assert (alerts.load("/one"), jobs.records()) == (AlertState(), {})
