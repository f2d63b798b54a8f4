"""`service`: what it says and what it leaves alone; no manager is asked here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memconsole.adapters.host.service_units import ServiceUnits
from memconsole.compose import service
from tests.cli.contract import check_envelope

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.cli.caller import Caller


@pytest.fixture(autouse=True)
def without_manager(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def run(words: Sequence[str], timeout_s: float) -> tuple[int, str]:
        return 1, "no bus"

    monkeypatch.setattr(service, "service_units", lambda: ServiceUnits({}, tmp_path, run))


UNIT = ("--kind", "systemd")


def test_a_dry_run_shows_the_unit_and_writes_nothing(call: Caller, tmp_path: Path) -> None:
    result = call.json("service", "install", *UNIT, "--dry-run")
    check_envelope(result.envelope)
    assert (result.code, result.data["status"]) == (0, "planned")
    assert "ExecStart=" in result.data["unit"]
    assert not (tmp_path / ".config").exists()
    assert "ExecStart=" in call("service", "install", *UNIT, "--dry-run").out


def test_from_nothing_to_nothing(call: Caller, tmp_path: Path) -> None:
    assert "is no service here" in call("service", "status", *UNIT).out
    result = call.json("service", "install", *UNIT)
    check_envelope(result.envelope)
    assert (result.code, result.data["installed"], result.data["active"]) == (0, True, None)
    path = tmp_path / ".config" / "systemd" / "user" / "memconsole.service"
    assert path.exists()
    assert "no service manager" in call("service", "install", *UNIT).out
    assert call.json("service", "status", *UNIT).data["installed"] is True
    assert call.json("service", "remove", *UNIT, "--dry-run").data["status"] == "planned"
    assert call.json("service", "remove", *UNIT).data["status"] == "done"
    assert not path.exists()
    assert call.json("service", "remove", *UNIT).data["status"] == "skipped"


def test_split_writes_a_unit_a_layer_and_takes_the_place_of_the_whole(
    call: Caller, tmp_path: Path
) -> None:
    folder = tmp_path / ".config" / "systemd" / "user"
    layers = ("checkpoint", "capture", "rotation", "health")
    names = {f"memconsole-{one}.service" for one in layers}
    assert call("service", "install", *UNIT).code == 0
    planned = call.json("service", "install", *UNIT, "--split", "--dry-run").data
    assert [one["layer"] for one in planned["units"]] == list(layers)
    assert {path.name for path in folder.iterdir()} == {"memconsole.service"}
    done = call.json("service", "install", *UNIT, "--split")
    check_envelope(done.envelope)
    assert "removed memconsole.service" in done.data["message"]
    assert {path.name for path in folder.iterdir()} == names
    text = (folder / "memconsole-capture.service").read_text()
    assert "--serve --layer capture" in text
    assert "(layer capture)" in text
    (folder / "memconsole-health.service").unlink()
    told = call.json("service", "status", *UNIT).data
    assert [one["installed"] for one in told["units"]] == [True, True, True, False]
    assert told["installed"] is False
    assert "health: not installed" in told["message"]
    assert call.json("service", "install", *UNIT).data["units"][0]["layer"] is None
    assert {path.name for path in folder.iterdir()} == {"memconsole.service"}


def test_all_units_of_a_split_service_are_removed(call: Caller, tmp_path: Path) -> None:
    folder = tmp_path / ".config" / "systemd" / "user"
    call("service", "install", *UNIT, "--split")
    foreign = folder / "memconsole-else.service"
    foreign.write_text("# mine\n")
    assert call.json("service", "remove", *UNIT).data["status"] == "done"
    assert list(folder.iterdir()) == [foreign]


def test_cron_gets_two_lines_a_layer(call: Caller) -> None:
    out = call("service", "install", "--kind", "cron", "--split").out
    assert out.count("@reboot") == 4
    assert "--layer rotation" in out


def test_read_only_installs_and_removes_nothing(call: Caller, tmp_path: Path) -> None:
    assert call("--read-only", "service", "install", *UNIT).code == 1
    assert call("--read-only", "service", "remove", *UNIT).code == 1
    assert not (tmp_path / ".config").exists()


def test_cron_lines_are_for_people_to_put_in(call: Caller) -> None:
    out = call("service", "install", "--kind", "cron").out
    assert "crontab -e" in out
    assert "@reboot" in out


def test_no_secret_gets_into_a_unit(call: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMCONSOLE_GATEWAY__TOKEN", "fake-secret-token")
    assert "fake-secret" not in call.json("service", "install", *UNIT, "--dry-run").out


def test_an_unknown_kind_is_wrong_usage(call: Caller) -> None:
    assert call("service", "install", "--kind", "upstart").code == 2


def test_what_this_call_was_given_becomes_the_services(
    call: Caller, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SESSION_STALE_HOURS", "8")
    monkeypatch.setenv("MEMCONSOLE_LOG_ROTATION__PATHS", "/srv/a b.log, /srv/c.log")
    monkeypatch.setenv("MEMCONSOLE_GATEWAY__TOKEN", "fake-secret-token")
    monkeypatch.setenv("MEMCONSOLE_TIMEZONE", "Asia/Tokyo")
    result = call.json("--transport", "ws", "service", "install", *UNIT)
    lines = result.data["unit"].splitlines()
    assert "Environment=MEMCONSOLE_GATEWAY__TRANSPORT=ws" in lines
    assert "Environment=MEMCONSOLE_CHECKPOINT__STALE_AFTER=8h" in lines
    assert "Environment=MEMCONSOLE_TIMEZONE=Asia/Tokyo" in lines
    assert (
        r'Environment="MEMCONSOLE_LOG_ROTATION__PATHS=[\"/srv/a b.log\", \"/srv/c.log\"]"' in lines
    )
    assert "without gateway.token" in result.data["message"]
    assert "fake-secret" not in result.out


def test_a_demo_is_no_service(call: Caller, tmp_path: Path) -> None:
    assert call("--demo", "service", "install", *UNIT).code == 2
    assert not (tmp_path / ".config").exists()
