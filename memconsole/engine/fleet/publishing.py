"""Publishes the figures of a home for as long as it lives; what fails is tried again, with pauses.

It is a thread of its own beside the jobs: those never wait for it, and it never for a job.
"""

from __future__ import annotations

import logging
from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING

from memconsole.domain.fleet.publishing import Standing, pause_after, standing_of
from memconsole.errors import FleetHeldError, MemconsoleError, SourceAwayError, StateError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from threading import Event

    from memconsole.domain.fleet.chunks import Shelf
    from memconsole.domain.published import Fact
    from memconsole.ports.alerts import StatusFile
    from memconsole.ports.fleet import FleetCopy
    from memconsole.ports.platform import Clock

logger = logging.getLogger(__name__)

_EARLIER = "the fleet knows this home under another identity too, last heard of"


class Publisher:
    """Publishes one home.

    Args:
        look: Makes the rows of now.
        copy: Where they go.
        standing: Tells other processes how it goes.
        clock: The time.
        beat: Between two rounds.
        share: Chance from 0 to 1, for pauses.
        shelves: Chooses the indexes whose chunks go along.
        ended: How commands of people elsewhere ended, by `verb state`; counted on from the file.
    """

    def __init__(
        self,
        look: Callable[[], Sequence[Fact]],
        copy: FleetCopy,
        standing: StatusFile,
        clock: Clock,
        *,
        beat: timedelta,
        share: Callable[[], float],
        shelves: Callable[[], Sequence[Shelf]] = tuple,
        ended: Counter[str] | None = None,
    ) -> None:
        self._look = look
        self._copy = copy
        self._file = standing
        self._clock = clock
        self._beat = beat
        self._share = share
        self._shelves = shelves
        self._failures = 0
        now = clock.now()
        self._standing = standing_of(standing.read()) or Standing("starting", now, now)
        self._ended = Counter[str]() if ended is None else ended
        self._ended.update(self._standing.commands)

    def run(self, stop: Event) -> None:
        """Go on until it is stopped."""
        try:
            while not stop.is_set():
                stop.wait(self.round().total_seconds())
        finally:
            self._copy.close()

    def withdraw(self, stop: Event) -> None:
        """Take everything of the home out of the fleet, however long its server is away."""
        try:
            while not stop.is_set():
                pause = self.round()
                if self._standing.state == "live":
                    now = self._clock.now()
                    self._note(Standing("withdrawn", now, now))
                    return
                stop.wait(pause.total_seconds())
        finally:
            self._copy.close()

    def round(self) -> timedelta:
        """Publish once; returns the pause before the next time."""
        facts: Sequence[Fact] | None = None
        try:
            facts = self._look()
            sent = self._copy.publish(facts, self._shelves())
        except FleetHeldError as error:
            return self._failed("held", error, facts)
        except SourceAwayError as error:
            return self._failed("away", error, facts)
        except MemconsoleError as error:
            return self._failed("fleet", error, facts)
        if sent.rows or sent.gone:
            logger.debug("published %d rows, %d are gone", sent.rows, sent.gone)
        self._failures = 0
        told = "" if sent.earlier is None else f"{_EARLIER} {sent.earlier:%Y-%m-%d %H:%M} UTC"
        self._note(self._standing.next("live", self._clock.now(), told, sent.owed))
        return timedelta() if sent.owed else self._beat

    def _failed(
        self, state: str, error: MemconsoleError, facts: Sequence[Fact] | None
    ) -> timedelta:
        self._failures += 1
        if state != self._standing.state:
            logger.warning("%s", error)
        owed = None if facts is None else self._copy.owed(facts)
        self._note(self._standing.next(state, self._clock.now(), str(error), owed))
        return min(self._beat, pause_after(self._failures, self._share()))

    def _note(self, standing: Standing) -> None:
        if standing.state != self._standing.state:
            logger.info("fleet: %s", standing.state)
        self._standing = standing = standing._replace(commands=dict(self._ended))
        try:
            self._file.write(standing.text())
        except StateError as error:
            logger.warning("%s", error)
