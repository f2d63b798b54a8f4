"""Looks after everything that keeps memory safe, and tells people what they do not know yet."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, NamedTuple

from memconsole.domain.alerts.rules import BLIND, confirmed, dated, seen
from memconsole.domain.health.checks import Check, CheckStatus, HealthReport, ok
from memconsole.domain.health.text import status_text
from memconsole.domain.snapshot.attention import with_checks
from memconsole.engine.health.read import patient_snapshot, take_health
from memconsole.errors import MemconsoleError, ReadOnlyError, StateError

if TYPE_CHECKING:
    from memconsole.domain.agents import Home
    from memconsole.domain.settings import Settings
    from memconsole.domain.snapshot.snapshot import Attention, ConsoleSnapshot
    from memconsole.engine.alerts import AlertingResult, AlertService
    from memconsole.engine.config_check.service import ConfigService
    from memconsole.engine.home.reader import Reader
    from memconsole.engine.search.service import SearchService
    from memconsole.engine.snapshot.snapshot import Snapshots
    from memconsole.ports.bundle import Ports
    from memconsole.ports.platform import StopSignal


logger = logging.getLogger(__name__)


class HealthLook(NamedTuple):
    """What one look found.

    Attributes:
        attention: All findings of the same moment, what its checks found among them.
    """

    report: HealthReport
    attention: tuple[Attention, ...]


class HealthRound(NamedTuple):
    """What one look came to.

    Attributes:
        told: Who was told what.
    """

    report: HealthReport
    told: AlertingResult


class HealthService:
    """Health of one home.

    Args:
        ports: What the checks ask.
        reader: For the disk.
        snapshots: Readings of everything.
        settings: Thresholds.
        config: Judges compactions.
        search: Tells the state of the indexes.
        alerts: Knows what was wrong at earlier looks, and tells people.
    """

    def __init__(
        self,
        ports: Ports,
        reader: Reader,
        snapshots: Snapshots,
        settings: Settings,
        *,
        config: ConfigService,
        search: SearchService,
        alerts: AlertService,
    ) -> None:
        self._ports = ports
        self._reader = reader
        self._snapshots = snapshots
        self._settings = settings
        self._config = config
        self._search = search
        self._alerts = alerts
        self._seen_home: Home | None = None

    def report(self) -> HealthReport:
        """Check everything that keeps memory safe, as `look` does."""
        return self.look().report

    def look(self, snapshot: ConsoleSnapshot | None = None) -> HealthLook:
        """Check everything that keeps memory safe; one failure never stops the rest.

        What is wrong is remembered, so that the findings of every face are those of this look.

        Args:
            snapshot: A reading with pools and the Gateway that is at hand; None takes one.

        Raises:
            HomeNotFoundError: The platform home does not exist.
            HomeUnreadableError: It exists, and none of its stores can be read.
        """
        self._config.sweep()
        found = snapshot or patient_snapshot(self._ports, self._snapshots, self._settings)
        report = take_health(
            self._ports,
            found,
            self._settings,
            evidence=self._config.evidence,
            indexes=self._search.indexes,
        )
        home = str(self._reader.home().path)
        state = self._alerts.state(home)
        report = dated(confirmed(report, state), state)
        known = seen(state, report).open
        if not self._settings.ui.read_only:
            self._alerts.note(home, known)
        return HealthLook(report, with_checks(found.attention, known.values()))

    def look_after(self, cancel: StopSignal | None = None) -> HealthRound:
        """Check everything, keep the result as a file, and tell people what they do not know.

        A home that cannot be looked at is told as well, as the issue `health`.

        Args:
            cancel: Ends the telling early; who was not told is told with the next look.

        Raises:
            ReadOnlyError: Nothing may be sent.
            HomeNotFoundError: There is no home, and never was one in the life of this engine.
            HomeUnreadableError: The same of one that cannot be read.
        """
        if self._settings.ui.read_only:
            raise ReadOnlyError("alerts")
        try:
            self._seen_home = self._reader.home()
            report = self.report()
            checks = (*report.checks, ok(BLIND, "health can be looked after again"))
        except MemconsoleError as error:
            if self._seen_home is None:
                raise
            checks = (_blind(error),)
            report = HealthReport(checks, self._ports.clock.now())
        home = self._seen_home
        self._keep(report, str(home.path))
        told = self._alerts.tell(
            HealthReport(checks, report.at),
            str(home.path),
            platform_zone=home.config.user_timezone,
            cancel=cancel,
        )
        return HealthRound(report, told)

    def _keep(self, report: HealthReport, home: str) -> None:
        found = dated(report, seen(self._alerts.state(home), report))
        try:
            text = status_text(found, home, redact=self._settings.redact)
            self._ports.alerts().status_file.write(text)
        except StateError as error:
            logger.warning("the result of health is not kept: %s", error)


def _blind(error: MemconsoleError) -> Check:
    message = f"health could not be looked after: {error}"
    return Check(BLIND, CheckStatus.CRITICAL, message, hint=error.hint)
