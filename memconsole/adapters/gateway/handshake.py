"""From an address to an open connection, or to a verdict: only the handshake decides.

The port is tried with a plain socket first: that nothing listens is known at once, and the
WebSocket library is loaded only where somebody does.
"""

from __future__ import annotations

import logging
import socket
import sys
import time
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

from memconsole import __version__
from memconsole.adapters.gateway import frames
from memconsole.adapters.gateway.connection import (
    MAX_FRAME_BYTES,
    Hello,
    Inbox,
    SocketConnection,
    broken,
)
from memconsole.adapters.gateway.errors import (
    AnswerError,
    ConnectionLostError,
    RefusedError,
    shown,
)
from memconsole.domain.gateway import Verdict, judge_error, refusal
from memconsole.lazy_dataclass import dataclass
from memconsole.text.address import is_loopback_host, parse

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Mapping

    from websockets.sync.client import ClientConnection

    from memconsole.adapters.gateway.identity import Device
    from memconsole.domain.gateway import GatewayPlace, Refusal
    from memconsole.text.address import Address

SCHEMES = ("ws", "wss")

SCOPES = ("operator.read", "operator.admin")
"""All that is ever needed: reading, and resets. Always sent: none means all on 2026.1."""

PROTOCOLS = (3, 4)

REACH_S = 5.0
"""Seconds within which a port takes a connection, or is not reached."""

_CLOSE_TIMEOUT_S = 1.0
_PROXY_STATUSES = (502, 503, 504)

_quiet = logging.getLogger("memconsole.adapters.gateway.wire")
_quiet.setLevel(logging.CRITICAL)  # the library would log frames, and frames hold the token
_quiet.propagate = False


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try to get in.

    Attributes:
        deadline: `time.monotonic()` at which it ends.
        reach_s: Seconds within which the port must take the connection.
        protocols: Lowest and highest version offered.
        on_reached: Called once the port took the connection.
    """

    place: GatewayPlace
    deadline: float
    device: Device | None = None
    protocols: tuple[int, int] = PROTOCOLS
    on_reached: Callable[[], None] | None = None
    reach_s: float = REACH_S

    @property
    def left_s(self) -> float:
        """Seconds that are left."""
        return max(0.001, self.deadline - time.monotonic())


def open_connection(attempt: Attempt) -> SocketConnection:
    """Connect, answer the challenge, and return the open connection.

    Raises:
        RefusedError: With the verdict.
    """
    address = safe_address(attempt.place)
    context = _tls(attempt.place, address) if address.is_encrypted else None  # first: it may fail
    connection = _upgrade(attempt, address, _reach(attempt, address), context)
    try:
        inbox = Inbox(connection)
        return SocketConnection(connection, _enter(attempt, connection, inbox), inbox)
    except RefusedError:
        connection.close()
        raise


def safe_address(place: GatewayPlace) -> Address:
    """Return the parsed address; a token or password is never carried over a network in the clear.

    Raises:
        RefusedError: It is no address, or a secret would go over plain `ws://` to another host.
    """
    try:
        found = parse(place.whole_url or place.url, *SCHEMES)
    except ValueError as error:
        raise _refused(
            Verdict.DOWN,
            f"the address of the gateway {error}",
            "Correct gateway.url, or gateway.remote.url of the platform's configuration.",
        ) from error
    if _has_secret(place, found) and not found.is_private:
        raise RefusedError(_in_the_clear())
    return found


def _has_secret(place: GatewayPlace, address: Address) -> bool:
    return place.token is not None or bool(address.user or address.query)


def _in_the_clear() -> Refusal:
    return refusal(
        Verdict.BAD_TOKEN,
        "the token is not sent over plain ws:// to another host",
        "Use wss://, or an SSH tunnel to a port of this host.",
    )


def _reach(attempt: Attempt, address: Address) -> socket.socket:
    place, wait_s = (address.host, address.real_port), min(attempt.reach_s, attempt.left_s)
    try:
        found = socket.create_connection(place, timeout=wait_s)
    except TimeoutError as error:
        raise _silent(Verdict.DOWN, "the gateway's host does not answer") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it cannot be reached"
        raise _refused(Verdict.DOWN, f"nothing answers there: {reason.lower()}") from error
    # A name such as localhost is what the host's own tables make of it.
    is_here = is_loopback_host(str(found.getpeername()[0]))
    if _has_secret(attempt.place, address) and not (address.is_encrypted or is_here):
        found.close()
        raise RefusedError(_in_the_clear())
    if attempt.on_reached is not None:
        attempt.on_reached()
    return found


def _upgrade(
    attempt: Attempt, address: Address, plain: socket.socket, context: ssl.SSLContext | None
) -> ClientConnection:
    """Make a WebSocket of it; a socket of ours also means that no redirect is followed."""
    import ssl  # noqa: PLC0415

    from websockets import exceptions  # noqa: PLC0415
    from websockets.sync.client import connect  # noqa: PLC0415

    # The library wants a context; ours lasts longer than this function, and ends with `close`.
    lasting = ExitStack()
    try:
        opening = connect(
            address.whole,
            sock=plain,
            ssl=context,
            compression=None,
            proxy=None,
            max_size=MAX_FRAME_BYTES,
            open_timeout=attempt.left_s,
            close_timeout=_CLOSE_TIMEOUT_S,
            user_agent_header=f"memconsole/{__version__}",
            logger=_quiet,
        )
        return lasting.enter_context(opening)
    except TimeoutError as error:
        raise _silent(Verdict.WEDGED, "it takes connections and does not answer") from error
    except ssl.SSLError as error:
        raise _refused(
            Verdict.NOT_A_GATEWAY,
            "no safe connection is possible: its certificate is not trusted",
            "Check the address, or the certificate of the Gateway.",
        ) from error
    except exceptions.InvalidStatus as error:
        status = error.response.status_code
        verdict = Verdict.DOWN if status in _PROXY_STATUSES else Verdict.NOT_A_GATEWAY
        raise _refused(verdict, f"HTTP {status} instead of a WebSocket") from error
    except exceptions.InvalidMessage as error:
        raise _no_answer(error.__cause__, attempt.place.token) from error
    except (exceptions.WebSocketException, ValueError) as error:  # a redirect is a ValueError
        plain.close()
        raise _refused(Verdict.NOT_A_GATEWAY, "what answers there is no WebSocket") from error
    except OSError as error:
        raise _refused(Verdict.DOWN, "the connection broke off") from error


def _no_answer(cause: BaseException | None, token: str | None) -> RefusedError:
    """Return what came instead of the answer to an upgrade: the library tells it in a sentence."""
    if isinstance(cause, EOFError):
        return _refused(Verdict.DOWN, "the connection ended before a WebSocket began")
    line = shown(str(cause).partition(": ")[2], token)  # it ends with the line that came
    return _refused(Verdict.NOT_A_GATEWAY, f"{line or 'something else'} instead of a WebSocket")


def _tls(place: GatewayPlace, address: Address) -> ssl.SSLContext:
    import ssl  # noqa: PLC0415

    if place.certificate is None:
        return ssl.create_default_context()
    try:
        context = ssl.create_default_context(cafile=place.certificate)
    except OSError as error:
        raise _refused(
            Verdict.NOT_A_GATEWAY, "the Gateway's certificate file cannot be read"
        ) from error
    context.check_hostname = not address.is_loopback
    return context


def _enter(attempt: Attempt, connection: ClientConnection, inbox: Inbox) -> Hello:
    challenge = _challenge(attempt, connection)
    frame = {
        "type": "req",
        "id": "memconsole-1",
        "method": "connect",
        "params": connect_params(attempt, challenge),
    }
    try:
        return _hello(inbox.exchange(frame, attempt.deadline))
    except AnswerError as error:
        found = judge_error(error.error) or _foreign(error.shown(attempt.place.token))
        raise RefusedError(found) from error
    except ConnectionLostError as error:
        if error.is_late:  # it has said something: that is not silence
            raise _refused(Verdict.LATE, "it greets, and does not let us in yet") from error
        raise _refused(Verdict.DOWN, "it broke off the handshake") from error


def _challenge(attempt: Attempt, connection: ClientConnection) -> Mapping[str, object]:
    try:
        frame = frames.decode(connection.recv(timeout=attempt.left_s))
    except TimeoutError as error:
        raise _silent(Verdict.WEDGED, "it opens a WebSocket and then says nothing") from error
    except broken() as error:
        raise _refused(Verdict.DOWN, "it broke off the handshake") from error
    if frame is None or frame.get("event") != "connect.challenge":
        raise _refused(Verdict.NOT_A_GATEWAY, "a WebSocket answers there, and it is no Gateway")
    return frames.mapping(frame.get("payload"))


def connect_params(attempt: Attempt, challenge: Mapping[str, object]) -> dict[str, object]:
    """Return the parameters of `connect`: what all releases know, and no more."""
    token = attempt.place.token
    params: dict[str, object] = {
        "minProtocol": attempt.protocols[0],
        "maxProtocol": attempt.protocols[1],
        "client": {
            "id": "cli",
            "displayName": "memconsole",
            "version": __version__,
            "platform": sys.platform,
            "mode": "cli",
        },
        "role": "operator",
        "scopes": list(SCOPES),
    }
    if token is not None:
        params["auth"] = {"token": token}
    if attempt.device is not None:
        params["device"] = attempt.device.block(
            scopes=SCOPES,
            token=token,
            nonce=frames.text(challenge.get("nonce")) or "",
            signed_at=frames.whole(challenge.get("ts")) or int(time.time() * 1000),
        )
    return params


def _hello(payload: Mapping[str, object]) -> Hello:
    if payload.get("type") != "hello-ok":
        raise _refused(Verdict.NOT_A_GATEWAY, "its greeting is not a Gateway's")
    auth = frames.mapping(payload.get("auth"))
    features = frames.mapping(payload.get("features"))
    methods = features.get("methods")
    tick_ms = frames.whole(frames.mapping(payload.get("policy")).get("tickIntervalMs"))
    return Hello(
        version=frames.text(frames.mapping(payload.get("server")).get("version")),
        scopes=frames.texts(auth["scopes"]) if "scopes" in auth else None,
        methods=frozenset(frames.texts(methods)) if isinstance(methods, list) else None,
        state_dir=frames.text(frames.mapping(payload.get("snapshot")).get("stateDir")),
        tick_s=(tick_ms or 30_000) / 1000,
    )


def _foreign(said: str) -> Refusal:
    return refusal(
        Verdict.PROTOCOL_MISMATCH,
        f"the gateway refuses our greeting: {said}",
        "Update the older of both programs.",
    )


def _silent(verdict: Verdict, message: str) -> RefusedError:
    return RefusedError(replace(refusal(verdict, message), is_silence=True))


def _refused(verdict: Verdict, message: str, hint: str = "") -> RefusedError:
    return RefusedError(refusal(verdict, message, hint))
