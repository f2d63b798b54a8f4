"""A Gateway on loopback, so that rotation and compaction can be tried without a platform.

It speaks the protocol of 2026.9 as far as memconsole does, over sessions held in memory: nothing on
disk changes, and what it answers to `sessions.reset` is what the next list shows.
"""

from __future__ import annotations

import hmac
import json
import logging
import secrets
import threading
import uuid
from contextlib import suppress
from typing import TYPE_CHECKING, TypeAlias

from websockets.exceptions import ConnectionClosed
from websockets.sync.server import serve

from memconsole.domain.sessions.stored import SessionState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import datetime

    from websockets.sync.server import Server, ServerConnection

    from memconsole.domain.snapshot.snapshot import SessionView


VERSION = "2026.9.6"
METHODS = (
    "health",
    "sessions.list",
    "sessions.describe",
    "sessions.subscribe",
    "sessions.reset",
    "sessions.compact",
)
SCOPES = ("operator.read", "operator.admin")
_KNOWN = {
    "sessions.list": {"limit", "offset", "archived"},
    "sessions.describe": {"key"},
    "sessions.subscribe": {"limit"},
    "sessions.reset": {"key", "agentId", "reason", "expectedSessionId"},
    "sessions.compact": {"key", "agentId", "maxLines"},
    "health": {"probe"},
}
_PAGE = 100
_AFTER_COMPACTION = 9_000
_SUMMARY = (
    "## Goal\nGo on where the session stands.\n\n## Next Steps\n1. Answer the last question\n"
)

Params: TypeAlias = "Mapping[str, object]"

_quiet = logging.getLogger("memconsole.demo.wire")
_quiet.setLevel(logging.CRITICAL)
_quiet.propagate = False


class RefusedRequestError(Exception):
    """The error that a request is answered with."""

    def __init__(self, message: str, **details: object) -> None:
        super().__init__(message)
        self.error: dict[str, object] = {"code": "INVALID_REQUEST", "message": message}
        if details:
            self.error["details"] = details


class LoopbackGateway:
    """Answers on a free port of this host from `start` to `close`.

    Args:
        source: Returns the sessions as rows of the wire; asked at every question, since a home
            lives on. What was reset or compacted here hides what it says.
        now: The clock of the demo.

    Attributes:
        token: What a client must know.
        changed: Sessions by key that were reset or compacted.
        requests: (method, parameters) of all that was asked, in order.
    """

    def __init__(
        self,
        source: Callable[[], Iterable[Mapping[str, object]]],
        *,
        now: Callable[[], datetime],
    ) -> None:
        self._source = source
        self._now = now
        self.token = secrets.token_urlsafe(24)
        self.methods: tuple[str, ...] = METHODS
        self.changed: dict[str, dict[str, object]] = {}
        self.requests: list[tuple[str, Mapping[str, object]]] = []
        self._lock = threading.Lock()
        self._listeners: set[ServerConnection] = set()
        self._server: Server | None = None
        self._thread: threading.Thread | None = None

    @property
    def rows(self) -> dict[str, dict[str, object]]:
        """Sessions by key, as rows of the wire."""
        found = {str(row["key"]): dict(row) for row in self._source()}
        return {**found, **self.changed}

    @property
    def url(self) -> str:
        """Where it listens."""
        assert self._server is not None
        return f"ws://127.0.0.1:{self._server.socket.getsockname()[1]}"

    def start(self, port: int = 0) -> LoopbackGateway:
        """Begin to answer in a thread of its own; 0 takes a free port."""
        self._server = serve(
            self._serve,
            "127.0.0.1",
            port,
            compression=None,
            max_size=32 * 1024 * 1024,
            logger=_quiet,
            close_timeout=1,
        )
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        return self

    def close(self) -> None:
        """Say farewell to who listens, and stop answering."""
        self.tell("shutdown", reason="gateway stopping")
        if self._server is not None and self._thread is not None:
            self._server.shutdown()
            self._thread.join()

    def __enter__(self) -> LoopbackGateway:
        """Start for as long as the block runs."""
        return self.start()

    def __exit__(self, *_: object) -> None:
        """Stop."""
        self.close()

    def tell(self, event: str, **payload: object) -> None:
        """Send an event to everybody who asked for them."""
        for connection in tuple(self._listeners):
            with suppress(ConnectionClosed):
                _send(connection, {"type": "event", "event": event, "payload": payload})

    def answer(self, method: str, params: Mapping[str, object]) -> dict[str, object]:
        """Return the payload for one request.

        Raises:
            RefusedRequestError: It is answered with an error.
        """
        if method not in self.methods:
            raise RefusedRequestError(f"unknown method: {method}")
        for name in params.keys() - _KNOWN[method]:
            message = f"invalid {method} params: at root: unexpected property '{name}'"
            raise RefusedRequestError(message)
        match method:
            case "sessions.list":
                return self._list(params)
            case "sessions.describe":
                return {"session": self.rows.get(str(params.get("key")))}
            case "sessions.subscribe":
                return {"subscribed": True}
            case "sessions.reset":
                return self._reset(params)
            case "sessions.compact":
                return self._compact(params)
            case _:
                return {"ok": True, "ts": self._stamp()}

    def _list(self, params: Mapping[str, object]) -> dict[str, object]:
        limit, offset = params.get("limit", _PAGE), params.get("offset", 0)
        assert isinstance(limit, int)
        assert isinstance(offset, int)
        rows = list(self.rows.values())
        shown = rows[offset : offset + limit]
        has_more = offset + limit < len(rows)
        return {
            "ts": self._stamp(),
            "count": len(shown),
            "totalCount": len(rows),
            "hasMore": has_more,
            "nextOffset": offset + limit if has_more else None,
            "sessions": shown,
        }

    def _reset(self, params: Mapping[str, object]) -> dict[str, object]:
        """Reset in place: the session id stays, as on 2026.9."""
        key = str(params.get("key"))
        row = self.rows.get(key) or {"key": key, "sessionId": str(uuid.uuid4())}
        expected = params.get("expectedSessionId")
        if expected is not None and expected != row.get("sessionId"):
            message = f"Session {key} changed before reset. Retry."
            raise RefusedRequestError(message, reason="session-changed")
        row = self.changed[key] = {
            **{name: value for name, value in row.items() if name not in ("status", "startedAt")},
            "updatedAt": self._stamp(),
            "sessionStartedAt": self._stamp(),
            "totalTokens": 0,
            "totalTokensFresh": True,
            "compactionCount": 0,
            "hasActiveRun": False,
        }
        entry = {**row, "lifecycleRevision": str(uuid.uuid4())}
        return {"ok": True, "key": key, "entry": entry}

    def _compact(self, params: Mapping[str, object]) -> dict[str, object]:
        key = str(params.get("key"))
        row = self.rows.get(key)
        if row is None:
            return {"ok": True, "key": key, "compacted": False, "reason": "no sessionId"}
        if row.get("hasActiveRun") is True:
            message = f"Session {key} has an active run; retry after it finishes."
            raise RefusedRequestError(message)
        before = row.get("totalTokens")
        if not isinstance(before, int) or before <= _AFTER_COMPACTION:
            return {"ok": False, "key": key, "compacted": False, "reason": "Already compacted"}
        count = row.get("compactionCount")
        self.changed[key] = row
        row["totalTokens"], row["updatedAt"] = _AFTER_COMPACTION, self._stamp()
        row["compactionCount"] = (count if isinstance(count, int) else 0) + 1
        result = {
            "summary": _SUMMARY,
            "firstKeptEntryId": secrets.token_hex(4),
            "tokensBefore": before,
            "tokensAfter": _AFTER_COMPACTION,
        }
        return {"ok": True, "key": key, "compacted": True, "result": result}

    def _stamp(self) -> int:
        return int(self._now().timestamp() * 1000)

    def _serve(self, connection: ServerConnection) -> None:

        with suppress(ConnectionClosed, ValueError, KeyError, AttributeError):
            nonce = {"nonce": str(uuid.uuid4()), "ts": self._stamp()}
            _send(connection, {"type": "event", "event": "connect.challenge", "payload": nonce})
            if not self._enter(connection, json.loads(connection.recv(timeout=15))):
                return
            try:
                for message in connection:
                    frame = json.loads(message)
                    _send(connection, self._answered(frame))
                    self._go_on(connection, frame)
            finally:
                self._listeners.discard(connection)

    def _go_on(self, connection: ServerConnection, frame: Mapping[str, object]) -> None:
        """Do what follows an answer: remember who listens, tell the others what changed."""
        method, params = frame.get("method"), frame.get("params")
        key = params.get("key") if isinstance(params, dict) else None
        if method == "sessions.subscribe":
            self._listeners.add(connection)
        elif method in ("sessions.reset", "sessions.compact"):
            self.tell("sessions.changed", sessionKey=key, reason=str(method).rpartition(".")[2])

    def _enter(
        self, connection: ServerConnection, frame: Mapping[str, Mapping[str, object]]
    ) -> bool:
        auth = frame["params"].get("auth")
        given = str(auth.get("token")) if isinstance(auth, dict) else ""
        if not hmac.compare_digest(given.encode(), self.token.encode()):
            error: dict[str, object] = {
                "code": "INVALID_REQUEST",
                "message": "unauthorized: gateway token mismatch",
                "details": {"code": "AUTH_TOKEN_MISMATCH"},
            }
            _send(connection, {"type": "res", "id": frame["id"], "ok": False, "error": error})
            connection.close(1008, "unauthorized")
            return False
        payload = {
            "type": "hello-ok",
            "protocol": 4,
            "server": {"version": VERSION, "connId": str(uuid.uuid4())},
            "features": {"methods": list(self.methods), "events": []},
            "auth": {"role": "operator", "scopes": list(SCOPES)},
            "policy": {"tickIntervalMs": 30_000},
        }
        _send(connection, {"type": "res", "id": frame["id"], "ok": True, "payload": payload})
        return True

    def _answered(self, frame: Mapping[str, object]) -> dict[str, object]:
        found = frame.get("params")
        method, params = str(frame.get("method")), found if isinstance(found, dict) else {}
        head = {"type": "res", "id": frame.get("id")}
        with self._lock:
            self.requests.append((method, params))
            try:
                return {**head, "ok": True, "payload": self.answer(method, params)}
            except RefusedRequestError as error:
                return {**head, "ok": False, "error": error.error}


def _send(connection: ServerConnection, frame: Mapping[str, object]) -> None:
    connection.send(json.dumps(frame))


def rows_of(sessions: Iterable[SessionView]) -> list[dict[str, object]]:
    """Return live sessions of a reading from disk as rows of the wire."""
    return [
        _row(view)
        for view in sessions
        if view.state is SessionState.LIVE and view.key_text is not None
    ]


def _row(view: SessionView) -> dict[str, object]:
    stored = view.stored
    row: dict[str, object] = {
        "key": view.key_text,
        "agentId": view.agent.id,
        "sessionId": view.session_id,
        "kind": stored.chat_type,
        "chatType": stored.chat_type,
        "label": stored.label,
        "updatedAt": _stamp(stored.updated_at),
        "lastInteractionAt": _stamp(stored.last_interaction_at),
        "totalTokens": stored.tokens_reported,
        "totalTokensFresh": stored.tokens_fresh,
        "contextTokens": stored.window,
        "compactionCount": stored.compactions,
        "status": stored.status,
        "hasActiveRun": stored.is_active,
        "model": stored.model,
        "modelProvider": stored.model_provider,
    }
    return {name: value for name, value in row.items() if value is not None}


def _stamp(at: datetime | None) -> int | None:
    return None if at is None else int(at.timestamp() * 1000)
