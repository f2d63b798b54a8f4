"""Every verdict on a Gateway: scripted ones, and the recorded handshakes of four releases."""

from __future__ import annotations

import json
import socket
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.gateway.client import GatewayClient
from memconsole.adapters.gateway.connector import Connector
from memconsole.adapters.gateway.identity import DeviceFile
from memconsole.adapters.gateway.reconnecting import STEPS_S, STUBBORN_S, Backoff
from memconsole.domain.gateway import NEXT_STEPS, GatewayPlace, Verdict, judge_error
from memconsole.domain.release import version_of
from memconsole.errors import GatewayUnavailableError
from tests.adapters.gateway.scripted import CHALLENGE, TOKEN, error, let_in, ok, recorded, scripted

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 4, 12, 9, tzinfo=UTC)


def client(
    url: str,
    folder: Path,
    *,
    token: str | None = TOKEN,
    transport: str = "ws",
    may_register: bool = False,
    timeout_s: float = 5,
) -> tuple[GatewayClient, list[float]]:
    slept: list[float] = []
    connector = Connector(
        transport, folder, {"PATH": ""}, DeviceFile(folder / "state" / "device.key"), may_register
    )
    place = GatewayPlace(url, token, is_explicit=True)
    made = GatewayClient(
        lambda: place, connector, now=lambda: NOW, timeout_s=timeout_s, sleep=slept.append
    )
    return made, slept


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def refusal_of(made: GatewayClient) -> GatewayUnavailableError:
    with pytest.raises(GatewayUnavailableError) as caught:
        made.require()
    return caught.value


def test_nothing_listens(tmp_path: Path) -> None:
    made, _ = client(f"ws://127.0.0.1:{free_port()}", tmp_path)
    assert refusal_of(made).code == "down"
    assert made.read().status.verdict == "down"


def test_off(tmp_path: Path) -> None:
    made, _ = client("ws://127.0.0.1:1", tmp_path, transport="none")
    assert made.is_off
    assert refusal_of(made).code == "off"


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("bad-token", "bad-token"),
        ("not-paired", "not-paired"),
        ("old-protocol", "protocol-mismatch"),
        ("not-allowed", "missing-scope"),
        ("drops-mid-handshake", "down"),
        ("starting", "starting"),
    ],
)
def test_scenarios(shared: Path, tmp_path: Path, name: str, verdict: str) -> None:
    path = shared / "cases" / "c33-gateway-verdicts" / "scenarios.json"
    [scenario] = [one for one in json.loads(path.read_text()) if one["name"] == name]
    with scripted(scenario["server"]) as script:
        made, _ = client(script.url, tmp_path)
        first, second = made.read(), made.read()
        made.close()
    assert first.status.verdict == second.status.verdict == verdict
    assert first.status.hint
    assert TOKEN not in repr(first)
    assert script.connections == (2 if name == "old-protocol" else 1)


def test_a_gateway_that_starts_is_waited_for(tmp_path: Path) -> None:
    starting = [
        {"send": CHALLENGE},
        {
            "on": "connect",
            "reply": {
                "type": "res",
                "id": "$id",
                "ok": False,
                "error": {
                    "code": "UNAVAILABLE",
                    "message": "gateway starting",
                    "retryAfterMs": 500,
                    "details": {"reason": "startup-sidecars"},
                },
            },
        },
        {"close": 1013, "reason": "gateway starting"},
    ]
    with scripted(starting, starting, let_in()) as script:
        made, slept = client(script.url, tmp_path)
        assert made.require().verdict == "up"
        made.close()
    assert script.connections == 3
    assert slept == [1.0, 2.0]


def test_another_program_on_the_port(tmp_path: Path) -> None:
    import threading  # noqa: PLC0415

    page = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nhi"
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(page)

        thread = threading.Thread(target=answer)
        thread.start()
        made, _ = client(f"ws://127.0.0.1:{listener.getsockname()[1]}", tmp_path)
        assert refusal_of(made).code == "not-a-gateway"
        thread.join()


@pytest.mark.parametrize(
    "first",
    ["hello", "[]", '{"type":"event","event":"welcome"}', b"\x00\x01"],
)
def test_another_websocket_server(tmp_path: Path, first: str | bytes) -> None:
    with scripted([{"raw": first}]) as script:
        made, _ = client(script.url, tmp_path)
        assert refusal_of(made).code == "not-a-gateway"
    assert script.requests == []


def test_a_greeting_of_something_else(tmp_path: Path) -> None:
    with scripted([{"send": CHALLENGE}, {"on": "connect", "reply": ok({"hi": 1})}]) as script:
        made, _ = client(script.url, tmp_path)
        assert refusal_of(made).code == "not-a-gateway"


RECORDED = [
    ("clawdbot-2026.1", "handshake", "badtoken", "bad-token"),
    ("openclaw-2026.3", "handshake", "badtoken", "bad-token"),
    ("openclaw-2026.3", "handshake", "nodevice-cli-token-read", "missing-scope"),
    ("openclaw-2026.3", "handshake", "notoken", "not-paired"),
    ("openclaw-2026.3", "handshake", "password-nodevice", "bad-token"),
    ("openclaw-2026.3", "handshake", "badproto", "protocol-mismatch"),
    ("openclaw-2026.7", "handshake", "badtoken", "bad-token"),
    ("openclaw-2026.7", "handshake", "badproto", "protocol-mismatch"),
    ("openclaw-2026.9", "auth-wrong-token", "", "bad-token"),
    ("openclaw-2026.9", "auth-noauth", "", "not-paired"),
    ("openclaw-2026.9", "auth-noauth-device", "", "bad-token"),
    ("openclaw-2026.9", "auth-bad-protocol", "", "protocol-mismatch"),
    ("openclaw-2026.9", "auth-bad-signature", "", "not-paired"),
    ("openclaw-2026.9", "auth-devicetoken-wrong-device", "", "bad-token"),
    ("openclaw-2026.9", "auth-tui-token-nodevice", "", "not-paired"),
    ("openclaw-2026.9", "auth-during-startup", "", "starting"),
    ("openclaw-2026.9", "auth-test-token-nodevice", "", "missing-scope"),
    ("openclaw-2026.9", "auth-cli-token-nodevice", "", "up"),
    ("openclaw-2026.9", "auth-cli-token-device", "", "up"),
    ("openclaw-2026.9", "auth-backend-token-nodevice", "", "up"),
    ("openclaw-2026.9", "auth-password-field", "", "up"),
    ("openclaw-2026.9", "auth-devicetoken-only", "", "up"),
]


@pytest.mark.shared
@pytest.mark.parametrize("case", RECORDED, ids="-".join)
def test_recorded_handshakes(shared: Path, tmp_path: Path, case: tuple[str, str, str, str]) -> None:
    release, file, conn, verdict = case
    steps = recorded(shared / "fixtures" / release / "frames" / f"{file}.jsonl", conn or None)
    for connection in steps:
        for step in connection:
            if step.get("on") == "sessions.list":
                step["reply"].get("payload", {})["hasMore"] = False  # only one page was recorded
    steps = [
        [step for step in connection if step.get("on") in (None, "connect", "sessions.list")]
        for connection in steps
    ]
    with scripted(*steps) as script:
        made, _ = client(script.url, tmp_path)
        assert made.read().status.verdict == verdict
        made.close()


def test_the_device_is_used_where_the_token_alone_has_no_scopes(tmp_path: Path) -> None:
    without = [
        *let_in(scopes=None),
        {"on": "sessions.list", "reply": error("INVALID_REQUEST", "missing scope: operator.read")},
    ]
    signed = [*let_in(), {"on": "sessions.list", "reply": ok({"sessions": []})}]
    with scripted(without, signed) as script:
        made, _ = client(script.url, tmp_path, may_register=True)
        assert made.read().status.verdict == "up"
        made.close()
    first, second = script.params("connect")
    assert "device" not in first
    assert second["device"]["nonce"] == "n-1"
    assert second["device"]["signedAt"] == 1775984400000
    assert first["scopes"] == second["scopes"] == ["operator.read", "operator.admin"]
    assert (tmp_path / "state" / "device.key").stat().st_mode & 0o777 == 0o600


def test_reading_alone_makes_no_device(tmp_path: Path) -> None:
    without = [
        *let_in(scopes=None),
        {"on": "sessions.list", "reply": error("INVALID_REQUEST", "missing scope: operator.read")},
    ]
    with scripted(without) as script:
        made, _ = client(script.url, tmp_path)
        status = made.read().status
    assert (status.verdict, (tmp_path / "state").exists()) == ("missing-scope", False)
    assert "the first command that acts, makes this one known" in (status.hint or "")


def test_scopes_narrower_than_asked_for_are_asked_for_as_a_device(tmp_path: Path) -> None:
    with scripted(let_in(scopes=[]), let_in()) as script:
        made, _ = client(script.url, tmp_path)
        assert made.require().scopes == ("operator.read", "operator.admin")
        made.close()
    assert ["device" in params for params in script.params("connect")] == [False, True]


def test_a_token_never_crosses_a_network_in_the_clear(tmp_path: Path) -> None:
    made, _ = client("ws://192.0.2.1:18789", tmp_path)
    refused = refusal_of(made)
    assert refused.code == "bad-token"
    assert "plain ws://" in str(refused)


def test_a_refusal_that_repeats_the_token_is_masked(tmp_path: Path) -> None:
    steps = [{"send": CHALLENGE}, {"on": "connect", "reply": error("ODD", f"no {TOKEN}\x1b[2J")}]
    with scripted(steps) as script:
        made, _ = client(script.url, tmp_path)
        refused = refusal_of(made)
    assert TOKEN not in str(refused) + refused.hint
    assert "\x1b" not in str(refused)


def test_a_token_that_only_the_platform_can_open_is_told(tmp_path: Path) -> None:
    steps = [
        {"send": CHALLENGE},
        {"on": "connect", "reply": error("NOT_PAIRED", "device identity required")},
    ]
    with scripted(steps) as script:
        connector = Connector("ws", tmp_path, {}, DeviceFile(tmp_path / "device.key"))
        place = GatewayPlace(script.url, None, "the token is in a secret store")
        made = GatewayClient(lambda: place, connector, now=lambda: NOW)
        status = made.read().status
    assert status.verdict == "bad-token"
    assert not (tmp_path / "device.key").exists()


def test_pauses_grow_and_are_capped() -> None:
    place = GatewayPlace("ws://127.0.0.1:1")
    found = judge_error({"code": "UNAVAILABLE", "details": {"reason": "startup-sidecars"}})
    assert found is not None
    backoff, now = Backoff(), 0.0
    tries = 0
    while now < 60:
        assert backoff.is_over(place, now)
        backoff.failed(place, found, now)
        assert not backoff.is_over(place, now + STEPS_S[0] - 0.01)
        tries += 1
        now += STEPS_S[min(tries, len(STEPS_S)) - 1]
    assert tries <= 8


def test_what_cannot_heal_is_left_alone_until_something_changes() -> None:
    place = GatewayPlace("ws://127.0.0.1:1", "old")
    found = judge_error({"code": "X", "details": {"code": "AUTH_TOKEN_MISMATCH"}})
    assert found is not None
    backoff = Backoff()
    backoff.failed(place, found, 0.0)
    assert not backoff.is_over(place, STUBBORN_S - 1)
    assert backoff.is_over(GatewayPlace("ws://127.0.0.1:1", "new"), 1.0)
    assert backoff.is_over(place, STUBBORN_S)
    backoff.succeeded()
    assert backoff.is_over(place, 0.0)


def test_every_verdict_but_up_has_a_next_step() -> None:
    assert {one for one in Verdict if not NEXT_STEPS[one]} == {Verdict.UP}
    assert {one for one in Verdict if one.can_heal} == {
        Verdict.DOWN,
        Verdict.STARTING,
        Verdict.LATE,
        Verdict.WEDGED,
    }


def test_an_error_about_the_call_is_no_verdict() -> None:
    assert judge_error({"code": "INVALID_REQUEST", "message": "has an active run"}) is None
    assert judge_error({}) is None


@pytest.mark.parametrize(
    ("text", "version"),
    [("2026.3.13", (2026, 3)), ("2026.9.6", (2026, 9)), ("dev", None), (None, None), ("1", None)],
)
def test_releases(text: str | None, version: tuple[int, int] | None) -> None:
    assert version_of(text) == version
