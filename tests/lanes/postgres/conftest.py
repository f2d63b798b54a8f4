"""One PostgreSQL for all tests of a run, and a fleet for those of a module."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.lanes.postgres.fleet import Fleet
from tests.lanes.postgres.server import Server

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A server that answers."""
    made = Server()
    yield made
    made.close()


@pytest.fixture(scope="module")
def fleet(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Fleet:
    """An empty fleet."""
    return Fleet(server, tmp_path_factory.mktemp("fleet"))
