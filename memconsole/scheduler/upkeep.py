"""Jobs that are no commands: they look after the host and after our own files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.jobs import CANCELLED, DONE, FAILED, NOTHING_DUE, SKIPPED, JobEnd
from memconsole.domain.sizes import size_words
from memconsole.domain.snapshot import Severity

if TYPE_CHECKING:
    from memconsole.engine.engine import Engine
    from memconsole.ports import StopSignal

NOT_DELIVERED = "not-delivered"
"""Why a look at health failed of which a channel could not be told."""


def look_after_health(engine: Engine, cancel: StopSignal) -> JobEnd:
    """Check everything and tell people (mission §10).

    Raises:
        MemconsoleError: Nobody could look, and there is nobody to tell.
    """
    found = engine.look_after_health(cancel)
    bad = sum(one.status.is_bad for one in found.report.checks)
    said = f"{bad} of {len(found.report.checks)} checks want attention" if bad else "all is well"
    if found.told.was_cancelled:
        return JobEnd(FAILED, CANCELLED, f"{said}; told to end before everybody knew")
    if failed := found.told.failed:
        names = ", ".join(f"{one.channel}: {one.error}" for one in failed)
        return JobEnd(FAILED, NOT_DELIVERED, f"{said}; {names}")
    names = ", ".join(dict.fromkeys(channel for channel, _ in found.told.sent))
    return JobEnd(DONE, None, f"{said}; told {names}" if names else said)


def check_config(engine: Engine, cancel: StopSignal) -> JobEnd:
    """Check the platform's configuration (mission §7); what is wrong is the result, no failure.

    Raises:
        MemconsoleError: Nobody could look.
    """
    del cancel
    found = engine.config_findings().findings
    bad = [one for one in found if one.severity.rank > Severity.INFO.rank]
    if not bad:
        return JobEnd(DONE, None, "nothing is wrong with the configuration")
    things = "1 finding wants" if len(bad) == 1 else f"{len(bad)} findings want"
    return JobEnd(DONE, None, f"{things} attention; {bad[0].id}: {bad[0].why}")


def rotate_logs(engine: Engine, cancel: StopSignal) -> JobEnd:
    """Rotate the logs that have grown (mission §11)."""
    found = engine.rotate_logs(cancel=cancel)
    failed = [one for one in found if one.status == FAILED]
    if failed:
        words = f"{failed[0].file.path}: {failed[0].message}"
        return JobEnd(FAILED, failed[0].reason, f"{len(failed)} of {len(found)} failed; {words}")
    done = [one for one in found if one.status == DONE]
    if not done:
        return JobEnd(SKIPPED, NOTHING_DUE, "no log has grown large")
    size = size_words(sum(one.moved_bytes for one in done))
    return JobEnd(DONE, None, f"{len(done)} logs rotated, {size}")


def publish_metrics(engine: Engine, cancel: StopSignal) -> JobEnd:
    """Tell monitoring how things are (A21)."""
    del cancel
    count = engine.publish_metrics()
    if count is None:
        return JobEnd(SKIPPED, NOTHING_DUE, "nobody wants metrics")
    return JobEnd(DONE, None, f"{count} samples published")
