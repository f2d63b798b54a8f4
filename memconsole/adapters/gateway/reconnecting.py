"""Keeps the one connection to the Gateway: opens it when needed, and waits when told.

Questions are asked again over a new connection; what changes something is sent once. Backoff grows
after what can heal, and is long at once after what cannot.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from memconsole.adapters.gateway.connection import SocketConnection
from memconsole.adapters.gateway.errors import AnswerError, ConnectionLostError, RefusedError
from memconsole.adapters.gateway.program import is_unclear, judge_program
from memconsole.adapters.gateway.sessions import fewer_params
from memconsole.domain.gateway import Verdict, judge_error, refusal
from memconsole.errors import GatewayCallError, GatewayUnavailableError
from memconsole.text.address import stays_here

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memconsole.adapters.gateway.connection import Hello
    from memconsole.adapters.gateway.connector import Connection, Connector
    from memconsole.domain.gateway import GatewayPlace, Refusal


T = TypeVar("T")

_UNKNOWN_DEVICE = (
    "This release shows itself to known devices only: the console, or the first command that acts, "
    "makes this one known."
)

IDLE_S = 60.0
"""A connection that was not used for so long is opened anew: nobody read its events."""


class ReconnectingConnection:
    """Not safe from several threads: its owner holds a lock.

    Args:
        find_place: Returns where the Gateway is now; the configuration may change.
        connector: How to get in.
        sleep: Waits between tries.
    """

    def __init__(
        self,
        find_place: Callable[[], GatewayPlace],
        connector: Connector,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.place: GatewayPlace | None = None
        self.is_reached = False
        self._find_place = find_place
        self._connector = connector
        self._sleep = sleep
        self._connection: Connection | None = None
        self._used_at = 0.0
        self._backoff = Backoff()

    @property
    def hello(self) -> Hello | None:
        """What the Gateway said when it let us in; None without a connection."""
        return None if self._connection is None else self._connection.hello

    def ask(
        self,
        question: Callable[[Connection], T],
        *,
        is_acting: bool = False,
        patience_s: float = 0.0,
        waits_for: frozenset[Verdict] = frozenset(),
        until: float | None = None,
    ) -> T:
        """Put a question that changes nothing.

        Args:
            question: Gets an open connection.
            is_acting: It prepares a change: no pause is kept, and our device may be made known.
            patience_s: How long to go on trying.
            waits_for: Verdicts that are worth it.
            until: `time.monotonic()` at which the connection must be open, and no further one is
                tried.

        Raises:
            GatewayUnavailableError: It is not reachable, or refuses us.
            GatewayCallError: It refused this question.
        """
        give_up_at = time.monotonic() + patience_s
        tries = 0
        while True:
            try:
                return self._try(question, is_acting, until)
            except GatewayUnavailableError as error:
                left = give_up_at - time.monotonic()
                if Verdict(error.code) not in waits_for or left <= 0:
                    raise
                self._sleep(min(STEPS_S[min(tries, len(STEPS_S) - 1)], left))
                tries += 1

    def send(
        self, method: str, params: Mapping[str, object], *, timeout_s: float
    ) -> Mapping[str, object]:
        """Send what changes something; only a refused property allows a second request.

        Raises:
            GatewayUnavailableError: It is not reachable, or refuses us; nothing was done.
            GatewayCallError: It refused this request; nothing was done.
            ConnectionLostError: No answer came; whether it was done is only known by looking.
        """
        connection = self._open(is_acting=True)
        try:
            try:
                return connection.request(method, params, timeout_s=timeout_s)
            except AnswerError as error:
                fewer = fewer_params(params, error)
                if fewer is None:
                    raise
                return connection.request(method, fewer, timeout_s=timeout_s)
        except AnswerError as error:
            if is_unclear(error):
                self.drop()
                raise ConnectionLostError("the link ended before the answer came") from error
            raise self._translated(method, error) from error
        except ConnectionLostError:
            self.drop()
            raise

    def current(self) -> Connection | None:
        """Return the connection when it is open, and leads to where the Gateway is; else None."""
        return (
            self._connection
            if self._connection is not None and self._find_place() == self.place
            else None
        )

    def drop(self, only: Connection | None = None) -> bool:
        """End the connection; one that is named only if it is the one.

        Returns:
            Whether there was one to end.
        """
        if only is not None and only is not self._connection:
            return False
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()
        return connection is not None

    def fail(self, found: Refusal) -> None:
        """Note what the Gateway itself says of its state."""
        self._failed(found)

    @property
    def refusal(self) -> Refusal | None:
        """Why there was no link at the last try; None when there was."""
        return self._backoff.refusal

    @property
    def pause_s(self) -> float:
        """Seconds until it may be tried again."""
        return self._backoff.left_s(time.monotonic())

    def _try(
        self,
        question: Callable[[Connection], T],
        is_acting: bool,
        until: float | None = None,
        *,
        is_again: bool = False,
    ) -> T:
        had_connection = self._connection is not None
        connection = self._open(is_acting, until, is_again=is_again)
        try:
            return question(connection)
        except AnswerError as error:
            return self._signed(question, error, is_acting, until)
        except ConnectionLostError as error:
            self.drop()
            if had_connection and (until is None or time.monotonic() < until):
                return self._try(question, is_acting, until, is_again=True)
            raise self._failed(_lost(error)) from error

    def _signed(
        self,
        question: Callable[[Connection], T],
        error: AnswerError,
        is_acting: bool,
        until: float | None,
    ) -> T:
        """Ask again as our device, where the token alone has no scopes, as in 2026.3."""
        found = judge_program(error) or judge_error(error.error)
        if found is None or not found.wants_device or self.place is None:
            raise self._translated("the question", error) from error
        self.drop()
        try:
            self._connection = self._connector.with_device(
                self.place, is_acting=is_acting, until=until
            )
        except RefusedError as refused:
            raise self._failed(refused.refusal) from refused
        if self._connection is None:
            raise self._failed(replace(found, hint=_UNKNOWN_DEVICE)) from error
        self._backoff.succeeded()
        try:
            return question(self._connection)
        except AnswerError as second:
            raise self._translated("the question", second) from second
        except ConnectionLostError as lost:
            self.drop()
            raise self._failed(_lost(lost)) from lost

    def _open(
        self, is_acting: bool, until: float | None = None, *, is_again: bool = False
    ) -> Connection:
        """Return an open connection; `is_again` when part of the time went to one that broke."""
        place, moment = self._find_place(), time.monotonic()
        is_idle = moment - self._used_at > IDLE_S and not self._is_attended
        if place != self.place or is_idle:
            self.drop()
        self._used_at = moment
        if self._connection is not None:
            return self._connection
        known = self._backoff.refusal
        if known is not None and not is_acting and not self._backoff.is_over(place, moment):
            raise _unavailable(known)
        self.place, self.is_reached = place, False
        try:
            self._connection = self._connector.open(
                place, is_acting=is_acting, on_reached=self._note_reached, until=until
            )
        except RefusedError as error:
            found = error.refusal
            if is_again and found.is_silence:  # it had no whole wait to be silent for
                found = refusal(Verdict.LATE, "the link broke off, and the next one waits")
            raise self._failed(found) from error
        self._backoff.succeeded()
        return self._connection

    @property
    def _is_attended(self) -> bool:
        return isinstance(self._connection, SocketConnection) and self._connection.is_attended

    def _note_reached(self) -> None:
        self.is_reached = True

    def _failed(self, found: Refusal) -> GatewayUnavailableError:
        if self.place is not None:
            is_cheap = not self.is_reached or found.verdict is Verdict.STARTING
            is_near = is_cheap and stays_here(self.place.url)
            self._backoff.failed(self.place, found, time.monotonic(), is_near=is_near)
        return _unavailable(found)

    def _translated(
        self, method: str, error: AnswerError
    ) -> GatewayUnavailableError | GatewayCallError:
        """Return an error of the wire as one of ours; our token never gets out with it."""
        found = judge_program(error) or judge_error(error.error)
        if found is not None:
            self.drop()
            return self._failed(found)
        token = None if self.place is None else self.place.token
        return GatewayCallError(method, error.shown(token), reason=error.reason)


def _lost(error: ConnectionLostError) -> Refusal:
    """Return what a lost answer says of a Gateway that let us in."""
    if error.is_late:
        return refusal(Verdict.LATE, "it lets us in, and did not answer in time")
    return refusal(Verdict.DOWN, "the link broke off before the answer came")


def _unavailable(found: Refusal) -> GatewayUnavailableError:
    return GatewayUnavailableError(found.message, found.hint, verdict=found.verdict.value)


STEPS_S = (1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
"""Seconds after the first, second, … failure in a row; the last one stays."""

NEAR_S = 5.0
"""Cap for what is on this host and not there yet: asking costs nothing, and it may be up soon."""

STUBBORN_S = 300.0
"""Seconds after a verdict that only an operator changes; another address or token ends it."""


class Backoff:
    """Remembers the last failure; not safe from several threads, its owner holds a lock."""

    def __init__(self) -> None:
        self._failures = 0
        self._until = 0.0
        self._place: GatewayPlace | None = None
        self.refusal: Refusal | None = None

    def is_over(self, place: GatewayPlace, now: float) -> bool:
        """Tell whether it may be tried: never failed, waited long enough, or another place."""
        return self.refusal is None or now >= self._until or place != self._place

    def failed(
        self, place: GatewayPlace, refusal: Refusal, now: float, *, is_near: bool = False
    ) -> None:
        """Remember a failure.

        Args:
            place: Where it happened.
            refusal: What it was.
            now: `time.monotonic()`.
            is_near: Nothing listens there, or it is starting, and that is on this host.
        """
        is_same = place == self._place
        self._failures = self._failures + 1 if is_same and refusal.verdict.can_heal else 1
        self._place, self.refusal = place, refusal
        if not refusal.verdict.can_heal:
            pause = STUBBORN_S
        elif refusal.verdict is Verdict.STARTING and refusal.retry_after_s is not None:
            pause = max(refusal.retry_after_s, STEPS_S[min(self._failures, len(STEPS_S)) - 1])
        else:
            pause = STEPS_S[min(self._failures, len(STEPS_S)) - 1]
        self._until = now + (min(pause, NEAR_S) if is_near and refusal.verdict.can_heal else pause)

    def left_s(self, now: float) -> float:
        """Return how long the pause still lasts."""
        return 0.0 if self.refusal is None else max(0.0, self._until - now)

    def succeeded(self) -> None:
        """Forget what failed before."""
        self._failures, self.refusal = 0, None
