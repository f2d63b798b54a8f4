"""Makes one health report: every check by itself.

A check that meets a failure is `unknown` with its reason: it never stops the others, and never
passes for well.
"""

from __future__ import annotations

import functools
import logging
from typing import TYPE_CHECKING

from memconsole.domain.health.checks import CHECK_IDS, HealthReport, unknown
from memconsole.engine.health import memory, own, platform
from memconsole.engine.health.inputs import HealthInputs
from memconsole.engine.home.live import LiveView
from memconsole.errors import MemconsoleError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memconsole.domain.compaction import CompactionEvidence
    from memconsole.domain.health.checks import Check
    from memconsole.domain.search.indexing import IndexStatus, Source
    from memconsole.domain.settings import Settings
    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot
    from memconsole.engine.snapshot.snapshot import Snapshots
    from memconsole.ports.bundle import Ports


logger = logging.getLogger(__name__)

_GRACE_S = 0.5
"""Between the end of the Gateway's time and the verdict on it."""


def take_health(
    ports: Ports,
    snapshot: ConsoleSnapshot,
    settings: Settings,
    *,
    evidence: Callable[[ConsoleSnapshot], CompactionEvidence],
    indexes: Callable[[], Mapping[tuple[str, Source], IndexStatus]],
) -> HealthReport:
    """Make every check.

    Args:
        ports: What the engine asks.
        snapshot: A reading with pools and the Gateway.
        settings: Thresholds.
        evidence: Judges the compactions of a snapshot.
        indexes: Tells the state of the indexes.
    """
    inputs = HealthInputs(
        ports=ports,
        settings=settings,
        snapshot=snapshot,
        now=ports.clock.now(),
        evidence=functools.cache(lambda: evidence(snapshot)),
        indexes=functools.cache(indexes),
    )
    checks = _checks()
    return HealthReport(tuple(_made(name, checks[name], inputs) for name in CHECK_IDS), inputs.now)


def patient_snapshot(ports: Ports, snapshots: Snapshots, settings: Settings) -> ConsoleSnapshot:
    """Take a reading that waits for the Gateway as long as health does.

    Raises:
        HomeNotFoundError: The platform home does not exist.
        HomeUnreadableError: It exists, and none of its stores can be read.
    """
    return snapshots.take(LiveView(ports.gateway, ports.origin, budget_s=_wait_s(settings)))


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
        "state": own.state,
    }


def _made(name: str, check: Callable[[HealthInputs], Check], inputs: HealthInputs) -> Check:
    try:
        return check(inputs)
    except MemconsoleError as error:
        return unknown(name, f"could not look: {error}", error.hint)
    except Exception as error:  # an isolation edge: one check never stops the others
        logger.exception("the check %s failed", name)
        return unknown(name, f"could not look: {type(error).__name__} inside memconsole")
