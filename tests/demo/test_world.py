"""`--demo` as a program: a world of its own, gone at its end, whatever ends it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memconsole.demo.home import demo_world, is_foreign
from tests.program import Program, tree

if TYPE_CHECKING:
    from collections.abc import Iterator

NOW = "2026-04-14T14:20:00+00:00"


@pytest.fixture
def places(tmp_path: Path, user_home: Path) -> dict[str, Path]:
    """The user's folder with a home that must not be touched, and the temporary folder."""
    platform = user_home / ".openclaw"
    sessions = platform / "agents" / "secret" / "sessions"
    sessions.mkdir(parents=True)
    (sessions / "sessions.json").write_text('{"agent:secret:main": {"sessionId": "x"}}')
    config = user_home / ".config" / "memconsole"
    config.mkdir(parents=True)
    (config / "config.toml").write_text("this is = not [toml")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    return {"user": user_home, "platform": platform, "temporary": temporary}


@pytest.fixture
def program(places: dict[str, Path]) -> Program:
    environment = {
        "HOME": str(places["user"]),
        "TMPDIR": str(places["temporary"]),
        "MEMCONSOLE_NOW": NOW,
        "MEMCONSOLE_HOME": str(places["platform"]),
        "MEMCONSOLE_STATE__DIR": str(places["user"] / "state"),
        "OPENCLAW_STATE_DIR": str(places["platform"]),
        "OPENCLAW_CONFIG_PATH": str(places["user"] / "openclaw.json"),
    }
    return Program(environment, is_plain_user=True)


@pytest.fixture
def locked(places: dict[str, Path]) -> Iterator[Path]:
    """The user's platform home, which nobody may enter."""
    places["platform"].chmod(0)
    yield places["platform"]
    places["platform"].chmod(0o700)


def left_in(folder: Path) -> list[str]:
    return [path.name for path in folder.rglob("*")]


def test_status_over_the_demo_touches_nothing_of_the_user(
    program: Program, places: dict[str, Path], locked: Path
) -> None:
    before = tree(places["user"], without=(locked,))
    answer = program("--demo", "status", "--json")

    assert answer.code == 0, answer.err
    assert answer.envelope["at"].startswith("2026-04-14T14:20")
    assert {agent["id"] for agent in answer.data["agents"]} == {
        "main",
        "work",
        "research",
        "writer",
        "homelab",
        "finance",
    }
    assert answer.data["home"].startswith(str(places["temporary"]))
    assert str(places["user"]) not in answer.out
    assert answer.err == ""
    assert tree(places["user"], without=(locked,)) == before
    assert left_in(places["temporary"]) == []


@pytest.mark.parametrize(
    "words",
    [
        ("session", "agent:work:main"),
        ("checkpoint", "--dry-run"),
        ("config", "path"),
    ],
    ids=" ".join,
)
def test_other_commands_work_over_the_demo(program: Program, words: tuple[str, ...]) -> None:
    answer = program("--json", "--demo", *words)
    assert answer.code == 0, answer.err
    assert answer.data


def test_the_gateway_of_the_user_is_not_asked(program: Program) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.1)
        address = f"ws://127.0.0.1:{listener.getsockname()[1]}"
        told = {"MEMCONSOLE_GATEWAY": address, "MEMCONSOLE_GATEWAY__URL": address}
        asking = replace(program, environment={**program.environment, **told})
        assert asking("--demo", "status", "--json").data["gateway"]["url"] != address
        with pytest.raises(TimeoutError):
            listener.accept()


def test_without_a_terminal_it_prints_the_first_screen(program: Program) -> None:
    answer = program("--demo")
    assert answer.code == 0
    assert "work / main is due" in answer.out


@pytest.mark.parametrize("option", ["--home", "--config", "--gateway", "--transport"])
def test_what_names_something_of_the_user_is_refused(program: Program, option: str) -> None:
    value = {"--gateway": "ws://127.0.0.1:1", "--transport": "none"}.get(option, "/somewhere")
    answer = program("--demo", option, value, "--json", "agents")
    assert answer.code == 2
    assert option in answer.error["message"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_leaves_nothing_behind(
    program: Program, places: dict[str, Path], number: signal.Signals
) -> None:
    environment = {**program.environment, "PATH": os.environ["PATH"], "PYTHONUNBUFFERED": "1"}
    script = "\n".join(
        (
            "import signal, sys, time",
            # Whoever runs the tests, as nohup does, may have both of them ignored.
            "signal.signal(signal.SIGHUP, signal.SIG_DFL)",
            "signal.signal(signal.SIGINT, signal.default_int_handler)",
            "from memconsole.cli import main",
            "from memconsole.cli.call.call import Call",
            "def look(self):",
            "    print('inside', flush=True)",
            "    time.sleep(60)",
            "Call.engine = property(lambda self: (self.settings, look(self)))",
            "sys.exit(main.main(['--demo', 'agents']))",
        )
    )
    command = [sys.executable, "-c", script]
    with subprocess.Popen(
        command, env=environment, cwd=Path(__file__).parents[2], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "inside\n"
        assert left_in(places["temporary"])
        process.send_signal(number)
        assert process.wait(30) == 130
    assert left_in(places["temporary"]) == []


def test_what_a_killed_demo_left_is_removed_by_the_next(
    program: Program, places: dict[str, Path]
) -> None:
    left = places["temporary"] / f"memconsole-{os.geteuid()}"
    left.mkdir(mode=0o700)
    dead = left / "private-dead"
    dead.mkdir(mode=0o700)
    (dead / "owner.lock").touch()
    (dead / "operator").mkdir()
    assert program("--demo", "agents").code == 0
    assert not dead.exists()


def test_the_environment_comes_back(monkeypatch: pytest.MonkeyPatch, user_home: Path) -> None:
    monkeypatch.setenv("OPENCLAW_STATE_DIR", "/mine")
    monkeypatch.setenv("MEMCONSOLE_UI__ASCII", "true")
    before = dict(os.environ)
    with demo_world() as operator:
        assert Path.home() == operator
        assert operator.stat().st_mode & 0o777 == 0o700
        assert "OPENCLAW_STATE_DIR" not in os.environ
        assert os.environ["MEMCONSOLE_UI__ASCII"] == "true"
        os.environ["NEW"] = "1"
    assert dict(os.environ) == before
    assert not operator.exists()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("MEMCONSOLE_NOW", False),
        ("MEMCONSOLE_ASCII", False),
        ("MEMCONSOLE_UI__THEME", False),
        ("MEMCONSOLE_HOME", True),
        ("MEMCONSOLE_CONFIG", True),
        ("MEMCONSOLE_ROTATION__THRESHOLD_TOKENS", True),
        ("ROTATION_THRESHOLD", True),
        ("OPENCLAW_PROFILE", True),
        ("XDG_STATE_HOME", True),
        ("NO_COLOR", False),
        ("TERM", False),
        ("PATH", False),
    ],
)
def test_which_variables_are_of_the_user(name: str, expected: bool) -> None:
    assert is_foreign(name) is expected
