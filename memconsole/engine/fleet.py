"""Asks every home of a fleet the same; one that is away fails no other.

Hosts are asked at the same time, the homes of one host after each other: they may share a state
folder, and with it the index of agents that bear the same name.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from memconsole.domain.fleet.wire import Reply, away, reply
from memconsole.errors import SourceAwayError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memconsole.ports.fleet import FleetSource
    from memconsole.ports.platform import Clock

_AT_ONCE = 10


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

    def one(source: FleetSource) -> Reply:
        asked = clock.now()
        try:
            heard = source.ask(words)
        except SourceAwayError as error:
            return away(source.home, str(error), error.hint)
        return reply(source.home, heard, command=command, asked=asked, now=clock.now())

    def host(name: str) -> list[Reply]:
        return [one(source) for source in sources if source.home.host == name]

    hosts = dict.fromkeys(source.home.host for source in sources)
    with ThreadPoolExecutor(min(_AT_ONCE, len(hosts)) or 1) as pool:
        found = [reply for replies in pool.map(host, hosts) for reply in replies]
    order = [source.home for source in sources]
    return tuple(sorted(found, key=lambda reply: order.index(reply.home)))
