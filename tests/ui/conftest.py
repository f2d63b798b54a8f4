"""The sample home behind a fake engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from textual.css.stylesheet import Stylesheet

from tests.ui.driving import without_naps
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
    """Wait for what is to come, not for a time."""
    without_naps(monkeypatch.setattr)


@pytest.fixture(autouse=True)
def shared_styles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parse each style sheet once for all consoles of a process, not for each of them again."""
    monkeypatch.setattr(Stylesheet, "_parse_rules", _parse_once)


def _parse_once(self: Stylesheet, css: str, **source: object) -> list[RuleSet]:
    key = (frozenset(self._variables.items()), css, *sorted(source.items()))
    if key not in _PARSED:
        _PARSED[key] = _parse(self, css, **source)  # type: ignore[arg-type]  # as they came
    return _PARSED[key]
