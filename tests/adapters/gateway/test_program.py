"""The transport `cli`: the platform's program, played by a script of a few lines."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from memconsole.adapters.gateway.client import GatewayClient
from memconsole.adapters.gateway.connector import Connector
from memconsole.adapters.gateway.identity import DeviceFile
from memconsole.domain.gateway import GatewayPlace
from memconsole.errors import GatewayCallError, GatewayUnavailableError
from tests.adapters.gateway.scripted import TOKEN
from tests.adapters.gateway.test_verdicts import NOW, free_port

KEY = "agent:main:main"
ROWS = '{"sessions": [{"key": "agent:main:main", "sessionId": "s-1", "totalTokens": 5}]}'


def client(
    folder: Path, script: str, transport: str = "cli", place: tuple[str, str] | None = None
) -> GatewayClient:
    program = folder / "bin" / "openclaw"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$@" >> {folder}/calls\n{script}\n')
    program.chmod(0o755)
    environ = {"PATH": f"{program.parent}:/usr/bin:/bin"}
    connector = Connector(transport, folder / "home", environ, DeviceFile(folder / "device.key"))
    where = GatewayPlace(f"ws://127.0.0.1:{free_port()}")
    if place is not None:
        where = GatewayPlace(*place, is_explicit=True)
    return GatewayClient(lambda: where, connector, now=lambda: NOW, timeout_s=5)


def calls(folder: Path) -> list[str]:
    return (folder / "calls").read_text().splitlines()


def test_a_list_is_read_behind_what_the_program_says_first(tmp_path: Path) -> None:
    made = client(tmp_path, f"echo 'using config'\necho '{ROWS}'")
    reading = made.read()
    assert (reading.status.verdict, list(reading.sessions)) == ("up", [KEY])
    [call] = calls(tmp_path)
    assert call.startswith('gateway call sessions.list --params {"limit":500} --json --timeout ')


def test_no_describe_means_the_list(tmp_path: Path) -> None:
    made = client(
        tmp_path,
        f"case $3 in *describe) echo 'unknown method: sessions.describe' >&2; exit 1;; esac\n"
        f"echo '{ROWS}'",
    )
    found = made.find(KEY)
    assert found is not None
    assert len(calls(tmp_path)) == 2


def test_a_refusal_of_the_call_is_told(tmp_path: Path) -> None:
    made = client(tmp_path, "echo 'session is odd' >&2; exit 1")
    with pytest.raises(GatewayCallError, match="session is odd"):
        made.find(KEY)


def json_error(kind: str, message: str, /, **values: object) -> str:
    """Return what 2026.9.6 prints, as a line of a shell script."""
    error = {"type": f"gateway_{kind}_error", "message": message, **values}
    return f"echo {shlex.quote(json.dumps({'ok': False, 'error': error}))}; exit 1"


def words(*lines: str) -> str:
    """Return what older releases print, as a line of a shell script."""
    text = "\n".join((*lines, "Gateway target: ws://127.0.0.1:1", "Source: local loopback"))
    return f"echo {shlex.quote(text)} >&2; exit 1"


REFUSED = "GatewayClientRequestError: "
SAID = [
    # as 2026.9.6 said it, against a Gateway of each verdict
    (
        json_error("transport", "Gateway not reachable at ws://x (ECONNREFUSED).", kind="closed"),
        "down",
    ),
    (json_error("transport", "gateway timeout after 3000ms", kind="timeout"), "late"),
    (
        json_error(
            "request",
            "gateway rejected websocket upgrade (HTTP 200): hi",
            code="UNAVAILABLE",
            details={"reason": "websocket-upgrade-rejected", "httpStatus": 200},
        ),
        "not-a-gateway",
    ),
    (
        json_error(
            "request",
            "unauthorized: gateway token mismatch",
            code="INVALID_REQUEST",
            details={"code": "AUTH_TOKEN_MISMATCH"},
        ),
        "bad-token",
    ),
    (
        json_error(
            "request",
            "scope upgrade pending approval (requestId: req-1)",
            code="NOT_PAIRED",
            details={"code": "PAIRING_REQUIRED", "requestId": "req-1"},
        ),
        "not-paired",
    ),
    (
        json_error("request", "missing scope: operator.read", code="INVALID_REQUEST"),
        "missing-scope",
    ),
    (
        json_error(
            "request", "protocol mismatch", code="INVALID_REQUEST", details={"expectedProtocol": 3}
        ),
        "protocol-mismatch",
    ),
    # as 2026.3.13 said it
    (words("Gateway call failed: Error: connect ECONNREFUSED 127.0.0.1:1"), "down"),
    (words("Gateway call failed: Error: gateway timeout after 3000ms"), "late"),
    (
        words(
            f"gateway connect failed: {REFUSED}unauthorized: gateway token mismatch",
            "Gateway call failed: Error: gateway closed (1008): unauthorized",
        ),
        "bad-token",
    ),
    (
        words(
            f"gateway connect failed: {REFUSED}pairing required: device is asking for more scopes",
            "Gateway call failed: Error: gateway closed (1008): pairing required",
        ),
        "not-paired",
    ),
    (
        words(
            f"gateway connect failed: {REFUSED}gateway starting",
            "Gateway call failed: Error: gateway closed (1008): connect failed",
        ),
        "starting",
    ),
    (
        words(
            f"gateway connect failed: {REFUSED}protocol mismatch",
            "Gateway call failed: Error: gateway closed (1002): protocol mismatch",
        ),
        "protocol-mismatch",
    ),
    (words(f"Gateway call failed: {REFUSED}missing scope: operator.read"), "missing-scope"),
    (
        words(
            "Gateway call failed: Error: gateway closed (1006 abnormal closure): no close reason"
        ),
        "down",
    ),
    # what keeps the program itself from asking
    ("echo \"error: unknown command 'call'\" >&2; exit 1", "protocol-mismatch"),
    ("echo 'openclaw requires Node >= 24' >&2; exit 1", "down"),
    ("exit 127", "down"),
]


@pytest.mark.parametrize(("script", "verdict"), SAID)
def test_every_verdict_comes_with_its_next_step(tmp_path: Path, script: str, verdict: str) -> None:
    made = client(tmp_path, script)
    with pytest.raises(GatewayUnavailableError) as caught:
        made.find(KEY)
    assert caught.value.code == verdict
    assert caught.value.hint
    status = made.read().status
    assert (status.verdict, status.hint) == (verdict, caught.value.hint)


def test_a_pause_starts_no_further_program(tmp_path: Path) -> None:
    made = client(tmp_path, SAID[0][0])
    assert [made.read().status.verdict for _ in range(3)] == ["down"] * 3
    assert len(calls(tmp_path)) == 1


def test_a_reading_of_the_program_lasts_a_while(tmp_path: Path) -> None:
    made = client(tmp_path, f"echo '{ROWS}'")
    assert [len(made.read().sessions) for _ in range(3)] == [1, 1, 1]
    assert len(calls(tmp_path)) == 1
    made.reset(KEY, "s-1")
    made.read()
    assert len(calls(tmp_path)) == 3


@pytest.mark.parametrize(
    ("script", "is_lost"),
    [
        (SAID[1][0], True),  # a timeout may be behind the request
        (words("Gateway call failed: Error: gateway closed (1012): service restart"), True),
        ("exit 0", True),
        ("kill -9 $$", True),
        (SAID[0][0], False),
        (SAID[3][0], False),
        (words(f"Gateway call failed: {REFUSED}Session changed before reset"), False),
    ],
)
def test_a_reset_is_lost_where_it_may_have_been_done(
    tmp_path: Path, script: str, is_lost: bool
) -> None:
    made = client(tmp_path, script)
    if is_lost:
        assert made.reset(KEY, "s-1").is_lost
    else:
        with pytest.raises((GatewayUnavailableError, GatewayCallError)):
            made.reset(KEY, "s-1")
    assert len(calls(tmp_path)) == 1


def test_a_program_that_cannot_be_started_is_told(tmp_path: Path) -> None:
    made = client(tmp_path, "exit 0")
    (tmp_path / "bin" / "openclaw").write_bytes(b"#!/nowhere/at/all\n")
    status = made.read().status
    assert status.verdict == "down"
    assert "cannot be started" not in (status.hint or "")
    assert "gateway.transport" in (status.hint or "")


def test_address_and_token_of_ours_go_by_the_environment(tmp_path: Path) -> None:
    shown = 'echo "$OPENCLAW_GATEWAY_URL $OPENCLAW_GATEWAY_TOKEN" >> "$0.env"'
    made = client(tmp_path, f"{shown}; echo '{ROWS}'", place=("ws://127.0.0.1:7", TOKEN))
    made.read()
    assert (tmp_path / "bin" / "openclaw.env").read_text() == f"ws://127.0.0.1:7 {TOKEN}\n"
    [call] = calls(tmp_path)
    assert TOKEN not in call


def test_a_token_does_not_leave_this_host_in_the_clear(tmp_path: Path) -> None:
    made = client(tmp_path, "exit 0", place=("ws://192.0.2.1:7", TOKEN))
    assert made.read().status.verdict == "bad-token"
    assert not (tmp_path / "calls").exists()


def test_an_inner_refusal_is_an_answer(tmp_path: Path) -> None:
    reply = {"ok": False, "compacted": False, "reason": "Already compacted"}
    made = client(tmp_path, f"echo '{json.dumps(reply)}'")
    answer = made.compact(KEY)
    assert (answer.is_compacted, answer.reason) == (False, "Already compacted")


def test_no_answer_at_all_is_a_lost_one(tmp_path: Path) -> None:
    made = client(tmp_path, "exit 0")
    with pytest.raises(GatewayCallError):
        made.find(KEY)


def test_without_the_program_it_is_down(tmp_path: Path) -> None:
    connector = Connector("cli", tmp_path, {"PATH": ""}, DeviceFile(tmp_path / "device.key"))
    place = GatewayPlace("ws://127.0.0.1:1")
    made = GatewayClient(lambda: place, connector, now=lambda: NOW)
    assert made.read().status.verdict == "down"


def test_auto_does_not_start_the_program_for_a_gateway_that_is_down(tmp_path: Path) -> None:
    made = client(tmp_path, "exit 0", transport="auto")
    with pytest.raises(GatewayUnavailableError) as caught:
        made.require()
    assert caught.value.code == "down"
    assert not Path(tmp_path / "calls").exists()
