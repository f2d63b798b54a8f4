"""Alerts in `state.db`: what is wrong, and which channel knows (port `AlertStore`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.adapters.state.events import HEALTH, keep_look, kept_look
from memconsole.adapters.state.tables import ALERTS, ALERTS_TOLD, MUTES

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from memconsole.adapters.sqlite.choice import Connection
    from memconsole.adapters.state.database import StateDatabase
    from memconsole.domain.alerts import AlertState, Mute, OpenAlert


class StateAlerts:
    """Answers the port `AlertStore`."""

    def __init__(self, database: StateDatabase) -> None:
        self._database = database

    def open(self, home: str) -> tuple[OpenAlert, ...]:
        """Return what is wrong, the oldest first; nothing when it cannot be read."""
        return self._database.find(ALERTS, "ORDER BY since, issue", home=home)

    def load(self, home: str) -> AlertState:
        """Return what is remembered; nothing when it cannot be read."""
        from memconsole.domain.alerts import AlertState  # noqa: PLC0415 - `status` needs none

        told = self._database.entries(ALERTS_TOLD, home=home)
        return AlertState(
            {one.issue: one for one in self.open(home)},
            {(row["channel"], row["issue"]): one for row, one in told},
            {one.issue: one for one in self._database.find(MUTES, home=home)},
        )

    def last_look(self, home: str) -> datetime | None:
        """Return when somebody looked at a home's health last; None for never."""
        return kept_look(self._database, home, HEALTH, "at")

    def save(self, home: str, state: AlertState, at: datetime) -> None:
        """Store it; mutes stay as they are, but for those of what is over."""

        def change(connection: Connection) -> None:
            keep_look(connection, home, HEALTH, at)
            ALERTS.remove(connection, home=home)
            ALERTS_TOLD.remove(connection, home=home)
            for alert in state.open.values():
                ALERTS.add(connection, alert, home=home)
            for (channel, issue), one in state.told.items():
                ALERTS_TOLD.add(connection, one, home=home, channel=channel, issue=issue)
            connection.execute(
                "DELETE FROM alert_mute WHERE home = ?1 "
                "AND issue NOT IN (SELECT issue FROM alert WHERE home = ?1)",
                ALERTS.encoded({"home": home}),
            )

        self._database.write(change)

    def note(self, home: str, open_: Iterable[OpenAlert], at: datetime) -> None:
        """Store what a look found wrong; what channels were told and what is muted stays."""

        def change(connection: Connection) -> None:
            keep_look(connection, home, HEALTH, at)
            ALERTS.remove(connection, home=home)
            for alert in open_:
                ALERTS.add(connection, alert, home=home)

        self._database.write(change)

    def mute(self, home: str, mute: Mute) -> None:
        """Store a mute."""
        self._database.write(lambda connection: MUTES.put(connection, mute, home=home))

    def unmute(self, home: str, issue: str) -> None:
        """Forget a mute."""
        self._database.write(lambda connection: MUTES.remove(connection, home=home, issue=issue))
