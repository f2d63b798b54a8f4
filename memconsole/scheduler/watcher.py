"""Hears of changed files and has jobs run for what they lead to.

A thread waits for file events and tells the watches; they know when something is due. The loop of
the scheduler asks them at each look, and runs the job with just what is due: its own turn comes all
the same, as the safety net.
"""

from __future__ import annotations

import logging
import threading
from dataclasses import field
from typing import TYPE_CHECKING, Protocol

from memconsole.domain.jobs.runs import POLLING, WATCHER, JobRecord
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from memconsole.domain.commands.command import Command
    from memconsole.ports.platform import ChangeFeed, StopSignal

logger = logging.getLogger(__name__)

_AGAIN_S = 60.0


class Watch(Protocol):
    """Collects changes of one kind (`engine.search.watch`, `engine.observe.watch`)."""

    def note(self, paths: frozenset[Path]) -> None:
        """Take changed paths."""

    def due_in_s(self) -> float | None:
        """Return the seconds until something is due: 0 for now, None when nothing waits."""

    def take_due(self) -> Sequence[Command]:
        """Return what is to be done now, and forget it."""


@dataclass(slots=True)
class Watcher:
    """The watches of a scheduler, by the job that does what they ask for.

    Attributes:
        feed: File events.
        roots: Returns what to watch; others come when agents do.
        watches: By job id.
        wake: Ends the loop's wait, after something changed.
        anew: Tells a watch that its job had a turn of its own, by job id.
        firsts: Have watches look at what is there, before the first change is heard of.
    """

    feed: ChangeFeed
    roots: Callable[[], tuple[Path, ...]]
    watches: Mapping[str, Watch]
    wake: Callable[[], None]
    anew: Mapping[str, Callable[[], None]] = field(default_factory=dict)
    firsts: Sequence[Callable[[], None]] = ()
    _thread: threading.Thread | None = field(default=None)

    def begin(self, stop: StopSignal) -> None:
        """Listen in a thread of its own until `stop` is set."""
        self._thread = threading.Thread(
            target=self._listen, args=(stop,), name="watcher", daemon=True
        )
        self._thread.start()

    def record(self, since: datetime) -> JobRecord:
        """Return what it does now, as the other faces are told of it.

        Args:
            since: When the scheduler began.
        """
        because = self.feed.polling_because
        return JobRecord(
            WATCHER,
            started_at=since,
            reason=None if because is None else POLLING,
            message=f"for {', '.join(sorted(self.watches))}" if because is None else because,
            is_running=True,
        )

    def due(self) -> Iterator[str]:
        """Yield the jobs that something waits for now."""
        for job, watch in self.watches.items():
            if watch.due_in_s() == 0:
                yield job

    def due_in_s(self) -> float | None:
        """Return the seconds until the next of them; None when nothing waits."""
        waits = [watch.due_in_s() for watch in self.watches.values()]
        return min((wait for wait in waits if wait is not None), default=None)

    def take(self, job: str) -> Sequence[Command]:
        """Return the commands that are due for a job, and forget them."""
        return self.watches[job].take_due()

    def ran(self, job: str) -> None:
        """Take note of a job's own turn: what was counted until now is done."""
        if job in self.anew:
            self.anew[job]()

    def _listen(self, stop: StopSignal) -> None:
        while not stop.is_set():
            try:
                self._hear(stop)
            except Exception:  # the edge of a thread: the turns of the jobs go on
                logger.exception("files are not watched for a while")
                _rest(_AGAIN_S, stop)

    def _hear(self, stop: StopSignal) -> None:
        """Pass changes on until there are other folders to watch."""
        roots = self.roots()
        for look in self.firsts:
            look()
        for paths in self.feed.changes(roots, stop):
            for watch in self.watches.values():
                watch.note(paths)
            self.wake()
            if self.roots() != roots:
                return


def _rest(seconds: float, stop: StopSignal) -> None:
    pause = threading.Event()
    for _ in range(int(seconds)):
        if stop.is_set() or pause.wait(1):
            return
