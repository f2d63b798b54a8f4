"""What `TZ` may hold, as the C library reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memconsole.config.host_zone import unknown_zone
from memconsole.config.load import load

if TYPE_CHECKING:
    from pathlib import Path

READ = (
    "",
    ":",
    "UTC",
    ":Europe/Berlin",
    "Europe/Berlin",
    "EST5EDT",
    "CET-1CEST",
    "CET-1CEST,M3.5.0,M10.5.0/3",
    "<+0330>-3:30",
    "NZST-12NZDT,M9.5.0/2:00:00,M4.1.0/3",
    "AAA1BBB2,J60,300/-1",
    "/zones/Europe/Berlin",
)
UNREAD = ('"Europe/Berlin"', "Europe/Berlim", "Europe", "CET-1CEST,M3", "GMT+", "+02:00", "B\0x")


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """A host whose zone data knows one zone."""
    (tmp_path / "Europe").mkdir()
    (tmp_path / "Europe" / "Berlin").write_bytes(b"TZif2")
    return {"TZDIR": str(tmp_path), "HOME": str(tmp_path)}


@pytest.mark.parametrize("value", READ)
def test_what_is_read_is_no_fault(environ: dict[str, str], value: str) -> None:
    given = value.replace("/zones", environ["TZDIR"])
    assert unknown_zone({**environ, "TZ": given}) == ""


@pytest.mark.parametrize("value", UNREAD)
def test_what_is_no_zone_is_named(environ: dict[str, str], value: str) -> None:
    assert unknown_zone({**environ, "TZ": value}) == value
    assert load({**environ, "TZ": value}).unknown_zone == value


def test_without_the_variable_nothing_is_looked_at(environ: dict[str, str]) -> None:
    assert load(environ).unknown_zone == ""
