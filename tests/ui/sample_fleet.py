"""A fleet for pictures: hosts with agents of their own, some of them late, away or not heard of."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from functools import cache
from typing import TYPE_CHECKING

from memconsole.domain.agents import AgentRef, HomeRef
from memconsole.domain.snapshot.homes import HomeReading, ServerReading
from memconsole.engine.several.homes import SeveralHomes
from tests.doubles.platform import FakeClock
from tests.ui import sample
from tests.ui.fake_engine import FakeEngine

if TYPE_CHECKING:
    from memconsole.domain.snapshot.snapshot import ConsoleSnapshot

UP = ServerReading(True, sample.ago(hours=3), sample.NOW, 3.2)


class Published:
    """A host of which a reading is known; answers what is asked of a member."""

    engine = None

    def __init__(self, home: HomeReading, snapshot: ConsoleSnapshot | None) -> None:
        self.label, self.ref, self._home, self._snapshot = home.label, home.ref, home, snapshot

    def take(self, _changed: object) -> ConsoleSnapshot | None:
        return self._snapshot

    def reading(self) -> HomeReading:
        return self._home


def home(name: str, freshness: str = "live", **changes: object) -> HomeReading:
    """Return how a host is: one that is late or away says since when."""
    ages = {"live": 4, "late": 80, "away": 14 * 60}
    values: dict[str, object] = {
        "as_of": sample.ago(seconds=ages[freshness]),
        "version": "1.4.0",
        "labels": ("prod",),
        "allows": ("checkpoint", "observe"),
        "waits": True,
        **changes,
    }
    return HomeReading(HomeRef("/home/op/.openclaw", name), name, freshness, **values)  # type: ignore[arg-type]  # names are checked by the dataclass itself


@cache
def reading(name: str, tokens: tuple[int, ...]) -> ConsoleSnapshot:
    """Return the reading of a host whose agents are that full."""
    ref = HomeRef("/home/op/.openclaw", name)
    ids = ("main", "work", "research")[: len(tokens)]
    sessions = tuple(
        sample.view(
            sample.stored(one, "main", number, agent=AgentRef(ref, one)), sample.fresh(count)
        )
        for number, (one, count) in enumerate(zip(ids, tokens, strict=True), 1)
    )
    agents = tuple(
        sample.agent_view(sample.agent(one, ref=AgentRef(ref, one)), sessions, pool=None)
        for one in ids
    )
    return sample.snapshot(agents, sessions)


def fleet(count: int, server: ServerReading | None = UP) -> ConsoleSnapshot:
    """Return a fleet of so many hosts: the first is due, one is late, one away, one never heard."""
    members = [
        Published(home("alpha", chunks=41_200), reading("alpha", (151_200, 62_000, 9_000))),
        Published(home("beta", skew=timedelta(minutes=2)), reading("beta", (49_000,))),
        Published(home("delta", "away"), reading("delta", (152_000, 20_000))),
        Published(
            home("gamma", "late", version="1.3.2", labels=("edge",)), reading("gamma", (94_000,))
        ),
        Published(
            HomeReading(HomeRef("", "omega"), "omega", "away", None, "no route to host"), None
        ),
        *(
            Published(
                home(f"n{number:03d}", labels=("edge" if number % 3 else "lab",)),
                reading(f"n{number:03d}", ((number * 3571) % 139_000, (number * 911) % 80_000)),
            )
            for number in range(count - 5)
        ),
    ][:count]
    taken = SeveralHomes(FakeEngine(), members, FakeClock(sample.NOW)).snapshot()  # type: ignore[arg-type]  # what is asked of them here
    return replace(taken, server=server)
