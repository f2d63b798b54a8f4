"""The sample home behind a fake engine."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
import textual.app
import textual.pilot
import textual.screen
from textual.css.stylesheet import Stylesheet

from tests.ui.fake_engine import FakeEngine
from tests.ui.sample_details import furnish

if TYPE_CHECKING:
    from textual.css.model import RuleSet

_parse = Stylesheet._parse_rules
_PARSED: dict[tuple[object, ...], list[RuleSet]] = {}


@pytest.fixture
def engine() -> FakeEngine:
    """An engine over the usual home, with something to say about all of it."""
    engine = FakeEngine()
    furnish(engine)
    return engine


@pytest.fixture(autouse=True)
def no_idling(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do without Textual's naps and its 16 ms from picture to picture.

    `settle` waits for every queue, and proves more.
    """
    for module in (textual.app, textual.pilot):
        monkeypatch.setattr(module, "wait_for_idle", _give_way)
    monkeypatch.setattr(textual.screen, "UPDATE_PERIOD", 0.001)


@pytest.fixture(autouse=True)
def shared_styles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parse each style sheet once for all consoles of a process, not for each of them again."""
    monkeypatch.setattr(Stylesheet, "_parse_rules", _parse_once)


def _parse_once(self: Stylesheet, css: str, **source: object) -> list[RuleSet]:
    key = (frozenset(self._variables.items()), css, *sorted(source.items()))
    if key not in _PARSED:
        _PARSED[key] = _parse(self, css, **source)  # type: ignore[arg-type]  # as they came
    return _PARSED[key]


async def _give_way(min_sleep: float = 0, max_sleep: float = 0) -> None:
    """Let what was posted get into its queue."""
    del min_sleep, max_sleep
    for _ in range(5):
        await asyncio.sleep(0)
