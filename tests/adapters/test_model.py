"""The model's service over loopback: every way it can fail, and its second model."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.model import RemoteModel
from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.adapters.state.database import StateDatabase
from memconsole.adapters.state.models import StateModels
from memconsole.domain.model import ModelUse, Prompt
from memconsole.errors import ModelError
from tests.doubles.platform import NOW

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PROMPT = Prompt("reflect", "Do it.", "the text")


def answer(text: str | None, finish: str = "stop", **more: object) -> dict[str, object]:
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


def test_an_answer_comes_with_its_cost() -> None:
    with service(answer("fine")) as (url, asked, keys):
        found = RemoteModel(url, ("small", "other"), key="fake-key").complete(PROMPT, timeout_s=5)
    assert (found.text, found.model, found.tokens) == ("fine", "small", 42)
    assert (asked[0]["model"], keys) == ("small", ["Bearer fake-key"])
    assert asked[0]["messages"] == [
        {"role": "system", "content": "Do it."},
        {"role": "user", "content": "the text"},
    ]


@pytest.mark.parametrize(
    "bad",
    [
        500,
        429,
        b"no json",
        b"[]",
        {},
        answer(None),
        answer("  "),
        answer("half", finish="length"),
        answer("no", refusal="I will not"),
    ],
)
def test_the_second_model_is_asked_once_when_the_first_fails(bad: object) -> None:
    with service(bad, answer("saved")) as (url, asked, _):
        found = RemoteModel(url, ("small", "other"), key=None).complete(PROMPT, timeout_s=5)
    assert (found.text, found.model) == ("saved", "other")
    assert [one["model"] for one in asked] == ["small", "other"]


def test_two_failures_are_one_sentence_without_the_key() -> None:
    with service(500, 503) as (url, asked, _):
        model = RemoteModel(url, ("small", "other"), key="fake-key")
        with pytest.raises(ModelError, match="HTTP 503") as told:
            model.complete(PROMPT, timeout_s=5)
    assert len(asked) == 2
    assert "fake-key" not in str(told.value)


def test_a_service_that_is_not_there_and_a_model_without_a_name_are_said() -> None:
    with pytest.raises(ModelError, match="cannot be reached"):
        RemoteModel("http://127.0.0.1:9", ("small",), key=None).complete(PROMPT, timeout_s=1)
    with pytest.raises(ModelError, match="no model is named"):
        RemoteModel("http://127.0.0.1:9", ("", ""), key=None).complete(PROMPT, timeout_s=1)


def test_an_endless_answer_is_cut_short() -> None:
    with service(b"x" * 3_000_000) as (url, _, _), pytest.raises(ModelError, match="too long"):
        RemoteModel(url, ("small",), key=None).complete(PROMPT, timeout_s=5)


def test_costs_are_added_up(tmp_path: Path) -> None:
    log = StateModels(StateDatabase(tmp_path / "state", PrivateCopies()))
    assert log.tokens_since(NOW) == 0
    log.add(ModelUse(NOW, "reflect", "small", 40))
    log.add(ModelUse(NOW, "observe", "small", 2))
    assert log.tokens_since(NOW) == 42
