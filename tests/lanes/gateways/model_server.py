"""A model server of ours on loopback, as far as the platform's OpenAI-compatible provider asks.

What it answers is decided by words of the last user message:

- `[tokens=152000]`: the usage says that the prompt had so many tokens;
- `[hold]`: the answer begins, and ends only after `release()`;
- `[call=NAME {"key": "value"}]`: the answer is a call of a tool, once; then what it gave is told.

A call without tools that asks for a summary gets one. Everything asked is kept in `prompts`.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Json = Any
"""What foreign JSON holds."""

MODEL = "stub-large"
EMBEDDING_MODEL = "text-embedding-3-small"
DIMENSIONS = 64
HELD_S = 120.0
"""The longest that an answer is held; nothing hangs for ever."""

SUMMARY = """## Decisions
SQLite stays in WAL mode, and the inventory sync takes its lock for one shelf at a time, so that
the digest can read in between. It is written down in `docs/inventory.md`. The digest went out
without the sales part twice this week.

## Open TODOs
- NoteHit out which of the shelves was being counted when the sync waited for the lock.

## Constraints/Rules
- The digest goes out at 06:00, and nobody may hold the lock then.

## Pending user asks
None

## Exact identifiers
`docs/inventory.md`
"""
"""What 2026.9 takes: its sections, the last question, and nothing pending of the kept turns."""

_TOKENS = re.compile(r"\[tokens=(\d+)\]")
_CALL = re.compile(r"\[call=(\S+) (\{.*?\})\]")
_HOLD = "[hold]"
_INTERNAL = "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT"
_CHARS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Prompt:
    """One call of the platform to its model, as it came."""

    body: Mapping[str, Json]

    @property
    def messages(self) -> list[Json]:
        """The messages, the system prompt among them."""
        found: list[Json] = self.body.get("messages") or []
        return found

    @property
    def system(self) -> str:
        """The system prompt: here is what a bootstrap hook adds."""
        roles = ("system", "developer")
        return "\n".join(_text(one) for one in self.messages if one.get("role") in roles)

    @property
    def user(self) -> str:
        """The last thing that the user said."""
        said = [_text(one) for one in self.messages if one.get("role") == "user"]
        return next((one for one in reversed(said) if not one.startswith(_INTERNAL)), "")

    @property
    def tools(self) -> list[str]:
        """Names of the tools that the model may call."""
        return [one["function"]["name"] for one in self.body.get("tools") or []]

    @property
    def results(self) -> list[str]:
        """What tools gave since the user said something."""
        said = [n for n, one in enumerate(self.messages) if _text(one) == self.user]
        later = self.messages[said[-1] :] if said else []
        return [_text(one) for one in later if one.get("role") == "tool"]

    @property
    def call(self) -> tuple[str, str] | None:
        """Name and arguments of the tool that shall be called now; None for none."""
        found = None if self.results else _CALL.search(self.user)
        return None if found is None else (found[1], found[2])

    @property
    def is_summary(self) -> bool:
        """Whether it is a compaction's: those carry no tools."""
        return not self.body.get("tools") and "summar" in (self.system + self.user).lower()

    @property
    def tokens(self) -> int:
        """What the usage says of it."""
        told = None if self.is_summary else _TOKENS.search(self.user)
        if told is not None:
            return int(told[1])
        return sum(len(_text(one)) for one in self.messages) // _CHARS_PER_TOKEN


class ModelServer:
    """Listens on a free port of 127.0.0.1 until `close`.

    Attributes:
        prompts: Everything that was asked.
        summary: What the next compaction gets.
    """

    def __init__(self) -> None:
        self.summary = SUMMARY
        self.prompts: list[Prompt] = []
        self._released = threading.Event()
        handler = type("Handler", (_Handler,), {"models": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """What a provider's `baseUrl` is."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def release(self) -> None:
        """Let the answers end that are held, and hold later ones anew."""
        released, self._released = self._released, threading.Event()
        released.set()

    def wait_if_held(self, prompt: Prompt) -> None:
        """Wait for `release` when the prompt wants it."""
        if _HOLD in prompt.user and not prompt.is_summary:
            self._released.wait(HELD_S)

    def prompts_saying(self, words: str) -> list[Prompt]:
        """Return the calls whose last user message holds some words."""
        return [one for one in self.prompts if words in one.user and not one.is_summary]

    def close(self) -> None:
        """Stop listening."""
        self.release()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _text(message: Mapping[str, Json]) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return "\n".join(one.get("text") or "" for one in blocks if isinstance(one, dict))


def _reply(server: ModelServer, prompt: Prompt) -> str:
    if prompt.is_summary:
        return server.summary
    return f"I looked at it. This is what I was asked: {_TOKENS.sub('', prompt.user).strip()[:300]}"


def _usage(prompt: Prompt, reply: str) -> dict[str, int]:
    answer = len(reply) // _CHARS_PER_TOKEN
    return {
        "prompt_tokens": prompt.tokens,
        "completion_tokens": answer,
        "total_tokens": prompt.tokens + answer,
    }


def embedding(text: str) -> list[float]:
    """Return a bag of hashed words; equal texts are equal, and no text is nothing."""
    found = [0.0] * DIMENSIONS
    for word in text.lower().split() or [""]:
        found[hashlib.sha256(word.encode()).digest()[0] % DIMENSIONS] += 1.0
    return found


def _chunks(server: ModelServer, prompt: Prompt) -> Iterator[Json]:
    """Yield the chunks of an answer: role, content, finish, and usage without choices."""
    reply = _reply(server, prompt)
    frame = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": MODEL}

    def chunk(delta: Json, finish: str | None = None) -> Json:
        return {**frame, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    yield chunk({"role": "assistant", "content": ""})
    if prompt.call is not None and not prompt.is_summary:
        name, arguments = prompt.call
        function = {"name": name, "arguments": arguments}
        call = {"index": 0, "id": "call-1", "type": "function", "function": function}
        yield chunk({"tool_calls": [call]})
        yield chunk({}, "tool_calls")
        yield {**frame, "choices": [], "usage": _usage(prompt, "")}
        return
    yield chunk({"content": reply[:1]})
    server.wait_if_held(prompt)
    yield chunk({"content": reply[1:]})
    yield chunk({}, "stop")
    yield {**frame, "choices": [], "usage": _usage(prompt, reply)}


def _whole(server: ModelServer, prompt: Prompt) -> Json:
    reply = _reply(server, prompt)
    server.wait_if_held(prompt)
    message = {"role": "assistant", "content": reply}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": MODEL,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": _usage(prompt, reply),
    }


class _Handler(BaseHTTPRequestHandler):
    """One request to the model.

    Attributes:
        models: Where it came in.
    """

    models: ModelServer

    def do_GET(self) -> None:
        self._send({"object": "list", "data": [{"id": MODEL, "object": "model"}]})

    def do_POST(self) -> None:
        size = int(self.headers.get("content-length") or 0)
        body = json.loads(self.rfile.read(size))
        if self.path.endswith("/embeddings"):
            self._embed(body)
            return
        prompt = Prompt(body)
        self.models.prompts.append(prompt)
        if body.get("stream"):
            self._stream(prompt)
        else:
            self._send(_whole(self.models, prompt))

    def _embed(self, body: Json) -> None:
        wanted = body["input"] if isinstance(body["input"], list) else [body["input"]]
        rows = [
            {"object": "embedding", "index": number, "embedding": embedding(text)}
            for number, text in enumerate(wanted)
        ]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        self._send({"object": "list", "model": EMBEDDING_MODEL, "data": rows, "usage": usage})

    def _stream(self, prompt: Prompt) -> None:
        self._head("text/event-stream")
        try:
            for chunk in _chunks(self.models, prompt):
                self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
                self.wfile.flush()
            self.wfile.write(b"data: [DONE]\n\n")
        except OSError:  # the run was broken off
            self.close_connection = True

    def _send(self, answer: Json) -> None:
        self._head("application/json")
        self.wfile.write(json.dumps(answer).encode())

    def _head(self, kind: str) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""
