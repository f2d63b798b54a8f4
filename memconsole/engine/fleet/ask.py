"""Asks every home of a fleet the same, all at one time; one that is away fails no other."""

from __future__ import annotations

from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import TYPE_CHECKING

from memconsole import __version__
from memconsole.domain.fleet.wire import Reply, away, reply
from memconsole.errors import SourceAwayError
from memconsole.system.waits import until_ended

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memconsole.ports.fleet import FleetSource
    from memconsole.ports.platform import Clock

_AT_ONCE = 1000
"""Most of them wait, for a host that is away or for their turn."""

_LEFT_AFTER_S = 5.0
"""Who is being asked when Ctrl-C comes takes back what is not begun; a silent server is left."""


def ask_all(
    sources: Sequence[FleetSource], command: str, words: Sequence[str], clock: Clock
) -> tuple[Reply, ...]:
    """Return what each home answers, in their order; none of them fails the others.

    Args:
        sources: The homes.
        command: Name of the command, as answers repeat it.
        words: The same with its options.
        clock: Ours.
    """
    stop = Event()

    def one(source: FleetSource) -> Reply:
        asked = clock.now()
        try:
            heard = source.ask(words, stop=stop.is_set)
        except SourceAwayError as error:
            return away(source.home, str(error), error.hint)
        now = clock.now()
        return reply(source.home, heard, command=command, asked=asked, now=now, own=__version__)

    asking = _Asking(one, sources, stop)
    # They end with the process: one that hangs keeps nobody who has left.
    count = min(_AT_ONCE, len(sources))
    threads = [Thread(target=asking.work, name="ask", daemon=True) for _ in range(count)]
    for thread in threads:
        thread.start()
    try:
        until_ended(threads)
    except BaseException:  # Ctrl-C: those that are being asked are told before they are left
        stop.set()
        until_ended(threads, _LEFT_AFTER_S)
        raise
    return asking.replies


class _Asking:
    """What several threads ask, each the next home that nobody asked yet."""

    def __init__(
        self, one: Callable[[FleetSource], Reply], sources: Sequence[FleetSource], stop: Event
    ) -> None:
        self._one, self._sources, self._stop = one, sources, stop
        self._waiting: SimpleQueue[int] = SimpleQueue()
        for place in range(len(sources)):
            self._waiting.put(place)
        self._found: dict[int, Reply] = {}
        self._bug: Exception | None = None

    def work(self) -> None:
        """Ask until nobody is left."""
        with suppress(Empty):
            while not self._stop.is_set():
                place = self._waiting.get_nowait()
                try:
                    self._found[place] = self._one(self._sources[place])
                except Exception as error:  # the edge of a thread: raised where it was begun
                    self._bug = error
                    return

    @property
    def replies(self) -> tuple[Reply, ...]:
        """What all answered, in their order; raises the bug that one of them met."""
        if self._bug is not None:
            raise self._bug
        return tuple(self._found[place] for place in range(len(self._sources)))
