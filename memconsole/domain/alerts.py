"""When somebody is told that something is wrong, and when that it is well again.

What a channel was told is remembered for each channel by itself, and only after it was delivered:
what a channel missed it is told with the next look. While an alert is muted nobody hears of it. A
mute holds for what was known when it was made: a rise in severity is told all the same, and it
ends with the issue, so that the next time is news again.
"""

from __future__ import annotations

from dataclasses import field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from memconsole.domain.health import CHECK_IDS, FLEET, CheckStatus
from memconsole.lazy_dataclass import dataclass
from memconsole.text.outgoing import let_out
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime, timedelta

    from memconsole.domain.commands.outcomes import Detail
    from memconsole.domain.health import Check, HealthReport


BLIND = "health"
"""The issue that health could not be looked after at all; no check has this id."""

_ISSUES = frozenset({*CHECK_IDS, FLEET, BLIND})


PROBES = frozenset({"gateway", "gateway-process"})
"""Checks of which one bad look proves little: people are told after the second in a row."""


class NoticeKind(StrEnum):
    """What a notice says."""

    ALERT = "alert"
    RECOVERY = "recovery"
    SUPPRESSED = "suppressed"
    TEST = "test"


@dataclass(frozen=True, slots=True)
class OpenAlert:
    """Something that is wrong now.

    Attributes:
        issue: Id of the check.
        status: `warning` or `critical`.
        since: First look that found it wrong.
        seen_at: Last look that did; later ones could not look.
    """

    issue: str
    status: CheckStatus
    message: str
    hint: str
    since: datetime
    seen_at: datetime


@dataclass(frozen=True, slots=True)
class ChannelRecord:
    """What one channel knows of one issue.

    Attributes:
        status: The gravest it was told since the last time its patience began anew.
        at: When it was told last.
        since: Since when it was wrong.
    """

    status: CheckStatus
    at: datetime
    since: datetime


@dataclass(frozen=True, slots=True)
class AlertState:
    """What is wrong, and who knows; of one platform home.

    Attributes:
        open: By issue.
        told: By channel and issue.
        mutes: By issue.
    """

    open: Mapping[str, OpenAlert] = field(default_factory=dict)
    told: Mapping[tuple[str, str], ChannelRecord] = field(default_factory=dict)
    mutes: Mapping[str, Mute] = field(default_factory=dict)

    def is_muted(self, alert: OpenAlert, now: datetime) -> bool:
        """Whether nobody wants to hear of an alert now."""
        mute = self.mutes.get(alert.issue)
        return mute is not None and mute.holds(alert, now)


@dataclass(frozen=True, slots=True)
class Issue:
    """One line of a notice.

    Attributes:
        status: `ok` of a recovery.
        since: When it became wrong.
    """

    id: str
    status: CheckStatus
    message: str
    hint: str
    since: datetime | None


@dataclass(frozen=True, slots=True)
class Notice:
    """What one channel is told in one message.

    Attributes:
        issues: The gravest first.
    """

    kind: NoticeKind
    issues: tuple[Issue, ...]
    at: datetime


@dataclass(frozen=True, slots=True)
class AlertRules:
    """How patient to be.

    Attributes:
        cooldown: Time until the same issue is told again.
        notifies_recovery: Tell that an issue is over.
        is_quiet: Only what is critical may disturb now.
    """

    cooldown: timedelta
    notifies_recovery: bool = True
    is_quiet: bool = False


@dataclass(frozen=True, slots=True)
class Delivery:
    """How one message reached one channel.

    Attributes:
        channel: Its name.
        kind: Such as `webhook`.
        error: Why it was not delivered; None when it was.
        is_planned: Nothing was sent: it was a dry run.
    """

    channel: str
    kind: str
    error: str | None
    duration_ms: int | None = None
    is_planned: bool = False
    hint: str = ""


def seen(state: AlertState, report: HealthReport) -> AlertState:
    """Return the state after a look: what could not be looked at stays as it was.

    What no check is called any more is forgotten: nothing could ever end it.
    """
    found = {issue: one for issue, one in state.open.items() if issue in _ISSUES}
    for check in report.checks:
        if check.status.is_bad:
            found[check.id] = _opened(state.open.get(check.id), check, report.at)
        elif check.status is CheckStatus.OK:
            found.pop(check.id, None)
    return replace(state, open=found, mutes=kept_mutes(state.mutes.values(), found))


def _opened(before: OpenAlert | None, check: Check, at: datetime) -> OpenAlert:
    since = before.since if before is not None else (check.since or at)
    return OpenAlert(check.id, check.status, check.message, check.hint, since, at)


def confirmed(report: HealthReport, state: AlertState) -> HealthReport:
    """Return the report in which no single look at the Gateway is critical.

    A Gateway that starts anew is away for a moment, and whoever restarts it for that breaks off
    what it does: only what was wrong at the scheduler's look before as well is critical.
    """
    checks = tuple(
        replace(one, status=CheckStatus.WARNING, message=f"{one.message} (at one look)")
        if one.id in PROBES and one.status is CheckStatus.CRITICAL and one.id not in state.open
        else one
        for one in report.checks
    )
    return replace(report, checks=checks)


def dated(report: HealthReport, state: AlertState) -> HealthReport:
    """Return the report with the start of what is wrong, as far as it is remembered."""
    checks = tuple(
        replace(one, since=state.open[one.id].since)
        if one.status.is_bad and one.since is None and one.id in state.open
        else one
        for one in report.checks
    )
    return replace(report, checks=checks)


def notices(
    state: AlertState, channel: str, report: HealthReport, rules: AlertRules
) -> tuple[Notice, ...]:
    """Return what a channel is to be told now, at most one message of a kind.

    Args:
        state: After this look.
        channel: Its name; the log is told what is suppressed as well.
        report: The look.
        rules: How patient to be.
    """
    is_log = channel == LOG
    due: list[OpenAlert] = []
    held: list[OpenAlert] = []
    for alert in state.open.values():
        told = state.told.get((channel, alert.issue))
        is_due = _is_due(alert, told, report.at, rules.cooldown)
        is_due = is_due and not state.is_muted(alert, report.at)
        may_disturb = is_log or not rules.is_quiet or alert.status is CheckStatus.CRITICAL
        (due if is_due and may_disturb else held).append(alert)
    found = [_notice(NoticeKind.ALERT, map(_issue, _ranked(due)), report.at)]
    if is_log:
        now = (alert for alert in _ranked(held) if alert.seen_at == report.at)
        found.append(_notice(NoticeKind.SUPPRESSED, map(_issue, now), report.at))
    if rules.notifies_recovery and (is_log or not rules.is_quiet):
        found.append(_recovery(state, channel, report))
    return tuple(one for one in found if one.issues)


def _is_due(
    alert: OpenAlert, told: ChannelRecord | None, now: datetime, cooldown: timedelta
) -> bool:
    if alert.issue in PROBES and alert.seen_at == alert.since:
        return False
    if alert.seen_at != now:  # nobody could look: nothing new is known
        return told is None
    if told is None or alert.status.rank > told.status.rank:
        return True
    # A wall clock that was set back must not silence an alert for as long.
    return not told.at <= now < told.at + cooldown


def _recovery(state: AlertState, channel: str, report: HealthReport) -> Notice:
    now = {check.id: check for check in report.checks}
    issues = (
        Issue(issue, CheckStatus.OK, now[issue].message if issue in now else "", "", told.since)
        for (name, issue), told in sorted(state.told.items())
        if name == channel and issue not in state.open
    )
    return _notice(NoticeKind.RECOVERY, issues, report.at)


def delivered(state: AlertState, channel: str, notice: Notice) -> AlertState:
    """Return the state after a channel was told."""
    told = dict(state.told)
    for issue in notice.issues:
        place = (channel, issue.id)
        if notice.kind is NoticeKind.RECOVERY:
            told.pop(place, None)
        elif notice.kind is NoticeKind.ALERT:
            told[place] = ChannelRecord(issue.status, notice.at, issue.since or notice.at)
    return replace(state, told=told)


def kept(state: AlertState, channels: Iterable[str], *, keeps_over: bool) -> AlertState:
    """Forget what channels knew that are gone.

    Args:
        state: What is remembered.
        channels: The names of those that are there.
        keeps_over: False also forgets who knows of what is over: nobody will be told.
    """
    names = set(channels)
    told = {
        (channel, issue): one
        for (channel, issue), one in state.told.items()
        if channel in names and issue in _ISSUES and (keeps_over or issue in state.open)
    }
    return replace(state, told=told)


def _issue(alert: OpenAlert) -> Issue:
    return Issue(alert.issue, alert.status, alert.message, alert.hint, alert.since)


def _ranked(alerts: Iterable[OpenAlert]) -> list[OpenAlert]:
    return sorted(alerts, key=lambda one: (-one.status.rank, one.since, one.issue))


def _notice(kind: NoticeKind, issues: Iterable[Issue], at: datetime) -> Notice:
    return Notice(kind, tuple(issues), at)


LOG = "log"
"""The channel that is always there; it is told everything, and never at a bad time."""


@dataclass(frozen=True, slots=True)
class Mute:
    """Silence about one issue.

    Attributes:
        status: What it was when it was muted; anything graver is told.
        at: When that was.
        until: When it ends.
    """

    issue: str
    status: CheckStatus
    at: datetime
    until: datetime

    def holds(self, alert: OpenAlert, now: datetime) -> bool:
        """Whether the alert is kept quiet now."""
        # A wall clock that was set back must not silence an alert for as long.
        return alert.status.rank <= self.status.rank and self.at <= now < self.until


@dataclass(frozen=True, slots=True)
class AlertStatus:
    """One alert, and who knows of it.

    Attributes:
        told_at: When somebody was told last; None when nobody was yet. The log, which is written in
            quiet hours as well, is nobody.
        again_at: When the next is told again, if it is still so; None when nobody was told yet, or
            nobody can say.
        muted_until: Until when nobody is told; None when it is not muted.
    """

    alert: OpenAlert
    told_at: datetime | None
    again_at: datetime | None
    muted_until: datetime | None


def standings(
    state: AlertState, cooldown: timedelta | None, now: datetime
) -> tuple[AlertStatus, ...]:
    """Return what is wrong and who knows of it, the gravest first.

    Args:
        state: What is remembered.
        cooldown: After which an issue is told again; None where nobody can say.
        now: The present.
    """
    ranked = sorted(state.open.values(), key=lambda one: (-one.status.rank, one.since, one.issue))
    return tuple(_standing(one, state, cooldown, now) for one in ranked)


def _standing(
    alert: OpenAlert, state: AlertState, cooldown: timedelta | None, now: datetime
) -> AlertStatus:
    told = [
        one.at
        for (channel, issue), one in state.told.items()
        if issue == alert.issue and channel != LOG
    ]
    mute = state.mutes.get(alert.issue)
    return AlertStatus(
        alert,
        told_at=max(told, default=None),
        again_at=min(told) + cooldown if told and cooldown is not None else None,
        muted_until=mute.until if mute is not None and mute.holds(alert, now) else None,
    )


def kept_mutes(mutes: Iterable[Mute], issues: Iterable[str]) -> dict[str, Mute]:
    """Return the mutes of issues that are still open, by issue."""
    still = set(issues)
    return {one.issue: one for one in mutes if one.issue in still}


SCHEMA = 1
_MOST_CHARS = 1000


def payload(notice: Notice, *, host: str, home: str, redact: bool) -> dict[str, Detail]:
    """Return a message; every text in it is one safe line, its secrets masked before it is cut.

    Args:
        notice: What to say.
        host: Name of this computer.
        home: The platform home it is about.
        redact: Mask secrets; they are unless the configuration says otherwise.
    """

    def safe(text: str) -> str:
        line = one_line(text.encode("utf-8", "replace").decode("utf-8"))
        return let_out(line, redacts=redact)[:_MOST_CHARS]

    issues: list[Detail] = [_row(one, safe(one.message), safe(one.hint)) for one in notice.issues]
    lines = [_line(one, safe(one.message), safe(one.hint)) for one in notice.issues]
    return {
        "schema": SCHEMA,
        "kind": notice.kind.value,
        "at": notice.at.isoformat(timespec="seconds"),
        "host": safe(host),
        "home": safe(home),
        "severity": max((one.status for one in notice.issues), key=lambda one: one.rank).value
        if notice.issues
        else "ok",
        "title": safe(_title(notice, host)),
        "text": "\n".join(lines) or "This is a test of memconsole's alerts.",
        "issues": issues,
    }


def _title(notice: Notice, host: str) -> str:
    names = ", ".join(one.id for one in notice.issues)
    match notice.kind:
        case NoticeKind.TEST:
            return f"memconsole on {host}: test"
        case NoticeKind.RECOVERY:
            return f"memconsole on {host}: well again: {names}"
        case _:
            worst = max(notice.issues, key=lambda one: one.status.rank).status
            return f"memconsole on {host}: {worst.value}: {names}"


def _row(one: Issue, message: str, hint: str) -> dict[str, Detail]:
    return {
        "id": one.id,
        "status": one.status.value,
        "message": message,
        "hint": hint or None,
        "since": None if one.since is None else one.since.isoformat(timespec="seconds"),
    }


def _line(one: Issue, message: str, hint: str) -> str:
    words = f"{one.status.value.upper()} {one.id}: {message}".rstrip(": ")
    return f"{words}. {hint}" if hint else words
