"""Every command, ended or failing at each of its write-like calls, and run again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.lanes.faults.commands import TRIALS
from tests.lanes.faults.lane import Lane
from tests.lanes.faults.table import ROW, SAMPLE, TURN, handed_on

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.lanes.faults.commands import Trial
    from tests.lanes.faults.process import Runs

pytestmark = pytest.mark.faults


@pytest.mark.parametrize("trial", TRIALS, ids=lambda trial: trial.name)
def test_no_fault_of_the_disk_harms(
    trial: Trial,
    runs: Runs,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    row = Lane(trial, runs, tmp_path / "lane").walk(SAMPLE, TURN)
    record_property(ROW, handed_on(row))
    assert not row.faults, "\n".join(row.faults)
