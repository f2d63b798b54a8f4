"""`config` on the command line."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.cli.caller import stored
from tests.cli.commands.test_checkpoint_and_rotate import answer
from tests.cli.contract import check_data, check_envelope
from tests.doubles.platform import talk
from tests.doubles.platform_files import PATH
from tests.engine.compaction.test_evidence import LOST, compaction

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.caller import Caller
    from tests.doubles.bundle import World


def test_every_setting_is_shown_with_its_source(
    call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMCONSOLE_CHECKPOINT__STALE_AFTER", "6h")
    data = call.json("config", "show").data
    rows = {row["key"]: row for row in data["settings"]}
    assert rows["checkpoint.stale_after"]["value"] == "6h"
    assert "MEMCONSOLE_CHECKPOINT__STALE_AFTER" in rows["checkpoint.stale_after"]["source"]
    assert rows["rotation.threshold_tokens"]["value"] == 150_000
    assert rows["rotation.threshold_tokens"]["source"] == "default"
    assert data["exists"] is False
    out = call("config", "show").out
    assert "checkpoint.stale_after" in out
    assert "does not exist; all defaults" in out


def test_a_token_is_never_shown(call: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMCONSOLE_GATEWAY__TOKEN", "example-token-not-real")
    for words in (["config", "show"], ["--json", "config", "show"], ["-vv", "config", "show"]):
        result = call(*words)
        assert result.code == 0
        assert "example-token-not-real" not in result.out + result.err


def test_the_path_is_printed_alone(call: Caller, user_home: Path, tmp_path: Path) -> None:
    usual = user_home / ".config" / "memconsole" / "config.toml"
    assert call("config", "path").out == f"{usual}\n"
    assert call.json("config", "path").data == {"path": str(usual), "exists": False}
    other = tmp_path / "other.toml"
    assert call("--config", str(other), "config", "path").out == f"{other}\n"


def test_init_writes_a_file_of_defaults_once(call: Caller, user_home: Path) -> None:
    file = user_home / ".config" / "memconsole" / "config.toml"
    [planned] = call.json("config", "init", "--dry-run").data
    check_data([planned], "checkpoint")
    assert (planned["status"], file.exists()) == ("planned", False)
    [done] = call.json("config", "init").data
    check_data([done], "checkpoint")
    assert (done["status"], done["duration_ms"]) == ("done", None)  # nothing was timed
    assert done["wrote"] == [{"path": str(file), "bytes": file.stat().st_size, "mode": "0600"}]
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700
    tomllib.loads(file.read_text("utf-8"))
    file.write_text("# mine\n", "utf-8")
    [again] = call.json("config", "init").data
    assert (again["status"], again["reason"]) == ("skipped", "exists")
    assert file.read_text("utf-8") == "# mine\n"
    assert "exists already" in call("config", "init").out


def test_init_works_where_the_configuration_is_missing_or_broken(
    call: Caller, tmp_path: Path
) -> None:
    new = tmp_path / "deep" / "new.toml"
    assert call("--config", str(new), "config", "init").code == 0
    assert new.exists()
    broken = tmp_path / "broken.toml"
    broken.write_text("[rotation\n", "utf-8")
    assert call("--config", str(broken), "agents").code == 2
    assert call("--config", str(broken), "config", "path").out == f"{broken}\n"


def test_init_is_refused_read_only_and_where_nothing_can_be_written(
    call: Caller, tmp_path: Path
) -> None:
    result = call.json("--read-only", "config", "init")
    assert (result.code, result.error["code"]) == (1, "read-only")
    blocked = tmp_path / "file"
    blocked.write_text("", "utf-8")
    result = call.json("--config", str(blocked / "config.toml"), "config", "init")
    assert (result.code, result.error["code"]) == (2, "config")
    assert str(blocked) in result.error["message"]


FIELDS = {"id", "severity", "current", "recommended", "why", "fix", "path"}
"""The finding of the contract."""


def configure(world: World, mode: str | None, version: str = "2026.1.24-3") -> None:
    """Give the home a configuration with this compaction mode."""
    agents = {"defaults": {"compaction": {} if mode is None else {"mode": mode}}}
    world.platform.config = replace(
        world.platform.config, path=PATH, checked={"agents": agents}, last_version=version
    )
    world.config_file.text = json.dumps({"token": "secret-of-the-gateway", "agents": agents})


@pytest.fixture(autouse=True)
def gateway_off(world: World) -> None:
    world.gateway.verdict = "down"


def test_a_sound_home_exits_with_0(world: World, call: Caller) -> None:
    configure(world, "default")
    result = call.json("config", "check")
    check_envelope(result.envelope)
    assert (result.code, result.envelope["command"]) == (0, "config check")
    assert {row["severity"] for row in result.data} == {"info"}
    assert all(row.keys() >= FIELDS for row in result.data)


def test_a_finding_exits_with_1_and_says_what_to_set(world: World, call: Caller) -> None:
    configure(world, "safeguard")
    result = call.json("config", "check")
    [row] = [it for it in result.data if it["id"] == "compaction-mode"]
    assert (result.code, row["severity"], row["current"]) == (1, "high", "safeguard")
    assert (row["recommended"], row["fix"]) == (
        "default",
        'agents.defaults.compaction.mode = "default"',
    )
    assert (row["key"], row["path"]) == ("agents.defaults.compaction.mode", str(PATH))


def test_evidence_carries_what_health_needs(world: World, call: Caller) -> None:
    configure(world, "default")
    held = stored(world.platform.agents[0].ref, "agent:main:main", 10_000)
    world.sessions.hold(held)
    world.sessions.transcripts[held.session_id or ""] = [*talk("hello there"), compaction(LOST)]
    [row] = [it for it in call.json("config", "check").data if it["id"] == "compaction-evidence"]
    assert row["severity"] == "critical"
    assert row["details"] == [
        {
            "key": "agent:main:main",
            "session_id": held.session_id,
            "at": "2026-01-26T13:20:00+00:00",
            "why": 'its summary is only "Summary unavailable"',
        }
    ]
    status = call.json("status").data
    [line] = [it for it in status["attention"] if "Summary unavailable" in it["message"]]
    assert line["severity"] == "critical"


def test_advice_is_optional(world: World, call: Caller) -> None:
    configure(world, "default")
    usual = call.json("config", "check").data
    asked = call.json("config", "check", "--recommend")
    assert asked.code == 0
    assert len(asked.data) > len(usual)


def test_people_read_the_findings(world: World, call: Caller) -> None:
    configure(world, "safeguard")
    result = call("config", "check")
    assert "compaction-mode" in result.out
    assert "release 2026.1.24-3" in result.out
    assert "memconsole config fix" in result.out


def test_a_fix_without_apply_writes_nothing(world: World, call: Caller) -> None:
    configure(world, "safeguard")
    for words in (("--yes",), ("--apply", "--dry-run")):
        result = call.json("config", "fix", *words)
        check_envelope(result.envelope)
        [row] = result.data
        assert (result.code, row["status"], row["agent"]) == (0, "planned", None)
        assert row["command"] == "config fix"
        assert ("nothing is set without --apply" in row["message"]) is ("--apply" not in words)
        assert '+"default"' in row["details"]["patch"]
        assert "secret" not in result.out
    assert world.config_file.calls == []


def test_a_fix_asks_and_without_a_terminal_needs_yes(world: World, call: Caller) -> None:
    configure(world, "safeguard")
    result = call.json("config", "fix", "--apply")
    assert (result.code, result.error["code"]) == (2, "not-confirmed")
    assert world.config_file.calls == []


def test_a_fix_is_answered_with_its_copy(world: World, call: Caller) -> None:
    configure(world, "safeguard")
    result = call.json("config", "fix", "--apply", "--yes")
    [row] = result.data
    assert (result.code, row["status"]) == (0, "done")
    assert [one["mode"] for one in row["wrote"]] == ["0600", "0600"]
    assert row["details"]["backup"] in row["message"]
    assert '"mode": "default"' in (world.config_file.text or "")


def test_a_fix_of_what_is_right_is_skipped(world: World, call: Caller) -> None:
    configure(world, "default")
    [row] = call.json("config", "fix", "--apply").data
    assert (row["status"], row["reason"]) == ("skipped", "nothing-to-fix")


def test_read_only_refuses_to_apply(world: World, call: Caller) -> None:
    configure(world, "safeguard")
    result = call.json("--read-only", "config", "fix", "--apply", "--yes")
    assert (result.code, result.error["code"]) == (1, "read-only")
    assert call.json("--read-only", "config", "fix").code == 0
    assert world.config_file.calls == []


def test_people_see_the_change(world: World, call: Caller) -> None:
    configure(world, "safeguard")
    result = call("config", "fix")
    assert "@@ line 1: agents.defaults.compaction.mode @@" in result.out
    assert result.out.startswith("config fix  planned")


def test_at_a_terminal_the_change_is_shown_before_the_question(
    world: World, call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(world, "safeguard")
    answer(monkeypatch, "n\n")
    refused = call("config", "fix", "--apply")
    assert refused.code == 2
    assert '-"safeguard"' in refused.err
    assert "not confirmed" in refused.err
    assert world.config_file.calls == []
    answer(monkeypatch, "y\n")
    assert call("config", "fix", "--apply").code == 0
    assert world.config_file.calls == ["back_up", "replace"]
