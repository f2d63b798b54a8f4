"""Answers the port `Gateway`: readings may be asked again, a reset is sent once.

The platform's own memory search is asked here, too (`memory.search`, since 2026.9).
"""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from memconsole.adapters.gateway import frames
from memconsole.adapters.gateway.connection import SocketConnection
from memconsole.adapters.gateway.errors import AnswerError, ConnectionLostError
from memconsole.adapters.gateway.listener import Listener
from memconsole.adapters.gateway.program import ProgramConnection
from memconsole.adapters.gateway.reconnecting import ReconnectingConnection
from memconsole.adapters.gateway.sessions import Listed, find_row, list_rows
from memconsole.domain.gateway import (
    NEXT_STEPS,
    UNKNOWN_METHOD,
    BranchAnswer,
    CompactAnswer,
    GatewayStatus,
    LiveReading,
    ResetAnswer,
    Verdict,
)
from memconsole.domain.search.agent_view import AgentHit
from memconsole.errors import GatewayCallError, GatewayUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from memconsole.adapters.gateway.connection import Hello
    from memconsole.adapters.gateway.connector import Connection, Connector
    from memconsole.adapters.gateway.listener import StopSignal
    from memconsole.domain.gateway import GatewayPlace, LiveSession


RESET_S = 60.0
COMPACT_S = 300.0
"""Seconds; a summary is a model call of tens of seconds: at least 180."""

_FORK: Final = "sessions.fork"
_BRANCH: Final = "sessions.compaction.branch"

STARTING_S = 15.0
"""How long an action waits for a Gateway that says that it is starting."""

_ASK_ITS_LOG = "Look at the Gateway's log; sessions are read from disk."

_HEALING = frozenset(one for one in Verdict if one.can_heal)


class GatewayClient:
    """One Gateway; safe from any thread, one request at a time.

    Args:
        place: Returns where it is now; asked before every try, since the configuration may change.
        connector: How to get in.
        now: The wall clock.
        timeout_s: For each request that only reads.
        sleep: Waits between tries.
    """

    def __init__(
        self,
        place: Callable[[], GatewayPlace],
        connector: Connector,
        *,
        now: Callable[[], datetime],
        timeout_s: float = 10.0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.is_off = connector.transport == "none"
        self._now = now
        self._timeout_s = timeout_s
        self._lock = threading.RLock()
        self._connection = ReconnectingConnection(place, connector, sleep)
        self._memory = Memory(now)
        self._proven: Hello | None = None
        self._is_acting = False

    def read(self) -> LiveReading:
        """Ask for all sessions; a Gateway that failed just now is not asked again at once."""
        with self._lock:
            begun = time.monotonic()
            until = begun + self._timeout_s
            try:
                known = self._memory.recall(self._connection.current)
                if known is not None:
                    return known
                found = self._connection.ask(
                    lambda connection: self._list(connection, until), until=until
                )
            except GatewayUnavailableError as error:
                return LiveReading(self._failure(error.code, str(error), error.hint))
            except GatewayCallError as error:  # it answers, and does not tell
                return LiveReading(replace(self._status(), reason=str(error), hint=_ASK_ITS_LOG))
            is_cut = found.total is not None and found.came < found.total
            cut_at = (found.came, found.total or 0) if is_cut else None
            status = replace(self._status(), took_ms=round((time.monotonic() - begun) * 1000))
            return self._memory.keep(LiveReading(status, found.rows, self._now(), cut_at=cut_at))

    def listen(self, stop: StopSignal) -> Iterator[None]:
        """Yield whenever a new reading may differ, until `stop` is set; keeps the connection open.

        Meanwhile a reading that nothing has changed since is not asked for again.
        """
        if not self.is_off:
            yield from Listener(self._connection, self._lock, timeout_s=self._timeout_s).news(stop)

    def provisional(self) -> GatewayStatus:
        """Return what can be said while an answer is still awaited.

        A request of ours that takes its time, such as a compaction, is no lateness: nothing else
        was asked meanwhile.
        """
        if self._is_acting and self._connection.hello is not None:
            return self._status()
        late = Verdict.LATE
        return self._failure(late.value, "it was asked a moment ago", NEXT_STEPS[late])

    def require(self) -> GatewayStatus:
        """Connect to act; waits a little while it starts.

        Raises:
            GatewayUnavailableError: It is not reachable, or refuses us; `code` is the verdict.
        """
        with self._lock:
            self._connection.ask(
                self._prove_access,
                is_acting=True,
                patience_s=STARTING_S,
                waits_for=frozenset({Verdict.STARTING}),
            )
            return self._status()

    def find(self, key: str, *, patience_s: float = 0.0) -> LiveSession | None:
        """Look for one session by its exact key; None when there is none.

        Args:
            key: The whole key.
            patience_s: How long to go on trying while the Gateway is away.

        Raises:
            GatewayUnavailableError: It cannot be asked.
            GatewayCallError: It refused to say.
        """
        with self._lock:
            return self._connection.ask(
                lambda connection: find_row(connection, key, timeout_s=self._timeout_s),
                is_acting=True,
                patience_s=patience_s,
                waits_for=_HEALING,
            )

    def search_memory(self, agent_id: str, query: str, limit: int) -> tuple[AgentHit, ...]:
        """Return what the agent's own search finds, best first.

        Raises:
            GatewayUnavailableError: It cannot be asked.
            GatewayCallError: It refused, or its release has no such search.
        """
        with self._lock:
            return self._connection.ask(
                lambda connection: search_memory(connection, agent_id, query, limit)
            )

    def reset(self, key: str, session_id: str | None) -> ResetAnswer:
        """Reset one session; sent once, and once more only without a property that was refused.

        Raises:
            GatewayUnavailableError: It is not reachable; nothing was sent.
            GatewayCallError: It refused; nothing was done.
        """
        params: dict[str, object] = {"key": key, "reason": "new"}
        if session_id is not None:
            params["expectedSessionId"] = session_id
        with self._acting():
            self._memory.forget()
            try:
                payload = self._connection.send("sessions.reset", params, timeout_s=RESET_S)
            except ConnectionLostError:
                return ResetAnswer(is_lost=True)
            return ResetAnswer(frames.session(payload.get("entry"), key))

    def branch(self, key: str, entry: str, *, is_compaction: bool = False) -> BranchAnswer:
        """Ask for a new session of what stands before a message, or a compaction; sent once.

        Raises:
            GatewayUnavailableError: It is not reachable; nothing was sent.
            GatewayCallError: It refused, or its release has no such method; nothing was done.
        """
        with self._acting():
            self._memory.forget()
            methods = None if (hello := self._connection.hello) is None else hello.methods
            method, params = _FORK, {"sessionKey": key, "entryId": entry}
            if is_compaction:
                method, params = _BRANCH, {"key": key, "checkpointId": entry}
            if methods is not None and method not in methods:
                raise GatewayCallError(method, "unknown method", reason=UNKNOWN_METHOD)
            try:
                payload = self._connection.send(method, params, timeout_s=RESET_S)
            except ConnectionLostError:
                return BranchAnswer(is_lost=True)
            except GatewayCallError as error:  # through the platform's program nobody lists methods
                if "unknown method" in str(error).lower():
                    reason = UNKNOWN_METHOD
                    raise GatewayCallError(method, "unknown method", reason=reason) from None
                raise
            return BranchAnswer(frames.text(payload.get("key" if is_compaction else "sessionKey")))

    def compact(self, key: str, instructions: str | None = None) -> CompactAnswer:
        """Ask for a compaction of one session; sent once.

        Args:
            key: The session.
            instructions: What the summary should heed; a release that takes none refuses.

        Raises:
            GatewayUnavailableError: It is not reachable; nothing was sent.
            GatewayCallError: It refused; nothing was done.
        """
        params = {"key": key} | ({} if instructions is None else {"instructions": instructions})
        with self._acting():
            self._memory.forget()
            try:
                payload = self._connection.send("sessions.compact", params, timeout_s=COMPACT_S)
            except ConnectionLostError:
                return CompactAnswer(is_lost=True, reason="no answer came")
            return frames.compact_answer(payload)

    def close(self) -> None:
        """End the connection."""
        with self._lock:
            self._connection.drop()

    def _list(self, connection: Connection, until: float) -> Listed:
        self._memory.begin(connection)
        found = list_rows(connection, until=until)
        self._proven = connection.hello
        return found

    @contextmanager
    def _acting(self) -> Iterator[None]:
        """Keep the connection busy for a request that may take minutes."""
        with self._lock:
            self._is_acting = True
            try:
                yield
            finally:
                self._is_acting = False

    def _prove_access(self, connection: Connection) -> None:
        """Where the greeting names no scopes, only a question shows whether we have any."""
        if connection.hello.scopes is None and connection.hello is not self._proven:
            connection.request("sessions.list", {"limit": 1}, timeout_s=self._timeout_s)
            self._proven = connection.hello

    def _status(self) -> GatewayStatus:
        hello, place = self._connection.hello, self._connection.place
        return GatewayStatus(
            verdict=Verdict.UP.value,
            url=None if place is None else place.url,
            version=None if hello is None else hello.version,
            scopes=() if hello is None else hello.scopes or (),
            checked_at=self._now(),
        )

    def _failure(self, verdict: str, reason: str, hint: str) -> GatewayStatus:
        place = self._connection.place
        url = (None if place is None else place.url) or None
        return GatewayStatus(verdict, url, reason=reason, hint=hint or None, checked_at=self._now())


TRUSTED_S = 30.0
"""A Gateway that tells of every change is asked all the same after so many seconds."""

PROGRAM_S = 15.0
"""The platform's program takes a second of a core: it is not started more often than this."""


class Memory:
    """Not safe from several threads: its owner holds a lock.

    Args:
        now: The wall clock.
    """

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._connection: Connection | None = None
        self._changes = 0
        self._at = 0.0
        self._reading: LiveReading | None = None

    def begin(self, connection: Connection) -> None:
        """Note what is known before the question is put: what comes after it is news."""
        self._connection, self._reading = connection, None
        self._changes = connection.inbox.changes if isinstance(connection, SocketConnection) else 0
        self._at = time.monotonic()

    def keep(self, reading: LiveReading) -> LiveReading:
        """Keep the answer to the question that was begun; return it."""
        self._reading = reading
        return reading

    def forget(self) -> None:
        """Ask anew next time."""
        self._reading = None

    def recall(self, current: Callable[[], Connection | None]) -> LiveReading | None:
        """Return the last reading when it still holds, else None.

        A connection that is listened to and told of every change vouches for it now, so it has the
        age of this moment; what the program said keeps its own.

        Args:
            current: Returns the connection that is open.
        """
        connection, reading = self._connection, self._reading
        age_s = time.monotonic() - self._at
        if reading is None or age_s >= TRUSTED_S:
            return None
        if isinstance(connection, ProgramConnection):
            return reading if age_s < PROGRAM_S and current() is connection else None
        if (
            not isinstance(connection, SocketConnection)
            or not self._is_quiet(connection)
            or current() is not connection
        ):
            return None
        moment = self._now()
        return replace(reading, status=replace(reading.status, checked_at=moment), read_at=moment)

    def _is_quiet(self, connection: SocketConnection) -> bool:
        """Whether the Gateway would have told of a change, and did not."""
        inbox = connection.inbox
        is_told = connection.is_attended and connection.is_subscribed and not inbox.is_broken
        return is_told and inbox.changes == self._changes and inbox.farewell is None


SEARCH_S: Final = 30.0
"""Seconds; the first search of an agent loads its index and may ask a service for a vector."""

_METHOD: Final = "memory.search"


def search_memory(
    connection: Connection, agent_id: str, query: str, limit: int
) -> tuple[AgentHit, ...]:
    """Return what the agent's own search finds, best first, also below its least score.

    Raises:
        AnswerError: The Gateway refused, or its release has no such method.
        ConnectionLostError: No answer came.
    """
    methods = connection.hello.methods
    if methods is not None and _METHOD not in methods:
        raise AnswerError({"message": f"this release does not know {_METHOD}"})
    params: dict[str, object] = {"query": query, "agentId": agent_id, "maxResults": limit}
    try:
        payload = connection.request(_METHOD, {**params, "minScore": 0}, timeout_s=SEARCH_S)
    except AnswerError as error:
        if "minScore" not in error.words:
            raise
        # A schema refusal is an answer: once more, with what every release knows.
        payload = connection.request(_METHOD, params, timeout_s=SEARCH_S)
    return tuple(_hits(payload.get("results")))


def _hits(results: object) -> Iterator[AgentHit]:
    for row in results if isinstance(results, list) else ():
        found = frames.mapping(row)
        path, score = frames.text(found.get("path")), _number(found.get("score"))
        start, end = frames.whole(found.get("startLine")), frames.whole(found.get("endLine"))
        if path is None or start is None or score is None:
            continue
        vector, words = _number(found.get("vectorScore")), _number(found.get("textScore"))
        yield AgentHit(path, start, start if end is None else end, score, vector, words)


def _number(value: object) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and isinstance(value, int | float) else None
