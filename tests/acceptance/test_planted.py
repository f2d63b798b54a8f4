"""Files that somebody else put into the current folder are never imported, by us or our children.

An agent's workspace is such a folder: whoever talks to the agent can have files written there.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.program import ROOT, Program

if TYPE_CHECKING:
    from pathlib import Path

PLANTED = ("httpx", "apprise", "sitecustomize", "usercustomize", "subprocess", "json", "memconsole")
CHANNELS = """
[[alerts.channel]]
type = "webhook"
name = "hook"
url = "http://127.0.0.1:9/"
"""


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """memconsole, started in HOME, where modules of other people lie."""
    for name in PLANTED:
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'was-run')!r}, 'w').close()\n")
    (tmp_path / "ps").write_text(f"#!/bin/sh\ntouch {tmp_path}/was-run\n")
    (tmp_path / "ps").chmod(0o755)
    (tmp_path / ".openclaw" / "agents" / "main" / "sessions").mkdir(parents=True)
    (tmp_path / "config.toml").write_text(CHANNELS)
    return Program({
        "HOME": str(tmp_path), "MEMCONSOLE_CONFIG": "config.toml", "PATH": ":/usr/bin:/bin"
    })  # fmt: skip


def test_a_delivery_imports_nothing_from_the_current_folder(
    program: Program, tmp_path: Path
) -> None:
    [_, delivery] = program.json("alerts", "test").data
    assert "no connection" in delivery["message"]
    assert not (tmp_path / "was-run").exists()


def test_a_starting_session_runs_nothing_of_its_folder(program: Program, tmp_path: Path) -> None:
    words = ("bootstrap", "--session-key", "agent:main:main")
    assert program.json(*words).data["session_class"] == "main"
    assert not (tmp_path / "was-run").exists()


def test_a_module_call_forgets_the_current_folder_first(program: Program, tmp_path: Path) -> None:
    (tmp_path / "memconsole.py").unlink()  # that one would be run in our place, by Python itself
    (tmp_path / "sitecustomize.py").unlink()
    done = subprocess.run(
        [sys.executable, "-m", "memconsole", "--json", "alerts", "test"],
        cwd=tmp_path,
        env={**program.environment, "PYTHONPATH": f"{ROOT}:"},
        capture_output=True,
        check=False,
    )
    assert json.loads(done.stdout)["command"] == "alerts test"
    assert not (tmp_path / "was-run").exists()
