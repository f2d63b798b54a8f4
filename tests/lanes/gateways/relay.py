"""Stands between memconsole and a Gateway: sees what is asked, and can lose an answer."""

from __future__ import annotations

import json
import logging
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.sync.server import serve

if TYPE_CHECKING:
    from collections.abc import Callable

    from websockets.sync.connection import Connection
    from websockets.sync.server import ServerConnection

Json = Any
"""What foreign JSON holds."""

_quiet = logging.getLogger("tests.lanes.gateways.wire")
_quiet.setLevel(logging.CRITICAL)  # every opened and closed connection would be told

_LARGEST = 32 * 1024 * 1024


class Relay:
    """Listens on a free port of 127.0.0.1 and passes every message on, both ways.

    Args:
        target: Address of the Gateway.

    Attributes:
        requests: Method and parameters of everything asked, in order.
        granted: Methods of what was answered with ok, in order.
        losing: A method whose ok is never passed on: the connection ends instead.
        on_loss: Called when that answer came, before the connection ends.
    """

    def __init__(self, target: str) -> None:
        self.requests: list[tuple[str, Json]] = []
        self.granted: list[str] = []
        self.losing: str | None = None
        self.on_loss: Callable[[], None] = lambda: None
        self._target = target
        self._server = serve(
            self._pass, "127.0.0.1", 0, compression=None, max_size=_LARGEST, logger=_quiet
        )
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """Its address."""
        return f"ws://127.0.0.1:{self._server.socket.getsockname()[1]}"

    def sent(self, method: str) -> list[Json]:
        """Return the parameters of every request of a method."""
        return [params for one, params in self.requests if one == method]

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._thread.join()

    def _pass(self, near: ServerConnection) -> None:
        try:
            far = connect(
                self._target, compression=None, proxy=None, max_size=_LARGEST, logger=_quiet
            )
        except OSError:  # the Gateway is away
            return
        asked: dict[str, str] = {}
        with far:
            thread = threading.Thread(target=self._outward, args=(near, far, asked), daemon=True)
            thread.start()
            self._inward(near, far, asked)
            near.close()
            far.close()
            thread.join()

    def _outward(self, near: Connection, far: Connection, asked: dict[str, str]) -> None:
        with suppress(ConnectionClosed):
            for message in near:
                frame = json.loads(message)
                self.requests.append((frame["method"], frame.get("params")))
                asked[frame["id"]] = frame["method"]
                far.send(message)
        far.close()

    def _inward(self, near: Connection, far: Connection, asked: dict[str, str]) -> None:
        with suppress(ConnectionClosed):
            for message in far:
                frame = json.loads(message)
                if frame.get("type") == "res" and frame.get("ok"):
                    method = asked[frame["id"]]
                    self.granted.append(method)
                    if method == self.losing:
                        self.losing = None
                        self.on_loss()
                        return
                near.send(message)
