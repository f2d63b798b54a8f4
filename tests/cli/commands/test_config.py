from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

from tests.cli.contract import check_data

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from tests.cli.caller import Caller


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
