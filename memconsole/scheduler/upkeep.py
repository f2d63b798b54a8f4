"""Jobs that are no commands: they look after the host and after our own files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.jobs import CANCELLED, DONE, FAILED, JobEnd

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
    sent = len(found.told.sent)
    return JobEnd(DONE, None, f"{said}; {sent} messages sent" if sent else said)
