"""Where the Gateway is, and whose token goes there."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.platform.gateway_address import find_place

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "EXAMPLE-gateway-token-000"


def config(folder: Path, **gateway: object) -> Path:
    path = folder / "openclaw.json"
    path.write_text(json.dumps({"gateway": gateway}))
    return path


@pytest.mark.parametrize(
    ("gateway", "url"),
    [
        ({}, "ws://127.0.0.1:18789"),
        ({"port": 19001}, "ws://127.0.0.1:19001"),
        ({"port": 99999}, "ws://127.0.0.1:18789"),
        ({"port": "x"}, "ws://127.0.0.1:18789"),
        ({"bind": "lan", "port": 5}, "ws://127.0.0.1:5"),
        ({"bind": "custom", "customBindHost": "192.0.2.7"}, "ws://192.0.2.7:18789"),
        ({"bind": "custom", "customBindHost": "0.0.0.0"}, "ws://127.0.0.1:18789"),
        ({"bind": "custom", "customBindHost": "fd00::1"}, "ws://[fd00::1]:18789"),
        ({"tls": {"enabled": True}}, "wss://127.0.0.1:18789"),
        ({"mode": "remote", "remote": {"url": "wss://gw.example"}}, "wss://gw.example"),
        ({"mode": "remote", "remote": {"url": "WSS://GW.Example"}}, "wss://gw.example"),
        ({"mode": "remote", "remote": {"url": "Ws://192.0.2.2:5"}}, "ws://192.0.2.2:5"),
        ({"mode": "local", "remote": {"url": "wss://gw.example"}}, "ws://127.0.0.1:18789"),
    ],
)
def test_the_address_of_the_platform(tmp_path: Path, gateway: dict[str, object], url: str) -> None:
    assert find_place(config(tmp_path, **gateway), {}).url == url


@pytest.mark.parametrize(
    ("gateway", "environ", "token"),
    [
        ({"auth": {"token": SECRET}}, {}, SECRET),
        ({"auth": {"token": "${GW}"}}, {"GW": SECRET}, SECRET),
        ({"auth": {"mode": "password", "password": SECRET}}, {}, SECRET),
        ({"auth": {"token": "other"}}, {"OPENCLAW_GATEWAY_TOKEN": SECRET}, SECRET),
        ({"mode": "remote", "remote": {"url": "wss://g.example", "token": SECRET}}, {}, SECRET),
        ({}, {}, None),
        ({"auth": {"token": ["odd"]}}, {}, None),
    ],
)
def test_the_token_of_the_platform(
    tmp_path: Path, gateway: dict[str, object], environ: dict[str, str], token: str | None
) -> None:
    place = find_place(config(tmp_path, **gateway), environ)
    assert (place.token, place.problem) == (token, "")
    assert SECRET not in repr(place)


def test_a_token_in_a_secret_store_asks_the_operator(tmp_path: Path) -> None:
    reference = {"source": "exec", "provider": "vault", "id": "gateway"}
    place = find_place(config(tmp_path, auth={"token": reference}), {})
    assert place.token is None
    assert "secret store" in place.problem


def test_a_variable_that_is_not_set_is_named(tmp_path: Path) -> None:
    place = find_place(config(tmp_path, auth={"token": "${GW_TOKEN}"}), {})
    assert place.token is None
    assert "GW_TOKEN" in place.problem


def test_our_settings_win(tmp_path: Path) -> None:
    path = config(tmp_path, port=5, auth={"token": "theirs"})
    place = find_place(path, {}, url="ws://localhost:6", token=SECRET)
    assert (place.url, place.token, place.is_explicit) == ("ws://localhost:6", SECRET, True)
    assert find_place(path, {}, url="ws://localhost:6").token == "theirs"


def test_their_token_goes_to_no_other_host(tmp_path: Path) -> None:
    path = config(tmp_path, auth={"token": SECRET})
    assert find_place(path, {}, url="wss://elsewhere.example").token is None


def test_a_certificate_is_looked_for_beside_the_configuration(tmp_path: Path) -> None:
    path = config(tmp_path, tls={"enabled": True, "certPath": "tls/cert.pem"})
    assert find_place(path, {}).certificate == tmp_path / "tls" / "cert.pem"


@pytest.mark.parametrize("text", [None, "", "{", "[]", '{"gateway": 3}'])
def test_without_a_usable_configuration_the_usual_place(tmp_path: Path, text: str | None) -> None:
    path = None
    if text is not None:
        path = tmp_path / "openclaw.json"
        path.write_text(text)
    place = find_place(path, {})
    assert (place.url, place.token) == ("ws://127.0.0.1:18789", None)
    assert find_place(tmp_path / "none.json", {"OPENCLAW_GATEWAY_PORT": "7"}).url.endswith(":7")


@pytest.mark.parametrize("written", ["WS://192.0.2.2:7", "Ws://192.0.2.2:7", "ws://192.0.2.2:7"])
def test_the_address_is_kept_in_its_normal_form(tmp_path: Path, written: str) -> None:
    remote = config(tmp_path, mode="remote", remote={"url": written, "token": SECRET})
    assert find_place(remote, {}).url == "ws://192.0.2.2:7"
    assert find_place(None, {}, url=written, token=SECRET).url == "ws://192.0.2.2:7"


def test_user_and_query_of_an_address_are_secrets(tmp_path: Path) -> None:
    url = f"WSS://me:{SECRET}@gw.example/ws?token={SECRET}"
    place = find_place(config(tmp_path, mode="remote", remote={"url": url}), {})
    assert place.url == "wss://gw.example/ws"
    assert place.whole_url == f"wss://me:{SECRET}@gw.example/ws?token={SECRET}"
    assert SECRET not in repr(place)


@pytest.mark.parametrize(
    "elsewhere",
    [
        "ws://127.0.0.1.evil.example",
        "ws://localhost.evil.example",
        "ws://127.0.0.1@evil.example",
        "ws://localhost.",
    ],
)
def test_their_token_goes_to_no_host_that_looks_like_theirs(tmp_path: Path, elsewhere: str) -> None:
    path = config(tmp_path, auth={"token": SECRET})
    assert find_place(path, {}, url=elsewhere).token is None


@pytest.mark.parametrize(
    "gateway",
    [
        {"mode": "remote", "remote": {"url": "http://gw.example", "token": SECRET}},
        {"mode": "remote", "remote": {"url": f"me:{SECRET}@gw.example", "token": SECRET}},
        {"bind": "custom", "customBindHost": "evil.example/?", "auth": {"token": SECRET}},
    ],
)
def test_what_is_no_address_gets_no_token(tmp_path: Path, gateway: dict[str, object]) -> None:
    place = find_place(config(tmp_path, **gateway), {})
    assert (place.token, SECRET in place.url + place.whole_url) == (None, False)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "[::]", "0:0:0:0:0:0:0:0", " 0.0.0.0 "])
def test_bound_to_every_address_it_is_on_loopback(tmp_path: Path, host: str) -> None:
    place = find_place(config(tmp_path, bind="custom", customBindHost=host), {})
    assert place.url == "ws://127.0.0.1:18789"
