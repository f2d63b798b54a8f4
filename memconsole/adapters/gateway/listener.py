"""Keeps one connection open, and tells when a new look at the Gateway is worth it.

Events of a burst are taken together. A farewell becomes the verdict at once; after a connection
that broke the handshake decides, with the pauses of every other try.
"""

from __future__ import annotations

import logging
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from memconsole.adapters.gateway.connection import SocketConnection, farewell
from memconsole.adapters.gateway.errors import AnswerError, ConnectionLostError
from memconsole.domain.gateway import Verdict
from memconsole.errors import GatewayCallError, GatewayUnavailableError

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator

    from memconsole.adapters.gateway.connector import Connection
    from memconsole.adapters.gateway.reconnecting import ReconnectingConnection

logger = logging.getLogger(__name__)

LOOK_S = 1.0
"""How often a quiet listener looks whether it should stop."""

QUIET_S = 0.25
"""Seconds for which the rest of a burst is waited for."""

APART_S = 1.0
"""Seconds between two pieces of news at least."""

REST_S = 5.0
"""How long a pause is kept before it is looked whether it is over."""

_NAP_S = 0.25
_SILENT_TICKS = 2.5
"""Without a sign of life for so many ticks a connection is dead; the platform allows two."""

SUBSCRIBE = "sessions.subscribe"


class StopSignal(Protocol):
    """Something that can be asked whether to stop; `threading.Event` is one."""

    def is_set(self) -> bool:
        """Return True once the work should end."""


class Listener:
    """One thread at a time; it shares the connection with whoever asks.

    Args:
        connection: The one connection.
        lock: Held while the connection is opened or given up, never while it is listened to.
        timeout_s: For the subscription.
    """

    def __init__(
        self,
        connection: ReconnectingConnection,
        lock: threading.RLock,
        *,
        timeout_s: float,
    ) -> None:
        self._connection = connection
        self._lock = lock
        self._timeout_s = timeout_s
        self._verdict: str | None = None
        self._told_at = float("-inf")

    def news(self, stop: StopSignal) -> Iterator[None]:
        """Yield when the verdict or a session may have changed, until `stop` is set."""
        try:
            while not stop.is_set():
                connection = self._open()
                if self._is_another_verdict(connection):
                    yield None
                if isinstance(connection, SocketConnection):
                    yield from self._listened(connection, stop)
                else:
                    self._rest(stop)
        finally:
            with self._lock:
                self._connection.drop()

    def _open(self) -> Connection | None:
        """Return the connection, or None with the reason in `_connection`."""
        with self._lock:
            try:
                until = time.monotonic() + self._timeout_s
                return self._connection.ask(self._subscribed, until=until)
            except GatewayUnavailableError as error:
                logger.debug("the gateway is %s", error.code)
            except GatewayCallError as error:
                logger.info("the gateway refuses to be listened to: %s", error)
            return None

    def _subscribed(self, connection: Connection) -> Connection:
        """Ask to be told of changes, where the release knows that."""
        if not isinstance(connection, SocketConnection) or connection.is_attended:
            return connection
        connection.is_attended = True
        if SUBSCRIBE in (connection.hello.methods or ()):
            try:
                connection.request(SUBSCRIBE, {}, timeout_s=self._timeout_s)
                connection.is_subscribed = True
                connection.inbox.note_change()  # what changed before nobody was told of
            except AnswerError as error:
                logger.info("no news of sessions: %s", error.shown(None))
        return connection

    def _is_another_verdict(self, connection: Connection | None) -> bool:
        known = self._connection.refusal
        verdict = (
            Verdict.UP.value if connection is not None or known is None else known.verdict.value
        )
        is_another = verdict != self._verdict
        self._verdict = verdict
        return is_another

    def _listened(self, connection: SocketConnection, stop: StopSignal) -> Iterator[None]:
        """Yield news of one connection until it ends."""
        inbox, seen = connection.inbox, connection.inbox.changes
        with suppress(ConnectionLostError):
            while not stop.is_set() and not _is_dead(connection):
                if inbox.listen(seen, LOOK_S) and inbox.farewell is None:
                    inbox.collect(max(QUIET_S, self._told_at + APART_S - time.monotonic()))
                if inbox.farewell is not None:
                    self._give_up(connection)
                    break
                if inbox.changes != seen:
                    seen, self._told_at = inbox.changes, time.monotonic()
                    yield None
        with self._lock:
            self._connection.drop(connection)
        self._verdict = None

    def _give_up(self, connection: SocketConnection) -> None:
        """Take a farewell at its word: it is down, or starting, from now on."""
        found = farewell(connection.inbox.farewell or {})
        with self._lock:
            if self._connection.drop(connection):
                self._connection.fail(found)

    def _rest(self, stop: StopSignal) -> None:
        """Wait until the pause of the last failure is over."""
        known = self._connection.current()
        end = time.monotonic() + min(self._connection.pause_s or REST_S, REST_S)
        while not stop.is_set() and (left := end - time.monotonic()) > 0:
            time.sleep(min(left, _NAP_S))
            if self._connection.current() is not known:  # somebody else found it
                return


def _is_dead(connection: SocketConnection) -> bool:
    """Whether no sign of life came for too long."""
    return time.monotonic() - connection.inbox.heard_at > connection.hello.tick_s * _SILENT_TICKS
