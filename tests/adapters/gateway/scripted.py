"""A Gateway that plays a script: the words of `scenarios.json`, and recorded connections."""

from __future__ import annotations

import json
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from websockets.exceptions import ConnectionClosed
from websockets.sync.server import serve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from websockets.sync.server import ServerConnection

    from tests.program import Json

CHALLENGE = {
    "type": "event",
    "event": "connect.challenge",
    "payload": {"nonce": "n-1", "ts": 1775984400000},
}
SCOPES = ("operator.read", "operator.admin")
TOKEN = "EXAMPLE-gateway-token-000"


def hello(*methods: str, scopes: Sequence[str] | None = SCOPES) -> Json:
    """Return the payload of a greeting."""
    auth = {} if scopes is None else {"auth": {"role": "operator", "scopes": list(scopes)}}
    return {
        "type": "hello-ok",
        "protocol": 4,
        "server": {"version": "2026.9.6", "connId": "c1"},
        "features": {"methods": list(methods), "events": []},
        **auth,
    }


def let_in(
    *methods: str, scopes: Sequence[str] | None = ("operator.read", "operator.admin")
) -> Json:
    """Return the first steps of every script that lets us in."""
    return [
        {"send": CHALLENGE},
        {"on": "connect", "reply": ok(hello(*methods, scopes=scopes))},
    ]


def ok(payload: Json) -> Json:
    """Return the frame of an answer; `$id` is the request's id."""
    return {"type": "res", "id": "$id", "ok": True, "payload": payload}


def error(code: str, message: str, /, **details: Json) -> Json:
    """Return the frame of a refusal."""
    found = {"code": code, "message": message, **({"details": details} if details else {})}
    return {"type": "res", "id": "$id", "ok": False, "error": found}


@dataclass
class Script:
    """What one port did.

    Attributes:
        requests: Frames that came in, in order.
        problems: What the client did that the script did not expect.
    """

    port: int = 0
    connections: int = 0
    requests: list[Json] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"ws://127.0.0.1:{self.port}"

    def params(self, method: str) -> list[Json]:
        """Return the parameters of every request of a method."""
        return [frame["params"] for frame in self.requests if frame["method"] == method]


@contextmanager
def scripted(*connections: Sequence[Json], port: int = 0) -> Iterator[Script]:
    """Play one list of steps a connection; the last one is played for all that follow."""
    script = Script()

    def handle(connection: ServerConnection) -> None:
        number = script.connections
        script.connections += 1
        with suppress(ConnectionClosed, OSError):
            play(connection, script, connections[min(number, len(connections) - 1)])

    with serve(handle, "127.0.0.1", port, compression=None, close_timeout=0.2) as server:
        script.port = server.socket.getsockname()[1]
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield script
        server.shutdown()
        thread.join()
    assert script.problems == []


def play(connection: ServerConnection, script: Script, steps: Sequence[Json]) -> None:
    """Play the steps, then stay until the client goes."""
    for step in steps:
        if "close" in step:
            finish(connection, step["close"], step.get("reason", ""))
            return
        act(connection, script, step)
    while True:
        frame = receive(connection, script)
        refused = as_text(error("INVALID_REQUEST", f"unknown method: {frame['method']}"))
        connection.send(refused.replace('"$id"', json.dumps(frame["id"])))


def act(connection: ServerConnection, script: Script, step: Json) -> None:
    """Do what one step says."""
    if "after_s" in step:
        threading.Event().wait(step["after_s"])
    if "send" in step:
        connection.send(as_text(step["send"]))
    if "raw" in step:
        connection.send(step["raw"])
    if "wait" in step:
        step["wait"].wait(10)
    if "on" in step:
        frame = receive(connection, script)
        if step["on"] not in ("*", frame["method"]):
            script.problems.append(f"{frame['method']} came instead of {step['on']}")
        for reply in step.get("replies", [step["reply"]] if "reply" in step else []):
            connection.send(as_text(reply).replace('"$id"', json.dumps(frame["id"])))


def receive(connection: ServerConnection, script: Script) -> Json:
    """Return the next request."""
    frame = json.loads(connection.recv())
    script.requests.append(frame)
    return frame


def finish(connection: ServerConnection, code: int, reason: str) -> None:
    """End a connection; 1006 is a line that just breaks."""
    if code == 1006:
        connection.close_socket()
    else:
        connection.close(code, reason)


def as_text(frame: Json) -> str:
    """Return a frame as text."""
    return json.dumps(frame)


def recorded(path: Path, conn: str | None = None) -> list[list[Json]]:
    """Return each recorded connection as steps: what came in, and how requests were answered."""
    found: list[list[Json]] = []
    answers: dict[str, Json] = {}
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    rows = [row for row in rows if conn is None or row.get("conn") == conn]
    for row in rows:
        if row["dir"] == "in" and row["frame"]["type"] == "res":
            answers[row["frame"]["id"]] = {**row["frame"], "id": "$id"}
    for row in rows:
        frame = row["frame"]
        if row["dir"] == "in" and frame.get("event") == "connect.challenge":
            found.append([{"send": frame}])
        elif row["dir"] == "in" and frame["type"] == "event":
            found[-1].append({"send": frame})
        elif row["dir"] == "out" and frame["id"] in answers:
            found[-1].append({"on": frame["method"], "reply": answers[frame["id"]]})
        elif row["dir"] == "close" and frame["code"] != 1000:
            found[-1].append({"close": frame["code"], "reason": frame["reason"]})
    return found


def until(condition: Callable[[], bool]) -> None:
    """Wait for another thread, ten seconds at most."""
    for _ in range(1000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("it never came true")
