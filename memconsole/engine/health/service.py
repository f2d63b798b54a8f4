"""Looks after everything that keeps memory safe, and tells people what they do not know yet.

Every check is made by itself: one that meets a failure is `unknown` with its reason. It never stops
the others, and never passes for well.
"""

from __future__ import annotations

import functools
import logging
from typing import TYPE_CHECKING, NamedTuple

from memconsole.domain.alerts import BLIND, confirmed, dated, seen
from memconsole.domain.health import (
    CHECK_IDS,
    FLEET,
    Check,
    CheckStatus,
    HealthReport,
    ok,
    status_text,
    unknown,
)
from memconsole.domain.settings import usable
from memconsole.domain.snapshot.attention import with_checks
from memconsole.engine.health import memory, own, platform
from memconsole.engine.health.inputs import HealthInputs
from memconsole.engine.home.live import LiveView
from memconsole.errors import MemconsoleError, ReadOnlyError, StateError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memconsole.domain.agents import Home, Origin
    from memconsole.domain.settings import Settings
    from memconsole.domain.snapshot.snapshot import Attention, ConsoleSnapshot
    from memconsole.engine.alerts import AlertingResult, AlertService
    from memconsole.engine.config_check.service import ConfigService
    from memconsole.engine.home.reader import Reader
    from memconsole.engine.search.service import SearchService
    from memconsole.engine.snapshot.snapshot import Snapshots
    from memconsole.ports.alerts import StatusFile
    from memconsole.ports.bundle import HealthPorts, SearchNeeds
    from memconsole.ports.platform import (
        Clock,
        Gateway,
        Journal,
        RotationLog,
        RunLog,
        StopSignal,
        Workspace,
    )


logger = logging.getLogger(__name__)

_GRACE_S = 0.5
"""Between the end of the Gateway's time and the verdict on it."""

_COMPARED_S = 5.0
"""Time for comparing search indexes with files."""


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
        reader: For the disk.
        snapshots: Readings of everything.
        settings: Thresholds.
        config: Judges compactions.
        search: Tells the state of the indexes.
        alerts: Knows what was wrong at earlier looks, and tells people.
        gateway: The platform's Gateway.
        origin: Who asks it.
        runs: What was run.
        rotations: What was reset.
        workspace: For the texts of memory.
        journal: Knows what is promised to be erased.
        needs: What a look at the platform's own indexes asks.
        health: Gives what only health asks.
        status_file: Keeps the result.
        clock: The time.
    """

    def __init__(
        self,
        reader: Reader,
        snapshots: Snapshots,
        settings: Settings,
        *,
        config: ConfigService,
        search: SearchService,
        alerts: AlertService,
        gateway: Gateway,
        origin: Origin,
        runs: RunLog,
        rotations: RotationLog,
        workspace: Workspace,
        journal: Journal,
        needs: SearchNeeds,
        health: Callable[[], HealthPorts],
        status_file: StatusFile,
        clock: Clock,
    ) -> None:
        self._reader = reader
        self._snapshots = snapshots
        self._settings = settings
        self._config = config
        self._search = search
        self._alerts = alerts
        self._gateway = gateway
        self._origin = origin
        self._runs = runs
        self._rotations = rotations
        self._workspace = workspace
        self._journal = journal
        self._needs = needs
        self._health = health
        self._status_file = status_file
        self._clock = clock
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
        found = snapshot or self._patient_snapshot()
        report = self._checked(found)
        home = str(self._reader.home().path)
        state = self._alerts.state(home)
        report = dated(confirmed(report, state), state)
        known = seen(state, report).open
        if not self._settings.ui.read_only:
            self._alerts.note(home, known, report.at)
        return HealthLook(report, with_checks(found.attention, known.values()))

    def _patient_snapshot(self) -> ConsoleSnapshot:
        """Take a reading that waits for the Gateway as long as health does."""
        live = LiveView(self._gateway, self._origin, budget_s=_wait_s(self._settings))
        return self._snapshots.take(live)

    def _has_fleet(self) -> bool:
        """Whether this host publishes, or nobody can tell: its check says what is wrong then."""
        return usable(lambda: self._settings.fleet.is_published, otherwise=True)

    def _checked(self, snapshot: ConsoleSnapshot) -> HealthReport:
        inputs = HealthInputs(
            runs=self._runs,
            rotations=self._rotations,
            captures=self._snapshots.captures,
            events=self._snapshots.events,
            workspace=self._workspace,
            journal=self._journal,
            search=self._needs,
            health=self._health,
            settings=self._settings,
            snapshot=snapshot,
            now=self._clock.now(),
            evidence=functools.cache(lambda: self._config.evidence(snapshot)),
            indexes=functools.cache(
                functools.partial(self._search.indexes, compared_within_s=_COMPARED_S)
            ),
        )
        checks = _checks()
        names = (*CHECK_IDS, FLEET) if self._has_fleet() else CHECK_IDS
        made = tuple(_made(name, checks[name], inputs) for name in names)
        return HealthReport(made, inputs.now)

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
            report = HealthReport(checks, self._clock.now())
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
            self._status_file.write(text)
        except StateError as error:
            logger.warning("the result of health is not kept: %s", error)


def _blind(error: MemconsoleError) -> Check:
    message = f"health could not be looked after: {error}"
    return Check(BLIND, CheckStatus.CRITICAL, message, hint=error.hint)


def _wait_s(settings: Settings) -> float:
    """Return how long the Gateway is waited for: as long as it may take, and until we know it."""
    return settings.gateway_timeout.total_seconds() + _GRACE_S


def _checks() -> Mapping[str, Callable[[HealthInputs], Check]]:
    return {
        "gateway": platform.gateway,
        "gateway-scopes": platform.gateway_scopes,
        "gateway-process": platform.gateway_process,
        "disk": platform.disk,
        "stores": platform.stores,
        "transcripts-size": platform.transcripts_size,
        "memory-file-size": memory.memory_file_size,
        "cron-errors": platform.cron_errors,
        "stuck-runs": platform.stuck_runs,
        "jobs": own.jobs,
        "capture-skips": memory.capture_skips,
        "outputs-freshness": memory.outputs_freshness,
        "compaction-evidence": platform.compaction_evidence,
        "reset-ineffective": own.reset_ineffective,
        "observations-budget": memory.observations_budget,
        "locks": own.locks,
        "index": memory.index,
        "platform-index": platform.platform_index,
        "bootstrap-truncation": memory.bootstrap_truncation,
        "secrets": memory.secrets,
        "state": own.state,
        FLEET: own.fleet,
    }


def _made(name: str, check: Callable[[HealthInputs], Check], inputs: HealthInputs) -> Check:
    try:
        return check(inputs)
    except MemconsoleError as error:
        return unknown(name, f"could not look: {error}", error.hint)
    except Exception as error:  # an isolation edge: one check never stops the others
        logger.exception("the check %s failed", name)
        return unknown(name, f"could not look: {type(error).__name__} inside memconsole")
