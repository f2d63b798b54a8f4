"""Wrong calls, wrong configuration, wrong moments: one sentence of fact and one of help."""

from __future__ import annotations

import logging
import signal
import sys
from importlib import import_module
from typing import TYPE_CHECKING

import pytest

from memconsole.cli import main as program
from memconsole.cli.app import COMMANDS, PROGRAM
from memconsole.errors import ConfigError, HomeNotFoundError, MemconsoleError

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.caller import Caller
    from tests.doubles.bundle import World

SECRET = "sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-AbCdEfGhIjKlMnOpQrSt"


@pytest.mark.parametrize(
    ("words", "fact", "help_"),
    [
        (["statsu"], "no such command 'statsu'. Did you mean 'status'?", "memconsole --help"),
        (["status", "--jsn"], "no such option: --jsn (Possible options: --json)", "status --help"),
        (["--hom", "/x", "status"], "--home", "memconsole --help"),
        (["--color"], "'--color' requires an argument", "memconsole --help"),
        (["session"], "missing argument 'KEY|ID'", "session --help"),
        (["transcript", "x", "--tail", "many"], "'many' is not a valid int", "--help"),
        (["transcript", "x", "--tail", "0"], "--tail 0", "--tail takes 1 or more"),
        (["memory"], "missing command", "memconsole memory --help"),
        (["agents", "extra"], "got unexpected extra argument(s) (extra)", "agents --help"),
        (["sessions", "--agent", "nobody"], "there is no agent 'nobody'", "Known agents: main"),
        (["--transport", "pigeon", "status"], "gateway.transport", ""),
        (["--color", "blue", "status"], "ui.color", ""),
        (["--gateway", "http://x", "status"], "gateway.url", ""),
    ],
)
def test_a_wrong_call_is_explained(words: list[str], fact: str, help_: str, call: Caller) -> None:
    result = call(*words)
    assert result.code == 2
    assert result.out == ""
    first, *rest = result.err.splitlines()
    assert first.startswith("memconsole: ")
    assert fact in first
    assert help_ in "".join(rest)
    answered = call("--json", *words)
    assert answered.code == 2
    assert fact.lower() in answered.error["message"].lower()


def test_json_is_not_wanted_behind_the_end_of_options(call: Caller) -> None:
    result = call("session", "--", "--json")
    assert result.code == 2
    assert result.out == ""
    assert "'--json'" in result.err


def test_global_options_are_understood_before_and_behind(call: Caller) -> None:
    for words in (
        ["--home", "/x", "--read-only", "-vv", "agents"],
        ["agents", "--home", "/x", "--read-only", "-vv"],
    ):
        assert call(*words).code == 0
        assert call.settings is not None
        assert str(call.settings.home) == "/x"
        assert call.settings.ui.read_only
        assert call.settings.log.level == "debug"


@pytest.mark.parametrize(
    ("words", "part", "value"),
    [
        (["--no-color"], "color", "never"),
        (["--color", "always"], "color", "always"),
        (["--mono"], "mono", True),
        (["--ascii"], "ascii", True),
        (["--no-mouse"], "mouse", False),
    ],
)
def test_options_set_their_key(words: list[str], part: str, value: object, call: Caller) -> None:
    assert call(*words, "agents").code == 0
    assert call.settings is not None
    assert getattr(call.settings.ui, part) == value


def test_options_win_over_variables(call: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMCONSOLE_TRANSPORT", "none")
    monkeypatch.setenv("MEMCONSOLE_JSON", "1")
    result = call("agents")
    assert result.envelope["command"] == "agents"
    assert call.settings is not None
    assert call.settings.transport == "none"
    call("--transport", "ws", "agents")
    assert call.settings.transport == "ws"


def test_a_variable_asks_for_failures_in_json_too(
    call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMCONSOLE_JSON", "1")
    assert call("session", "no such one").error["code"] == "unknown-session"
    assert call("--threshold", "x", "rotate").error["code"] == "usage"


def test_colour_is_there_when_it_is_asked_for(call: Caller) -> None:
    assert "\x1b[" in call("--color", "always", "status").out
    assert "\x1b[" not in call("status").out
    assert call("--ascii", "status").out.isascii()


def test_a_named_configuration_must_exist(call: Caller, tmp_path: Path) -> None:
    missing = tmp_path / "nowhere.toml"
    result = call.json("--config", str(missing), "agents")
    assert result.code == 2
    assert str(missing) in result.error["message"]


def test_a_wrong_configuration_names_key_file_and_line(call: Caller, tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("[rotation]\nthreshold_token = 5\n", "utf-8")
    result = call("--config", str(file), "rotate", "--dry-run")
    assert result.code == 2
    assert "rotation.threshold_token" in result.err
    assert f"{file}, line 2" in result.err


def test_a_log_file_that_cannot_be_written_is_named(call: Caller, tmp_path: Path) -> None:
    result = call("--log-file", str(tmp_path / "no" / "such" / "folder.log"), "agents")
    assert result.code == 2
    assert "folder.log" in result.err
    assert "--log-file" in result.err


def test_what_runs_is_logged_where_the_operator_wants_it(
    world: World, call: Caller, tmp_path: Path
) -> None:
    file = tmp_path / "own.log"
    result = call("-v", "--log-file", str(file), "checkpoint", "--agent", "main")
    assert "memconsole: info: memconsole checkpoint --agent main: " in result.err
    assert file.stat().st_mode & 0o777 == 0o600
    assert '"level": "info"' in file.read_text("utf-8")
    assert "memconsole: info" not in call("checkpoint", "--agent", "main").err


class _Broken:
    """An engine builder that fails in its own way."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __call__(self, *_arguments: object) -> object:
        raise self.error


def run(error: BaseException, *words: str) -> int:
    return program.main(words, build=_Broken(error))  # type: ignore[arg-type]  # it never returns


@pytest.mark.parametrize(
    ("error", "code", "word"),
    [
        (HomeNotFoundError("/nowhere"), 3, "home-not-found"),
        (ConfigError("MEMCONSOLE_NOW is no moment"), 2, "config"),
        (MemconsoleError("it failed"), 1, "failed"),
        (OSError(28, "No space left on device", "/tmp/x"), 1, "failed"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (ValueError("a bug"), 1, "internal"),
    ],
)
def test_every_failure_ends_in_a_sentence_and_a_code(
    error: BaseException, code: int, word: str, call: Caller, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(error, "agents", "--json") == code
    out, err = capsys.readouterr()
    assert f'"code": "{word}"' in out
    assert err.startswith("memconsole: ")
    assert "Traceback" not in err


def test_a_bug_shows_where_it_happened_to_those_who_ask(
    call: Caller, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(ValueError("a bug"), "-v", "agents") == 1
    assert "Traceback" in capsys.readouterr().err


def test_no_secret_and_no_control_character_is_in_an_error(
    call: Caller, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(MemconsoleError(f"no \x1b[31m{SECRET}"), "agents", "--json") == 1
    out, err = capsys.readouterr()
    for text in (out, err):
        assert SECRET[14:40] not in text
        assert "\x1b" not in text
        assert "\\u001b" not in text


def test_a_request_to_end_is_an_interruption(call: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> object:
        signal.raise_signal(signal.SIGTERM)
        raise AssertionError("the signal was ignored")

    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(call.world.platform, "read", stop)
    result = call("agents")
    assert (result.code, result.err) == (130, "memconsole: interrupted\n")
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_hangup_that_was_to_be_ignored_stays_ignored(call: Caller) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        call.world.platform.agents = ()
        assert call("agents").code == 0
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_help_is_there_for_everything(call: Caller) -> None:
    text = call("--help").out
    for name in ("status", "agents", "sessions", "checkpoint", "rotate", "memory", "config"):
        assert f"\n  {name} " in text
    assert "MEMCONSOLE_HOME" in text
    for words in (["-h"], ["rotate", "-h"], ["memory", "pool", "--help"], ["config", "-h"]):
        result = call(*words)
        assert result.code == 0
        assert result.out.startswith("Usage: memconsole ")
    assert "--json" in call("rotate", "-h").out
    assert "--home" not in call("rotate", "-h").out


@pytest.mark.parametrize("group", COMMANDS)
def test_the_line_of_each_command_is_the_first_of_its_docstring(group: str, call: Caller) -> None:
    words = [] if group == PROGRAM else [group]
    shown = " ".join(call(*words, "--help").out.split())
    for name, place in COMMANDS[group].items():
        module, _, function = place.partition(":")
        doc = place
        if name not in COMMANDS:
            doc = getattr(import_module(f"memconsole.cli.{module}"), function).__doc__
        assert f" {name} {' '.join(doc.split()[:4])}" in shown


def test_without_a_terminal_there_is_no_console(call: Caller) -> None:
    for words in ([], ["--json"]):
        assert call(*words).out == call(*words, "status").out


def test_the_log_is_set_up_once_however_often_main_runs(call: Caller) -> None:
    for _ in range(3):
        call("agents")
    assert len(logging.getLogger("memconsole").handlers) == 1


def test_logging_survives_without_standard_error(
    call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    assert call("agents").code == 0
