"""What is said where the library of PostgreSQL is not installed, or a secret is none."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from memconsole.adapters.fleet.postgres import connect as connecting
from memconsole.compose.fleet_server import fleet_signer
from memconsole.domain.fleet.server import parse_server
from memconsole.errors import FleetError, SourceAwayError, StateError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from memconsole.domain.settings import Settings


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


def test_a_password_that_others_may_read_is_not_used(tmp_path: Path) -> None:
    passwords = tmp_path / "passwords"
    passwords.write_text("127.0.0.1:1:fleet:ann:geheim\n")
    passwords.chmod(0o640)
    with pytest.raises(SourceAwayError, match="others may read") as caught:
        connecting.connect(parse_server("postgresql://ann@127.0.0.1:1/fleet"), passwords)
    assert "geheim" not in str(caught.value)


@pytest.mark.parametrize(
    ("data", "mode", "why"), [(b"k" * 31, 0o600, "is no key"), (b"k" * 32, 0o604, "others may")]
)
def test_a_key_that_is_none_or_no_secret_is_told(
    tmp_path: Path, data: bytes, mode: int, why: str
) -> None:
    folder = tmp_path / "fleet"
    folder.mkdir(mode=0o700)
    (folder / "operator.key").write_bytes(data)
    (folder / "operator.key").chmod(mode)
    settings = cast("Settings", SimpleNamespace(state_dir=tmp_path))
    with pytest.raises(StateError, match=why):
        fleet_signer(settings)


@pytest.mark.parametrize("kind", [TypeError, ValueError, KeyError, OverflowError, AssertionError])
def test_what_fails_beside_an_answer_stays_a_bug(kind: type[Exception]) -> None:
    with pytest.raises(kind), connecting.said("nothing was done"):
        raise kind
    why = "nothing was done: the fleet's database is not as it was"
    with (
        pytest.raises(FleetError, match=why),
        connecting.said("nothing was done"),
        connecting.answered(),
    ):
        raise kind
