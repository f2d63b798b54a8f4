"""Who is told what, and when: pure decisions over days of looks."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memconsole.domain import alerts
from memconsole.domain.alerts import (
    LOG,
    AlertRules,
    AlertState,
    ChannelRecord,
    Issue,
    Mute,
    Notice,
    NoticeKind,
    OpenAlert,
    payload,
    standings,
)
from memconsole.domain.health import Check, CheckStatus, HealthReport, status_text
from memconsole.domain.settings.channels import parse

AT = datetime(2026, 1, 26, 13, 20, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
RULES = AlertRules(cooldown=30 * MINUTE)
QUIET = AlertRules(cooldown=30 * MINUTE, is_quiet=True)
OK, UNKNOWN, WARNING, CRITICAL = CheckStatus


def report(minute: float, **checks: CheckStatus) -> HealthReport:
    """Return a look so many minutes after the first."""
    found = tuple(Check(name, status, f"{name} is {status}") for name, status in checks.items())
    return HealthReport(found, AT + minute * MINUTE)


class Channel:
    """One channel over many looks."""

    def __init__(self, name: str = "hook", rules: AlertRules = RULES) -> None:
        self.name, self.rules, self.state = name, rules, AlertState()

    def look(self, minute: float, *, arrives: bool = True, **checks: CheckStatus) -> list[str]:
        """Return what is told after a look, such as `alert state`."""
        now = report(minute, **checks)
        self.state = alerts.seen(self.state, now)
        said = []
        for notice in alerts.notices(self.state, self.name, now, self.rules):
            said += [f"{notice.kind} {issue.id}" for issue in notice.issues]
            if arrives:
                self.state = alerts.delivered(self.state, self.name, notice)
        return said


def muted(hook: Channel, minute: float, until: float, status: CheckStatus = CRITICAL) -> None:
    made = Mute("state", status, AT + minute * MINUTE, AT + until * MINUTE)
    hook.state = replace(hook.state, mutes={"state": made})


def test_nobody_hears_of_what_is_muted_until_that_is_over() -> None:
    hook = Channel()
    assert hook.look(0, state=CRITICAL) == ["alert state"]
    muted(hook, 1, until=90)
    told = {minute: hook.look(minute, state=CRITICAL, disk=WARNING) for minute in range(5, 100, 5)}
    assert {minute: said for minute, said in told.items() if said} == {
        5: ["alert disk"],
        35: ["alert disk"],
        65: ["alert disk"],
        90: ["alert state"],
        95: ["alert disk"],
    }


def test_what_gets_worse_is_told_although_it_is_muted() -> None:
    hook = Channel()
    assert hook.look(0, state=WARNING) == ["alert state"]
    muted(hook, 1, until=600, status=WARNING)
    assert hook.look(35, state=WARNING) == []
    assert hook.look(40, state=CRITICAL) == ["alert state"]
    assert hook.look(75, state=WARNING) == []


def test_a_mute_ends_with_its_issue_and_the_end_is_told() -> None:
    hook = Channel()
    hook.look(0, state=CRITICAL)
    muted(hook, 1, until=600)
    assert hook.look(40, state=OK) == ["recovery state"]
    assert hook.state.mutes == {}
    assert hook.look(45, state=CRITICAL) == ["alert state"]


def test_the_log_is_told_that_it_was_kept_quiet_and_a_clock_that_goes_back_ends_it() -> None:
    log = Channel(LOG)
    log.look(0, state=CRITICAL)
    muted(log, 1, until=600)
    assert log.look(60, state=CRITICAL) == ["suppressed state"]
    muted(log, 200, until=600)
    assert log.look(100, state=CRITICAL) == ["alert state"]


def test_who_knows_and_when_the_next_is_told() -> None:
    hook = Channel()
    hook.look(0, state=CRITICAL)
    other = Channel("other")
    other.state = hook.state
    other.look(10, state=CRITICAL, disk=WARNING, locks=WARNING)
    state = replace(
        other.state,
        told={place: one for place, one in other.state.told.items() if place[1] != "locks"},
        mutes={"disk": Mute("disk", WARNING, AT, AT + 60 * MINUTE)},
    )
    found = standings(state, 30 * MINUTE, AT + 20 * MINUTE)
    minutes = [
        tuple(None if at is None else (at - AT) / MINUTE for at in row)
        for row in ((one.told_at, one.again_at, one.muted_until) for one in found)
    ]
    assert [one.alert.issue for one in found] == ["state", "disk", "locks"]
    assert minutes == [(10, 30, None), (10, 40, 60), (None, None, None)]
    [_, disk, _] = standings(state, 30 * MINUTE, AT + 60 * MINUTE)
    assert disk.muted_until is None


def test_one_alert_a_cooldown_and_one_recovery() -> None:
    hook = Channel()
    told = {minute: hook.look(minute, state=CRITICAL) for minute in range(0, 65, 5)}
    assert {minute: said for minute, said in told.items() if said} == {
        0: ["alert state"],
        30: ["alert state"],
        60: ["alert state"],
    }
    assert hook.look(65, state=OK) == ["recovery state"]
    assert hook.look(70, state=OK) == []
    assert hook.look(75, state=CRITICAL) == ["alert state"], "recovery clears the timer"


def test_issues_do_not_hide_one_another() -> None:
    hook = Channel()
    assert hook.look(0, disk=WARNING, jobs=OK) == ["alert disk"]
    assert hook.look(5, disk=WARNING, jobs=WARNING) == ["alert jobs"]
    assert hook.look(10, disk=OK, jobs=WARNING) == ["recovery disk"]


def test_a_rise_is_told_at_once_and_a_fall_is_not() -> None:
    hook = Channel()
    assert hook.look(0, disk=WARNING) == ["alert disk"]
    assert hook.look(5, disk=CRITICAL) == ["alert disk"]
    assert hook.look(10, disk=WARNING) == []
    assert hook.look(15, disk=CRITICAL) == [], "it flaps: the gravest was told within the cooldown"
    assert hook.look(35, disk=WARNING) == ["alert disk"]
    assert hook.look(40, disk=CRITICAL) == ["alert disk"]


def test_what_nobody_could_look_at_is_neither_alert_nor_recovery() -> None:
    hook = Channel()
    assert hook.look(0, state=UNKNOWN) == []
    assert hook.look(5, state=CRITICAL) == ["alert state"]
    assert hook.look(50, state=UNKNOWN) == []
    assert hook.state.open["state"].since == AT + 5 * MINUTE
    assert hook.look(55, state=OK) == ["recovery state"]


def test_what_did_not_arrive_is_told_with_the_next_look() -> None:
    hook = Channel()
    assert hook.look(0, disk=WARNING, arrives=False) == ["alert disk"]
    assert hook.look(5, disk=WARNING) == ["alert disk"]
    assert hook.look(10, disk=OK, arrives=False) == ["recovery disk"]
    assert hook.look(15, disk=OK) == ["recovery disk"]
    assert hook.look(20, disk=OK) == []


def test_one_bad_look_at_the_gateway_is_no_message() -> None:
    hook = Channel()
    assert hook.look(0, gateway=WARNING) == []
    assert hook.look(5, gateway=OK) == []
    assert hook.look(10, gateway=WARNING) == []
    assert hook.look(15, gateway=CRITICAL) == ["alert gateway"]
    assert hook.look(20, gateway=OK) == ["recovery gateway"]


def test_one_bad_look_at_the_gateway_is_never_critical() -> None:
    hook = Channel()
    first = alerts.confirmed(report(0, gateway=CRITICAL, disk=CRITICAL), hook.state)
    assert [one.status for one in first.checks] == [WARNING, CRITICAL]
    hook.state = alerts.seen(hook.state, first)
    second = alerts.confirmed(report(5, gateway=CRITICAL), hook.state)
    assert [one.status for one in second.checks] == [CRITICAL]


def test_in_quiet_hours_only_the_log_is_told_and_the_log_is_nobody() -> None:
    state = Channel(LOG, QUIET)
    assert state.look(0, disk=WARNING) == ["alert disk"]
    [one] = standings(state.state, 30 * MINUTE, AT)
    assert (one.told_at, one.again_at) == (None, None)


def test_nobody_hears_of_the_end_of_what_he_never_heard_of() -> None:
    hook = Channel()
    assert hook.look(0, disk=WARNING, arrives=False) == ["alert disk"]
    assert hook.look(5, disk=OK) == []


def test_quiet_hours_let_only_what_is_critical_through() -> None:
    hook = Channel(rules=QUIET)
    assert hook.look(0, disk=WARNING, state=CRITICAL) == ["alert state"]
    assert hook.look(5, disk=WARNING, state=OK) == []
    hook.rules = RULES
    assert hook.look(10, disk=WARNING, state=OK) == ["alert disk", "recovery state"]


def test_the_log_is_told_everything_at_any_hour() -> None:
    log = Channel(LOG, QUIET)
    assert log.look(0, disk=WARNING) == ["alert disk"]
    assert log.look(5, disk=WARNING) == ["suppressed disk"]
    assert log.look(10, disk=OK) == ["recovery disk"]


def test_recovery_can_be_switched_off() -> None:
    hook = Channel(rules=AlertRules(30 * MINUTE, notifies_recovery=False))
    hook.look(0, disk=WARNING)
    assert hook.look(5, disk=OK) == []
    hook.state = alerts.kept(hook.state, ["hook"], keeps_over=False)
    assert hook.look(10, disk=WARNING) == ["alert disk"]


def test_a_clock_set_back_silences_nothing() -> None:
    hook = Channel()
    assert hook.look(0, disk=WARNING) == ["alert disk"]
    assert hook.look(-60, disk=WARNING) == ["alert disk"]


def test_what_channels_knew_that_are_gone_is_forgotten() -> None:
    hook = Channel()
    hook.look(0, disk=WARNING)
    assert alerts.kept(hook.state, ["hook"], keeps_over=True) == hook.state
    assert alerts.kept(hook.state, ["other"], keeps_over=True).told == {}


def test_what_no_check_is_called_any_more_is_forgotten() -> None:
    old = OpenAlert("fax", WARNING, "no paper", "", AT, AT)
    state = AlertState({"fax": old}, {("hook", "fax"): ChannelRecord(WARNING, AT, AT)})
    state = alerts.kept(alerts.seen(state, report(5, disk=OK)), ["hook"], keeps_over=True)
    assert state == AlertState()


def test_the_beginning_is_remembered() -> None:
    hook = Channel()
    hook.look(0, disk=WARNING)
    found = alerts.dated(report(10, disk=CRITICAL, jobs=WARNING), hook.state)
    assert [one.since for one in found.checks] == [AT, None]


@pytest.mark.parametrize(
    ("text", "hour", "is_quiet"),
    [
        ("22:00-07:00", 23, True),
        ("22:00-07:00", 6, True),
        ("22:00-07:00", 7, False),
        ("22:00-07:00", 12, False),
        ("12:00 - 13:00", 12, True),
        ("12:00-13:00", 13, False),
        ("12:00-12:00", 12, False),
    ],
)
def test_quiet_hours_may_pass_midnight(text: str, hour: int, is_quiet: bool) -> None:
    assert parse(text).holds(datetime(2026, 1, 26, hour, tzinfo=UTC)) is is_quiet


@pytest.mark.parametrize("text", ["", "22-7", "25:00-07:00", "22:00", "22:60-07:00"])
def test_other_hours_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse(text)


def notice(kind: NoticeKind, *texts: str) -> Notice:
    issues = tuple(Issue(f"i-{n}", CRITICAL, text, text, AT) for n, text in enumerate(texts))
    return Notice(kind, issues, AT)


@given(st.text(st.characters(), max_size=80), st.text(st.characters(), max_size=20))
def test_any_text_is_valid_json_on_one_line(text: str, host: str) -> None:
    made = payload(notice(NoticeKind.ALERT, text), host=host, home=text, redact=True)
    again = json.loads(json.dumps(made, ensure_ascii=False).encode("utf-8"))
    assert again == made
    assert "\n" not in str(made["title"])
    [row] = again["issues"]
    assert "\n" not in row["message"]


def test_a_secret_is_masked_before_it_is_cut() -> None:
    secret = "sk-ant-api03-" + "Zq7" * 30
    made = payload(notice(NoticeKind.ALERT, f"it said {secret}"), host="h", home="/", redact=True)
    assert "Zq7Zq7" not in json.dumps(made)
    long = payload(
        notice(NoticeKind.ALERT, "x" * 990 + f" {secret}"), host="h", home="/", redact=True
    )
    assert "sk-ant" not in json.dumps(long)
    found = HealthReport((Check("state", CRITICAL, f"it said {secret}", details=(secret,)),), AT)
    assert "Zq7Zq7" not in status_text(found, "/", redact=True)


def test_titles_say_what_it_is_about() -> None:
    def title(one: Notice) -> object:
        return payload(one, host="h1", home="/", redact=True)["title"]

    assert title(notice(NoticeKind.ALERT, "a", "b")) == "memconsole on h1: critical: i-0, i-1"
    assert title(notice(NoticeKind.RECOVERY, "a")) == "memconsole on h1: well again: i-0"
    assert title(notice(NoticeKind.TEST)) == "memconsole on h1: test"
