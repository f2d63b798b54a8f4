"""The sample home behind a fake engine."""

from __future__ import annotations

import asyncio

import pytest
import textual.app
import textual.pilot

from tests.ui.fake_engine import FakeEngine
from tests.ui.sample_details import furnish


@pytest.fixture
def engine() -> FakeEngine:
    """An engine over the usual home, with something to say about all of it."""
    engine = FakeEngine()
    furnish(engine)
    return engine


@pytest.fixture(autouse=True)
def no_idling(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do without Textual's naps of 20 ms: `settle` waits for every queue, and proves more."""
    for module in (textual.app, textual.pilot):
        monkeypatch.setattr(module, "wait_for_idle", _give_way)


async def _give_way(min_sleep: float = 0, max_sleep: float = 0) -> None:
    """Let what was posted get into its queue."""
    del min_sleep, max_sleep
    for _ in range(5):
        await asyncio.sleep(0)
