"""The forking process, once for all tests, and the table at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.lanes.faults.process import compile_library, forking

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.lanes.faults.process import Runs


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runs]:
    """Processes with a fault in them."""
    with forking(compile_library(tmp_path_factory.mktemp("faults"))) as found:
        yield found
