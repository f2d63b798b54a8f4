"""What is said where the library of PostgreSQL is not installed."""

from __future__ import annotations

import subprocess
import sys

import pytest

from memconsole.adapters.fleet.postgres import connect as connecting
from memconsole.domain.fleet.server import parse_server
from memconsole.errors import UsageError


def test_the_way_to_the_extra_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connecting, "find_spec", lambda _: None)
    with pytest.raises(UsageError, match="psycopg, which is not installed") as caught:
        connecting.connect(parse_server("postgresql://127.0.0.1:1/fleet"), None)
    assert "memconsole[fleet]" in caught.value.hint


def test_nothing_of_it_is_loaded_without_a_fleet() -> None:
    """Neither by the scheduler nor by the engine, nor by what makes settings."""
    code = (
        "import sys, memconsole.cli.call.serving, memconsole.compose.engine;"
        "import memconsole.config.load;"
        "print([one for one in sys.modules if 'psycopg' in one or 'memconsole' in one and"
        " ('postgres' in one or 'fleet' in one)])"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
