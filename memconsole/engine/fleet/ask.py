"""Asks every home of a fleet the same, all at one time; one that is away fails no other."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from threading import Event
from typing import TYPE_CHECKING

from memconsole import __version__
from memconsole.domain.fleet.wire import Reply, away, reply
from memconsole.errors import SourceAwayError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memconsole.ports.fleet import FleetSource
    from memconsole.ports.platform import Clock

_AT_ONCE = 1000
"""Most of them wait, for a host that is away or for their turn."""

_LOOK_S = 0.2
"""Ctrl-C may reach another thread of the process: then it wakes nobody who waits without end."""


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

    with ThreadPoolExecutor(min(_AT_ONCE, len(sources)) or 1) as pool:
        try:
            asked = [pool.submit(one, source) for source in sources]
            while wait(asked, _LOOK_S).not_done:
                pass
            return tuple(each.result() for each in asked)
        except BaseException:  # Ctrl-C: those that are being asked are told before they are left
            stop.set()
            raise
