"""What a host answers to people afar."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

from memconsole.cli.json.figures import Figures
from memconsole.compose import engine as wiring
from memconsole.compose import process
from memconsole.domain.agents import Origin
from memconsole.domain.published import Veil
from tests.doubles.platform import FakeClock

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

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


def test_a_name_goes_nowhere_also_when_who_bore_it_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions = tmp_path / ".openclaw" / "agents" / "main" / "sessions"
    sessions.mkdir(parents=True)
    lena = {
        "sessionId": "5e551010-0000-4000-8000-000000000001",
        "updatedAt": 1_768_000_000_000,
        "totalTokens": 190_000,
        "totalTokensFresh": True,
        "label": "Lena Kowalski",
    }
    (sessions / "sessions.json").write_text(json.dumps({"agent:main:telegram:direct:77": lena}))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("MEMCONSOLE_STATE__DIR", str(tmp_path / "state"))
    monkeypatch.setenv("MEMCONSOLE_TRANSPORT", "none")
    settings = process.load_settings(None, {})
    engine = wiring.build_engine(settings, Origin.CLI)
    figures = Figures(engine, settings, Veil(b"k" * 32), FakeClock().now)

    def said() -> str:
        return json.dumps([dict(one.body) for one in figures.look()])

    assert "is due: 190K" in said()
    assert "Kowalski" not in said()
    (sessions / "sessions.json").write_text("{}")
    assert "is due: 190K" in said()  # health was looked after before
    assert "Kowalski" not in said()
