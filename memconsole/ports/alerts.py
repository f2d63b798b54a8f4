"""What alerting needs from outside, as protocols."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from memconsole.domain.alerts import AlertState, Mute, OpenAlert
    from memconsole.domain.commands.outcomes import Detail
    from memconsole.ports.platform import StopSignal


class AlertStore(Protocol):
    """What is wrong and who knows, by platform home (`state.db`)."""

    def open(self, home: str) -> tuple[OpenAlert, ...]:
        """Return what is wrong, the oldest first; nothing when it cannot be read."""

    def load(self, home: str) -> AlertState:
        """Return what is remembered; nothing when it cannot be read."""

    def last_look(self, home: str) -> datetime | None:
        """Return when somebody looked at a home's health last; None for never."""

    def save(self, home: str, state: AlertState, at: datetime) -> None:
        """Store it; mutes stay as they are, but for those of what is over.

        Args:
            home: The platform home.
            state: What is wrong, and who was told.
            at: When its health was looked at.
        """

    def note(self, home: str, open_: Iterable[OpenAlert], at: datetime) -> None:
        """Store what a look found wrong; what channels were told and what is muted stays."""

    def mute(self, home: str, mute: Mute) -> None:
        """Store a mute."""

    def unmute(self, home: str, issue: str) -> None:
        """Forget a mute."""


class AlertChannel(Protocol):
    """One way to people; never through the Gateway."""

    @property
    def name(self) -> str:
        """Its name, of which there is one."""

    @property
    def kind(self) -> str:
        """Such as `webhook`."""

    def check(self) -> None:
        """See whether everything is there that a message needs; sends nothing.

        Raises:
            DeliveryError: Something is missing; names no secret.
        """

    def send(self, message: Mapping[str, Detail], cancel: StopSignal | None) -> None:
        """Deliver one message; ends within its time limit, and soon after `cancel`.

        Raises:
            DeliveryError: It was not delivered; names no secret.
        """


class StatusFile(Protocol):
    """What the last look found, as a file of our state folder."""

    def read(self) -> str | None:
        """Return what it holds; None when there is none, or when it cannot be read."""

    def write(self, text: str) -> None:
        """Replace it whole, 0600.

        Raises:
            StateError: It cannot be written.
        """
