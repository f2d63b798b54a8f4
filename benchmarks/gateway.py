"""What the Gateway costs: a link with its list, and the console's first picture without one.

`python -m benchmarks.gateway paint HOME TRANSPORT URL` paints once and leaves.
"""

from __future__ import annotations

import socket
import sys
import time
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.budgets import ROOT, SMALL, Row, environment, generated, ratio
from benchmarks.measure import ROUNDS, Subject, measure

if TYPE_CHECKING:
    from collections.abc import Iterator

LIST_BUDGET_MS = 50
PAINT_BUDGET = 1.1


def gateway() -> Iterator[Row]:
    """Connect and list on loopback, and paint with the Gateway down and wedged."""
    took_ms = connect_and_list_ms()
    yield Row(
        "connect to a Gateway on loopback and list 200 sessions",
        f"{took_ms:.0f} ms",
        f"{LIST_BUDGET_MS} ms",
        took_ms / LIST_BUDGET_MS,
    )
    home = generated("small", SMALL)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        free = listener.getsockname()[1]
    with silent_port() as wedged:
        subjects = {
            name: painting(name, home, transport, port)
            for name, transport, port in (
                ("no Gateway", "none", free),
                ("Gateway down", "ws", free),
                ("Gateway wedged", "ws", wedged),
            )
        }
        found = measure(list(subjects.values()))
    for name in ("Gateway down", "Gateway wedged"):
        yield ratio(
            f"first picture of the console, {name}", found[name], found["no Gateway"], PAINT_BUDGET
        )


def painting(name: str, home: Path, transport: str, port: int) -> Subject:
    """Return a console that paints its first reading and leaves."""
    command = [sys.executable, "-m", "benchmarks.gateway", "paint", str(home), transport]
    seen = {**environment(name), "PYTHONPATH": str(ROOT)}
    return Subject(name, [*command, f"ws://127.0.0.1:{port}"], seen)


@contextmanager
def silent_port() -> Iterator[int]:
    """Yield a port that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
        yield listener.getsockname()[1]


def connect_and_list_ms() -> float:
    """Return the median time from nothing to a list of 200 sessions, in milliseconds."""
    from datetime import UTC, datetime  # noqa: PLC0415
    from tempfile import TemporaryDirectory  # noqa: PLC0415

    from memconsole.adapters.gateway.client import GatewayClient  # noqa: PLC0415
    from memconsole.adapters.gateway.connector import Connector  # noqa: PLC0415
    from memconsole.adapters.gateway.identity import DeviceFile  # noqa: PLC0415
    from memconsole.demo.gateway import LoopbackGateway  # noqa: PLC0415
    from memconsole.domain.gateway import GatewayPlace  # noqa: PLC0415

    def now() -> datetime:
        return datetime.now(UTC)

    rows = [{"key": f"agent:main:dashboard:{n}", "totalTokens": n} for n in range(200)]
    times = []
    with TemporaryDirectory() as folder, LoopbackGateway(lambda: rows, now=now) as server:
        place = GatewayPlace(server.url, server.token, is_explicit=True)
        for _ in range(ROUNDS + 1):  # the first one loads the library
            connector = Connector("ws", Path(folder), {}, DeviceFile(Path(folder) / "device.key"))
            client = GatewayClient(lambda: place, connector, now=now)
            start = time.perf_counter()
            assert len(client.read().sessions) == len(rows)
            times.append(time.perf_counter() - start)
            client.close()
    return 1000 * median(times[1:])


def paint(home: str, transport: str, url: str) -> None:
    """Open the console without a terminal, and leave when its first reading is painted."""
    from textual import on  # noqa: PLC0415

    from memconsole.compose import engine as wiring  # noqa: PLC0415
    from memconsole.compose import process  # noqa: PLC0415
    from memconsole.compose.feed import build_feed  # noqa: PLC0415
    from memconsole.domain.agents import Origin  # noqa: PLC0415
    from memconsole.ui.app import ConsoleApp  # noqa: PLC0415
    from memconsole.ui.messages import SnapshotTaken  # noqa: PLC0415

    settings = replace(
        process.load_settings(None, {}),
        home=Path(home),
        transport=transport,
        gateway_url=url,
    )

    class Painted(ConsoleApp):
        """A console that leaves behind its first picture."""

        @on(SnapshotTaken)
        def leave(self) -> None:
            """The reading was shown by the handler of the base class."""
            self.call_after_refresh(self.exit, 0)

    engine = wiring.build_engine(settings, Origin.CONSOLE)
    Painted(engine, settings, build_feed(engine)).run(headless=True, size=(120, 40))


if __name__ == "__main__":
    paint(*sys.argv[2:])
