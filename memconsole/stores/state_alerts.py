"""Alerts in `state.db`: what is wrong, and which channel knows (port `AlertStore`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memconsole.domain.alerts import AlertState, OpenAlert, Told
from memconsole.domain.health import CheckStatus
from memconsole.stores.state_values import instant, known_text, rows_of, stamp, text

if TYPE_CHECKING:
    from sqlite_utils import Database

    from memconsole.sqlite import Connection, Row, SqlValue
    from memconsole.stores.state import StateDatabase


def create_alerts(database: Database) -> None:
    """What is wrong, and what each channel was told (mission §10)."""
    database.table("alert").create(
        {
            "home": str,
            "issue": str,
            "status": str,
            "message": str,
            "hint": str,
            "since": str,
            "seen_at": str,
        },
        pk=("home", "issue"),
        not_null={"status", "message", "hint", "since", "seen_at"},
        strict=True,
    )
    database.table("alert_told").create(
        {"home": str, "channel": str, "issue": str, "status": str, "at": str, "since": str},
        pk=("home", "channel", "issue"),
        not_null={"status", "at", "since"},
        strict=True,
    )


class StateAlerts:
    """Answers `alert_ports.AlertStore`."""

    def __init__(self, database: StateDatabase) -> None:
        self._database = database

    def load(self, home: str) -> AlertState:
        """Return what is remembered; nothing when it cannot be read."""
        chosen = (text(home),)
        statement = (
            "SELECT issue, status, message, hint, since, seen_at FROM alert "
            "WHERE home = ? ORDER BY since, issue"
        )
        alerts = map(_alert, rows_of(self._database, statement, chosen))
        statement = "SELECT channel, issue, status, at, since FROM alert_told WHERE home = ?"
        told = map(_told, rows_of(self._database, statement, chosen))
        return AlertState(
            {one.issue: one for one in alerts if one is not None},
            dict(one for one in told if one is not None),
        )

    def save(self, home: str, state: AlertState) -> None:
        """Store it whole.

        Raises:
            StateError: It cannot be stored.
        """
        place = text(home)
        alerts = [
            (
                place,
                text(one.issue),
                one.status.value,
                text(one.message),
                text(one.hint),
                stamp(one.since),
                stamp(one.seen_at),
            )
            for one in state.open.values()
        ]
        told = [
            (place, text(channel), text(issue), one.status.value, stamp(one.at), stamp(one.since))
            for (channel, issue), one in state.told.items()
        ]

        def change(connection: Connection) -> None:
            connection.execute("DELETE FROM alert WHERE home = ?", (place,))
            connection.execute("DELETE FROM alert_told WHERE home = ?", (place,))
            connection.executemany("INSERT INTO alert VALUES (?, ?, ?, ?, ?, ?, ?)", alerts)
            connection.executemany("INSERT INTO alert_told VALUES (?, ?, ?, ?, ?, ?)", told)

        self._database.write(change)


def _alert(row: Row) -> OpenAlert | None:
    """Return one alert; None for a row that another program spoiled."""
    issue, status, message, hint, since, seen_at = row
    grade, first, last = _grade(status), instant(since), instant(seen_at)
    if not isinstance(issue, str) or grade is None or first is None or last is None:
        return None
    return OpenAlert(issue, grade, known_text(message) or "", known_text(hint) or "", first, last)


def _told(row: Row) -> tuple[tuple[str, str], Told] | None:
    channel, issue, status, at, since = row
    grade, told_at, first = _grade(status), instant(at), instant(since)
    if not (isinstance(channel, str) and isinstance(issue, str)):
        return None
    if grade is None or told_at is None or first is None:
        return None
    return (channel, issue), Told(grade, told_at, first)


def _grade(value: SqlValue) -> CheckStatus | None:
    found = (CheckStatus.WARNING, CheckStatus.CRITICAL)
    return next((one for one in found if one.value == value), None)
