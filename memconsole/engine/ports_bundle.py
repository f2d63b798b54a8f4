"""The ports that one engine works with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memconsole import ports
    from memconsole.domain.outcomes import Origin


@dataclass(frozen=True, slots=True)
class Ports:
    """Everything the engine asks; wiring builds it, tests fill it with fakes."""

    platform: ports.Platform
    sessions: ports.SessionStore
    memory: ports.MemoryReader
    workspace: ports.Workspace
    locks: ports.Locks
    runs: ports.RunLog
    samples: ports.SampleStore
    captures: ports.CaptureLog
    scheduler: ports.SchedulerControl
    gateway: ports.Gateway
    rotations: ports.RotationLog
    clock: ports.Clock
    origin: Origin
