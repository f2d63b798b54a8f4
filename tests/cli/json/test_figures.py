"""What a host answers to people afar."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

from memconsole.cli.json.figures import Figures
from memconsole.domain.figures import Veil
from tests.doubles.platform import FakeClock

if TYPE_CHECKING:
    from memconsole.domain.fleet.shapes import Json
    from memconsole.domain.settings import Settings
    from memconsole.engine.engine import Engine

FIGURES = Figures(cast("Engine", None), cast("Settings", None), Veil(b"k" * 32), FakeClock().now)


def test_an_answer_to_somebody_afar_is_masked_whatever_the_settings_say() -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    found = FIGURES.hidden({"data": [{"agent": "main", "message": f"token {secret}"}]})
    assert secret not in json.dumps(found)
    assert "main" in json.dumps(found)


def test_nothing_remembered_is_in_an_answer_to_somebody_afar() -> None:
    details: Json = {"added": 1, "lines": ["- the door code"], "by": {"n": 2, "said": "the door"}}
    found = FIGURES.hidden({"schema": 1, "data": [{"agent": "main", "details": details}]})
    row = {"agent": "main", "details": {"added": 1, "by": {"n": 2}}}
    assert found == {"schema": 1, "data": [row]}
