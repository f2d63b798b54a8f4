"""Alerts in `state.db`: what is wrong, and which channel knows (port `AlertStore`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.adapters.state.database import instant, known_text, name, rows_of, stamp, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memconsole.adapters.sqlite.choice import Connection, Row, SqlValue
    from memconsole.adapters.state.database import StateDatabase
    from memconsole.domain.alerts.rules import AlertState, Mute, OpenAlert, Told
    from memconsole.domain.health.checks import CheckStatus


class StateAlerts:
    """Answers the port `AlertStore`."""

    def __init__(self, database: StateDatabase) -> None:
        self._database = database

    def open(self, home: str) -> tuple[OpenAlert, ...]:
        """Return what is wrong, the oldest first; nothing when it cannot be read."""
        statement = (
            "SELECT issue, status, message, hint, since, seen_at FROM alert "
            "WHERE home = ? ORDER BY since, issue"
        )
        found = map(_alert, rows_of(self._database, statement, (name(home),)))
        return tuple(one for one in found if one is not None)

    def load(self, home: str) -> AlertState:
        """Return what is remembered; nothing when it cannot be read."""
        from memconsole.domain.alerts.rules import AlertState  # noqa: PLC0415 - `status` needs none

        chosen = (name(home),)
        statement = "SELECT channel, issue, status, at, since FROM alert_told WHERE home = ?"
        told = map(_told, rows_of(self._database, statement, chosen))
        return AlertState(
            {one.issue: one for one in self.open(home)},
            dict(one for one in told if one is not None),
            {one.issue: one for one in self._mutes(home)},
        )

    def save(self, home: str, state: AlertState) -> None:
        """Store it; mutes stay as they are, but for those of what is over.

        Raises:
            StateError: It cannot be stored.
        """
        place = name(home)
        alerts = [
            (
                place,
                name(one.issue),
                one.status.value,
                text(one.message),
                text(one.hint),
                stamp(one.since),
                stamp(one.seen_at),
            )
            for one in state.open.values()
        ]
        told = [
            (place, name(channel), name(issue), one.status.value, stamp(one.at), stamp(one.since))
            for (channel, issue), one in state.told.items()
        ]

        def change(connection: Connection) -> None:
            connection.execute("DELETE FROM alert WHERE home = ?", (place,))
            connection.execute("DELETE FROM alert_told WHERE home = ?", (place,))
            connection.executemany("INSERT INTO alert VALUES (?, ?, ?, ?, ?, ?, ?)", alerts)
            connection.executemany("INSERT INTO alert_told VALUES (?, ?, ?, ?, ?, ?)", told)
            connection.execute(
                "DELETE FROM alert_mute WHERE home = ?1 "
                "AND issue NOT IN (SELECT issue FROM alert WHERE home = ?1)",
                (place,),
            )

        self._database.write(change)

    def mute(self, home: str, mute: Mute) -> None:
        """Store a mute.

        Raises:
            StateError: It cannot be stored.
        """
        values = (name(mute.issue), mute.status.value, stamp(mute.at), stamp(mute.until))

        def change(connection: Connection) -> None:
            connection.execute(
                "INSERT OR REPLACE INTO alert_mute VALUES (?, ?, ?, ?, ?)", (name(home), *values)
            )

        self._database.write(change)

    def unmute(self, home: str, issue: str) -> None:
        """Forget a mute.

        Raises:
            StateError: It cannot be stored.
        """

        def change(connection: Connection) -> None:
            connection.execute(
                "DELETE FROM alert_mute WHERE home = ? AND issue = ?", (name(home), name(issue))
            )

        self._database.write(change)

    def _mutes(self, home: str) -> Iterator[Mute]:
        from memconsole.domain.alerts.rules import Mute  # noqa: PLC0415 - often there is none

        statement = "SELECT issue, status, at, until FROM alert_mute WHERE home = ?"
        for issue, status, at, until in rows_of(self._database, statement, (name(home),)):
            grade, begun, end = _grade(status), instant(at), instant(until)
            if isinstance(issue, str) and grade is not None and begun is not None and end:
                yield Mute(issue, grade, begun, end)


def _alert(row: Row) -> OpenAlert | None:
    """Return one alert; None for a row that another program spoiled."""
    from memconsole.domain.alerts.rules import OpenAlert  # noqa: PLC0415 - often there is none

    issue, status, message, hint, since, seen_at = row
    grade, first, last = _grade(status), instant(since), instant(seen_at)
    if not isinstance(issue, str) or grade is None or first is None or last is None:
        return None
    return OpenAlert(issue, grade, known_text(message) or "", known_text(hint) or "", first, last)


def _told(row: Row) -> tuple[tuple[str, str], Told] | None:
    from memconsole.domain.alerts.rules import Told  # noqa: PLC0415 - often there is none

    channel, issue, status, at, since = row
    grade, told_at, first = _grade(status), instant(at), instant(since)
    if not (isinstance(channel, str) and isinstance(issue, str)):
        return None
    if grade is None or told_at is None or first is None:
        return None
    return (channel, issue), Told(grade, told_at, first)


def _grade(value: SqlValue) -> CheckStatus | None:
    from memconsole.domain.health.checks import CheckStatus  # noqa: PLC0415 - often there is none

    found = (CheckStatus.WARNING, CheckStatus.CRITICAL)
    return next((one for one in found if one.value == value), None)
