"""The real scheduler of a host publishes a home full of people, and nobody's name leaves it."""

from __future__ import annotations

import json
import signal
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from memconsole.demo.home import write_home

if TYPE_CHECKING:
    from pathlib import Path

    from tests.lanes.postgres.fleet import Fleet

pytestmark = pytest.mark.postgres

PEOPLE = ("lena", "yuki", "由紀", "ops", "Inventory migration", "family")
"""Peers, groups and labels of the demo home, as its `sessions` shows them."""


def test_a_host_publishes_figures_and_no_name(fleet: Fleet, tmp_path: Path) -> None:
    host = fleet.join("alpha")
    ann = fleet.join("ann", "--operator")
    assert fleet.owner("fleet", "grant", "ann", "read").code == 0
    ann.reads(ann.url)
    (tmp_path / "op").mkdir()
    host.environment["MEMCONSOLE_HOME"] = str(
        write_home(tmp_path / "op", datetime.now(UTC), None).state
    )
    local = host("sessions")
    text = json.dumps(local.data, ensure_ascii=False).casefold()
    assert all(name.casefold() in text for name in PEOPLE)
    serving = host.program(
        MEMCONSOLE_FLEET__PUBLISH="figures",
        MEMCONSOLE_FLEET__BEAT="1s",
        MEMCONSOLE_FLEET__EXCLUDE="finance",
    ).start("--serve")
    try:
        with fleet.admin() as connection:
            end = time.monotonic() + 60
            while not connection.execute(
                "SELECT 1 FROM fleet.homes WHERE looked_at IS NOT NULL"
            ).fetchone():
                assert serving.poll() is None, serving.communicate()
                assert time.monotonic() < end
                time.sleep(0.1)
            found = connection.execute("SELECT key, body FROM fleet.facts").fetchall()
    finally:
        serving.send_signal(signal.SIGTERM)
        serving.communicate()
    published = json.dumps(found, ensure_ascii=False).casefold()
    assert not [name for name in PEOPLE if f'"{name.casefold()}"' in published]
    assert not [name for name in PEOPLE if f":{name.casefold()}" in published]
    assert "lena" not in published
    assert "telegram:direct:#" in published
    there, here = (
        ann("sessions", "--fleet"),
        [row for row in local.data if row["agent"] != "finance"],
    )
    assert [row["tokens"] for row in there.data] == [row["tokens"] for row in here]
    assert "finance" not in {row["id"] for row in ann("agents", "--fleet").data}
    assert ann("health", "--fleet").data[0]["checks"]
    assert serving.returncode == 0


@pytest.mark.parametrize("level", [{}, {"MEMCONSOLE_FLEET__PUBLISH": "nothing"}])
def test_nothing_is_sent_before_somebody_said_what(fleet: Fleet, level: dict[str, str]) -> None:
    host = fleet.join(f"quiet{len(level)}")
    serving = host.program(**level, MEMCONSOLE_FLEET__BEAT="1s").start("--serve", "-v")
    assert serving.stderr is not None
    for line in serving.stderr:
        if "scheduler" in line:
            break
    time.sleep(2)
    serving.send_signal(signal.SIGTERM)
    serving.communicate()
    with fleet.admin() as connection:
        seen = "SELECT seen_at FROM fleet.hosts WHERE role = %s"
        role = f"{fleet.database}_{'quiet' + str(len(level))}"
        assert connection.execute(seen, (role,)).fetchone() == (None,)
