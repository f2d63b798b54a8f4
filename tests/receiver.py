"""A receiver of alerts on the loopback interface that behaves as badly as a test likes."""

from __future__ import annotations

import json
import socket
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass
class Receiver:
    """What came, and how it is answered.

    Attributes:
        manner: `takes`, `refuses` (code 503), `closes`, `sleeps` or `drips` (a byte now and then).
        code: Of an answer.
        answer: Its body.
    """

    url: str
    manner: str = "takes"
    code: int = 200
    answer: bytes = b'{"ok": true}'
    bodies: list[Any] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    is_over: threading.Event = field(default_factory=threading.Event)

    def told(self) -> list[tuple[str, list[str]]]:
        """Return (kind, issues) of every message that was taken."""
        return [(one["kind"], [row["id"] for row in one["issues"]]) for one in self.bodies]


class _Handler(BaseHTTPRequestHandler):
    def receive(self, made: Receiver) -> None:
        """Take one message in the manner of the moment."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if made.manner == "closes":
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
        elif made.manner in ("sleeps", "drips"):
            while not made.is_over.wait(0.05):
                if made.manner == "drips":
                    self.wfile.write(b"X")
        else:
            self._answer(made, body)

    def _answer(self, made: Receiver, body: bytes) -> None:
        if made.manner == "takes":
            made.bodies.append(json.loads(body))
            made.headers.append(dict(self.headers))
        self.send_response(made.code if made.manner == "takes" else 503)
        self.send_header("Content-Length", str(len(made.answer)))
        self.end_headers()
        self.wfile.write(made.answer)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its own name
        pass


@contextmanager
def receiver() -> Iterator[Receiver]:
    """Run a receiver on a free port of 127.0.0.1."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            """Callers that hang up are what the tests are about."""

    class Bound(_Handler):
        def do_POST(self) -> None:
            self.receive(made)

    server = Server(("127.0.0.1", 0), Bound)
    made = Receiver(f"http://127.0.0.1:{server.server_address[1]}/hook")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield made
    finally:
        made.is_over.set()
        server.shutdown()
        thread.join()
        server.server_close()
