"""Opens a connection by every way that the settings allow, and says why when there is none."""

from __future__ import annotations

import logging
import time
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from memconsole.adapters.gateway.errors import RefusedError
from memconsole.adapters.gateway.handshake import REACH_S, Attempt, open_connection, safe_address
from memconsole.adapters.gateway.program import ProgramConnection, find_program
from memconsole.domain.gateway import Verdict, refusal
from memconsole.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from memconsole.adapters.gateway.connection import Hello
    from memconsole.adapters.gateway.identity import Device, DeviceFile
    from memconsole.domain.gateway import GatewayPlace

logger = logging.getLogger(__name__)

ENTER_S = 15.0
"""Seconds for connection and handshake of whoever names no time."""

_NEEDED = "operator.admin"


class Connection(Protocol):
    """A socket or the platform's program."""

    @property
    def hello(self) -> Hello:
        """What the Gateway said of itself."""

    def request(
        self, method: str, params: Mapping[str, object], *, timeout_s: float
    ) -> Mapping[str, object]:
        """Send one request, once, and return the payload of its answer."""

    def close(self) -> None:
        """End it."""


@dataclass(frozen=True, slots=True)
class Connector:
    """How to get in.

    Attributes:
        transport: `auto`, `ws`, `cli` or `none`.
        home: The state folder whose Gateway is meant.
        environ: For the platform's program.
        devices: Where our identity is kept.
        may_register: Reading alone may make an identity; acting always may.
        reach_s: How long the port may take to accept a connection.
    """

    transport: str
    home: Path
    environ: Mapping[str, str]
    devices: DeviceFile
    may_register: bool = False
    reach_s: float = REACH_S

    def open(
        self,
        place: GatewayPlace,
        *,
        is_acting: bool,
        on_reached: Callable[[], None] | None = None,
        until: float | None = None,
    ) -> Connection:
        """Return an open connection.

        Args:
            place: Where the Gateway is.
            is_acting: A reset is wanted: the device may be made known, the program may be used.
            on_reached: Called once the port took a connection.
            until: `time.monotonic()` at which it must be open.

        Raises:
            RefusedError: With the verdict.
        """
        if self.transport == "none":
            raise RefusedError(refusal(Verdict.OFF, "the gateway is switched off in our settings"))
        if self.transport == "cli":
            return self._program(place)
        try:
            return self._socket(place, is_acting, on_reached, until)
        except RefusedError as error:
            is_ours = self.transport == "auto" and is_acting and not place.is_explicit
            if not is_ours or error.refusal.verdict.can_heal or find_program(self.environ) is None:
                raise
            logger.info("%s; asking through the platform's program", error)
            return self._program(place)

    def _program(self, place: GatewayPlace) -> Connection:
        safe_address(place)
        program = find_program(self.environ)
        if program is None:
            raise RefusedError(
                refusal(
                    Verdict.DOWN,
                    "there is no openclaw program on the PATH to reach it with",
                    "Install it, or set gateway.transport to ws.",
                )
            )
        return ProgramConnection(program, self.home, self.environ, place)

    def _socket(
        self,
        place: GatewayPlace,
        is_acting: bool,
        on_reached: Callable[[], None] | None,
        until: float | None,
    ) -> Connection:
        attempt = replace(self._attempt(place, until), on_reached=on_reached)
        try:
            connection = self._with_named_protocol(attempt)
        except RefusedError as error:
            device = self._device(is_acting) if error.refusal.wants_device else None
            if device is None:
                raise _explained(error, place) from error
            return self._again(replace(attempt, device=device))
        if is_narrow(connection.hello) and (device := self._device(is_acting)) is not None:
            connection.close()
            connection = self._again(replace(attempt, device=device))
        return connection

    def with_device(
        self, place: GatewayPlace, *, is_acting: bool, until: float | None = None
    ) -> Connection | None:
        """Return a connection signed by our identity; None where there can be none."""
        device = None if self.transport == "cli" else self._device(is_acting)
        if device is None:
            return None
        return self._again(replace(self._attempt(place, until), device=device))

    def _attempt(self, place: GatewayPlace, until: float | None) -> Attempt:
        deadline = time.monotonic() + ENTER_S if until is None else until
        return Attempt(place, deadline, reach_s=self.reach_s)

    def _again(self, attempt: Attempt) -> Connection:
        with _after_words():
            return self._with_named_protocol(attempt)

    @staticmethod
    def _with_named_protocol(attempt: Attempt) -> Connection:
        """Try once more with the version that a mismatch names."""
        try:
            return open_connection(attempt)
        except RefusedError as error:
            expected = error.refusal.expected_protocol
            if expected is None or not attempt.protocols[0] <= expected <= attempt.protocols[1]:
                raise
        with _after_words():
            return open_connection(replace(attempt, protocols=(expected, expected)))

    def _device(self, is_acting: bool) -> Device | None:
        known = self.devices.load()
        if known is not None or not (is_acting or self.may_register):
            return known
        logger.warning("making this device known to the gateway, which keeps a record of it")
        return self.devices.load_or_make()


def is_narrow(hello: Hello) -> bool:
    """Whether the Gateway says that it gave us less than we asked for."""
    return hello.scopes is not None and _NEEDED not in hello.scopes


@contextmanager
def _after_words() -> Iterator[None]:
    """Take silence for lateness: whoever answered a moment ago is neither down nor wedged."""
    try:
        yield
    except RefusedError as error:
        if not error.refusal.is_silence:
            raise
        message = "it answered a first greeting, and not the second one in time"
        raise RefusedError(refusal(Verdict.LATE, message)) from error


def _explained(error: RefusedError, place: GatewayPlace) -> RefusedError:
    """Say why we have no token, when that is what is missing."""
    found = error.refusal
    is_access = found.verdict in (Verdict.BAD_TOKEN, Verdict.NOT_PAIRED)
    if place.token is not None or not place.problem or not is_access:
        return error
    return RefusedError(replace(found, verdict=Verdict.BAD_TOKEN, message=place.problem))
