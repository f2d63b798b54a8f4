"""The layers of the scheduler: groups of jobs that may run in processes of their own.

A process whose death stops one layer stops no other. They share state, journal and the lock of each
job, so that no job runs twice whoever runs it (ADR 0051).
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime


class Layer(StrEnum):
    """One group of jobs."""

    CHECKPOINT = "checkpoint"
    CAPTURE = "capture"
    ROTATION = "rotation"
    HEALTH = "health"


JOBS_OF: Final = {
    Layer.CHECKPOINT: ("checkpoint", "index_md"),
    Layer.CAPTURE: ("observer", "recovery", "reflector", "consolidate", "index_sync", "watcher"),
    Layer.ROTATION: ("rotation", "flush_watch", "freshness_capture"),
}
"""Jobs by layer, the telling ones first; every other job is of the layer `health`."""

_LAYERS: Final = {job: layer for layer, jobs in JOBS_OF.items() for job in jobs}


def layer_of(job: str) -> Layer:
    """Return the layer that a job belongs to."""
    return _LAYERS.get(job, Layer.HEALTH)


@dataclass(frozen=True, slots=True)
class LayerStatus:
    """Who runs one layer: `running`, `stopped`, or `stale` when its owner does not move."""

    layer: Layer
    state: str = "stopped"
    pid: int | None = None
    host: str | None = None
    since: datetime | None = None


def named_layers(layers: Sequence[Layer]) -> str:
    """Return layers in words, such as `the layers capture and health`."""
    *most, last = (one.value for one in layers)
    return f"the layers {', '.join(most)} and {last}" if most else f"the layer {last}"
