"""Every command, ended or failing at each of its write-like calls, and run again."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.lanes.faults.commands import TRIALS
from tests.lanes.faults.lane import Lane

if TYPE_CHECKING:
    from pathlib import Path

    from tests.lanes.faults.commands import Trial
    from tests.lanes.faults.process import Runs

pytestmark = pytest.mark.faults

SAMPLE = os.environ.get("FAULTS_SAMPLE")
SEED = int(os.environ.get("FAULTS_SEED", "0"))


@pytest.mark.parametrize("trial", TRIALS, ids=lambda trial: trial.name)
def test_no_fault_of_the_disk_harms(trial: Trial, runs: Runs, tmp_path: Path) -> None:
    row = Lane(trial, runs, tmp_path / "lane").walk(int(SAMPLE) if SAMPLE else None, SEED)
    assert row.faults == []
