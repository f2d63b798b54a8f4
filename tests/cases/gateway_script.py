"""The servers of `c33-gateway-verdicts/scenarios.json`: three on plain sockets, six WebSockets."""

from __future__ import annotations

import socket
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.gateway.scripted import scripted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.gateway.scripted import Script
    from tests.program import Json

PLAIN = ("down", "other-program", "wedged")
_PAGE = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nhi"


@dataclass(slots=True)
class Server:
    """One port on loopback.

    Attributes:
        connections: How often something connected.
    """

    port: int
    connections: int = 0

    @property
    def url(self) -> str:
        """Where memconsole is told to look."""
        return f"ws://127.0.0.1:{self.port}"


@contextmanager
def serve(scenario: Json) -> Iterator[Server | Script]:
    """Play one scenario for as long as the block runs."""
    if scenario["name"] not in PLAIN:
        with scripted(scenario["server"]) as script:
            yield script
        return
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = Server(listener.getsockname()[1])
        if scenario["name"] == "down":
            listener.close()
            yield server
            return
        page = _PAGE if scenario["name"] == "other-program" else None
        thread = threading.Thread(target=_answer, args=(listener, server, page), daemon=True)
        thread.start()
        yield server
        listener.shutdown(socket.SHUT_RDWR)
    thread.join()


def _answer(listener: socket.socket, server: Server, page: bytes | None) -> None:
    """Accept until the listener is shut down; a silent server keeps its connections open."""
    held = []
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            break
        server.connections += 1
        held.append(connection)
        if page is not None:
            connection.recv(65536)
            connection.sendall(page)
            connection.close()
    for connection in held:
        connection.close()
