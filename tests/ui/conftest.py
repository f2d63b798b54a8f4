"""The sample home behind a fake engine."""

from __future__ import annotations

import pytest

from tests.ui.fake_engine import FakeEngine
from tests.ui.sample_details import furnish


@pytest.fixture
def engine() -> FakeEngine:
    """An engine over the usual home, with something to say about all of it."""
    engine = FakeEngine()
    furnish(engine)
    return engine
