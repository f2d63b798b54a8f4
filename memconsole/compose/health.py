"""Puts together what only health asks: host, locks, jobs, logs, metrics, old transcripts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.adapters.host.log_files import DiskLogFiles
from memconsole.adapters.host.probe import Host
from memconsole.adapters.locks import HeldLocks
from memconsole.adapters.metrics import PrometheusMetrics
from memconsole.adapters.platform.cron_runs import PlatformCron
from memconsole.adapters.platform.home import home_of_process
from memconsole.adapters.sessions.files.archives import DiskOldTranscripts
from memconsole.adapters.state.jobs import StateJobs
from memconsole.compose.sections import usable
from memconsole.ports.bundle import HealthPorts

if TYPE_CHECKING:
    from memconsole.adapters.sqlite.private_copy import PrivateCopies
    from memconsole.adapters.state.database import StateDatabase
    from memconsole.domain.settings import Settings


def health_ports(settings: Settings, state: StateDatabase, copies: PrivateCopies) -> HealthPorts:
    """Return the ports of one state folder."""
    locks = settings.state_dir / "locks"
    logs = DiskLogFiles(
        settings.state_dir,
        own=(settings.log.file,) if settings.log.file else (),
        patterns=usable(lambda: settings.log_rotation.paths, ()),
    )
    metrics = PrometheusMetrics(
        usable(lambda: settings.metrics.textfile, None), usable(lambda: settings.metrics.port, 0)
    )
    cron, jobs = PlatformCron(copies), StateJobs(state)
    host = Host(home_of_process)
    return HealthPorts(host, HeldLocks(locks), cron, jobs, logs, metrics, DiskOldTranscripts())
