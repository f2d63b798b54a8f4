"""Keeps one connection open, and tells when a new look at the Gateway is worth it.

Events of a burst are taken together. A farewell becomes the verdict at once; after a link that
broke the handshake decides, with the pauses of every other try.
"""

from __future__ import annotations

import logging
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from memconsole.adapters.gateway.link import SocketLink
from memconsole.adapters.gateway.news import farewell
from memconsole.adapters.gateway.problem import AnswerError, LinkLostError
from memconsole.domain.gateway import Verdict
from memconsole.errors import GatewayCallError, GatewayUnavailableError

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterator

    from memconsole.adapters.gateway.connection import Line
    from memconsole.adapters.gateway.doorway import Link

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
"""Without a sign of life for so many ticks a link is dead; the platform allows two."""

SUBSCRIBE = "sessions.subscribe"


class StopSignal(Protocol):
    """Something that can be asked whether to stop; `threading.Event` is one."""

    def is_set(self) -> bool:
        """Return True once the work should end."""


class Listener:
    """One thread at a time; it shares the link with whoever asks.

    Args:
        line: The one link.
        lock: Held while the link is opened or given up, never while it is listened to.
        timeout_s: For the subscription.
        sleep: Waits between tries.
    """

    def __init__(
        self,
        line: Line,
        lock: threading.RLock,
        *,
        timeout_s: float,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._line = line
        self._lock = lock
        self._timeout_s = timeout_s
        self._sleep = sleep
        self._verdict: str | None = None
        self._told_at = float("-inf")

    def news(self, stop: StopSignal) -> Iterator[None]:
        """Yield when the verdict or a session may have changed, until `stop` is set."""
        try:
            while not stop.is_set():
                link = self._open()
                if self._is_another_verdict(link):
                    yield None
                if isinstance(link, SocketLink):
                    yield from self._listened(link, stop)
                else:
                    self._rest(stop)
        finally:
            with self._lock:
                self._line.drop()

    def _open(self) -> Link | None:
        """Return the link, or None with the reason in `_line`."""
        with self._lock:
            try:
                until = time.monotonic() + self._timeout_s
                return self._line.ask(self._subscribed, until=until)
            except GatewayUnavailableError as error:
                logger.debug("the gateway is %s", error.code)
            except GatewayCallError as error:
                logger.info("the gateway refuses to be listened to: %s", error)
            return None

    def _subscribed(self, link: Link) -> Link:
        """Ask to be told of changes, where the release knows that."""
        if not isinstance(link, SocketLink) or link.is_attended:
            return link
        link.is_attended = True
        if SUBSCRIBE in (link.hello.methods or ()):
            try:
                link.request(SUBSCRIBE, {}, timeout_s=self._timeout_s)
                link.is_subscribed = True
                link.inbox.note_change()  # what changed before nobody was told of
            except AnswerError as error:
                logger.info("no news of sessions: %s", error.shown(None))
        return link

    def _is_another_verdict(self, link: Link | None) -> bool:
        known = self._line.refusal
        verdict = Verdict.UP.value if link is not None or known is None else known.verdict.value
        is_another = verdict != self._verdict
        self._verdict = verdict
        return is_another

    def _listened(self, link: SocketLink, stop: StopSignal) -> Iterator[None]:
        """Yield news of one link until it ends."""
        inbox, seen = link.inbox, link.inbox.changes
        with suppress(LinkLostError):
            while not stop.is_set() and not _is_dead(link):
                if inbox.listen(seen, LOOK_S) and inbox.farewell is None:
                    inbox.collect(max(QUIET_S, self._told_at + APART_S - time.monotonic()))
                if inbox.farewell is not None:
                    self._give_up(link)
                    break
                if inbox.changes != seen:
                    seen, self._told_at = inbox.changes, time.monotonic()
                    yield None
        with self._lock:
            self._line.drop(link)
        self._verdict = None

    def _give_up(self, link: SocketLink) -> None:
        """Take a farewell at its word: it is down, or starting, from now on."""
        found = farewell(link.inbox.farewell or {})
        with self._lock:
            if self._line.drop(link):
                self._line.fail(found)

    def _rest(self, stop: StopSignal) -> None:
        """Wait until the pause of the last failure is over."""
        known = self._line.current()
        end = time.monotonic() + min(self._line.pause_s or REST_S, REST_S)
        while not stop.is_set() and (left := end - time.monotonic()) > 0:
            self._sleep(min(left, _NAP_S))
            if self._line.current() is not known:  # somebody else found it
                return


def _is_dead(link: SocketLink) -> bool:
    """Whether no sign of life came for too long."""
    return time.monotonic() - link.inbox.heard_at > link.hello.tick_s * _SILENT_TICKS
