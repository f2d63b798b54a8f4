"""The servers of `c33-gateway-verdicts/scenarios.json`: plain sockets, and scripted Gateways."""

from __future__ import annotations

import socket
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.adapters.gateway.scripted import scripted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.adapters.gateway.scripted import Script
    from tests.program import Json

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
    match scenario["name"]:
        case "down":
            yield _closed_port()
        case "other-program":
            with _listening(_PAGE) as server:
                yield server
        case "wedged":
            with _listening(None) as server:
                yield server
        case _:
            with scripted(scenario["server"]) as script:
                yield script


def _closed_port() -> Server:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return Server(listener.getsockname()[1])


@contextmanager
def _listening(page: bytes | None) -> Iterator[Server]:
    """Accept connections; answer each with the page, or never."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = Server(listener.getsockname()[1])
        thread = threading.Thread(target=_accept, args=(listener, server, page), daemon=True)
        thread.start()
        yield server
        listener.shutdown(socket.SHUT_RDWR)
    thread.join()


def _accept(listener: socket.socket, server: Server, page: bytes | None) -> None:
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
