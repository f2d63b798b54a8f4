"""A double of the optional language model and of its log, and its service over loopback."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

from memconsole.domain.model import Completion, ModelUse, Prompt
from memconsole.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime


class FakeModel:
    """A language model that says what it was told to; without anything to say it fails."""

    def __init__(self) -> None:
        self.answers: list[str] = []
        self.asked: list[Prompt] = []
        self.uses: list[ModelUse] = []

    def complete(self, prompt: Prompt, *, timeout_s: float) -> Completion:
        self.asked.append(prompt)
        if not self.answers:
            raise ModelError("the model cannot be reached")
        return Completion(self.answers.pop(0), "small", 100)

    def tokens_since(self, at: datetime) -> int:
        return sum(one.tokens for one in self.uses if one.at >= at)

    def add(self, use: ModelUse) -> None:
        self.uses.append(use)


def answer(text: str | None, finish: str = "stop", **more: object) -> dict[str, object]:
    """Return what a service of the common kind answers."""
    message = {"role": "assistant", "content": text, **more}
    return {
        "choices": [{"message": message, "finish_reason": finish}],
        "usage": {"total_tokens": 42},
    }


@contextmanager
def service(*answers: object) -> Iterator[tuple[str, list[dict[str, object]], list[str]]]:
    """Serve these answers in turn: an object, a status, or raw bytes."""
    asked: list[dict[str, object]] = []
    keys: list[str] = []
    left = list(answers)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            asked.append(json.loads(self.rfile.read(length)))
            keys.append(self.headers.get("Authorization", ""))
            given = left.pop(0)
            status = given if isinstance(given, int) else 200
            data = given if isinstance(given, bytes) else json.dumps(given).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            del format, args

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", asked, keys
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
