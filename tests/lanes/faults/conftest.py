"""The forking process, once for all tests of a worker, and the table at the end."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.lanes.faults.process import compile_library, forking
from tests.lanes.faults.table import ROW, print_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from _pytest.terminal import TerminalReporter

    from tests.lanes.faults.process import Runs


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runs]:
    """Processes with a fault in them."""
    with forking(compile_library(tmp_path_factory.mktemp("faults"))) as found:
        yield found


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """Print what was tried; with `FAULTS_STORE=1` it goes into the docs, too."""
    rows = [
        value
        for outcome in ("passed", "failed")
        for report in terminalreporter.stats.get(outcome, [])
        for name, value in report.user_properties
        if name == ROW
    ]
    if rows:
        is_stored = os.environ.get("FAULTS_STORE") == "1"
        terminalreporter.section("faults", sep="-")
        terminalreporter.write_line(print_table(rows, is_stored=is_stored))
