"""The service under a live user manager: ready, watched, started again after a kill, stopped."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.lanes.home import ROOT, make_home
from tests.lanes.systemd_child import MANAGER

pytestmark = pytest.mark.systemd

LONGEST_S = 300


def test_the_service_lives_under_its_manager(tmp_path: Path) -> None:
    if os.geteuid() != 0 or shutil.which("unshare") is None or not Path(MANAGER[0]).exists():
        pytest.skip("it takes root, unshare and systemd to run a manager of its own")
    make_home(tmp_path)
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "MEMCONSOLE_TRANSPORT": "none",
    }
    alone = ("unshare", "--mount", "--propagation", "private")
    done = subprocess.run(
        [*alone, sys.executable, "-m", "tests.lanes.systemd_child", str(tmp_path)],
        env=environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=LONGEST_S,
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout.splitlines()[-1])
    assert seen.pop("status").endswith(" jobs")
    assert seen.pop("stopped_s") < 10
    assert seen == {
        "installed": 0,
        "type": "notify",
        "restarts": "0",
        "owner": True,
        "restarts_after_a_kill": "1",
        "result": "success",
        "exit": "0",
        "removed": 0,
        "left": [],
    }
