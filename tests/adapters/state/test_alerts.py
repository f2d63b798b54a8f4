"""Alerts in `state.db`."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from memconsole.adapters.sqlite.private_copy import PrivateCopies
from memconsole.adapters.state.alerts import StateAlerts
from memconsole.adapters.state.database import StateDatabase
from memconsole.domain.alerts import AlertState, ChannelRecord, Mute, OpenAlert
from memconsole.domain.health import CheckStatus

if TYPE_CHECKING:
    from pathlib import Path

    from memconsole.adapters.sqlite.choice import Connection

AT = datetime(2026, 1, 26, 13, tzinfo=UTC)
STATE = AlertState(
    {
        "gateway": OpenAlert(
            "gateway", CheckStatus.CRITICAL, "down \ud800", "start it", AT, AT + timedelta(hours=1)
        )
    },
    {
        ("log", "gateway"): ChannelRecord(CheckStatus.CRITICAL, AT, AT),
        ("hook", "disk"): ChannelRecord(CheckStatus.WARNING, AT, AT),
    },
)


def database(folder: Path) -> StateDatabase:
    return StateDatabase(folder, PrivateCopies())


def test_rows_that_somebody_spoiled_are_left_out(tmp_path: Path) -> None:
    state = database(tmp_path)
    store = StateAlerts(state)
    store.save("/one", STATE, AT)

    def spoil(connection: Connection) -> None:
        connection.execute("UPDATE alert SET since = 'yesterday'")
        connection.execute("UPDATE alert_told SET status = 'awful' WHERE channel = 'log'")
        connection.execute("UPDATE alert_told SET at = '' WHERE channel = 'hook'")

    state.write(spoil)
    assert store.load("/one") == AlertState()


def test_a_mute_that_somebody_spoiled_mutes_nothing(tmp_path: Path) -> None:
    state = database(tmp_path)
    store = StateAlerts(state)
    store.mute("/one", Mute("gateway", CheckStatus.CRITICAL, AT, AT))

    def spoil(connection: Connection) -> None:
        connection.execute("UPDATE alert_mute SET until = 'never'")

    state.write(spoil)
    assert store.load("/one").mutes == {}


def test_a_look_without_telling_leaves_what_was_told_and_muted(tmp_path: Path) -> None:
    store = StateAlerts(database(tmp_path))
    store.save("/one", STATE, AT)
    disk = OpenAlert("disk", CheckStatus.WARNING, "full", "", AT, AT)
    store.note("/one", [disk], AT)

    found = store.load("/one")
    assert (found.open, found.told) == ({"disk": disk}, STATE.told)
