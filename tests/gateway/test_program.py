"""The transport `cli`: the platform's program, played by a script of a few lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from memconsole.domain.gateway import GatewayPlace
from memconsole.errors import GatewayCallError, GatewayUnavailableError
from memconsole.gateway.client import GatewayClient
from memconsole.gateway.doorway import Doorway
from memconsole.gateway.identity import DeviceFile
from tests.gateway.test_verdicts import NOW, free_port

KEY = "agent:main:main"
ROWS = '{"sessions": [{"key": "agent:main:main", "sessionId": "s-1", "totalTokens": 5}]}'


def client(folder: Path, script: str, transport: str = "cli") -> GatewayClient:
    program = folder / "bin" / "openclaw"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$@" >> {folder}/calls\n{script}\n')
    program.chmod(0o755)
    environ = {"PATH": f"{program.parent}:/usr/bin:/bin"}
    doorway = Doorway(transport, folder / "home", environ, DeviceFile(folder / "device.key"))
    place = GatewayPlace(f"ws://127.0.0.1:{free_port()}")
    return GatewayClient(lambda: place, doorway, now=lambda: NOW, timeout_s=5)


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


@pytest.mark.parametrize(
    ("words", "verdict"),
    [
        ("unauthorized: gateway token mismatch", "bad-token"),
        ("missing scope: operator.admin", "missing-scope"),
        ("connect ECONNREFUSED 127.0.0.1:18789", "down"),
    ],
)
def test_the_programs_words_become_a_verdict(tmp_path: Path, words: str, verdict: str) -> None:
    made = client(tmp_path, f"echo '{words}' >&2; exit 1")
    with pytest.raises(GatewayUnavailableError) as caught:
        made.reset(KEY, "s-1")
    assert caught.value.code == verdict


def test_no_answer_at_all_is_a_lost_one(tmp_path: Path) -> None:
    made = client(tmp_path, "exit 0")
    with pytest.raises(GatewayCallError):
        made.find(KEY)


def test_without_the_program_it_is_down(tmp_path: Path) -> None:
    doorway = Doorway("cli", tmp_path, {"PATH": ""}, DeviceFile(tmp_path / "device.key"))
    place = GatewayPlace("ws://127.0.0.1:1")
    made = GatewayClient(lambda: place, doorway, now=lambda: NOW)
    assert made.read().status.verdict == "down"


def test_auto_does_not_start_the_program_for_a_gateway_that_is_down(tmp_path: Path) -> None:
    made = client(tmp_path, "exit 0", transport="auto")
    with pytest.raises(GatewayUnavailableError) as caught:
        made.require()
    assert caught.value.code == "down"
    assert not Path(tmp_path / "calls").exists()
