"""Tells people what a look at health found: decide, deliver, remember, channel by channel.

A channel that fails never stops another, and is tried again with the next look.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from memconsole.domain import alerts
from memconsole.domain.alerts import (
    LOG,
    AlertRules,
    AlertState,
    Delivery,
    Mute,
    Notice,
    NoticeKind,
    payload,
    standings,
)
from memconsole.domain.calendar import local_time, resolve_zone
from memconsole.domain.settings import usable
from memconsole.domain.settings.channels import parse
from memconsole.errors import DeliveryError, MemconsoleError, ReadOnlyError, StateError, UsageError
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime, timedelta

    from memconsole.domain.alerts import AlertStatus, OpenAlert
    from memconsole.domain.health import HealthReport
    from memconsole.domain.settings import Settings
    from memconsole.engine.home.service import HomeService
    from memconsole.ports.alerts import AlertChannel
    from memconsole.ports.bundle import AlertPorts
    from memconsole.ports.platform import Clock, StopSignal

logger = logging.getLogger(__name__)

_TRIES = 2


@dataclass(frozen=True, slots=True)
class AlertingResult:
    """What came of one round of telling.

    Attributes:
        sent: Messages that reached a channel other than the log, by channel.
        failed: Channels that could not be reached.
        was_cancelled: It was told to end before everybody knew.
    """

    sent: tuple[tuple[str, Notice], ...] = ()
    failed: tuple[Delivery, ...] = ()
    was_cancelled: bool = False


class AlertService:
    """Alerts of one engine; its caller sees to it that only one round goes on at a time.

    Args:
        ports: Store and channels.
        home: Whose alerts they are.
        settings: Cooldown, quiet hours and whether secrets are masked.
        clock: How long a delivery takes.

    Raises:
        HomeNotFoundError: By every method that is not told the home: it does not exist.
    """

    def __init__(
        self,
        ports: AlertPorts,
        home: HomeService,
        settings: Settings,
        clock: Clock,
    ) -> None:
        self._ports = ports
        self._home = home
        self._settings = settings
        self._clock = clock
        self._unsaved: dict[str, AlertState] = {}

    def state(self, home: str) -> AlertState:
        """Return what is remembered; on a full disk, what this process remembers."""
        if home in self._unsaved:
            return self._unsaved[home]
        return self._ports.store.load(home)

    def note(self, home: str, found: Mapping[str, OpenAlert], at: datetime) -> None:
        """Remember what a look found wrong without telling anybody.

        A probe of the Gateway that failed for the first time is left out: whether it fails twice
        in a row is a question of the scheduler's looks alone.
        """
        known = self.state(home).open
        kept = [one for name, one in found.items() if name not in alerts.PROBES or name in known]
        try:
            self._ports.store.note(home, kept, at)
        except StateError as error:
            logger.warning("what this look found is not remembered: %s", error)

    def tell(
        self,
        report: HealthReport,
        home: str,
        *,
        platform_zone: str | None = None,
        cancel: StopSignal | None = None,
    ) -> AlertingResult:
        """Tell every channel what it does not know yet.

        Args:
            report: The look.
            home: The platform home it is about.
            platform_zone: The time zone of the platform's configuration, for quiet hours.
            cancel: Ends the round between two messages, and a message soon.
        """
        rules = self._rules(report.at, platform_zone)
        channels = self._ports.channels()
        names = [channel.name for channel in channels]
        state = alerts.seen(self.state(home), report)
        state = alerts.kept(state, names, keeps_over=rules.notifies_recovery)
        self._save(home, state, report.at)
        sent: list[tuple[str, Notice]] = []
        failed: list[Delivery] = []
        for channel in channels:
            for notice in alerts.notices(state, channel.name, report, rules):
                if cancel is not None and cancel.is_set():
                    return AlertingResult(tuple(sent), tuple(failed), was_cancelled=True)
                delivery = self._deliver(channel, notice, home, cancel)
                if delivery.error is not None:
                    failed.append(delivery)
                    break  # with the next look; until then the other channels
                state = alerts.delivered(state, channel.name, notice)
                self._save(home, state, report.at)
                if channel.name != LOG:
                    sent.append((channel.name, notice))
        return AlertingResult(tuple(sent), tuple(failed))

    def mute(self, issue: str, span: timedelta | None, *, dry_run: bool = False) -> None:
        """Tell nobody of something that is wrong for a while.

        Args:
            issue: An open alert.
            span: For how long; None tells people again.
            dry_run: Only see whether it could be done.

        Raises:
            ReadOnlyError: Nothing may be changed.
            UsageError: Nothing of that name is wrong now.
            StateError: It cannot be stored.
        """
        if self._settings.ui.read_only and not dry_run:
            raise ReadOnlyError("alerts mute" if span else "alerts unmute")
        home = self._home_path()
        found = self._found(home, issue)
        if dry_run:
            return
        if span is None:
            self._ports.store.unmute(home, found.issue)
            return
        now = self._clock.now()
        self._ports.store.mute(home, Mute(found.issue, found.status, now, now + span))

    def standings(self) -> tuple[AlertStatus, ...]:
        """Return what was wrong at the last look and who knows of it, the gravest first."""
        state = self.state(self._home_path())
        cooldown = usable(lambda: self._settings.health.alert_cooldown, None)
        return standings(state, cooldown, self._clock.now())

    def last_look(self) -> datetime | None:
        """Return when somebody looked at the health of this home last; None for never."""
        return self._ports.store.last_look(self._home_path())

    def _home_path(self) -> str:
        return str(self._home.read().path)

    def _found(self, home: str, issue: str) -> OpenAlert:
        known = self.state(home).open
        if issue not in known:
            names = ", ".join(sorted(known)) or "none"
            raise UsageError(f"{issue!r} is not wrong now", hint=f"Open alerts: {names}.")
        return known[issue]

    def test(self, *, dry_run: bool = False) -> tuple[Delivery, ...]:
        """Send a test message to every channel.

        Args:
            dry_run: Only see whether everything is there that a message needs.

        Raises:
            ReadOnlyError: Nothing may be sent.
        """
        if self._settings.ui.read_only and not dry_run:
            raise ReadOnlyError("alerts test")
        home = self._home_path()
        notice = Notice(NoticeKind.TEST, (), self._clock.now())
        if not dry_run:
            return tuple(
                self._deliver(channel, notice, home, None) for channel in self._ports.channels()
            )
        return tuple(_checked(channel) for channel in self._ports.channels())

    def _rules(self, at: datetime, platform_zone: str | None) -> AlertRules:
        rules = self._settings.health
        is_quiet = False
        if rules.quiet_hours:
            zone = resolve_zone(self._settings.timezone, platform_zone).zone
            is_quiet = parse(rules.quiet_hours).holds(local_time(at, zone))
        return AlertRules(rules.alert_cooldown, rules.notify_recovery, is_quiet)

    def _deliver(
        self, channel: AlertChannel, notice: Notice, home: str, cancel: StopSignal | None
    ) -> Delivery:
        message = payload(
            notice, host=self._ports.host_name, home=home, redact=self._settings.redact
        )
        start_s = self._clock.monotonic()
        error: MemconsoleError | None = None
        for _ in range(_TRIES):
            try:
                channel.send(message, cancel)
            except DeliveryError as failure:
                error = failure
                if failure.is_final or (cancel is not None and cancel.is_set()):
                    break
            else:
                error = None
                break
        took_ms = round((self._clock.monotonic() - start_s) * 1000)
        if error is None:
            return Delivery(channel.name, channel.kind, None, took_ms)
        logger.warning("alert channel %s: %s", channel.name, error)
        return Delivery(channel.name, channel.kind, str(error), took_ms, hint=error.hint)

    def _save(self, home: str, state: AlertState, at: datetime) -> None:
        try:
            self._ports.store.save(home, state, at)
        except StateError as error:
            if home not in self._unsaved:
                logger.warning("alerts are not remembered: %s", error)
            self._unsaved[home] = state
        else:
            self._unsaved.pop(home, None)


def _checked(channel: AlertChannel) -> Delivery:
    try:
        channel.check()
    except DeliveryError as error:
        return Delivery(channel.name, channel.kind, str(error), is_planned=True, hint=error.hint)
    return Delivery(channel.name, channel.kind, None, is_planned=True)
