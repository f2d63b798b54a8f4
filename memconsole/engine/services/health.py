"""Answers questions about health, and tells people what is wrong."""

from __future__ import annotations

import logging
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from memconsole.engine.services.sessions import GatewayDoor
from memconsole.errors import MemconsoleError, ReadOnlyError, StateError

if TYPE_CHECKING:
    from datetime import datetime, timedelta

    from memconsole.domain.agents import Home
    from memconsole.domain.alerts.rules import Delivery, Mute, OpenAlert, Standing
    from memconsole.domain.cleanup import Cleaning
    from memconsole.domain.health.checks import Check, HealthReport
    from memconsole.domain.logs import LogRotation
    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot
    from memconsole.engine.alerts import Alerting, Told
    from memconsole.ports.bundle import Ports
    from memconsole.ports.platform import StopSignal


_LOOKING = "health"
"""Id of the scheduler's job that looks after health."""

logger = logging.getLogger(__name__)


class HealthRound(NamedTuple):
    """What one look came to.

    Attributes:
        told: Who was told what.
    """

    report: HealthReport
    told: Told


class HealthDoor(GatewayDoor):
    """Health and alerts; `Engine` has these methods too."""

    _ports: Ports
    _seen_home: Home | None = None

    def health(self, snapshot: ConsoleSnapshot | None = None) -> HealthReport:
        """Check everything that keeps memory safe; see `Engine`."""
        raise NotImplementedError

    def snapshot(self) -> ConsoleSnapshot:
        """Take one reading of everything; see `Engine`."""
        raise NotImplementedError

    def look_after_health(self, cancel: StopSignal | None = None) -> HealthRound:
        """Check everything, keep the result as a file, and tell people what they do not know.

        A home that cannot be looked at is told as well, as the issue `health`.

        Args:
            cancel: Ends the telling early; who was not told is told with the next look.

        Raises:
            ReadOnlyError: Nothing may be sent.
            HomeNotFoundError: There is no home, and never was one in the life of this engine.
            HomeUnreadableError: The same of one that cannot be read.
        """
        from memconsole.domain.alerts.rules import BLIND  # noqa: PLC0415 - only who looks
        from memconsole.domain.health.checks import HealthReport, ok  # noqa: PLC0415

        if self.settings.ui.read_only:
            raise ReadOnlyError("alerts")
        try:
            self._seen_home = self.home()
            report = self.health()
            checks = (*report.checks, ok(BLIND, "health can be looked after again"))
        except MemconsoleError as error:
            if self._seen_home is None:
                raise
            checks = (_blind(error),)
            report = HealthReport(checks, self._ports.clock.now())
        home = self._seen_home
        self._keep(report, str(home.path))
        told = self._alerting.tell(
            HealthReport(checks, report.at),
            str(home.path),
            platform_zone=home.config.user_timezone,
            cancel=cancel,
        )
        return HealthRound(report, told)

    def alerts(self) -> tuple[OpenAlert, ...]:
        """Return what was wrong at the last look of the scheduler, the gravest first.

        Raises:
            HomeNotFoundError: The platform home does not exist.
        """
        found = self._alerting.state(str(self.home().path)).open.values()
        return tuple(sorted(found, key=lambda one: (-one.status.rank, one.since, one.issue)))

    def alert_standings(self) -> tuple[Standing, ...]:
        """Return the same with who was told and when the next is, and what is muted.

        Raises:
            HomeNotFoundError: The platform home does not exist.
        """
        return self._alerting.standings(str(self.home().path))

    def last_look(self) -> datetime | None:
        """Return when the scheduler began its last look at health; None when it never looked."""
        record = self._ports.health().jobs.records().get(_LOOKING)
        return None if record is None else record.done_at

    def mute_alert(self, issue: str, span: timedelta | None) -> Mute | None:
        """Tell nobody of something that is wrong for a while.

        Args:
            issue: An open alert.
            span: For how long; None tells people again.

        Raises:
            ReadOnlyError: Nothing may be changed.
            UsageError: Nothing of that name is wrong now.
            StateError: It cannot be stored.
        """
        if self.settings.ui.read_only:
            raise ReadOnlyError("alerts mute" if span else "alerts unmute")
        home = str(self.home().path)
        if span is not None:
            return self._alerting.mute(home, issue, span)
        self._alerting.unmute(home, issue)
        return None

    def test_alerts(self, *, dry_run: bool = False) -> tuple[Delivery, ...]:
        """Send a test message to every channel.

        Args:
            dry_run: Only see whether everything is there that a message needs.

        Raises:
            ReadOnlyError: Nothing may be sent.
            HomeNotFoundError: The platform home does not exist.
        """
        if self.settings.ui.read_only and not dry_run:
            raise ReadOnlyError("alerts test")
        home = str(self.home().path)
        return self._alerting.test(home, self._ports.clock.now(), dry_run=dry_run)

    def rotate_logs(
        self, *, dry_run: bool = False, cancel: StopSignal | None = None
    ) -> tuple[LogRotation, ...]:
        """Rotate the logs that have grown; a home that cannot be read keeps its own.

        Args:
            dry_run: Only say which.
            cancel: Ends it between two logs.

        Raises:
            ReadOnlyError: Nothing may be changed.
        """
        from memconsole.engine.logs import rotate_logs  # noqa: PLC0415 - rare

        if self.settings.ui.read_only and not dry_run:
            raise ReadOnlyError("logs rotate")
        try:
            home = self.home().path
        except MemconsoleError as error:
            logger.warning("the platform's logs are left alone: %s", error)
            home = None
        rules = self.settings.log_rotation
        logs = self._ports.health().logs
        return rotate_logs(logs, home, rules, dry_run=dry_run, cancel=cancel)

    def clean_transcripts(
        self, *, dry_run: bool = False, cancel: StopSignal | None = None
    ) -> tuple[Cleaning, ...]:
        """Pack old transcripts that no store knows, and delete packed ones.

        Args:
            dry_run: Only say which; so it is as long as `cleanup.enabled` is off.
            cancel: Ends it between two files.

        Raises:
            ReadOnlyError: Nothing may be changed.
            HomeNotFoundError: The platform home does not exist.
            HomeUnreadableError: It exists and cannot be listed.
        """
        from memconsole.engine.cleanup import clean_transcripts  # noqa: PLC0415 - rare

        is_dry = dry_run or not self.settings.cleanup.is_enabled
        self._require_writing("once transcript_cleanup", dry_run=is_dry)
        return clean_transcripts(
            self._ports, self._reader, self.settings, dry_run=is_dry, cancel=cancel
        )

    def publish_metrics(self) -> int | None:
        """Tell monitoring how things are; return how many samples, None when nobody listens.

        Raises:
            StateError: File or port cannot be had.
            HomeNotFoundError: The platform home does not exist.
            HomeUnreadableError: It exists, and none of its stores can be read.
        """
        from memconsole import __version__  # noqa: PLC0415 - rare
        from memconsole.domain.metrics import families  # noqa: PLC0415

        ports = self._ports.health()
        if not ports.metrics.is_wanted:
            return None
        found = families(self.snapshot(), ports.jobs.records(), self.indexes(), version=__version__)
        ports.metrics.publish(found)
        return sum(len(one.samples) for one in found)

    def _judged(self, report: HealthReport) -> HealthReport:
        """Return a report with what earlier looks know: since when, and whether it is no chance."""
        from memconsole.domain.alerts.rules import confirmed, dated  # noqa: PLC0415 - only who looks

        state = self._alerting.state(str(self.home().path))
        return dated(confirmed(report, state), state)

    def _keep(self, report: HealthReport, home: str) -> None:
        from memconsole.domain.alerts.rules import dated, seen  # noqa: PLC0415 - only who looks
        from memconsole.domain.health.text import status_text  # noqa: PLC0415

        found = dated(report, seen(self._alerting.state(home), report))
        try:
            text = status_text(found, home, redact=self.settings.redact)
            self._ports.alerts().status_file.write(text)
        except StateError as error:
            logger.warning("the result of health is not kept: %s", error)

    @cached_property
    def _alerting(self) -> Alerting:
        from memconsole.engine.alerts import Alerting  # noqa: PLC0415 - only who looks

        return Alerting(self._ports.alerts(), self.settings, self._ports.clock)


def _blind(error: MemconsoleError) -> Check:
    from memconsole.domain.alerts.rules import BLIND  # noqa: PLC0415 - only who looks
    from memconsole.domain.health.checks import Check, CheckStatus  # noqa: PLC0415

    message = f"health could not be looked after: {error}"
    return Check(BLIND, CheckStatus.CRITICAL, message, hint=error.hint)
