"""Tells monitoring how the hosts of a fleet are, from one place."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from memconsole.domain.metrics import of_fleet
from memconsole.errors import MemconsoleError

if TYPE_CHECKING:
    from datetime import timedelta
    from threading import Event

    from memconsole.engine.several.homes import SeveralHomes
    from memconsole.ports.host import MetricsSink

logger = logging.getLogger(__name__)


def tell(homes: SeveralHomes, sink: MetricsSink, interval: timedelta, stop: Event) -> None:
    """Tell how all homes are, after the first look and then at intervals, until it is stopped."""
    homes.snapshot()
    next(homes.news(stop), None)
    while not stop.is_set():
        try:
            taken = homes.snapshot()
            sink.publish(of_fleet(taken.homes, taken.server))
        except MemconsoleError as error:
            logger.warning("%s", error)
        stop.wait(interval.total_seconds())
