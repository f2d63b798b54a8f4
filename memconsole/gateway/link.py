"""One open WebSocket link: a request goes out, its answer is picked by id, the rest passes by.

Answers may be late, doubled or out of order, and events come in between; none of it may be taken
for the answer of another request.
"""

from __future__ import annotations

import itertools
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memconsole.gateway import frames
from memconsole.gateway.problem import AnswerError, LinkLostError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from websockets.sync.client import ClientConnection

MAX_FRAME_BYTES = 32 * 1024 * 1024
"""A frame above this closes the link (formats §6.1: at least 26214400 are needed)."""

_MOST_DRAINED = 20_000


@dataclass(frozen=True, slots=True)
class Hello:
    """What a Gateway says of itself.

    Attributes:
        scopes: None when it does not say; may be narrower than what was asked for.
        methods: None when it does not say.
        state_dir: Its state folder, as it sees it.
    """

    version: str | None = None
    protocol: int | None = None
    scopes: tuple[str, ...] | None = None
    methods: frozenset[str] | None = None
    state_dir: str | None = None


class SocketLink:
    """One connection behind the handshake; used by one thread at a time."""

    def __init__(self, connection: ClientConnection, hello: Hello) -> None:
        self.hello = hello
        self._connection = connection
        self._numbers = itertools.count(2)

    def request(
        self, method: str, params: Mapping[str, object], *, timeout_s: float
    ) -> Mapping[str, object]:
        """Send one request, once, and return the payload of its answer.

        Raises:
            AnswerError: The Gateway refused it.
            LinkLostError: No answer came; the request may have been carried out.
        """
        self._drain()
        name = f"memconsole-{next(self._numbers)}"
        frame = {"type": "req", "id": name, "method": method, "params": dict(params)}
        return exchange(self._connection, frame, time.monotonic() + timeout_s)

    def close(self) -> None:
        """End it; never raises."""
        from websockets.exceptions import WebSocketException  # noqa: PLC0415

        with suppress(OSError, WebSocketException):
            self._connection.close()

    def _drain(self) -> None:
        """Throw away what came since the last request, so that the Gateway need not wait for us."""
        from websockets.exceptions import WebSocketException  # noqa: PLC0415

        try:
            for _ in range(_MOST_DRAINED):
                self._connection.recv(timeout=0)
        except TimeoutError:
            return
        except (OSError, WebSocketException) as error:
            raise LinkLostError("the link was closed") from error


def exchange(
    connection: ClientConnection, frame: Mapping[str, object], deadline: float
) -> Mapping[str, object]:
    """Send a request frame and wait for the answer with its id.

    Raises:
        AnswerError: The answer is an error.
        LinkLostError: The link broke, or the deadline passed.
    """
    from websockets.exceptions import WebSocketException  # noqa: PLC0415

    try:
        connection.send(frames.encode(frame))
        while True:
            answer = frames.decode(connection.recv(timeout=max(0.0, deadline - time.monotonic())))
            if answer is None or answer.get("type") != "res" or answer.get("id") != frame["id"]:
                continue
            if answer.get("ok") is True:
                return frames.mapping(answer.get("payload"))
            raise AnswerError(frames.mapping(answer.get("error")))
    except TimeoutError as error:
        raise LinkLostError("no answer came in time") from error
    except (OSError, WebSocketException) as error:
        raise LinkLostError("the link broke before the answer came") from error
