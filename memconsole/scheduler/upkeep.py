"""Jobs that are no commands: they look after the host and after our own files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.agents import Severity
from memconsole.domain.health import named
from memconsole.domain.jobs.runs import CANCELLED, DONE, FAILED, NOTHING_DUE, SKIPPED, JobEnd
from memconsole.text.figures import plural, size_words

if TYPE_CHECKING:
    from memconsole.domain.cleanup import Cleaning
    from memconsole.engine.engine import Engine
    from memconsole.ports.platform import StopSignal

PLANNED = "planned"

NOT_DELIVERED = "not-delivered"
"""Why a look at health failed of which a channel could not be told."""


def look_after_health(engine: Engine, cancel: StopSignal) -> JobEnd:
    """Check everything and tell people.

    Raises:
        MemconsoleError: Nobody could look, and there is nobody to tell.
    """
    found = engine.health.look_after(cancel)
    checks = found.report.checks
    bad = [one.id for one in sorted(checks, key=lambda one: -one.status.rank) if one.status.is_bad]
    count = "1 check is" if len(bad) == 1 else f"{len(bad)} of {len(checks)} checks are"
    said = f"{count} bad: {named(bad)}" if bad else "all is well"
    if found.told.was_cancelled:
        return JobEnd(FAILED, CANCELLED, f"{said}; told to end before everybody knew")
    if failed := found.told.failed:
        names = ", ".join(f"{one.channel}: {one.error}" for one in failed)
        return JobEnd(FAILED, NOT_DELIVERED, f"{said}; {names}")
    names = ", ".join(dict.fromkeys(channel for channel, _ in found.told.sent))
    return JobEnd(DONE, None, f"{said}; told {names}" if names else said)


def check_config(engine: Engine, cancel: StopSignal) -> JobEnd:
    """Check the platform's configuration; what is wrong is the result, no failure.

    Raises:
        MemconsoleError: Nobody could look.
    """
    del cancel
    found = engine.config.check().findings
    bad = [one for one in found if one.severity.rank > Severity.INFO.rank]
    if not bad:
        return JobEnd(DONE, None, "nothing is wrong with the configuration")
    things = "1 finding wants" if len(bad) == 1 else f"{len(bad)} findings want"
    return JobEnd(DONE, None, f"{things} attention; {bad[0].id}: {bad[0].why}")


def rotate_logs(engine: Engine, cancel: StopSignal) -> JobEnd:
    """Rotate the logs that have grown."""
    found = engine.upkeep.rotate_logs(cancel=cancel)
    failed = [one for one in found if one.status == FAILED]
    if failed:
        words = f"{failed[0].file.path}: {failed[0].message}"
        return JobEnd(FAILED, failed[0].reason, f"{len(failed)} of {len(found)} failed; {words}")
    done = [one for one in found if one.status == DONE]
    if not done:
        return JobEnd(SKIPPED, NOTHING_DUE, "no log has grown large")
    size = size_words(sum(one.moved_bytes for one in done))
    return JobEnd(DONE, None, f"{plural(len(done), 'log')} rotated, {size}")


def clean_transcripts(engine: Engine, cancel: StopSignal) -> JobEnd:
    """Pack and delete old transcripts that no store knows."""
    return _cleaned(engine.upkeep.clean_transcripts(cancel=cancel))


def preview_cleaning(engine: Engine) -> JobEnd:
    """Say what would be packed and deleted."""
    return _cleaned(engine.upkeep.clean_transcripts(dry_run=True))


def _cleaned(found: tuple[Cleaning, ...]) -> JobEnd:
    by_status = {one.status: one for one in reversed(found)}
    left = sum(one.status == SKIPPED for one in found)
    more = f"; {left} left alone: {by_status[SKIPPED].message}" if left else ""
    if (failed := by_status.get(FAILED)) is not None:
        return JobEnd(FAILED, "not-written", f"{failed.path}: {failed.message}{more}")
    for status, words in ((DONE, "packed or deleted"), (PLANNED, "would be packed or deleted")):
        count = sum(one.status == status for one in found)
        if count:
            size = size_words(sum(one.freed_bytes for one in found))
            freed = (
                f", {size} freed" if status == DONE else f", the first is {by_status[status].path}"
            )
            return JobEnd(status, None, f"{count} old transcripts {words}{freed}{more}")
    return JobEnd(SKIPPED, NOTHING_DUE, f"no old transcript may go{more}")


def publish_metrics(engine: Engine, cancel: StopSignal) -> JobEnd:
    """Tell monitoring how things are."""
    del cancel
    count = engine.metrics.publish()
    if count is None:
        return JobEnd(SKIPPED, NOTHING_DUE, "nobody wants metrics")
    return JobEnd(DONE, None, f"{count} samples published")
