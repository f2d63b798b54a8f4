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
