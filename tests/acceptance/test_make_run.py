"""`make run`, the first thing that a new user types: the own home, or the demo where none is."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.program import ROOT

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """\
#!/bin/sh
case "$*" in
"--json status") printf '%s\\n' '{answer}'; exit {code} ;;
*) echo "opened: $*" ;;
esac
"""
NO_HOME = '{"schema": 1, "error": {"code": "home-not-found"}}'
UNREADABLE = '{"schema": 1, "error": {"code": "home-unreadable"}}'


@pytest.mark.parametrize(
    ("answer", "code", "opened"),
    [
        (NO_HOME, 3, "opened: --demo"),
        (UNREADABLE, 3, "opened: "),
        ('{"schema": 1, "data": {}}', 0, "opened: "),
    ],
)
def test_the_demo_opens_where_there_is_no_home(
    answer: str, code: int, opened: str, tmp_path: Path
) -> None:
    """The checkout is one that is set up already, with a stand-in for memconsole."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    program = tmp_path / ".venv" / "bin" / "memconsole"
    program.parent.mkdir(parents=True)
    program.write_text(PROGRAM.replace("{answer}", answer).replace("{code}", str(code)))
    program.chmod(0o755)
    for name in ("requirements.lock", "pyproject.toml", ".venv/.locked", ".venv/.installed"):
        (tmp_path / name).touch()
    environment = {"PATH": os.environ["PATH"]}
    done = subprocess.run(
        ["make", "run"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [opened]
