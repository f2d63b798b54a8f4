"""A Gateway that takes its time: who is late, who is wedged, and who only came late with a no.

The waits are those of the lane `make test-slow-gateway`, a hundred times shorter.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.gateway.client import GatewayClient
from memconsole.adapters.gateway.connector import Connector
from memconsole.adapters.gateway.identity import DeviceFile
from memconsole.domain.gateway import GatewayPlace
from tests.adapters.gateway.scripted import CHALLENGE, TOKEN, error, hello, let_in, ok, scripted
from tests.adapters.gateway.test_client import KEY, ROW
from tests.adapters.gateway.test_verdicts import NOW

if TYPE_CHECKING:
    from pathlib import Path

    from memconsole.domain.gateway import GatewayStatus
    from tests.program import Json

LONG_S = 10.0
SHORT_S = 0.3
LISTED = {"on": "sessions.list", "reply": ok({"sessions": [ROW]})}
MISMATCH = error("INVALID_REQUEST", "unauthorized", code="AUTH_TOKEN_MISMATCH")
OTHER_PROTOCOL = error("INVALID_REQUEST", "protocol mismatch", expectedProtocol=9)
NO_SCOPE = error("INVALID_REQUEST", "missing scope: operator.read")


def pause() -> Json:
    """Return a step that lasts a moment, and would last for ever if nobody answered behind it."""
    gate = threading.Event()
    threading.Timer(0.1, gate.set).start()
    return {"wait": gate}


def status_of(url: str, folder: Path, *, timeout_s: float) -> GatewayStatus:
    place = GatewayPlace(url, TOKEN, is_explicit=True)
    connector = Connector("ws", folder, {}, DeviceFile(folder / "device.key"))
    made = GatewayClient(lambda: place, connector, now=lambda: NOW, timeout_s=timeout_s)
    found = made.read().status
    made.close()
    return found


@pytest.mark.parametrize(
    "steps",
    [
        lambda: [pause(), *let_in(), LISTED],
        lambda: [
            {"send": CHALLENGE},
            {"on": "connect"},
            pause(),
            {"send": {**ok(hello()), "id": "memconsole-1"}},
            LISTED,
        ],
        lambda: [
            *let_in(),
            {"on": "sessions.list"},
            pause(),
            {"send": {**ok({"sessions": [ROW]}), "id": "memconsole-2"}},
        ],
    ],
    ids=["greets late", "lets in late", "lists late"],
)
def test_whoever_answers_within_the_wait_is_up(steps: object, tmp_path: Path) -> None:
    with scripted(steps()) as script:  # type: ignore[operator]
        assert status_of(script.url, tmp_path, timeout_s=LONG_S).verdict == "up"


@pytest.mark.parametrize(
    ("reply", "verdict", "words"),
    [
        (MISMATCH, "bad-token", "refuses our token"),
        (OTHER_PROTOCOL, "protocol-mismatch", "protocol 9"),
        (NO_SCOPE, "missing-scope", "the scope operator.read"),
    ],
)
def test_a_no_that_comes_late_is_that_no(
    reply: Json, verdict: str, words: str, tmp_path: Path
) -> None:
    refuses = [pause(), {"send": CHALLENGE}, {"on": "connect", "reply": reply}]
    with scripted(refuses) as script:
        found = status_of(script.url, tmp_path, timeout_s=LONG_S)
    assert found.verdict == verdict
    assert words in (found.reason or "")


@pytest.mark.parametrize(
    ("steps", "verdict"),
    [
        ([], "wedged"),
        ([{"send": CHALLENGE}, {"on": "connect"}], "late"),
        ([*let_in(), {"on": "sessions.list"}], "late"),
    ],
    ids=["never speaks", "greets only", "never lists"],
)
def test_only_who_never_said_a_word_is_wedged(
    steps: list[Json], verdict: str, tmp_path: Path
) -> None:
    hold = threading.Event()
    with scripted([*steps, {"wait": hold}, {"close": 1006}]) as script:
        started_at = time.monotonic()
        found = status_of(script.url, tmp_path, timeout_s=SHORT_S)
        took_s = time.monotonic() - started_at
        hold.set()
    assert found.verdict == verdict
    assert found.reason
    assert took_s >= SHORT_S - 0.01  # the whole wait, never before it


def test_the_second_greeting_of_one_that_spoke_is_late(tmp_path: Path) -> None:
    """It asks for our signature at once, and then says nothing to the signed greeting."""
    hold = threading.Event()
    unsigned = [{"send": CHALLENGE}, {"on": "connect", "reply": error("NOT_PAIRED", "no")}]
    wants = error("NOT_PAIRED", "device identity required", code="DEVICE_IDENTITY_REQUIRED")
    unsigned[1]["reply"] = wants
    DeviceFile(tmp_path / "device.key").load_or_make()
    with scripted(unsigned, [{"wait": hold}, {"close": 1006}]) as script:
        found = status_of(script.url, tmp_path, timeout_s=SHORT_S)
        hold.set()
    assert (found.verdict, script.connections) == ("late", 2)


def test_silence_after_a_link_that_broke_is_no_whole_wait(tmp_path: Path) -> None:
    """The time of a reading went to a link that ended: the next one had the rest of it only."""
    hold = threading.Event()
    first = [
        *let_in(),
        {"on": "sessions.list", "reply": ok({"sessions": [ROW]})},
        {"on": "sessions.list"},
        {"close": 1006},
    ]
    with scripted(first, [{"wait": hold}, {"close": 1006}]) as script:
        place = GatewayPlace(script.url, TOKEN)
        connector = Connector("ws", tmp_path, {}, DeviceFile(tmp_path / "device.key"))
        made = GatewayClient(lambda: place, connector, now=lambda: NOW, timeout_s=SHORT_S)
        verdicts = [made.read().status.verdict for _ in range(2)]
        made.close()
        hold.set()
    assert (verdicts, script.connections) == (["up", "late"], 2)


def test_a_list_that_ends_before_its_total_is_told(tmp_path: Path) -> None:
    rows = {"on": "sessions.list", "reply": ok({"sessions": [ROW], "totalCount": 12})}
    with scripted([*let_in(), rows]) as script:
        place = GatewayPlace(script.url, TOKEN)
        connector = Connector("ws", tmp_path, {}, DeviceFile(tmp_path / "device.key"))
        made = GatewayClient(lambda: place, connector, now=lambda: NOW)
        reading = made.read()
        made.close()
    assert (list(reading.sessions), reading.cut_at) == ([KEY], (1, 12))
