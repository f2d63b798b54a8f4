"""What stands between a port and a link: TLS, proxies, silence, broken lines."""

from __future__ import annotations

import datetime as dt
import ipaddress
import socket
import ssl
import threading
import time
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from websockets.sync.server import serve

from memconsole.adapters.gateway.connection import MAX_FRAME_BYTES
from memconsole.adapters.gateway.errors import RefusedError
from memconsole.adapters.gateway.handshake import Attempt, open_connection
from memconsole.domain.gateway import GatewayPlace, Verdict
from tests.adapters.gateway.scripted import CHALLENGE, TOKEN, Script, let_in, play, scripted

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from websockets.sync.server import ServerConnection

SOON_S = 0.3


def refused(place: GatewayPlace, *, within_s: float = 5.0) -> RefusedError:
    with pytest.raises(RefusedError) as caught:
        open_connection(Attempt(place, time.monotonic() + within_s))
    return caught.value


@contextmanager
def answering(reply: bytes | None) -> Iterator[str]:
    """Serve one connection: read the request, send these bytes, close."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                if reply is not None:
                    connection.sendall(reply)

        thread = threading.Thread(target=answer)
        thread.start()
        yield f"ws://127.0.0.1:{listener.getsockname()[1]}"
        thread.join()


@pytest.mark.parametrize(
    ("reply", "verdict", "words"),
    [
        (b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n", Verdict.DOWN, "HTTP 502"),
        (
            b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
            Verdict.NOT_A_GATEWAY,
            "HTTP 404 instead of a WebSocket",
        ),
        (
            b"HTTP/1.0 404 Not Found\r\nContent-Length: 0\r\n\r\n",
            Verdict.NOT_A_GATEWAY,
            "HTTP/1.0 404 Not Found instead of a WebSocket",
        ),
        (
            f"SSH-2.0-OpenSSH_9.6 \x1b[31m{TOKEN}\r\n".encode(),
            Verdict.NOT_A_GATEWAY,
            "SSH-2.0-OpenSSH_9.6 [redacted:token] instead of a WebSocket",
        ),
        (
            b"HTTP/1.1 302 Found\r\nLocation: ws://192.0.2.1/\r\nContent-Length: 0\r\n\r\n",
            Verdict.NOT_A_GATEWAY,
            "what answers there is no WebSocket",
        ),
        (b"HTTP/1.1 101 Switching Protocols\r\n\r\n", Verdict.NOT_A_GATEWAY, "no WebSocket"),
        (None, Verdict.DOWN, "ended before a WebSocket began"),
    ],
)
def test_what_answers_the_upgrade(reply: bytes | None, verdict: Verdict, words: str) -> None:
    with answering(reply) as url:
        found = refused(GatewayPlace(url, TOKEN)).refusal
    assert found.verdict is verdict
    assert words in found.message


@pytest.mark.parametrize(
    ("steps", "verdict"),
    [([], Verdict.WEDGED), ([{"send": CHALLENGE}, {"on": "connect"}], Verdict.LATE)],
)
def test_silence_is_a_verdict_in_time(steps: list[dict[str, object]], verdict: Verdict) -> None:
    """Whoever said a word is late; wedged is who never did."""
    hold = threading.Event()
    with scripted([*steps, {"wait": hold}, {"close": 1006}]) as script:
        found = refused(GatewayPlace(script.url, TOKEN), within_s=SOON_S)
        hold.set()
    assert found.refusal.verdict is verdict


def test_a_host_that_is_not_reached_is_down_long_before_the_end() -> None:
    """A listener whose queue is full takes no further connection, as a host behind a wall."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listener:
        place = listener.getsockname()
        held = [socket.socket() for _ in range(4)]
        for one in held:
            one.setblocking(False)
            one.connect_ex(place)
        attempt = Attempt(GatewayPlace(f"ws://127.0.0.1:{place[1]}"), time.monotonic() + 60)
        with pytest.raises(RefusedError) as caught:
            open_connection(replace(attempt, reach_s=0.2))
        for one in held:
            one.close()
    assert caught.value.refusal.verdict is Verdict.DOWN


def test_a_line_that_breaks_behind_the_greeting_is_down() -> None:
    with scripted([{"send": CHALLENGE}, {"on": "connect"}, {"close": 1006}]) as script:
        assert refused(GatewayPlace(script.url, TOKEN)).refusal.verdict is Verdict.DOWN


@pytest.mark.parametrize("url", ["ws://127.0.0.1:0", "ws://[::1]:1", "ws://localhost:99999"])
def test_an_address_where_nobody_can_be_is_down(url: str) -> None:
    assert refused(GatewayPlace(url)).refusal.verdict is Verdict.DOWN


def certificate(folder: Path) -> tuple[Path, Path]:
    """Write a certificate for 127.0.0.1 that signed itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "openclaw")])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]),
            critical=False,
        )
        .sign(key, hashes.SHA256())
    )
    cert_file, key_file = folder / "cert.pem", folder / "key.pem"
    cert_file.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    key_file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return cert_file, key_file


@contextmanager
def secured(folder: Path) -> Iterator[tuple[str, Path]]:
    cert_file, key_file = certificate(folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert_file, key_file)

    def handle(connection: ServerConnection) -> None:
        play(connection, Script(), [*let_in(), {"close": 1000}])

    with serve(handle, "127.0.0.1", 0, ssl=context, compression=None) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"wss://127.0.0.1:{server.socket.getsockname()[1]}", cert_file
        server.shutdown()
        thread.join()


def test_a_known_certificate_is_trusted_and_another_is_not(tmp_path: Path) -> None:
    with secured(tmp_path) as (url, cert_file):
        connection = open_connection(
            Attempt(GatewayPlace(url, TOKEN, "", cert_file), time.monotonic() + 5)
        )
        assert connection.hello.version == "2026.9.6"
        connection.close()
        found = refused(GatewayPlace(url, TOKEN)).refusal
        assert (found.verdict, "certificate" in found.message) == (Verdict.NOT_A_GATEWAY, True)
        gone = refused(GatewayPlace(url, TOKEN, "", tmp_path / "gone.pem")).refusal
        assert "cannot be read" in gone.message


def test_frames_may_be_as_large_as_a_gateway_sends_them() -> None:
    assert MAX_FRAME_BYTES >= 26_214_400


@pytest.mark.parametrize(
    "place",
    [
        GatewayPlace("WS://192.0.2.2:1", TOKEN),
        GatewayPlace("Ws://192.0.2.2:1", TOKEN),
        GatewayPlace("ws://127.0.0.1@192.0.2.2:1", TOKEN),
        GatewayPlace("ws://localhost.:1", TOKEN),
        GatewayPlace("ws://192.0.2.2:1", whole_url="ws://me:fake-secret@192.0.2.2:1"),
    ],
)
def test_no_secret_goes_over_a_network_in_the_clear(place: GatewayPlace) -> None:
    found = refused(place).refusal
    assert found.verdict is Verdict.BAD_TOKEN
    assert "plain ws://" in found.message
    assert "fake-secret" not in found.message


def test_a_name_counts_for_what_it_leads_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """`localhost` of a host whose tables lead elsewhere."""
    theirs, ours = socket.socketpair()

    class Elsewhere:
        def getpeername(self) -> tuple[str, int]:
            return ("192.0.2.2", 1)

        def close(self) -> None:
            ours.close()

    monkeypatch.setattr(socket, "create_connection", lambda *_, **__: Elsewhere())
    assert refused(GatewayPlace("ws://localhost:1", TOKEN)).refusal.verdict is Verdict.BAD_TOKEN
    assert theirs.recv(1) == b""
    theirs.close()


def test_what_is_no_address_says_where_to_correct_it() -> None:
    found = refused(GatewayPlace("")).refusal
    assert (found.verdict, "gateway.remote.url" in found.hint) == (Verdict.DOWN, True)
