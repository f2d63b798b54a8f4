"""What the service manager is told."""

from __future__ import annotations

import os
import socket
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from memconsole.scheduler.serving import Notifier, WakeSignal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(params=["file", "abstract"])
def manager(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, socket.socket]]:
    if request.param == "abstract" and sys.platform != "linux":
        pytest.skip("only Linux has sockets without a file")
    address = str(tmp_path / "notify") if request.param == "file" else f"@mc-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
        line.bind(f"\0{address[1:]}" if address.startswith("@") else address)
        line.settimeout(5)
        yield address, line


def test_it_is_told_in_its_own_words(manager: tuple[str, socket.socket]) -> None:
    address, line = manager
    environ = {
        "NOTIFY_SOCKET": address,
        "WATCHDOG_USEC": "10000000",
        "WATCHDOG_PID": str(os.getpid()),
        "HOME": "/home/operator",
    }
    notifier = Notifier.from_environment(environ)
    assert environ == {"HOME": "/home/operator"}  # our children are not the service
    assert notifier.watchdog_s == 10
    notifier.ready("3 jobs")
    notifier.alive()
    notifier.stopping()
    heard = [line.recv(200).decode() for _ in range(3)]
    assert heard == ["READY=1\nSTATUS=3 jobs", "WATCHDOG=1", "STOPPING=1"]


@pytest.mark.parametrize(
    ("environ", "watchdog_s"),
    [
        ({}, None),
        ({"WATCHDOG_USEC": "10000000"}, None),
        ({"NOTIFY_SOCKET": "/x", "WATCHDOG_USEC": "soon"}, None),
        ({"NOTIFY_SOCKET": "/x", "WATCHDOG_USEC": "0"}, None),
        ({"NOTIFY_SOCKET": "/x", "WATCHDOG_USEC": "500000", "WATCHDOG_PID": "1"}, None),
        ({"NOTIFY_SOCKET": "/x", "WATCHDOG_USEC": "500000"}, 0.5),
    ],
)
def test_the_watchdog_is_fed_only_when_it_is_ours(
    environ: dict[str, str], watchdog_s: float | None
) -> None:
    assert Notifier.from_environment(environ).watchdog_s == watchdog_s


def test_a_manager_that_is_gone_disturbs_nobody(tmp_path: Path) -> None:
    Notifier(str(tmp_path / "nobody"), 5).alive()
    Notifier(None).ready("3 jobs")


def test_a_bell_is_heard_before_and_while_somebody_waits() -> None:
    bell = WakeSignal()
    assert not bell.wait(0)
    for _ in range(10_000):  # more than its line holds
        bell.ring()
    assert bell.wait(0)
    assert not bell.wait(0)
    threading.Timer(0.01, bell.ring).start()
    assert bell.wait(20)
    bell.close()
    bell.ring()
