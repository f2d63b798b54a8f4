"""`hooks`: install, status, remove, and what read-only refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.contract import check_envelope
from tests.program import Program

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.caller import Caller
    from tests.doubles.bundle import World


def test_they_are_installed_shown_and_removed(world: World, call: Caller) -> None:
    for words, state in (
        (("hooks", "status"), "missing"),
        (("hooks", "install", "--dry-run"), "missing"),
        (("hooks", "install"), "installed"),
        (("hooks", "remove"), "missing"),
    ):
        result = call.json(*words)
        check_envelope(result.envelope)
        assert result.code == 0
        assert {one["state"] for one in result.data} == {state}
    assert "wrote" in call("hooks", "install", "--prefix", "mc-").out


@pytest.mark.parametrize("words", [("install",), ("remove",)])
def test_read_only_refuses(words: tuple[str, ...], world: World, call: Caller) -> None:
    result = call.json("--read-only", "hooks", *words)
    assert (result.code, world.hooks.installed) == (1, [])


@pytest.mark.parametrize("is_linked", [True, False])
def test_what_stays_in_files_that_are_not_changed_is_named(tmp_path: Path, is_linked: bool) -> None:
    home = tmp_path / ".openclaw"
    (home / "workspace" / "memory").mkdir(parents=True)
    config = home / "openclaw.json"
    config.write_text(
        '{"meta": {"lastTouchedVersion": "2026.9.1"}, "agents": {"entries": {"a": {}}}}'
    )
    run = Program({"HOME": str(tmp_path), "MEMCONSOLE_TRANSPORT": "none", "PATH": "/usr/bin:/bin"})
    assert run.json("hooks", "install", "--mcp", "--agent", "a").code == 0
    assert run.json("hooks", "install").code == 0
    kept = config.rename(home / "other.json5")
    if is_linked:
        config.symlink_to(kept.name)
        why = f"{config} is a symbolic link: it still has mcp.servers.memconsole-a"
    else:
        config.write_text('{"$include": "./other.json5"}')
        why = f"{kept} still has mcp.servers.memconsole-a: a part ($include) is not ours"
    text = kept.read_bytes()
    for words in (("--dry-run",), ()):
        result = run.json("hooks", "remove", *words)
        assert (result.code, result.err.splitlines()[0]) == (1, f"memconsole: {why}")
        assert why in run("hooks", "remove", "--dry-run").out
    states = {one["name"]: one["state"] for one in run.json("hooks", "status").data}
    assert states.pop("memconsole-a") == "installed"
    assert (set(states.values()), kept.read_bytes()) == ({"missing"}, text)


@pytest.mark.parametrize("name", ["", "memory-flush"])
def test_hooks_behind_a_link_stay_and_are_named(tmp_path: Path, name: str) -> None:
    home = tmp_path / ".openclaw"
    (home / "workspace" / "memory").mkdir(parents=True)
    (home / "openclaw.json").write_text("{}")
    run = Program({"HOME": str(tmp_path), "MEMCONSOLE_TRANSPORT": "none", "PATH": "/usr/bin:/bin"})
    assert run.json("hooks", "install").code == 0
    place = home / "hooks" / name
    place.rename(tmp_path / "moved")
    place.symlink_to(tmp_path / "moved")
    result = run("hooks", "remove")
    assert result.code == 1
    flush = home / "hooks" / "memory-flush"
    assert f"{flush} is behind a symbolic link: it stays" in result.err
    assert (flush / "HOOK.md").exists()
    (flush / "HOOK.md").write_text("somebody's own")
    assert (str(flush) in run("hooks", "remove").err) is False


def test_a_prefix_is_a_name(call: Caller) -> None:
    result = call.json("hooks", "install", "--prefix", "../x")
    assert result.code == 2
    assert "--prefix" in result.error["message"]


def test_a_call_of_a_hook_is_one_and_proves_that_it_runs(tmp_path: Path) -> None:
    (tmp_path / ".openclaw" / "workspace" / "memory").mkdir(parents=True)
    (tmp_path / ".openclaw" / "openclaw.json").write_text("{}")
    environment = {"HOME": str(tmp_path), "MEMCONSOLE_TRANSPORT": "none", "PATH": "/usr/bin:/bin"}
    plain = Program(environment)
    hook = Program({**environment, "MEMCONSOLE_HOOK": "memory-flush"})
    assert plain.json("hooks", "install").code == 0

    hook.json("observe", "--flush", "--agent", "main")

    assert [row["origin"] for row in plain.json("runs").data] == ["hook"]
    called = {
        row["name"]: row["called_at"] is not None for row in plain.json("hooks", "status").data
    }
    assert called == {"memory-index-inject": False, "session-summary": False, "memory-flush": True}
