"""One open WebSocket connection: a request goes out, its answer is picked by id, others pass by.

Answers may be late, doubled or out of order, and events come in between; none of it may be taken
for the answer of another request.
"""

from __future__ import annotations

import itertools
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from websockets.sync.client import ClientConnection

    from memconsole.adapters.gateway.inbox import Inbox

MAX_FRAME_BYTES = 32 * 1024 * 1024
"""A frame above this closes the connection; the Gateway sends up to 26214400 bytes."""


@dataclass(frozen=True, slots=True)
class Hello:
    """What a Gateway says of itself.

    Attributes:
        scopes: None when it does not say; may be narrower than what was asked for.
        methods: None when it does not say.
        state_dir: Its state folder, as it sees it.
        tick_s: Seconds between two signs of life.
    """

    version: str | None = None
    protocol: int | None = None
    scopes: tuple[str, ...] | None = None
    methods: frozenset[str] | None = None
    state_dir: str | None = None
    tick_s: float = 30.0


class SocketConnection:
    """One connection behind the handshake.

    Attributes:
        inbox: What comes in.
        is_attended: Somebody reads its events all the time.
        is_subscribed: The Gateway tells of every changed session by itself.
    """

    def __init__(self, connection: ClientConnection, hello: Hello, inbox: Inbox) -> None:
        self.hello = hello
        self.inbox = inbox
        self.is_attended = False
        self.is_subscribed = False
        self._connection = connection
        self._numbers = itertools.count(2)

    def request(
        self, method: str, params: Mapping[str, object], *, timeout_s: float
    ) -> Mapping[str, object]:
        """Send one request, once, and return the payload of its answer.

        Raises:
            AnswerError: The Gateway refused it.
            ConnectionLostError: No answer came; the request may have been carried out.
        """
        self.inbox.drain()
        name = f"memconsole-{next(self._numbers)}"
        frame = {"type": "req", "id": name, "method": method, "params": dict(params)}
        return self.inbox.exchange(frame, time.monotonic() + timeout_s)

    def close(self) -> None:
        """End it; never raises."""
        from websockets.exceptions import WebSocketException  # noqa: PLC0415

        with suppress(OSError, WebSocketException):
            self._connection.close()
