"""One open WebSocket connection: a request goes out, its answer is picked by id, others pass by.

Answers may be late, doubled or out of order, and events come in between; none of it may be taken
for the answer of another request. There is no thread that only reads. Whoever waits first reads for
all, and hands on when it has what it waited for: a single question costs no thread, and a listener
beside it takes nothing away.

Releases before 2026.7 push no `sessions.changed`; there the end of a run is the news. Formats:
`docs/formats.md`, "Events".
"""

from __future__ import annotations

import itertools
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from memconsole.adapters.gateway import frames
from memconsole.adapters.gateway.errors import AnswerError, ConnectionLostError
from memconsole.domain.gateway import Verdict, refusal
from memconsole.lazy_dataclass import dataclass
from memconsole.text.graphemes import cut
from memconsole.text.outgoing import let_out
from memconsole.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from websockets.sync.client import ClientConnection

    from memconsole.domain.gateway import Refusal


MAX_FRAME_BYTES = 32 * 1024 * 1024
"""A frame above this closes the connection; the Gateway sends up to 26214400 bytes."""

FAREWELL = "shutdown"

_MOST_DRAINED = 20_000


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
        with suppress(*broken()):
            self._connection.close()


class Inbox:
    """What comes in over one connection, for everybody who waits; safe from any thread.

    Attributes:
        changes: Counts events that may have changed a session, and gaps in the numbers of events.
        heard_at: `time.monotonic()` of the last frame.
        farewell: Payload of a `shutdown` event; None until one came.
        is_broken: The connection has ended.
    """

    def __init__(self, connection: ClientConnection) -> None:
        self.changes = 0
        self.heard_at = time.monotonic()
        self.farewell: Mapping[str, object] | None = None
        self._connection = connection
        self._turn = threading.Condition()
        self._is_reading = False
        self._answers: dict[object, Mapping[str, object] | None] = {}
        self._last_number: int | None = None
        self._failure: Exception | None = None

    @property
    def is_broken(self) -> bool:
        """Whether nothing will come any more."""
        return self._failure is not None

    def exchange(self, frame: Mapping[str, object], deadline: float) -> Mapping[str, object]:
        """Send a request frame and wait for the answer with its id.

        Args:
            frame: With its `id`.
            deadline: `time.monotonic()` at which it is given up.

        Raises:
            AnswerError: The answer is an error.
            ConnectionLostError: The connection broke, or the deadline passed.
        """
        name = frame["id"]
        with self._turn:
            self._answers[name] = None
        try:
            self._connection.send(frames.encode(frame))
            if not self._until(lambda: self._answers[name] is not None, deadline):
                raise ConnectionLostError("no answer came in time", is_late=True)
            answer = frames.mapping(self._answers[name])
        except broken() as error:
            raise ConnectionLostError("the link broke before the answer came") from error
        finally:
            with self._turn:
                del self._answers[name]
        if answer.get("ok") is True:
            return frames.mapping(answer.get("payload"))
        raise AnswerError(frames.mapping(answer.get("error")))

    def drain(self) -> None:
        """Take in what came meanwhile, so that the Gateway need not wait for us.

        Raises:
            ConnectionLostError: The connection is closed.
        """
        with self._turn:
            for _ in range(_MOST_DRAINED):
                if self._is_reading or not self._read(0):
                    break
            self._require_whole()

    def listen(self, seen: int, wait_s: float) -> bool:
        """Wait for an event that may have changed a session, or for a farewell.

        Args:
            seen: `changes` that the caller knows of.
            wait_s: How long at most.

        Returns:
            False when nothing of the kind came in time.

        Raises:
            ConnectionLostError: The connection broke.
        """
        return self._until(
            lambda: self.changes != seen or self.farewell is not None, time.monotonic() + wait_s
        )

    def collect(self, for_s: float) -> None:
        """Take in everything for a while, until a farewell.

        Raises:
            ConnectionLostError: The connection broke.
        """
        self._until(lambda: self.farewell is not None, time.monotonic() + for_s)

    def note_change(self) -> None:
        """Count a change that no event tells of."""
        with self._turn:
            self.changes += 1

    def _until(self, is_there: Callable[[], bool], deadline: float) -> bool:
        """Wait, and read for everybody while nobody else does."""
        with self._turn:
            while not is_there():
                self._require_whole()
                left = deadline - time.monotonic()
                if left <= 0:
                    return False
                if self._is_reading:
                    self._turn.wait(left)
                else:
                    self._read(left)
            return True

    def _require_whole(self) -> None:
        if self._failure is not None:
            raise ConnectionLostError("the link was closed") from self._failure

    def _read(self, wait_s: float) -> bool:
        """Read one frame, for all; the turn is held before and after, and free meanwhile."""
        self._is_reading = True
        self._turn.release()
        frame: Mapping[str, object] | None = None
        failure: Exception | None = None
        is_there = False
        try:
            data = self._connection.recv(timeout=wait_s)
            is_there, frame = True, frames.decode(data)
        except TimeoutError:
            pass
        except broken() as error:
            failure = error
        finally:
            self._turn.acquire()
            self._is_reading = False
            self._failure = self._failure or failure
            if is_there:
                self._take(frame)
            self._turn.notify_all()
        return is_there

    def _take(self, frame: Mapping[str, object] | None) -> None:
        """Put one frame where it is waited for; the rest passes by."""
        self.heard_at = time.monotonic()
        if frame is None:
            return
        if frame.get("type") == "res":
            name = frame.get("id")
            if isinstance(name, str) and name in self._answers:
                self._answers[name] = frame
            return
        if frame.get("event") == FAREWELL:
            self.farewell = frames.mapping(frame.get("payload"))
        if self._is_gap(frames.whole(frame.get("seq"))) or is_news(frame):
            self.changes += 1

    def _is_gap(self, number: int | None) -> bool:
        """Whether events are missing before this one."""
        last, self._last_number = self._last_number, number or self._last_number
        return None not in (last, number) and number != (last or 0) + 1


_ALWAYS = frozenset({"sessions.changed", "session.operation"})
_ENDS = {
    "chat": ("state", frozenset({"final", "aborted", "error"})),
    "agent": ("stream", frozenset({"lifecycle", "compaction"})),
    "cron": ("action", frozenset({"finished", "removed"})),
}
_LONGEST_REASON = 60


def is_news(frame: Mapping[str, object]) -> bool:
    """Tell whether an event may have changed a session; deltas, ticks and presence do not."""
    event = frames.text(frame.get("event")) or ""
    if event in _ALWAYS:
        return True
    if event not in _ENDS:
        return False
    field, words = _ENDS[event]
    return frames.text(frames.mapping(frame.get("payload")).get(field)) in words


def farewell(payload: Mapping[str, object]) -> Refusal:
    """Return the verdict of a `shutdown` event: it goes away, or comes back by itself."""
    said = cut(let_out(one_line(frames.text(payload.get("reason")) or "")), _LONGEST_REASON)
    words = f": {said}" if said else ""
    expected = frames.whole(payload.get("restartExpectedMs"))
    if expected is None:
        return refusal(Verdict.DOWN, f"the gateway says that it stops{words}")
    return refusal(Verdict.STARTING, f"the gateway says that it starts anew{words}")


def broken() -> tuple[type[Exception], ...]:
    """Return what a connection that breaks is known by."""
    from websockets.exceptions import WebSocketException  # noqa: PLC0415

    return OSError, WebSocketException
