"""Doubles of alerting: a store in memory, and channels that remember what they were told."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from memconsole.domain.alerts import AlertState, Mute, OpenAlert, kept_mutes
from memconsole.errors import DeliveryError, StateError
from memconsole.ports.bundle import AlertPorts
from tests.doubles.unwritable import Unwritable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from memconsole.domain.commands.outcomes import Detail
    from memconsole.ports.platform import StopSignal


@dataclass
class FakeAlertStore(Unwritable):
    """State by home."""

    stored: dict[str, AlertState] = field(default_factory=dict)
    looks: dict[str, datetime] = field(default_factory=dict)

    def open(self, home: str) -> tuple[OpenAlert, ...]:
        found = self.load(home).open.values()
        return tuple(sorted(found, key=lambda one: (one.since, one.issue)))

    def load(self, home: str) -> AlertState:
        return self.stored.get(home, AlertState())

    def last_look(self, home: str) -> datetime | None:
        return self.looks.get(home)

    def save(self, home: str, state: AlertState, at: datetime) -> None:
        self._check()
        self.looks[home] = at
        mutes = kept_mutes(self.load(home).mutes.values(), state.open)
        self.stored[home] = replace(state, mutes=mutes)

    def note(self, home: str, open_: Iterable[OpenAlert], at: datetime) -> None:
        self._check()
        self.looks[home] = at
        self.stored[home] = replace(self.load(home), open={one.issue: one for one in open_})

    def mute(self, home: str, mute: Mute) -> None:
        self._check()
        state = self.load(home)
        self.stored[home] = replace(state, mutes={**state.mutes, mute.issue: mute})

    def unmute(self, home: str, issue: str) -> None:
        self._check()
        state = self.load(home)
        left = {name: one for name, one in state.mutes.items() if name != issue}
        self.stored[home] = replace(state, mutes=left)


@dataclass
class FakeChannel:
    """Takes messages, unless it was told to fail.

    Attributes:
        failures: How many of the next messages do not arrive.
        tries: How often it was asked.
    """

    name: str = "webhook"
    kind: str = "webhook"
    messages: list[Mapping[str, Detail]] = field(default_factory=list)
    failures: int = 0
    is_final: bool = False
    tries: int = 0

    def check(self) -> None:
        if self.failures:
            raise DeliveryError(f"{self.name} has no address")

    def send(self, message: Mapping[str, Detail], cancel: StopSignal | None) -> None:
        self.tries += 1
        if self.failures:
            self.failures -= 1
            raise DeliveryError("the connection was refused", is_final=self.is_final)
        self.messages.append(message)

    def told(self) -> list[tuple[str, list[str]]]:
        """Return (kind, issues) of every message."""
        return [
            (str(one["kind"]), [str(row["id"]) for row in rows if isinstance(row, dict)])
            for one in self.messages
            if isinstance(rows := one["issues"], list)
        ]


@dataclass
class FakeStatusFile:
    """The file's text; None before it was written."""

    text: str | None = None
    is_full: bool = False

    def read(self) -> str | None:
        return self.text

    def write(self, text: str) -> None:
        if self.is_full:
            raise StateError("no space left on device")
        self.text = text


@dataclass
class FakeAlerts:
    """All of it; the log comes first, as it does in life."""

    store: FakeAlertStore = field(default_factory=FakeAlertStore)
    log: FakeChannel = field(default_factory=lambda: FakeChannel("log", "log"))
    webhook: FakeChannel = field(default_factory=FakeChannel)
    status_file: FakeStatusFile = field(default_factory=FakeStatusFile)

    @property
    def ports(self) -> AlertPorts:
        return AlertPorts(self.store, lambda: (self.log, self.webhook), self.status_file, "host-1")
